"""Composes the part of a draft that a change can have touched: the same content, at less cost.

A rule's content depends on its row, its sentences, its scopes and the declarations; a
default's on all rules that speak of its outcome. Nothing else leads from one rule to
another, so what a new rule leaves as it was need not be composed to know it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet, TextField, prefetch_related_objects
from django.db.models.functions import Cast

from policies.composing import Composition, Declared, compose_rows, declared_in, live_rules
from policies.models import Policy, Rule, Sentence
from policywright.model import Kind, PolicyModel
from policywright.terms import symbols


def compose_around(
    policy: Policy,
    uids: Collection[str],
    declared: Declared | None = None,
    added: Sequence[Rule] = (),
) -> tuple[Composition, list[Rule]]:
    """Some rules of the draft, and each default that they have, had or might have a part in.

    Their content and hashes are what they are in the whole draft. The other rules that
    a default is generated from are not in the composition, nor are declarations that
    none of them uses. `declared` is what the draft declares, if the caller knows it,
    `added` those of the rows that it made. Given with the rows of what is in the
    composition, or broken, in the order of the document.
    """
    declared = declared_in(policy) if declared is None else declared
    merged = declared.merged
    touched = list(_touched(policy, uids, added))
    by_scope = {symbol.id for one in declared.scopes if one.term for symbol in symbols(one.term)}
    spoken_of = by_scope.union(*(_ids(row.term, merged) for row in touched))
    defaults = [
        row
        for row in live_rules(policy).filter(kind=Kind.DEFAULT)
        if merged.get(row.outcome, row.outcome) in spoken_of
    ]
    others = list(_speaking_of(policy, defaults, by_scope, declared))
    by_uid = {row.uid: row for row in (*touched, *others, *defaults)}
    rows = sorted(by_uid.values(), key=lambda row: (row.position, row.pk))
    used = by_scope.union(*(_ids([row.term, row.outcome], merged) for row in rows))
    small = Declared(restricted(declared.base, used), merged, declared.scopes)
    wanted = {row.uid for row in (*touched, *defaults)}
    composition = compose_rows(policy, rows, small, wanted)
    return composition, [row for row in rows if row.uid in wanted]


def compose_alone(
    policy: Policy,
    uids: Collection[str],
    declared: Declared | None = None,
    rows: Sequence[Rule] | None = None,
    sentences: Mapping[str, Sentence] | None = None,
) -> Composition:
    """Some rules of the draft alone, defaults too.

    Their content and hashes are what they are in the whole draft; a default is generated
    from the rules that speak of its outcome, which are not in the composition. `declared`,
    `rows` (of the rules, with their sources) and `sentences` (the present ones of these
    sources, by lineage) are what the caller knows of them.
    """
    declared = declared_in(policy) if declared is None else declared
    rows = list(live_rules(policy).filter(uid__in=uids)) if rows is None else rows
    defaults = [row for row in rows if row.kind == Kind.DEFAULT]
    if not defaults:
        return compose_rows(policy, rows, declared, sentences=sentences)
    by_scope = {symbol.id for one in declared.scopes if one.term for symbol in symbols(one.term)}
    others = _speaking_of(policy, defaults, by_scope, declared)
    by_uid = {row.uid: row for row in (*rows, *others)}
    every = sorted(by_uid.values(), key=lambda row: (row.position, row.pk))
    return compose_rows(policy, every, declared, {row.uid for row in rows})


def _touched(policy: Policy, uids: Collection[str], added: Sequence[Rule]) -> Iterator[Rule]:
    prefetch_related_objects(added, "sources")
    yield from added
    others = set(uids).difference(row.uid for row in added)
    if others:
        yield from live_rules(policy).filter(uid__in=others).exclude(kind=Kind.DEFAULT)


def restricted(model: PolicyModel, uids: Collection[str]) -> PolicyModel:
    """The declarations of these ids, and the datatypes of those variables; no rules."""
    variables = tuple(variable for variable in model.variables if variable.id in uids)
    sorts = {variable.sort.key for variable in variables}
    datatypes = tuple(d for d in model.datatypes if d.id in uids or d.id in sorts)
    return PolicyModel(datatypes, variables, model.definitions)


def rules_that_use_all(
    policy: Policy, uids: Collection[str], merged: Mapping[str, str]
) -> QuerySet[Rule]:
    """The live rules, but no defaults, whose own terms name each of these.

    A symbol that is merged into one of them counts as that one.
    """
    rows = _rules_as_text(policy)
    for uid in uids:
        rows = rows.filter(_names_one_of([uid], merged))
    return rows


def _rules_as_text(policy: Policy) -> QuerySet[Rule]:
    rows = live_rules(policy).exclude(kind=Kind.DEFAULT)
    return rows.annotate(text=Cast("term", TextField()))


def _names_one_of(uids: Collection[str], merged: Mapping[str, str]) -> Q:
    """Ids are unlike all other words of a term, so they are looked for in its text."""
    named = [*uids, *(uid for uid, end in merged.items() if end in uids)]
    return reduce(or_, (Q(text__contains=f'"{uid}"') for uid in named))


def _speaking_of(
    policy: Policy, defaults: Collection[Rule], by_scope: Collection[str], declared: Declared
) -> QuerySet[Rule]:
    outcomes = {declared.merged.get(row.outcome, row.outcome) for row in defaults}
    if outcomes.intersection(by_scope):
        # A scope speaks of an outcome, and so does each of its rules: their terms do not show it.
        return live_rules(policy).exclude(kind=Kind.DEFAULT)
    if not outcomes:
        return Rule.objects.none()
    return _rules_as_text(policy).filter(_names_one_of(outcomes, declared.merged))


def _ids(data: Any, merged: Mapping[str, str]) -> Iterator[str]:
    """Each text in a term's JSON by its present id, and words that are no ids."""
    if isinstance(data, list):
        for item in data:
            yield from _ids(item, merged)
    elif isinstance(data, str):
        yield merged.get(data, data)
