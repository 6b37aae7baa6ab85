"""What stands in the way of publishing, in groups, each counted and its first few named.

Made of the outline of a policy and of what is kept of it, so that a page of it costs the
same whatever the size: `vetting.publishing` says it all again, of the draft composed whole,
before anything is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.db import connection
from django.db.models import Max

from policies.composing import Composition, compose, declared_with_scopes
from policies.declared_now import declared_now
from policies.models import Policy, Sentence
from policies.scoping import Scope
from policywright.model import Kind
from policywright.terms import symbols
from vetting.approvers import names_of
from vetting.coverage import WholeCoverage
from vetting.lint import LintHint, errors_of
from vetting.models import Answer, Scenario, ScenarioRun, ScenarioWithdrawal
from vetting.naming import ids_by_rule
from vetting.outline import RuleLine
from vetting.publishing import (
    RULE_REASONS,
    SENTENCE_REASONS,
    Blocker,
    rule_reason,
    scenario_blockers,
    scope_blockers,
    sentence_blocker,
    values_blockers,
)
from vetting.review import ReviewState
from vetting.scenarios import Result, Run, known_runs, scenarios_in_force
from vetting.scopes import scope_states
from vetting.values import ValuesReview, values_used

# Of a group so many are named; the others are counted, and stand in the queue.
NAMED = 20


@dataclass(frozen=True)
class Group:
    """Things of one kind that keep the draft from being published.

    `state` is that of its rules or sentences, as the queue names it, empty for others;
    `named` are the first of `count`.
    """

    kind: str
    state: str
    count: int
    named: tuple[Blocker, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.named)


def in_the_way(policy: Policy, cover: WholeCoverage, hint: LintHint | None) -> list[Group]:
    """The groups in the order to work through; about ten queries.

    `hint` is what is kept of lint. Of scenarios that nobody ran yet nothing is said.
    """
    rules = cover.outline.rules.values()
    known = declared_now(policy, policy.revision)
    declared = declared_with_scopes(policy, known.base, known.merged)
    base = Composition(declared.base, {}, declared.merged, declared.scopes)
    scopes = scope_blockers(scope_states(policy, base), _Places(cover).hold)
    groups = [
        _group("policy", list(_no_rules(rules))),
        _group("scope", list(scopes)),
        *(_rules(rules, state) for state in RULE_REASONS),
        _group("question", list(_questions(cover))),
        _group("datatype", list(values_blockers(_values(policy, base, rules)))),
        *_sentences(cover),
        _group("scenario", list(_scenarios(policy))),
    ]
    if hint is not None and hint.errors:
        named = tuple(Blocker(one, "lint", "") for one in errors_of(hint)[:NAMED])
        groups.append(Group("lint", "", hint.errors, named))
    return [one for one in groups if one.count]


def grouped(found: Iterable[Blocker]) -> list[Group]:
    """What `vetting.publishing` found, by kind."""
    kinds: dict[str, list[Blocker]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(one)
    return [_group(kind, own) for kind, own in kinds.items()]


def _group(kind: str, found: Sequence[Blocker]) -> Group:
    return Group(kind, "", len(found), tuple(found[:NAMED]))


def _no_rules(rules: Collection[RuleLine]) -> Iterator[Blocker]:
    stated = (Kind.RULE.value, Kind.DEFINITION.value)
    if not any(one.hash and one.kind in stated for one in rules):
        yield Blocker("This policy has no rules; write or draft at least one.", "policy", "")


class _Places:
    """Where the sentences of the present text stand."""

    def __init__(self, cover: WholeCoverage) -> None:
        self._paths = {
            (cover.documents[one.revision][0], one.headings)
            for one in cover.sections
            if one.sentences
        }

    def hold(self, scope: Scope) -> bool:
        depth = len(scope.headings)
        return any(
            document == scope.document and path[:depth] == scope.headings
            for document, path in self._paths
        )


def _rules(rules: Collection[RuleLine], state: ReviewState) -> Group:
    own = [one for one in rules if one.state is state]
    names = names_of(one.missing for one in own[:NAMED])
    named = (
        Blocker(
            f"{one.kind.capitalize()} `{one.name}` {rule_reason(state, one.missing, names)}.",
            "rule",
            one.uid,
        )
        for one in own[:NAMED]
    )
    return Group("rule", str(state), len(own), tuple(named))


def _questions(cover: WholeCoverage) -> Iterator[Blocker]:
    for one in cover.outline.questions:
        if one.is_open:
            yield Blocker(f"A question is open: {one.text}", "rule", one.rule)


def _values(policy: Policy, base: Composition, rules: Collection[RuleLine]) -> list[ValuesReview]:
    """The enumerations that rules name."""
    model = base.model
    datatype_of = {one.id: one.id for one in model.datatypes}
    datatype_of |= {value.id: one.id for one in model.datatypes for value in one.values}
    datatype_of |= {one.id: one.sort.key for one in model.variables if one.sort.is_enumeration}
    fits = {one.uid for one in rules if one.hash and one.kind != Kind.DEFAULT.value}
    by_rule = ids_by_rule(policy, base.canonical_uid)
    named = set().union(*(ids for uid, ids in by_rule.items() if uid in fits))
    # A rule is read with the scopes of its section, and so names what they do.
    for scope in base.scopes if named else ():
        named.update(one.id for one in (symbols(scope.term) if scope.term is not None else ()))
    used = {datatype_of[uid] for uid in named if uid in datatype_of}
    return values_used(policy, model, dict.fromkeys(used, ()))


def _sentences(cover: WholeCoverage) -> Iterator[Group]:
    """One query, for the texts of those that are named."""
    own = {
        state: [one.lineage for one in cover.sentences if one.state is state]
        for state in SENTENCE_REASONS
    }
    first = {lineage for lineages in own.values() for lineage in lineages[:NAMED]}
    rows = Sentence.objects.filter(revision__in=cover.documents, lineage__in=first)
    texts = dict(rows.values_list("lineage", "text")) if first else {}
    for state, lineages in own.items():
        named = (
            sentence_blocker(lineage, texts[lineage], state)
            for lineage in lineages[:NAMED]
            if lineage in texts
        )
        yield Group("sentence", str(state), len(lineages), tuple(named))


class _Stamp(NamedTuple):
    """What the runs of a policy's scenarios rest on: while it stays, they do."""

    policy: int
    made: datetime
    revision: int
    answer: int | None
    scenario: int | None
    withdrawal: int | None
    run: int | None


def _scenarios(policy: Policy) -> Sequence[Blocker]:
    """Those that do not hold any more, as far as they were run; four queries where there are any.

    Whether a run counts is told by the whole draft, composed: once for each of its states.
    """
    own = Scenario.objects.filter(policy=policy)
    last = own.aggregate(Max("pk"))["pk__max"]
    if last is None:
        return ()
    stamp = _Stamp(
        policy.pk,
        policy.created_at,
        policy.revision,
        Answer.objects.filter(question__policy=policy).aggregate(Max("pk"))["pk__max"],
        last,
        ScenarioWithdrawal.objects.filter(scenario__policy=policy).aggregate(Max("pk"))["pk__max"],
        ScenarioRun.objects.filter(policy=policy).aggregate(Max("pk"))["pk__max"],
    )
    # Within a transaction what is kept might be rolled back.
    told = _contradicted.__wrapped__ if connection.in_atomic_block else _contradicted
    return told(stamp)


@lru_cache(maxsize=32)
def _contradicted(stamp: _Stamp) -> tuple[Blocker, ...]:
    policy = Policy.objects.get(pk=stamp.policy)
    composition = compose(policy)
    found = scenarios_in_force(policy, composition)
    not_run = {one.scenario.uid: Run(Result.UNDECIDED) for one in found}
    runs = not_run | known_runs(policy, composition, found)
    return tuple(scenario_blockers(found, runs))
