"""The one lock for changes of a draft, and what every change leaves behind.

    with editing(policy, user, expected_revision=form_revision) as edit:
        ...change rows...
        edit.cause = "edited in SMT-LIB"

At the end, in the same transaction: each rule whose content hash moved gets a
revision row and an audit row, and the policy's revision grows by one. So an
approval lapses by itself, whatever moved the hash, and the log says what did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Max

from policies.archived import refuse_archived
from policies.audit import Change, record, record_all
from policies.composing import Composition, Declared, compose
from policies.composing_part import compose_around
from policies.hints import hint
from policies.models import Policy, Rule, RuleRevision, SectionScope, User
from policywright.english import render_rule, render_sentence


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

    A service that only adds (declarations, merges of what it declares, rules, sources)
    sets `touched` to the uids of the rules that are new or gained a source: then only
    those, and the defaults that they have a part in, are composed and hashed again, on
    what the service says is `declared` by then; `added` are the rows of those that it made.
    Its `changes` are recorded before what that moved. Afterwards `composition` is the
    whole draft, or that part of it.

    Whoever changes what a rule says is named with the rule (`changed_by`). Not so where
    `is_authored` is false: a document has another author.
    """

    policy: Policy
    actor: User | None
    cause: str = "edited"
    unchanged: bool = False
    is_authored: bool = True
    touched: Collection[str] | None = None
    added: Sequence[Rule] = ()
    declared: Declared | None = None
    changes: list[Change] = field(default_factory=list)
    composition: Composition | None = field(default=None)


@contextmanager
def editing(
    policy: Policy,
    actor: User | None,
    *,
    cause: str = "edited",
    expected_revision: int | None = None,
    is_authored: bool = True,
) -> Iterator[Edit]:
    """Hold the policy's row lock over a change; raises DraftMovedError if it moved.

    Raises ArchivedError of an archived policy.

    Never call a model or a solver inside: the lock is for rows only.
    """
    with transaction.atomic():
        locked = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        refuse_archived(locked)
        if expected_revision is not None and locked.revision != expected_revision:
            raise DraftMovedError(expected_revision, locked.revision)
        edit = Edit(locked, actor, cause, is_authored=is_authored)
        yield edit
        if not edit.unchanged:
            edit.composition = _settle(edit)
            hint(locked, actor)
        policy.revision = locked.revision


def _settle(edit: Edit) -> Composition:
    rows: Iterable[Rule]
    if edit.touched is None:
        composition = compose(edit.policy)
        rows = list(Rule.objects.filter(policy=edit.policy, retired_at=None))
        _fill_in_english(rows, composition)
    else:
        composition, rows = compose_around(edit.policy, edit.touched, edit.declared, edit.added)
    moved = [rule for rule in rows if rule.content_hash != composition.hashes.get(rule.uid, "")]
    _append_revisions(moved, edit, composition)
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


def _append_revisions(moved: Sequence[Rule], edit: Edit, composition: Composition) -> None:
    """Of each rule whose content is another now, in the order of the document."""
    if not moved:
        record_all(edit.policy, edit.actor, edit.changes, is_locked=True)
        return
    new = {rule.pk for rule in edit.added}
    last = _last_numbers([rule for rule in moved if rule.pk not in new])
    revisions, changes = [], list(edit.changes)
    before_now = _whose_before(last, moved, composition) if edit.is_authored else {}
    for rule in moved:
        before, present = rule.content_hash, composition.hashes.get(rule.uid, "")
        broken = {"broken": composition.broken.get(rule.uid)}
        revisions.append(
            RuleRevision(
                rule=rule,
                number=last.get(rule.pk, 0) + 1,
                content_hash=present,
                content=composition.contents.get(rule.uid, broken),
                term=rule.term,
                cause=edit.cause[:200],
                author=edit.actor,
            )
        )
        action = "change-rule" if rule.pk in last else "add-rule"
        changes.append(Change(action, f"rule:{rule.uid}", before, present))
        rule.content_hash, rule.english = present, _english(composition, rule)
        # A new rule has the author that its service gave it, or none.
        if rule.pk in last and edit.is_authored and edit.actor is not None:
            rule.changed_by_id = before_now.get((rule.pk, present), edit.actor.pk)
    RuleRevision.objects.bulk_create(revisions)
    record_all(edit.policy, edit.actor, changes, is_locked=True)
    fields = ["content_hash", "english", "changed_by"]
    Rule.objects.bulk_update(moved, fields, batch_size=200)


def _whose_before(
    known: Collection[int], moved: Sequence[Rule], composition: Composition
) -> dict[tuple[int, str], int | None]:
    """Of contents that rules had before, who made them then: a change undone is nobody's work."""
    contents = {composition.hashes.get(rule.uid, "") for rule in moved if rule.pk in known} - {""}
    if not contents:
        return {}
    rows = RuleRevision.objects.filter(rule__in=known, content_hash__in=contents).order_by("pk")
    found = rows.values_list("rule", "content_hash", "author")
    return {(rule, content): author for rule, content, author in found}


def _fill_in_english(rows: Iterable[Rule], composition: Composition) -> None:
    """Of rules that were kept before their English was: once, whatever else moved."""
    without = [row for row in rows if row.content_hash and not row.english]
    for row in without:
        row.english = _english(composition, row)
    if without:
        Rule.objects.bulk_update(without, ["english"], batch_size=200)


def _english(composition: Composition, row: Rule) -> str:
    """As the rule is read now; nothing of one that does not fit its declarations."""
    rule = composition.model.rule_by_id.get(row.uid)
    return "" if rule is None else render_rule(composition.model, rule)


def _last_numbers(rules: Sequence[Rule]) -> dict[int, int]:
    """The number of the last revision of each rule that has one, by the rule's id."""
    if not rules:
        return {}
    numbered = RuleRevision.objects.filter(rule__in=rules).order_by().values_list("rule")
    return dict(numbered.annotate(last=Max("number")))
