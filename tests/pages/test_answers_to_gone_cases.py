"""An answer to a case that the suite asks no more: it counts, is read, and can be withdrawn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Job, Policy, User
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import run
from tests.loans import draft_loans, rule_of
from tests.pages.feedback import work
from vetting.cases_answered import answer_case
from vetting.edits import edit_rule
from vetting.models import Scenario, ScenarioWithdrawal
from vetting.scenarios import Result, own_in_force, run_in_force
from vetting.suites import start_suite, suite_now

pytestmark = pytest.mark.django_db
LONGER = "(=> (and (> loanDays 28) (not consent)) (not loanAllowed))"


@pytest.fixture
def answered(alice: User) -> Policy:
    """Every case answered as the rules say; then a rule says 28 days, and the suite is new."""
    policy = draft_loans(alice)
    start_suite(policy, alice, 1)
    work()
    model = compose(policy).model
    for case in suite_now(policy, compose(policy)).cases:
        (found,) = run(model, [Expectation(case.facts, case.claim, case.expected)])
        answer_case(policy, alice, case.key, found.found.value, shown=case.shown)
    rule = rule_of(policy, "long-loan")
    edit_rule(policy, alice, rule, smtlib=LONGER, shown_hash=model_hash(policy, rule.uid))
    start_suite(policy, alice, 1)
    work()
    policy.refresh_from_db()
    return policy


def model_hash(policy: Policy, uid: str) -> str:
    return compose(policy).hashes[uid]


def failing(policy: Policy) -> list[Scenario]:
    runs = run_in_force(policy, compose(policy))
    found = [one.scenario for one in own_in_force(policy)]
    return [one for one in found if runs[one.uid].result is Result.FAILS]


def test_one_that_fails_is_shown_with_what_was_said_and_withdrawn_with_a_reason(
    answered: Policy, alice: User, client_of: Callable[[User], Client]
) -> None:
    (row,) = failing(answered)
    assert suite_now(answered, compose(answered)).get(row.case_hash) is None
    client = client_of(alice)
    url = f"/policies/{answered.slug}/scenarios/own/{row.uid}/"
    page = client.get(url)
    assert page.status_code == 200
    text = page.content.decode()
    assert "You said: no, the loan is not allowed." in text
    assert "Until then nothing is published" in text
    assert client.post(f"{url}withdraw/", {"reason": ""}).status_code == 422
    client.post(f"{url}withdraw/", {"reason": "The regulation says 28 days since June."})
    assert failing(answered) == []


def test_one_that_is_still_asked_leads_to_its_case_and_is_not_withdrawn(
    answered: Policy, alice: User, client_of: Callable[[User], Client]
) -> None:
    suite = suite_now(answered, compose(answered))
    row = next(
        one.scenario for one in own_in_force(answered) if one.scenario.case_hash in suite.by_key
    )
    client = client_of(alice)
    url = f"/policies/{answered.slug}/scenarios/own/{row.uid}/"
    assert f"/scenarios/cases/{row.case_hash}/" in client.get(url)["Location"]
    client.post(f"{url}withdraw/", {"reason": "Away with it."})
    assert not ScenarioWithdrawal.objects.exists()


def test_the_tab_waits_for_no_job_of_another_kind(
    alice: User, client_of: Callable[[User], Client]
) -> None:
    policy = draft_loans(alice)
    client = client_of(alice)
    client.get(f"/policies/{policy.slug}/lint/")
    job = Job.objects.get(policy=policy, kind="lint")
    address = f"/policies/{policy.slug}/scenarios/?job={job.uid}"
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 404
