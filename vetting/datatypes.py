"""Edits of a datatype by hand: its name, meaning, values' names and phrases; new values.

A value is never removed: rules may speak of it. Two that are one are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Max

from policies.audit import record
from policies.editing import editing
from policies.models import Datatype, DatatypeValue, Policy, User
from policywright.hashing import content_hash
from vetting.declarations import NewValue, check_free_value, check_symbol_name
from vetting.refusals import MovedError, RefusedError
from vetting.texts import check_text


def datatype_hash(datatype: Datatype) -> str:
    """What a form that edits a datatype shows: all its parts."""
    return content_hash({"datatype": _parts(datatype)})


def edit_datatype(
    policy: Policy,
    user: User,
    datatype: Datatype,
    *,
    name: str,
    description: str,
    values: Mapping[str, NewValue],
    added: Sequence[NewValue] = (),
    shown_hash: str,
) -> Datatype:
    """Change any part; `values` maps the uids of values to what they shall be.

    Rules that use a value of which the phrase changes ask for approval again.
    Raises MovedError if someone was faster, RefusedError for what cannot be kept.
    """
    with editing(policy, user, cause=f"datatype `{datatype.name}` edited") as edit:
        present = Datatype.objects.get(pk=datatype.pk, policy=edit.policy)
        before = datatype_hash(present)
        if before != shown_hash:
            raise MovedError(
                f"someone changed `{present.name}` after you opened the page; nothing was saved.",
                present=_as_text(present),
                present_hash=before,
            )
        check_symbol_name(name, "datatype")
        others = Datatype.objects.filter(policy=edit.policy, name=name).exclude(pk=present.pk)
        if others.exists():
            raise RefusedError(f"there is a datatype `{name}` already; choose another name.")
        present.name, present.description = name, check_text(description, "the description")
        present.save()
        rows = list(present.values.all())
        _check_names(edit.policy, rows, values, added)
        for row in rows:
            if row.uid in values:
                row.name, row.phrase = values[row.uid].name, _phrase(values[row.uid])
                row.save()
        for position, value in enumerate(added, start=next_position(present)):
            DatatypeValue.objects.create(
                datatype=present, name=value.name, phrase=_phrase(value), position=position
            )
        present = Datatype.objects.get(pk=present.pk)
        after = datatype_hash(present)
        if after == before:
            edit.unchanged = True
            return present
        uid = f"datatype:{present.uid}"
        record(edit.policy, user, "edit-datatype", uid, old_hash=before, new_hash=after)
    return present


def next_position(datatype: Datatype) -> int:
    """The place behind the last value; drafted values are counted from 1, declared ones from 0."""
    last = datatype.values.aggregate(last=Max("position"))["last"]
    return 0 if last is None else int(last) + 1


def _check_names(
    policy: Policy,
    rows: Sequence[DatatypeValue],
    values: Mapping[str, NewValue],
    added: Sequence[NewValue],
) -> None:
    names = [values[row.uid].name if row.uid in values else row.name for row in rows]
    names += [value.name for value in added]
    before = {row.name for row in rows}
    for name in names:
        if name not in before:
            check_free_value(policy, name)
        if names.count(name) > 1:
            raise RefusedError(f"the value `{name}` stands twice; choose another name.")


def _phrase(value: NewValue) -> str:
    return check_text(value.phrase, "the phrase", limit=200, lines=False)


def _parts(datatype: Datatype) -> list[Any]:
    values = [[value.uid, value.name, value.phrase] for value in datatype.values.all()]
    return [datatype.name, datatype.description, values]


def _as_text(datatype: Datatype) -> str:
    values = [f"{value.name}: {value.phrase}" for value in datatype.values.all()]
    return "\n".join([datatype.name, datatype.description, *values])
