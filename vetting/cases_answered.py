"""What people said of the suite's cases, and whether the rules say the same.

An answer is bound to the case's content, so a suite that is made again keeps what was
answered where the case is the same. Only agreement counts as answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from policies.audit import record
from policies.composing import Composition, compose
from policies.models import Policy, User
from policywright.english import render_sentence
from policywright.errors import SortError
from policywright.findings import FindingKind
from policywright.model import PolicyModel, check_term
from policywright.modeljson import model_to_json
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios.partjson import scenario_to_json, sorts_of
from policywright.suiting import SuiteNotMadeError, suite_apart
from policywright.termjson import term_from_json
from policywright.terms import Term
from vetting.lock import locked
from vetting.models import Origin, Scenario
from vetting.refusals import MovedError, RefusedError
from vetting.scenario_rows import new_scenario
from vetting.scenario_runs import Asked, Ran, kept_runs, run_asked, say_ran
from vetting.scenarios import expected_of, own_in_force
from vetting.suites import SuiteCase, SuiteNow, suite_now

# A person waits for these.
REVEAL_S = 8.0
REPAIRS_S = 12.0
_GRACE_S = 8.0

SAID = frozenset(
    {
        FindingKind.VALID,
        FindingKind.INVALID,
        FindingKind.SATISFIABLE,
        FindingKind.IMPOSSIBLE,
    }
)
# Of 'this case can occur'.
CAN_OCCUR = frozenset({FindingKind.SATISFIABLE, FindingKind.IMPOSSIBLE})


class CaseState(StrEnum):
    """The words that the pages show; UNDECIDED where the solver could not tell."""

    NEW = "not answered"
    AGREED = "agreed"
    DISAGREES = "disagrees"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class CaseReview:
    """A case of the suite, with the answer that counts.

    `finding`, `rules` (uids) and `why` (the finding in English) are empty while nobody
    answered; `rules` and `why` also where nobody asked yet: see `reveal`. `before` are
    earlier answers that said something else, the last first.
    """

    case: SuiteCase
    state: CaseState
    scenario: Scenario | None = None
    finding: FindingKind | None = None
    rules: tuple[str, ...] = ()
    why: str = ""
    before: tuple[Scenario, ...] = ()


@dataclass(frozen=True)
class Repair:
    """An edit of a rule with which the case would turn out as the person said.

    `english` is the edit in words, `rule_english` the whole rule after it. Of `of` other
    answered cases it leaves `keeps` as they were answered.
    """

    rule: str
    name: str
    english: str
    rule_english: str
    term: Term
    keeps: int
    of: int


def case_states(policy: Policy, composition: Composition, suite: SuiteNow) -> dict[str, CaseReview]:
    """Every case of the suite by key, in the suite's order; some queries and no solver."""
    said: dict[str, list[Scenario]] = {}
    rows = Scenario.objects.filter(policy=policy, answer=None).order_by("pk").select_related("by")
    for row in rows.prefetch_related("withdrawals"):
        said.setdefault(row.case_hash, []).append(row)
    answered = {
        case.key: case
        for case in suite.cases
        if case.key in said and not said[case.key][-1].withdrawals.all()
    }
    asked = {key: _asked(composition.model, case) for key, case in answered.items()}
    ran = kept_runs(policy, asked)
    return {
        case.key: _review(composition.model, case, said[case.key], ran.get(case.key))
        if case.key in answered
        else CaseReview(case, CaseState.NEW, before=tuple(reversed(said.get(case.key, ()))))
        for case in suite.cases
    }


def reveal(policy: Policy, composition: Composition, review: CaseReview) -> CaseReview:
    """The review of an answered case with its rules, asked of a solver process where not kept.

    No transaction may be open. One that nobody answered is given back as it is.
    """
    if review.scenario is None:
        return review
    model, case = composition.model, review.case
    found = run_asked(policy, {case.key: _asked(model, case)}, seconds=REVEAL_S)
    if case.key not in found:
        return review
    told = _review(model, case, [review.scenario], found[case.key])
    return replace(told, before=review.before)


def answer_case(policy: Policy, user: User, key: str, said: str, *, shown: str) -> Scenario:
    """Keep what a person says of a case: VALID, INVALID, SATISFIABLE or IMPOSSIBLE.

    `shown` is `SuiteCase.shown` of the page. The same person saying the same again gives the
    row that is there; another answer is a further row, and the later counts. Raises
    RefusedError for a word that there is not, MovedError where the case is not in the suite
    any more or reads differently.
    """
    seen = Policy.objects.get(pk=policy.pk)
    model, case = _case(seen, key)
    with locked(policy) as row:
        if row.revision != seen.revision:
            model, case = _case(row, key)
        if case is None:
            raise MovedError(
                "this case is asked no more: the rules changed since you opened the page, and "
                "nothing was saved. Go on with the next one.",
                present="",
                present_hash="",
            )
        if said not in (SAID if case.claim is not None else CAN_OCCUR):
            raise RefusedError("choose one of the answers that the case offers.")
        if case.shown != shown:
            raise MovedError(
                "the words of this case changed after you opened the page; nothing was saved. "
                "Read it as it is now, then answer.",
                present=case.question,
                present_hash=case.shown,
            )
        rows = Scenario.objects.filter(policy=row, case_hash=key, answer=None)
        last = rows.order_by("-pk").first()
        is_same = last is not None and (last.by_id, last.expected) == (user.pk, said)
        if last is not None and is_same and not last.withdrawals.exists():
            return last
        expected = Expectation(case.facts, case.claim, FindingKind(said))
        new = new_scenario(model, expected, case.question, Origin.SUITE)
        new.policy, new.by = row, user
        new.save()
        record(
            row,
            user,
            "answer-case",
            f"scenario:{new.uid}",
            old_hash=last.content_hash if last else "",
            new_hash=new.content_hash,
        )
    return new


def repairs_of(policy: Policy, composition: Composition, review: CaseReview) -> list[Repair]:
    """Single edits after which the rules would say of an answered case what the person said.

    Those first that keep most of the other agreed answers. Asks a process of its own, within
    some seconds; no transaction may be open. Raises RefusedError where that cannot be told.
    """
    scenario = review.scenario
    assert scenario is not None
    expected = expected_of(scenario, composition)
    if expected is None:
        raise RefusedError("this case does not fit the declarations any more.")
    model = composition.model
    others = [
        one
        for row in own_in_force(policy)
        if row.scenario.pk != scenario.pk
        if (one := expected_of(row.scenario, composition)) is not None
    ]
    request = {
        "do": "repairs",
        "model": model_to_json(model),
        "scenario": scenario_to_json(expected),
        "said": scenario.expected,
        "edits": list(review.case.tells),
        "others": [scenario_to_json(one) for one in others],
        "within_s": REPAIRS_S,
    }
    try:
        reply = suite_apart(request, deadline_s=REPAIRS_S + _GRACE_S)
    except SuiteNotMadeError as error:
        raise RefusedError(
            "no edit that would mend it was found in time; edit a rule by hand."
        ) from error
    return list(_repairs(model, reply["repairs"]))


def _case(policy: Policy, key: str) -> tuple[PolicyModel, SuiteCase | None]:
    composition = compose(policy)
    return composition.model, suite_now(policy, composition).get(key)


def _repairs(model: PolicyModel, found: Iterable[Mapping[str, Any]]) -> Iterable[Repair]:
    sorts = sorts_of(model)
    for one in found:
        rule = model.rule_by_id.get(one["owner"])
        if rule is None:
            continue  # definitions of variables are no rules here
        try:
            term = term_from_json(one["term"], sorts)
        except SortError:
            continue
        if check_term(model, term):
            continue
        yield Repair(
            rule.id,
            rule.name,
            one["english"],
            render_sentence(model, term),
            term,
            one["keeps"],
            one["of"],
        )


def _asked(model: PolicyModel, case: SuiteCase) -> Asked:
    return Asked(model, Expectation(case.facts, case.claim, case.expected))


def _review(
    model: PolicyModel, case: SuiteCase, rows: list[Scenario], ran: Ran | None
) -> CaseReview:
    """Of a case that was answered; what was asked of the solver counts before what was made."""
    row = rows[-1]
    finding = ran.finding if ran is not None else case.expected
    agreed = finding.value == row.expected
    state = CaseState.AGREED if agreed else CaseState.DISAGREES
    return CaseReview(
        case,
        CaseState.UNDECIDED if finding is FindingKind.UNDECIDED else state,
        row,
        finding,
        ran.rules if ran else (),
        say_ran(model, case.claim, ran) if ran else "",
        tuple(one for one in reversed(rows[:-1]) if one.expected != row.expected),
    )
