"""The scenarios in force of a policy, and whether they hold.

A scenario of an answer is in force while that answer counts; nothing is stored of it.
Of one by which something follows, the whole draft must find the same. Of one by which
nothing follows, the rules of that sentence must leave the case open: other sentences
and defaults may decide it, and all else was in order.

Each is bound to how its variables are declared. Where that changed, the person's word
was about something else: it does not fit any more, and is not asked.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core.cache import cache

from policies.composing import Composition
from policies.models import Policy
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import Kind, PolicyModel, Source
from policywright.per_model import PerModel
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import scenario_content
from policywright.smtlib import print_model, print_term
from policywright.solver_pool import POOL
from policywright.solving import SolverGoneError, SolverProcess
from vetting.models import Scenario
from vetting.questions import QuestionReview, case_values, question_states, reading_term

ALL_DEADLINE_S = 20.0
KEPT_S = 24 * 3600

_GONE = "a variable or value of this case is no longer declared"
_REWORDED = "what its words mean has changed since; answer the question again"
_NO_TIME = "there was no answer in time"


class Result(StrEnum):
    """The words that the pages show."""

    HOLDS = "holds"
    FAILS = "does not hold any more"
    UNDECIDED = "not decided"
    UNFIT = "does not fit any more"


@dataclass(frozen=True)
class InForce:
    """A scenario whose answer counts, with its question."""

    scenario: Scenario
    question: QuestionReview

    @property
    def rule(self) -> str:
        """The uid of the rule that the question is about."""
        return self.question.question.rule.uid


@dataclass(frozen=True)
class Run:
    """`why` says in English what the policy says instead, or why nothing was found."""

    result: Result
    why: str = ""


@dataclass(frozen=True)
class _Asked:
    """One question to the solver, in SMT-LIB, and what is expected of it.

    Where only a case is asked about (`is_case`), all that counts is whether it can be.
    """

    text: str
    facts: str
    claim: str
    expected: FindingKind
    is_case: bool

    @property
    def key(self) -> str:
        parts = [self.text, self.facts, self.claim, self.expected.value, str(self.is_case)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def is_met(self, kind: FindingKind) -> bool:
        if not self.is_case:
            return kind is self.expected
        return (kind is FindingKind.IMPOSSIBLE) == (self.expected is FindingKind.IMPOSSIBLE)


def scenarios_in_force(
    policy: Policy, composition: Composition, questions: Sequence[QuestionReview] | None = None
) -> list[InForce]:
    """Those of answers that count, in the order of the questions; one query, or three."""
    if questions is None:
        questions = question_states(policy, composition)
    by_answer = {one.answer.pk: one for one in questions if one.answer is not None}
    rows = Scenario.objects.filter(answer__in=by_answer).select_related("by").order_by("pk")
    latest = {row.answer_id: row for row in rows}
    return [InForce(latest[pk], question) for pk, question in by_answer.items() if pk in latest]


def run_in_force(
    policy: Policy, composition: Composition, questions: Sequence[QuestionReview] | None = None
) -> dict[str, Run]:
    """Every scenario in force, run on the draft as it is composed."""
    return run_scenarios(composition, scenarios_in_force(policy, composition, questions))


def run_scenarios(composition: Composition, found: Iterable[InForce]) -> dict[str, Run]:
    """What becomes of each, by uid; asked in a solver process, what is known already is not.

    No transaction may be open. What is not done within the time is not decided.
    """
    runs: dict[str, Run] = {}
    asked: dict[str, _Asked] = {}
    for one in found:
        prepared = _prepare(one, composition)
        if isinstance(prepared, Run):
            runs[one.scenario.uid] = prepared
        else:
            asked[one.scenario.uid] = prepared
    findings = dict(_findings(asked))
    for uid, question in asked.items():
        runs[uid] = _compare(question, findings.get(uid))
    return runs


def _prepare(one: InForce, composition: Composition) -> Run | _Asked:
    expected = _as_now(one.scenario, composition)
    if expected is None:
        return Run(Result.UNFIT, _GONE)
    model = composition.model
    content = scenario_content(model, expected)
    if content_hash({"scenario": content}) != one.scenario.content_hash:
        return Run(Result.UNFIT, _REWORDED)
    scopes = [one.term for one in composition.scopes_of(one.rule) if one.term is not None]
    terms = [*expected.fact_terms(model), *scopes]
    facts = "\n".join(f"(assert {print_term(model, term)})" for term in terms)
    claim = print_term(model, expected.claim or terms[0])
    if expected.expected is FindingKind.SATISFIABLE:
        model = _of_sentence(model, one.rule)
    return _Asked(_text(model), facts, claim, expected.expected, expected.claim is None)


def _as_now(row: Scenario, composition: Composition) -> Expectation | None:
    """The scenario over the present declarations; None where it does not fit them."""
    facts = case_values(row.facts, composition)
    claim = None if row.claim is None else reading_term(row.claim, composition)
    if facts is None or isinstance(claim, str):
        return None
    return Expectation(facts, claim, FindingKind(row.expected))


def _of_sentence(model: PolicyModel, uid: str) -> PolicyModel:
    """The rules that share a sentence with one, with what holds of all: no other has a say."""
    own = {_place(source) for source in model.rule_by_id[uid].sources}
    kept = [
        rule
        for rule in model.rules
        if rule.kind in (Kind.ASSUMPTION, Kind.DEFINITION)
        or rule.id == uid
        or (rule.kind is Kind.RULE and own & {_place(source) for source in rule.sources})
    ]
    return model.with_rules(tuple(kept))


def _place(source: Source) -> tuple[str, str, int, int]:
    return source.document, source.revision, source.start, source.end


# One composition is asked about many scenarios.
_text = PerModel(print_model)


def _findings(asked: Mapping[str, _Asked]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The finding of each that was told in time; a decided one is kept by all that was asked."""
    known = cache.get_many([one.key for one in asked.values()])
    rest = {uid: one for uid, one in asked.items() if one.key not in known}
    yield from ((uid, known[one.key]) for uid, one in asked.items() if one.key in known)
    if not rest:
        return
    end = time.monotonic() + ALL_DEADLINE_S
    with POOL.solver() as solver:
        for uid, one in rest.items():
            if time.monotonic() > end:
                return
            try:
                finding = _ask(solver, one)
            except SolverGoneError:
                continue
            if finding["finding"] != FindingKind.UNDECIDED:
                cache.set(one.key, finding, KEPT_S)
            yield uid, finding


def _ask(solver: SolverProcess, one: _Asked) -> dict[str, Any]:
    """The finding; with its rules only where it is not the one expected."""
    policy = hashlib.sha256(one.text.encode()).hexdigest()
    finding = solver.check(policy, one.text, facts=one.facts, claim=one.claim, evidence=False)
    if one.is_met(FindingKind(finding["finding"])):
        return finding
    return solver.check(policy, one.text, facts=one.facts, claim=one.claim)


def _compare(asked: _Asked, finding: Mapping[str, Any] | None) -> Run:
    if finding is None:
        return Run(Result.UNDECIDED, _NO_TIME)
    kind = FindingKind(finding["finding"])
    if asked.is_met(kind):
        return Run(Result.HOLDS)
    english = str(finding["english"])
    return Run(Result.UNDECIDED if kind is FindingKind.UNDECIDED else Result.FAILS, english)
