"""Roles, actions, and the one table that says which role may do what."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    OWNER = "owner"
    REVIEWER = "reviewer"
    LEGAL = "legal"
    ENGINEER = "engineer"
    VIEWER = "viewer"


class Action(StrEnum):
    """What a view does, named on the view; a stranger gets 404 for all of them."""

    VIEW = "view"
    COMMENT = "comment"
    EDIT = "edit"
    FORMALIZE = "formalize"
    DECIDE = "decide"
    PUBLISH = "publish"
    SIGN = "sign"
    EXPORT = "export"
    MANAGE = "manage"


# What changes nothing, and so is left of a policy in the archive.
READING = frozenset({Action.VIEW, Action.EXPORT})

_ALL = frozenset(Role)

MATRIX: dict[Action, frozenset[Role]] = {
    Action.VIEW: _ALL,
    # Who may see a rule may ask about it: a question is no decision.
    Action.COMMENT: _ALL,
    Action.EDIT: frozenset({Role.OWNER, Role.REVIEWER}),
    Action.FORMALIZE: frozenset({Role.OWNER, Role.REVIEWER}),
    Action.DECIDE: frozenset({Role.OWNER, Role.REVIEWER}),
    Action.PUBLISH: frozenset({Role.OWNER}),
    Action.SIGN: frozenset({Role.LEGAL}),
    Action.EXPORT: _ALL,
    Action.MANAGE: frozenset({Role.OWNER}),
}
