"""A change is saved only if what it turns is what was shown: people answer while others read."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from policies.models import Membership, User
from policies.roles import Role
from tests.vetting.conftest import COST, Draft, draft_rule
from tests.vetting.test_scenario_changes import CHEAP, LOWER, NO, edit, write
from vetting.declarations import NewVariable, declare_variable
from vetting.lint import made_of
from vetting.models import ScenarioRun

pytestmark = pytest.mark.django_db

UNSEEN = "not what you were shown"
TURNS = "Scenarios that turn out differently"


@pytest.fixture
def page(draft: Draft, client_of: Callable[[User], Client]) -> Client:
    Membership.objects.create(policy=draft.policy, user=draft.bob, role=Role.OWNER)
    return client_of(draft.bob)


def hidden(text: str) -> dict[str, str]:
    """What the form carries of what its page showed."""
    found = re.findall(r'name="(read|seen-scenarios)" value="([^"]*)"', text)
    assert {name for name, _ in found} >= {"seen-scenarios"}
    return dict(found)


def reading(draft: Draft, page: Client) -> tuple[str, dict[str, str], str]:
    """Bob read another text for the rule about costs: its address, its form, the page."""
    rule = draft.rule("cost")
    url = f"/policies/{draft.policy.slug}/review/{rule.uid}/"
    sent = {"smtlib": LOWER, "shown": draft.composition().hashes[rule.uid]}
    text = page.post(f"{url}read/", sent).content.decode()
    return url, sent | hidden(text), text


def test_an_answer_given_meanwhile_is_shown_before_the_edit_that_turns_it_is_saved(
    draft: Draft, page: Client
) -> None:
    before = draft.rule("cost").content_hash
    url, sent, text = reading(draft, page)
    assert TURNS not in text
    write(draft, CHEAP, NO)
    told = page.post(f"{url}edit/", sent).content.decode()
    assert UNSEEN in told
    assert TURNS in told
    assert draft.rule("cost").content_hash == before
    assert page.post(f"{url}edit/", sent | hidden(told)).status_code == 302
    assert draft.rule("cost").content_hash != before


def test_what_was_shown_is_saved_at_once_though_other_rules_moved(
    draft: Draft, page: Client
) -> None:
    write(draft, CHEAP, NO)
    before = draft.rule("cost").content_hash
    url, sent, text = reading(draft, page)
    assert TURNS in text
    edit(
        draft,
        "service",
        "(=> (and (= destination international) (< tenureMonths 7)) (not tripApproved))",
    )
    assert page.post(f"{url}edit/", sent).status_code == 302
    assert draft.rule("cost").content_hash != before


def test_while_nothing_moves_nothing_is_asked(draft: Draft, page: Client) -> None:
    write(draft, CHEAP, NO)
    url, sent, _ = reading(draft, page)
    kept = ScenarioRun.objects.count()
    ScenarioRun.objects.all().delete()
    assert kept
    assert page.post(f"{url}edit/", sent).status_code == 302
    assert not ScenarioRun.objects.exists()


def test_an_assumption_shows_what_it_turns_by_then(draft: Draft, page: Client) -> None:
    url = f"/policies/{draft.policy.slug}/assumptions/"
    sent = {"smtlib": "(>= costEur 1500.0)"}
    text = page.post(f"{url}read/", sent).content.decode()
    write(draft, CHEAP, NO)
    told = page.post(f"{url}write/", sent | hidden(text)).content.decode()
    assert UNSEEN in told
    assert TURNS in told


def test_a_change_of_lint_shows_what_it_turns_by_then(draft: Draft, page: Client) -> None:
    draft_rule(draft, "stricter", "(=> (< tenureMonths 7) (not tripApproved))", COST)
    service = draft.rule("service").uid
    (found,) = [
        one for one in made_of(draft.policy, draft.composition()).found if one.code == "implied"
    ]
    (number,) = [n for n, one in enumerate(found.fixes) if one["removed"] == [service]]
    which = [draft.policy.slug, found.key, number]
    url, take = reverse("lint-fix", args=which), reverse("lint-take", args=which)
    text = page.get(url).content.decode()
    assert "Make this change" in text
    draft.answer_all()
    told = page.post(take, hidden(text))
    assert told.status_code == 409
    assert UNSEEN in told.content.decode()
    assert draft.rule("service")
    assert page.post(take, hidden(told.content.decode())).status_code == 302


def test_a_merge_shows_what_it_turns_by_then(draft: Draft, page: Client) -> None:
    total = NewVariable("totalCost", "Real", unit="EUR")
    declare_variable(draft.policy, draft.alice, total)
    draft_rule(draft, "dear", "(=> (> totalCost 500.0) (not tripApproved))", COST)
    pair = {
        name: draft.variable(uid).uid
        for name, uid in {"from": "totalCost", "into": "costEur"}.items()
    }
    url = f"/policies/{draft.policy.slug}/glossary/merge/"
    text = page.get(url, pair).content.decode()
    write(draft, CHEAP, NO)
    sent = pair | {"shown": str(draft.revision())}
    told = page.post(url, sent | hidden(text))
    assert told.status_code == 409
    assert UNSEEN in told.content.decode()
    assert page.post(url, sent | hidden(told.content.decode())).status_code == 302
