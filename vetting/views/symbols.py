"""What the glossary's pages show of variables, datatypes, their uses, sources and merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import formats, timezone

from policies.models import Merge
from policywright.english import draft_phrases
from policywright.english.phrases import value_phrase
from policywright.model import Datatype, PolicyModel, Rule, Variable
from translation.merging.applying import ids_in
from vetting.views.cards import variable_kind
from vetting.views.places import path_shown

# A page names so many places of a variable; the rules lead to all of them.
MAX_SOURCES = 12

Uses = Mapping[str, Sequence[Rule]]


def uses_of(model: PolicyModel) -> dict[str, list[Rule]]:
    """The rules that speak of each variable, datatype or value, in order."""
    found: dict[str, list[Rule]] = {}
    for rule in model.rules:
        for symbol_id in sorted(ids_in(rule)):
            found.setdefault(symbol_id, []).append(rule)
    return found


def variable_shown(
    model: PolicyModel, variable: Variable, uses: Uses, merges: Sequence[Merge] = ()
) -> dict[str, Any]:
    phrases = draft_phrases(variable)
    return {
        "uid": variable.id,
        "name": variable.name,
        "phrase": phrases.text,
        "negative": phrases.negative,
        "description": variable.description,
        "unit": variable.unit,
        "role": variable.role.value,
        "kind": variable_kind(model, variable),
        "used": rules_shown(uses.get(variable.id, ())),
        "sources": sources_shown(uses.get(variable.id, ())),
        "merges": merges_shown(merges),
    }


def datatype_shown(
    model: PolicyModel, datatype: Datatype, uses: Uses, merges: Mapping[str, Sequence[Merge]]
) -> dict[str, Any]:
    own = [*merges.get(datatype.id, ())]
    values = []
    for value in datatype.values:
        used = rules_shown(uses.get(value.id, ()))
        values.append(
            {"uid": value.id, "name": value.name, "phrase": value_phrase(value), "used": used}
        )
        # The values of a merged datatype go with its own merge.
        own += [one for one in merges.get(value.id, ()) if one not in own]
    return {
        "uid": datatype.id,
        "name": datatype.name,
        "description": datatype.description,
        "values": values,
        "variables": [
            {"uid": variable.id, "phrase": draft_phrases(variable).text}
            for variable in model.variables
            if variable.sort.key == datatype.id
        ],
        "used": rules_shown(uses.get(datatype.id, ())),
        "sources": sources_shown(uses.get(datatype.id, ())),
        "merges": merges_shown(own),
    }


def side_shown(model: PolicyModel, uid: str, uses: Uses) -> dict[str, Any]:
    """A variable, datatype or value beside the one that it may be one with."""
    variable, datatype = model.variable_by_id.get(uid), model.datatype_by_id.get(uid)
    if variable is not None:
        return variable_shown(model, variable, uses)
    if datatype is not None:
        shown = datatype_shown(model, datatype, uses, {})
        values = ", ".join(value["phrase"] for value in shown["values"])
        return shown | {"phrase": shown["name"], "kind": f"one of {values}"}
    used = uses.get(uid, ())
    return {
        "uid": uid,
        "phrase": phrase_of(model, uid),
        "kind": "a value",
        "used": rules_shown(used),
        "sources": sources_shown(used),
    }


def phrase_of(model: PolicyModel, uid: str) -> str:
    """How a symbol is said, for a heading."""
    variable = model.variable_by_id.get(uid)
    if variable is not None:
        return draft_phrases(variable).text
    datatype = model.datatype_by_id.get(uid)
    if datatype is not None:
        return datatype.name
    values = [value for one in model.datatypes for value in one.values if value.id == uid]
    return values[0].phrase or values[0].name if values else ""


def rules_shown(rules: Sequence[Rule]) -> list[dict[str, str]]:
    return [{"uid": rule.id, "name": rule.name} for rule in rules]


def sources_shown(rules: Sequence[Rule]) -> list[dict[str, str]]:
    """The sentences of rules, each once."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for rule in rules:
        for source in rule.sources:
            path = path_shown(source.document, source.context)
            found.setdefault((path, source.quote), {"path": path, "quote": source.quote})
    return list(found.values())[:MAX_SOURCES]


def merges_shown(merges: Sequence[Merge]) -> list[dict[str, Any]]:
    return [
        {
            "pk": merge.pk,
            "name": _name(merge),
            "by": str(merge.by) if merge.by else "",
            "day": formats.date_format(timezone.localtime(merge.created_at), "j F Y"),
        }
        for merge in merges
    ]


def _name(merge: Merge) -> str:
    """What was merged: a person's merge notes its parts, an exact match its name."""
    parts = merge.evidence.get("from")
    return str(parts["name"] if isinstance(parts, dict) else merge.evidence.get("name", ""))
