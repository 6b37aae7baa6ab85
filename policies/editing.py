"""The one lock for changes of a draft, and what every change leaves behind.

    with editing(policy, user, expected_revision=form_revision) as edit:
        ...change rows...
        edit.cause = "edited in SMT-LIB"

At the end, in the same transaction: each rule whose content hash moved gets a
revision row and an audit row, and the policy's revision grows by one. So an
approval lapses by itself, whatever moved the hash, and the log says what did.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Max

from policies.audit import record
from policies.composing import Composition, compose
from policies.models import Policy, Rule, RuleRevision, SectionScope, User
from policywright.english import render_sentence


class DraftMovedError(Exception):
    """The draft changed since the form was shown; nothing was saved."""

    def __init__(self, shown: int, present: int) -> None:
        super().__init__(
            "someone changed this policy after you opened the page; "
            "nothing was saved. Look at the present text, then try again."
        )
        self.shown, self.present = shown, present


@dataclass
class Edit:
    """One change of a draft under way; `policy` is the locked row, `cause` goes to the log.

    A service that finds nothing to change (a form sent twice) sets `unchanged`:
    the revision then stays, so that nobody's open form becomes stale.
    """

    policy: Policy
    actor: User | None
    cause: str = "edited"
    unchanged: bool = False
    composition: Composition | None = field(default=None)


@contextmanager
def editing(
    policy: Policy,
    actor: User | None,
    *,
    cause: str = "edited",
    expected_revision: int | None = None,
) -> Iterator[Edit]:
    """Hold the policy's row lock over a change; raises DraftMovedError if it moved.

    Never call a model or a solver inside: the lock is for rows only.
    """
    with transaction.atomic():
        locked = Policy.objects.select_for_update().get(pk=policy.pk)
        if expected_revision is not None and locked.revision != expected_revision:
            raise DraftMovedError(expected_revision, locked.revision)
        edit = Edit(locked, actor, cause)
        yield edit
        if not edit.unchanged:
            edit.composition = _settle(edit)
        policy.revision = locked.revision


def _settle(edit: Edit) -> Composition:
    composition = compose(edit.policy)
    rows = Rule.objects.filter(policy=edit.policy, retired_at=None)
    for rule in rows:
        present = composition.hashes.get(rule.uid, "")
        if present != rule.content_hash:
            _append_revision(rule, present, edit, composition)
    _settle_scopes(edit, composition)
    edit.policy.revision += 1
    edit.policy.save(update_fields=["revision"])
    return composition


def _settle_scopes(edit: Edit, composition: Composition) -> None:
    """A scope whose content moved, by a phrase or a merge, asks for approval again by itself."""
    if not composition.scopes:
        return
    rows = {row.uid: row for row in SectionScope.objects.filter(document__policy=edit.policy)}
    for scope in composition.scopes:
        row = rows[scope.uid]
        english = "" if scope.term is None else render_sentence(composition.model, scope.term)
        if row.content_hash == scope.hash and row.english == english:
            continue
        record(
            edit.policy,
            edit.actor,
            "change-scope" if row.content_hash else "add-scope",
            f"scope:{scope.uid}",
            old_hash=row.content_hash,
            new_hash=scope.hash,
        )
        SectionScope.objects.filter(pk=row.pk).update(content_hash=scope.hash, english=english)


def _append_revision(rule: Rule, present: str, edit: Edit, composition: Composition) -> None:
    last = rule.revisions.aggregate(last=Max("number"))["last"] or 0
    RuleRevision.objects.create(
        rule=rule,
        number=last + 1,
        content_hash=present,
        content=composition.contents.get(rule.uid, {"broken": composition.broken.get(rule.uid)}),
        term=rule.term,
        cause=edit.cause[:200],
        author=edit.actor,
    )
    record(
        edit.policy,
        edit.actor,
        "change-rule" if last else "add-rule",
        f"rule:{rule.uid}",
        old_hash=rule.content_hash,
        new_hash=present,
    )
    Rule.objects.filter(pk=rule.pk).update(content_hash=present)
