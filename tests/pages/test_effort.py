"""Effort: bounded, one's own alone, and summed up only where it names nobody."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from policies.models import Policy, Rule, User
from tests.in_browser.making import settle
from vetting.effort import MOST_S, effort_of, note_effort, own_time
from vetting.effort_models import Effort
from vetting.publishing import publish

Clients = Callable[[User], Client]


def later() -> None:
    """As if the last messages had come ten minutes ago."""
    Effort.objects.update(at=timezone.now() - timedelta(minutes=10))


@pytest.fixture
def address(travel: Policy) -> str:
    return f"/policies/{travel.slug}/effort/"


def test_seconds_are_kept_by_card(
    travel: Policy, rule: Rule, alice: User, alices: Client, address: str
) -> None:
    for seconds, card in ((40, rule.uid), (20, rule.uid), (30, "")):
        sent = alices.post(f"{address}seconds/", {"seconds": seconds, "card": card})
        assert (sent.status_code, sent.content) == (204, b"")
        later()
    (time,) = own_time(travel, alice).values()
    assert (time.seconds, time.cards, time.median_s) == (90, 1, 60)
    page = alices.get(address).content.decode()
    assert "1 min; 1 min the median of 1 card" in page


@pytest.mark.parametrize(
    "seconds", ["0", "-5", "121", "1e9", "99999999999", "NaN", "٣", "", "\x00", "<img>"]
)
def test_hostile_seconds_count_for_nothing(alices: Client, address: str, seconds: str) -> None:
    assert alices.post(f"{address}seconds/", {"seconds": seconds}).status_code == 204
    assert not Effort.objects.exists()


@pytest.mark.parametrize("card", ["\x00", "f" * 32, "f" * 99, "../../", "' or 1=1"])
def test_a_card_that_is_not_there_is_none(alices: Client, address: str, card: str) -> None:
    alices.post(f"{address}seconds/", {"seconds": "5", "card": card})
    assert Effort.objects.get().card == ""


def test_no_more_counts_than_went_by(travel: Policy, alice: User) -> None:
    assert note_effort(travel, alice, MOST_S, "") == MOST_S
    for _ in range(20):
        assert note_effort(travel, alice, MOST_S, "") <= 1
    Effort.objects.update(at=timezone.now() - timedelta(seconds=30))
    assert note_effort(travel, alice, MOST_S, "") in (30, 31)


def test_who_only_reads_and_an_archived_policy_are_not_counted(
    travel: Policy, alice: User, bob: User, charlie: User, client_of: Clients, address: str
) -> None:
    counts = "data-effort="
    assert counts in client_of(bob).get(address).content.decode()
    travel.memberships.filter(user=bob).update(role="viewer")
    assert counts not in client_of(bob).get(address).content.decode()
    assert client_of(bob).post(f"{address}seconds/", {"seconds": 9}).status_code == 403
    assert client_of(charlie).post(f"{address}seconds/", {"seconds": 9}).status_code == 404
    assert client_of(alice).get(f"{address}seconds/").status_code == 405
    Policy.objects.filter(pk=travel.pk).update(archived_at=timezone.now())
    assert client_of(alice).post(f"{address}seconds/", {"seconds": 9}).status_code == 403
    assert counts not in client_of(alice).get(address).content.decode()
    assert not Effort.objects.exists()


def test_a_message_needs_its_token(alice: User, address: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(f"{address}seconds/", {"seconds": 9}).status_code == 403
    assert not Effort.objects.exists()


def test_a_version_says_what_it_took_and_nobody_sees_anothers_time(
    travel: Policy,
    rule: Rule,
    alice: User,
    bob: User,
    charlie: User,
    client_of: Clients,
    address: str,
) -> None:
    settle(travel)
    travel.refresh_from_db()
    note_effort(travel, alice, 100, rule.uid)
    note_effort(travel, bob, 11, rule.uid)
    publish(alice, travel, shown_revision=travel.revision)
    version, draft = effort_of(travel)
    assert (version.number, draft.number, draft.published_at) == (1, 2, None)
    assert version.decisions >= travel.rules.filter(retired_at=None).count()
    assert (draft.decisions, draft.edits, draft.reversals) == (0, 0, 0)
    assert version.time is None
    for person, own, other in ((alice, "1 min", "11 s"), (bob, "11 s", "1 min")):
        client = client_of(person)
        for page in (address, f"/policies/{travel.slug}/versions/1/"):
            told = client.get(page).content.decode()
            assert f"Your own time</dt><dd>{own}" in told
            assert other not in told
            assert "Active time" not in told
    Effort.objects.create(policy=travel, person=charlie, version=1, card="", seconds=60)
    (version, _) = effort_of(travel)
    assert version.time is not None
    assert (version.time.seconds, version.time.cards, version.time.median_s) == (171, 1, 111)
    found = client_of(alice).get(f"/policies/{travel.slug}/effort.csv")
    first, second = csv.DictReader(io.StringIO(found.content.decode()))
    assert (first["active_seconds"], first["median_seconds_a_card"]) == ("171", "111")
    assert (second["version"], second["published_at"], second["active_seconds"]) == ("2", "", "")
    assert found.content == client_of(bob).get(f"/policies/{travel.slug}/effort.csv").content
    for secret in (alice.email, str(alice), "100"):
        assert secret not in found.content.decode()
