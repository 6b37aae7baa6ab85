"""The scenarios in force of a policy, and whether they hold.

A scenario of an answer is in force while that answer counts. Of one by which something
follows, the whole draft must find the same. Of one by which nothing follows, the rules of
that sentence must leave the case open: other sentences and defaults may decide it, and all
else was in order.

Of what a person said of a case by itself (answering the suite, writing or importing it) the
last word on a case counts, unless it was withdrawn; the whole draft must find the very same.

Each is bound to how its variables are declared. Where that changed, the person's word
was about something else: it does not fit any more, and is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from policies.composing import Composition
from policies.models import Policy
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import Kind, PolicyModel, Source
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import scenario_content
from vetting.models import Scenario, ScenarioWithdrawal
from vetting.questions import QuestionReview, case_values, question_states, reading_term
from vetting.scenario_runs import Asked, Ran, kept_runs, run_asked, say_ran

ALL_DEADLINE_S = 20.0
# On a page, where somebody waits and what is not run yet is said.
PAGE_S = 3.0

# What a person may say of a claim, in the words of the pages.
SAID = {
    FindingKind.VALID: "yes",
    FindingKind.INVALID: "no",
    FindingKind.SATISFIABLE: "the document leaves it open",
    FindingKind.IMPOSSIBLE: "this case cannot happen",
}

_GONE = "a variable or value of this case is no longer declared"
_REWORDED = "what its words mean has changed since; answer the question again"
_REWORDED_OWN = "what its words mean has changed since; say again what the policy says of it"
_NO_TIME = "there was no answer in time"


class Result(StrEnum):
    """The words that the pages show."""

    HOLDS = "holds"
    FAILS = "does not hold any more"
    UNDECIDED = "not decided"
    UNFIT = "does not fit any more"


@dataclass(frozen=True)
class InForce:
    """A scenario that counts; with its question where it came of an answer to one."""

    scenario: Scenario
    question: QuestionReview | None = None

    @property
    def rule(self) -> str:
        """The uid of the rule that the question is about; empty where there is none."""
        return self.question.question.rule.uid if self.question else ""


@dataclass(frozen=True)
class Run:
    """`why` says in English what the policy says instead, or why nothing was found.

    `ran` is what was found, None where nothing was.
    """

    result: Result
    why: str = ""
    ran: Ran | None = field(default=None, compare=False)

    @property
    def is_late(self) -> bool:
        """It was not run in time; asked again it may be."""
        return self.result is Result.UNDECIDED and self.ran is None


@dataclass(frozen=True, eq=False)
class Prepared:
    """A scenario over the present declarations, and what is asked about it."""

    asked: Asked
    expected: Expectation

    def run(self, ran: Ran | None) -> Run:
        """Where only a case is asked about, all that counts is whether it can be."""
        if ran is None:
            return Run(Result.UNDECIDED, _NO_TIME)
        if ran.finding is not FindingKind.UNDECIDED and self._is_met(ran.finding):
            return Run(Result.HOLDS, ran=ran)
        undecided = ran.finding is FindingKind.UNDECIDED
        result = Result.UNDECIDED if undecided else Result.FAILS
        return Run(result, say_ran(self.asked.model, self.expected.claim, ran), ran)

    def _is_met(self, kind: FindingKind) -> bool:
        if self.expected.claim is not None:
            return kind is self.expected.expected
        impossible = FindingKind.IMPOSSIBLE
        return (kind is impossible) == (self.expected.expected is impossible)


def scenarios_in_force(
    policy: Policy, composition: Composition, questions: Sequence[QuestionReview] | None = None
) -> list[InForce]:
    """Those of answers in the order of the questions, then people's own; three queries, or five."""
    return [*answers_in_force(policy, composition, questions), *own_in_force(policy)]


def answers_in_force(
    policy: Policy, composition: Composition, questions: Sequence[QuestionReview] | None = None
) -> list[InForce]:
    """Those of answers that count, in the order of the questions; one query, or three."""
    if questions is None:
        questions = question_states(policy, composition)
    by_answer = {one.answer.pk: one for one in questions if one.answer is not None}
    rows = Scenario.objects.filter(answer__in=by_answer).select_related("by").order_by("pk")
    latest = {row.answer_id: row for row in rows}
    return [InForce(latest[pk], question) for pk, question in by_answer.items() if pk in latest]


def own_in_force(policy: Policy) -> list[InForce]:
    """The last word on each case that is not withdrawn, in the order of these; two queries."""
    rows = Scenario.objects.filter(policy=policy, answer=None).order_by("pk")
    said = ScenarioWithdrawal.objects.filter(scenario__policy=policy)
    withdrawn = set(said.values_list("scenario_id", flat=True))
    last: dict[str, Scenario] = {}
    for row in rows.select_related("by"):
        case = case_of_row(row)
        # The order is that of the last words.
        last.pop(case, None)
        last[case] = row
    return [InForce(row) for row in last.values() if row.pk not in withdrawn]


def case_of_row(row: Scenario) -> str:
    """What tells whether two rows are of one case, whatever its words meant at the time."""
    return json.dumps([row.content["facts"], row.content["claim"]], sort_keys=True)


def run_in_force(
    policy: Policy,
    composition: Composition,
    questions: Sequence[QuestionReview] | None = None,
    *,
    seconds: float = ALL_DEADLINE_S,
) -> dict[str, Run]:
    """Every scenario in force, run on the draft as it is composed."""
    found = scenarios_in_force(policy, composition, questions)
    return run_scenarios(policy, composition, found, seconds=seconds)


def run_scenarios(
    policy: Policy,
    composition: Composition,
    found: Iterable[InForce],
    *,
    seconds: float = ALL_DEADLINE_S,
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Run]:
    """What becomes of each, by uid; asked in a solver process, what is known already is not.

    No transaction may be open. What is not done within the time is not decided.
    """
    runs, prepared = prepare(found, composition)
    asked = {uid: one.asked for uid, one in prepared.items()}
    told = run_asked(policy, asked, seconds=seconds, stop=stop)
    return runs | {uid: one.run(told.get(uid)) for uid, one in prepared.items()}


def known_runs(
    policy: Policy, composition: Composition, found: Iterable[InForce]
) -> dict[str, Run]:
    """What is kept of each, by uid, for a page that lists them: those not run yet are missing."""
    runs, prepared = prepare(found, composition)
    told = kept_runs(policy, {uid: one.asked for uid, one in prepared.items()})
    return runs | {uid: one.run(told[uid]) for uid, one in prepared.items() if uid in told}


def prepare(
    found: Iterable[InForce], composition: Composition
) -> tuple[dict[str, Run], dict[str, Prepared]]:
    """Those that fit no more, and what is to be asked of the others, by uid."""
    runs: dict[str, Run] = {}
    asked: dict[str, Prepared] = {}
    asking = _Asking(composition)
    for one in found:
        prepared = asking.of(one)
        if isinstance(prepared, Run):
            runs[one.scenario.uid] = prepared
        else:
            asked[one.scenario.uid] = prepared
    return runs, asked


class _Asking:
    """Puts scenarios to one draft; those of one sentence share the model of its rules."""

    def __init__(self, composition: Composition) -> None:
        self.composition, self.model = composition, composition.model
        self._of_sentence: dict[str, PolicyModel] = {}

    def of(self, one: InForce) -> Prepared | Run:
        row = one.scenario
        expected = expected_of(row, self.composition)
        if expected is None:
            return Run(Result.UNFIT, _GONE)
        content = scenario_content(self.model, expected)
        if content_hash({"scenario": content}) != row.content_hash:
            return Run(Result.UNFIT, _REWORDED if one.question else _REWORDED_OWN)
        model, under = self.model, []
        if one.question is not None:
            scopes = self.composition.scopes_of(one.rule)
            under = [scope.term for scope in scopes if scope.term is not None]
            if expected.expected is FindingKind.SATISFIABLE:
                model = self._sentence(one.rule)
        return Prepared(Asked(model, expected, tuple(under)), expected)

    def _sentence(self, rule: str) -> PolicyModel:
        if rule not in self._of_sentence:
            self._of_sentence[rule] = _of_sentence(self.model, rule)
        return self._of_sentence[rule]


def expected_of(row: Scenario, composition: Composition) -> Expectation | None:
    """The scenario over the present declarations; None where it does not fit them."""
    facts = case_values(row.facts, composition)
    claim = None if row.claim is None else reading_term(row.claim, composition)
    if facts is None or isinstance(claim, str):
        return None
    return Expectation(facts, claim, FindingKind(row.expected))


def _of_sentence(model: PolicyModel, uid: str) -> PolicyModel:
    """The rules that share a sentence with one, with what holds of all: no other has a say."""
    rule = model.rule_by_id.get(uid)
    own = set(_places(rule.sources)) if rule else set()
    kept = [
        rule
        for rule in model.rules
        if rule.kind in (Kind.ASSUMPTION, Kind.DEFINITION)
        or rule.id == uid
        or (rule.kind is Kind.RULE and not own.isdisjoint(_places(rule.sources)))
    ]
    return model.with_rules(tuple(kept))


def _places(sources: Iterable[Source]) -> Iterator[tuple[str, str, int, int]]:
    return ((one.document, one.revision, one.start, one.end) for one in sources)
