"""People merge what is one, keep apart what is not, and take a merge back.

A merge is a row: it rewrites nothing, so undoing it brings back what was, but for
what people edited in between, which is named. Every merge is of symbols that stand
for themselves, so that no chain of merges can close to a circle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from policies.audit import record
from policies.composing import Composition, compose, free_name
from policies.editing import Edit, editing
from policies.models import (
    Datatype,
    DatatypeValue,
    Merge,
    Policy,
    Rule,
    RuleRevision,
    User,
    Variable,
)
from policywright.model import Kind, PolicyModel
from policywright.model import Variable as ModelVariable
from translation.merges import described, pair_hash
from translation.merging.candidates import unit_key
from translation.models import MergeProposal
from vetting.joining import join_duplicates, mark_undone, take_apart
from vetting.refusals import RefusedError


@dataclass(frozen=True)
class Undone:
    """`named` are sentences about what people edited since the merge, and what comes of it."""

    merge: Merge
    named: tuple[str, ...] = ()


def merge_symbols(
    policy: Policy,
    user: User,
    *,
    from_uid: str,
    into_uid: str,
    values: Mapping[str, str] | None = None,
    shown_revision: int,
    evidence: Mapping[str, Any] | None = None,
) -> Merge:
    """Let one variable, datatype or value stand for another of its kind.

    `values` maps values of the first datatype to those of the second; the others stay
    values of their own in the merged one. Rules that then say the same become one.
    Raises RefusedError for what does not fit, DraftMovedError if the draft moved.
    """
    same = Merge.objects.filter(policy=policy, from_uid=from_uid, undone_at=None).first()
    if same is not None and same.into_uid == into_uid:
        return same
    with editing(policy, user, expected_revision=shown_revision) as edit:
        model = compose(edit.policy).model
        pair = checked_pair(edit.policy, model, from_uid, into_uid)
        merge = Merge.objects.create(
            policy=edit.policy,
            from_uid=from_uid,
            into_uid=into_uid,
            values=_checked_values(model, from_uid, into_uid, values or {}),
            evidence={
                **(evidence or {}),
                "kind": pair.kind,
                "from": pair.first,
                "into": pair.second,
            },
            by=user,
        )
        edit.cause = f"`{pair.first['name']}` merged into `{pair.second['name']}`"
        record(edit.policy, user, "merge", f"merge:{merge.pk}")
        join_duplicates(edit, merge)
    return merge


def undo_merge(policy: Policy, user: User, merge: Merge) -> Undone:
    """Take a merge back, and the joins of rules that came with it; twice is once.

    Raises RefusedError where a later merge rests on it.
    """
    with editing(policy, user) as edit:
        present = Merge.objects.get(policy=edit.policy, pk=merge.pk)
        if present.undone_at is not None:
            edit.unchanged = True
            return Undone(present)
        name = _name_of(edit.policy, present.from_uid)
        edit.cause = f"merge of `{name}` undone"
        named = list(_edited_since(edit.policy, present))
        take_apart(edit, present)
        mark_undone(edit, present)
        _check_others_hold(edit.policy)
        named += _kept_under_two_names(edit, present)
    return Undone(present, tuple(named))


def keep_apart(policy: Policy, user: User, proposal: MergeProposal, *, shown_hash: str) -> None:
    """Say that two symbols are not one; they are proposed again only if one of them changes."""
    with editing(policy, user, cause="kept apart") as edit:
        edit.unchanged = True
        row = MergeProposal.objects.get(policy=edit.policy, pk=proposal.pk)
        if row.refused_at is not None:
            return
        model = compose(edit.policy).model
        if not shown_hash or shown_hash != pair_hash(model, row.first, row.second):
            raise RefusedError(
                "one of the two changed after you opened the page; compare them again, then decide."
            )
        row.refused_by, row.refused_at = user, timezone.now()
        row.save(update_fields=["refused_by", "refused_at"])
        record(edit.policy, user, "refuse-merge", f"proposal:{row.uid}", new_hash=row.content_hash)


def propose_again(policy: Policy, user: User, proposal: MergeProposal) -> None:
    """Take back that two symbols are not one."""
    with editing(policy, user, cause="proposed again") as edit:
        edit.unchanged = True
        row = MergeProposal.objects.get(policy=edit.policy, pk=proposal.pk)
        if row.refused_at is None:
            return
        row.refused_by = row.refused_at = None
        row.save(update_fields=["refused_by", "refused_at"])
        record(edit.policy, user, "reopen-merge", f"proposal:{row.uid}")


@dataclass(frozen=True)
class Pair:
    """Two symbols of one kind with their parts, as they were when they were merged."""

    kind: str
    first: dict[str, Any]
    second: dict[str, Any]


def checked_pair(policy: Policy, model: PolicyModel, from_uid: str, into_uid: str) -> Pair:
    """The two symbols; RefusedError, in one sentence, where they cannot be one."""
    if from_uid == into_uid:
        raise RefusedError("a thing cannot be merged with itself; choose another one.")
    first, second = model.variable_by_id.get(from_uid), model.variable_by_id.get(into_uid)
    if first is not None and second is not None:
        _check_variables(policy, model, first, second)
        return Pair("variable", _variable_parts(first), _variable_parts(second))
    if from_uid in model.datatype_by_id and into_uid in model.datatype_by_id:
        one, other = model.datatype_by_id[from_uid], model.datatype_by_id[into_uid]
        return Pair("datatype", {"name": one.name}, {"name": other.name})
    for datatype in model.datatypes:
        names = {value.id: value.name for value in datatype.values}
        if from_uid in names and into_uid in names:
            return Pair("value", {"name": names[from_uid]}, {"name": names[into_uid]})
    raise RefusedError(
        "these two cannot be merged: each must be in the draft, stand for itself, and be of one "
        "kind, variable, datatype or value of one datatype."
    )


def _check_variables(
    policy: Policy, model: PolicyModel, first: ModelVariable, second: ModelVariable
) -> None:
    if first.sort != second.sort:
        raise RefusedError(
            f"`{first.name}` and `{second.name}` are of different sorts; give them one sort first."
        )
    units = unit_key(first.unit), unit_key(second.unit)
    if all(units) and units[0] != units[1]:
        raise RefusedError(
            f"`{first.name}` is counted in {first.unit} and `{second.name}` in {second.unit}; "
            "numbers in rules would mean something else, so they stay two."
        )
    defaults = Rule.objects.filter(
        policy=policy, retired_at=None, kind=Kind.DEFAULT, outcome__in=(first.id, second.id)
    )
    if len({rule.outcome for rule in defaults}) > 1:
        raise RefusedError(
            f"`{first.name}` and `{second.name}` have a default each, and one outcome has one; "
            "reject one of the two defaults first."
        )


def _checked_values(
    model: PolicyModel, from_uid: str, into_uid: str, values: Mapping[str, str]
) -> dict[str, str]:
    if not values:
        return {}
    first, second = model.datatype_by_id.get(from_uid), model.datatype_by_id.get(into_uid)
    known = {value.id for value in first.values} if first else set()
    targets = {value.id for value in second.values} if second else set()
    if not set(values) <= known or not set(values.values()) <= targets:
        raise RefusedError("a value changed after you opened the page; pair the values again.")
    return dict(values)


def _variable_parts(variable: ModelVariable) -> dict[str, Any]:
    parts = described(variable)
    return {
        "name": parts.name,
        "phrase": parts.phrase,
        "description": parts.description,
        "unit": parts.unit,
        "role": parts.role,
    }


def _check_others_hold(policy: Policy) -> None:
    """No variable may stand for one of another sort, which undoing a datatype's merge could do."""
    composition = compose(policy)
    canonical = composition.canonical_uid
    rows = {row.uid: row for row in Variable.objects.filter(policy=policy)}
    for uid, row in rows.items():
        into = rows.get(canonical.get(uid, uid))
        if into is None or into is row:
            continue
        sorts = {canonical.get(one.sort, one.sort) for one in (row, into)}
        if len(sorts) > 1:
            raise RefusedError(
                f"`{row.name}` is merged into `{into.name}`, which rests on this merge; "
                "undo that one first."
            )


def _edited_since(policy: Policy, merge: Merge) -> Iterator[str]:
    """Sentences on rules whose text was written anew after the merge: those stay as they are."""
    gone = {merge.from_uid, *merge.values}
    into = _name_of(policy, merge.into_uid)
    revisions: dict[int, list[RuleRevision]] = {}
    rows = RuleRevision.objects.filter(rule__policy=policy, rule__retired_at=None)
    for revision in rows.order_by("number").only("rule_id", "term", "created_at", "number"):
        revisions.setdefault(revision.rule_id, []).append(revision)
    live = Rule.objects.filter(policy=policy, retired_at=None)
    for rule in live:
        own = revisions.get(rule.pk, [])
        spoke = any(gone & set(strings_in(revision.term)) for revision in own)
        speaks = gone & set(strings_in(rule.term))
        if spoke and not speaks:
            yield f"`{rule.name}` was edited after the merge, so it goes on speaking of `{into}`."
        is_new = not spoke and rule.created_at > merge.created_at
        if is_new and merge.into_uid in set(strings_in(rule.term)):
            yield f"`{rule.name}` was written after the merge: it speaks of `{into}`."
    present = Variable.objects.filter(policy=policy, uid=merge.into_uid).first()
    then = merge.evidence.get("into", {})
    if present is not None and isinstance(then, dict) and "description" in then:
        changed = [
            part
            for part in ("name", "description", "unit", "role")
            if getattr(present, part) != then.get(part)
        ]
        if changed:
            yield f"`{into}` was edited after the merge and keeps its new {', '.join(changed)}."


def _kept_under_two_names(edit: Edit, merge: Merge) -> Iterator[str]:
    """The same name and another meaning: the one that comes back gets a name of its own."""
    row = Variable.objects.filter(policy=edit.policy, uid=merge.from_uid).first()
    if row is None:
        return
    merged = Merge.objects.filter(policy=edit.policy, undone_at=None).values("from_uid")
    others = Variable.objects.filter(policy=edit.policy).exclude(pk=row.pk)
    taken = set(others.exclude(uid__in=merged).values_list("name", flat=True))
    values = DatatypeValue.objects.filter(datatype__policy=edit.policy)
    taken |= set(values.values_list("name", flat=True))
    if row.name not in taken:
        return
    before, row.name = row.name, free_name(row.name, taken)
    row.save(update_fields=["name"])
    record(edit.policy, edit.actor, "rename-variable", f"variable:{row.uid}")
    yield f"There are two of the name `{before}` now; the one that came back is `{row.name}`."


def strings_in(data: Any) -> Iterator[str]:
    """Every string in a term's JSON, ids among them."""
    if isinstance(data, list):
        for item in data:
            yield from strings_in(item)
    elif isinstance(data, str):
        yield data


def _name_of(policy: Policy, uid: str) -> str:
    for rows in (
        Variable.objects.filter(policy=policy),
        Datatype.objects.filter(policy=policy),
        DatatypeValue.objects.filter(datatype__policy=policy),
        Rule.objects.filter(policy=policy),
    ):
        row = rows.filter(uid=uid).first()
        if row is not None:
            return str(row.name)
    return "something that is gone"


def active_merges(policy: Policy, composition: Composition) -> dict[str, list[Merge]]:
    """The merges in force, by the uid of what stands for all of them."""
    found: dict[str, list[Merge]] = {}
    rows = Merge.objects.filter(policy=policy, undone_at=None).select_related("by")
    for merge in rows:
        end = composition.canonical_uid.get(merge.from_uid, merge.into_uid)
        found.setdefault(end, []).append(merge)
    return found
