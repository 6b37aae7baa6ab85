"""Answers to cases at one moment: none is lost, one counts, and the audit chain holds.

With real threads and real transactions, on the database that the settings name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from django.db import connections

from policies.audit import first_broken_link
from policies.composing import compose
from policies.editing import DraftMovedError
from policies.jobs.embedded import run_next
from policies.models import AuditRow, Policy, User
from policywright.findings import FindingKind
from tests.loans import draft_loans
from vetting.cases_answered import CaseState, answer_case, case_states
from vetting.models import Scenario, ScenarioWithdrawal
from vetting.own_scenarios import add_scenario, propose_scenario, withdraw_scenario
from vetting.refusals import MovedError
from vetting.suites import SuiteNow, start_suite, suite_now

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = ("VALID", "INVALID", "SATISFIABLE", "IMPOSSIBLE")
OWN = "Given that the length of the loan is {} days: the loan is allowed."


@pytest.fixture
def loans(alice: User) -> Policy:
    return draft_loans(alice)


def at_once(acts: Sequence[Callable[[], object]]) -> list[object]:
    """What each gave, or the exception that it raised; all begin at one moment."""
    begin = threading.Barrier(len(acts))
    results: list[object] = [None] * len(acts)

    def run(place: int) -> None:
        try:
            begin.wait(20)
            results[place] = acts[place]()
        except Exception as error:
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def made(policy: Policy, user: User, tiers: int = 1) -> SuiteNow:
    start_suite(policy, user, tiers)
    while run_next("tests"):
        pass
    return suite_now(policy, compose(policy))


def test_four_answers_at_once_are_four_rows_and_the_last_counts(loans: Policy, alice: User) -> None:
    case = next(one for one in made(loans, alice).cases if one.claim is not None)
    found = at_once(
        [
            lambda said=said: answer_case(loans, alice, case.key, said, shown=case.shown)
            for said in WORDS
        ]
    )
    assert all(isinstance(one, Scenario) for one in found), found
    rows = list(Scenario.objects.filter(case_hash=case.key).order_by("pk"))
    assert {row.expected for row in rows} == set(WORDS)
    composition = compose(loans)
    review = case_states(loans, composition, suite_now(loans, composition))[case.key]
    assert review.scenario == rows[-1]
    agrees = rows[-1].expected == case.expected.value
    assert review.state is (CaseState.AGREED if agrees else CaseState.DISAGREES)
    assert AuditRow.objects.filter(action="answer-case").count() == len(WORDS)
    assert first_broken_link(loans) is None


def test_the_same_answer_sent_eight_times_is_one_row(loans: Policy, alice: User) -> None:
    case = made(loans, alice).cases[0]
    said = FindingKind.SATISFIABLE.value
    found = at_once([lambda: answer_case(loans, alice, case.key, said, shown=case.shown)] * 8)
    assert all(isinstance(one, Scenario) for one in found), found
    assert Scenario.objects.filter(case_hash=case.key).count() == 1
    assert first_broken_link(loans) is None


def test_answers_while_the_suite_is_made_again_are_kept_or_refused(
    loans: Policy, alice: User
) -> None:
    suite = made(loans, alice)

    def make_again() -> object:
        return made(loans, alice, 3)

    def answer_all() -> object:
        given = []
        for case in suite.cases:
            try:
                given.append(answer_case(loans, alice, case.key, "SATISFIABLE", shown=case.shown))
            except (MovedError, DraftMovedError):
                continue
        return given

    remade, given = at_once([make_again, answer_all])
    assert isinstance(remade, SuiteNow), remade
    assert isinstance(given, list), given
    assert Scenario.objects.count() == len(given) > 0
    assert first_broken_link(loans) is None


def test_one_that_is_withdrawn_twice_at_once_is_withdrawn_once(loans: Policy, alice: User) -> None:
    read = propose_scenario(loans, OWN.format(3))
    row = add_scenario(loans, alice, OWN.format(3), shown=read.read_as)
    found = at_once([lambda: withdraw_scenario(loans, alice, row.uid, reason="wrong")] * 4)
    assert all(isinstance(one, ScenarioWithdrawal) for one in found), found
    assert ScenarioWithdrawal.objects.count() == 1
    assert first_broken_link(loans) is None
