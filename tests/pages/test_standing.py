"""Where a policy stands: on its front page, and as JSON for other programs."""

from __future__ import annotations

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Policy, Rule, User
from tests.loans import draft_loans
from tests.pages.feedback import work
from vetting.cases_answered import answer_case
from vetting.suites import suite_now
from vetting.threads import start_thread
from vetting.tiers import tiers_now

KEYS = {
    "policy",
    "revision",
    "sentences",
    "rules",
    "open_questions",
    "lint",
    "scenario_tiers",
    "open_threads",
    "in_the_way",
    "last_version",
}


@pytest.fixture
def loans(alice: User) -> Policy:
    return draft_loans(alice)


def test_the_json_counts_as_the_page_does(travel: Policy, rule: Rule, alices: Client) -> None:
    address = f"/policies/{travel.slug}/standing.json"
    found = alices.get(address)
    assert found["Content-Type"] == "application/json"
    assert "no-store" in found["Cache-Control"]
    told = found.json()
    assert set(told) == KEYS
    assert told["lint"] is None
    assert told["last_version"] is None
    assert told["policy"]["url"] == f"http://testserver/policies/{travel.slug}/"
    assert sum(told["rules"].values()) == travel.rules.filter(retired_at=None).count()
    assert {"waiting", "approved", "question_open", "lapsed"} <= set(told["rules"])
    assert {"untouched", "not_binding", "expressed"} <= set(told["sentences"])
    before = told["rules"]["approved"]
    alices.get(f"/policies/{travel.slug}/review/{rule.uid}/")
    shown = compose(travel).hashes[rule.uid]
    alices.post(f"/policies/{travel.slug}/review/{rule.uid}/approve/", {"shown": shown})
    told = alices.get(address).json()
    assert told["rules"]["approved"] == before + 1
    waiting = [one for one in told["in_the_way"] if one["kind"] == "rule"]
    of_rules = sum(told["rules"].values()) - told["rules"]["question_open"]
    assert sum(one["count"] for one in waiting) == of_rules - before - 1
    asked = [one["count"] for one in told["in_the_way"] if one["kind"] == "question"]
    assert asked == [told["open_questions"]]
    assert all(alices.get(one["url"], follow=True).status_code == 200 for one in waiting)


def test_lint_is_counted_once_the_draft_is_checked(travel: Policy, alices: Client) -> None:
    alices.get(f"/policies/{travel.slug}/lint/")
    work()
    told = alices.get(f"/policies/{travel.slug}/standing.json").json()
    assert set(told["lint"]) == {"errors", "warnings"}


def test_no_name_and_no_text_is_in_the_json(travel: Policy, alice: User, alices: Client) -> None:
    start_thread(travel, alice, text="Is this so?", rule=travel.rules.first())
    found = alices.get(f"/policies/{travel.slug}/standing.json")
    assert found.json()["open_threads"] == 1
    for secret in ("Is this so?", alice.email, str(alice), "EUR 1,000"):
        assert secret not in found.content.decode()


def test_the_page_names_who_did_something_last(
    travel: Policy, rule: Rule, alice: User, alices: Client
) -> None:
    page = alices.get(f"/policies/{travel.slug}/").content.decode()
    assert 'Tier 1</a>: <span class="soft">no cases yet' in page
    start_thread(travel, alice, text="Is this so?", rule=rule)
    page = alices.get(f"/policies/{travel.slug}/").content.decode()
    assert "1 open thread<" in page
    assert f"Last here: {alice} " in page


def test_answers_move_the_tier(loans: Policy, alice: User, alices: Client) -> None:
    alices.get(f"/policies/{loans.slug}/lint/")
    work()
    alices.post(f"/policies/{loans.slug}/scenarios/start/", {"tiers": 1})
    work()
    suite = suite_now(loans, compose(loans))
    first, second = (one for one in suite.cases[:2])
    answer_case(loans, alice, first.key, first.expected.value, shown=first.shown)
    other = {"VALID": "INVALID", "INVALID": "VALID"}.get(second.expected.name, "VALID")
    answer_case(loans, alice, second.key, type(second.expected)[other].value, shown=second.shown)
    made, later, _ = tiers_now(loans)
    of_first = [one for one in suite.cases if one.tier == 0]
    assert (made.is_made, made.cases, made.agreeing) == (True, len(of_first), 1)
    assert (made.disagreeing, made.unanswered) == (1, len(of_first) - 2)
    assert not later.is_made
    told = alices.get(f"/policies/{loans.slug}/standing.json").json()["scenario_tiers"]
    assert told[0]["agreeing"] == told[0]["disagreeing"] == 1
    page = alices.get(f"/policies/{loans.slug}/").content.decode()
    assert f"1 of {len(of_first)} answers agree, 1 disagrees, " in page


def test_of_another_policy_there_is_no_json(travel: Policy, charlie: User, client: Client) -> None:
    address = f"/policies/{travel.slug}/standing.json"
    assert client.get(address).status_code == 302
    client.force_login(charlie)
    assert client.get(address).status_code == 404
    assert client.post(address).status_code in (403, 404, 405)
