"""The queue as a list, and going through a list card by card."""

from __future__ import annotations

from django.test import Client

from policies.composing import compose
from policies.models import Policy, Rule
from vetting.queue import build_queue


def test_the_list_says_what_waits_and_leads_to_it(travel: Policy, alices: Client) -> None:
    base = f"/policies/{travel.slug}/review/"
    page = alices.get(f"{base}list/").content.decode()
    assert "The queue" in page
    assert "How far each section is" in page
    for card in build_queue(travel).cards[:3]:
        assert f"{base}{card.key}/" in page


def test_a_list_is_gone_through_to_its_end(travel: Policy, rule: Rule, alices: Client) -> None:
    base = f"/policies/{travel.slug}/review/"
    response = alices.get(f"{base}?find={rule.name}")
    assert response["Location"] == f"{base}{rule.uid}/"
    page = alices.get(response["Location"]).content.decode()
    assert "One of a list of 1." in page
    assert 'aria-label="Next"' not in page
    shown = compose(travel).hashes[rule.uid]
    page = alices.post(f"{base}{rule.uid}/approve/", {"shown": shown}, follow=True).content.decode()
    assert "Nothing waits among these any more." in page
    assert f'value="{rule.name}"' in page
    alices.get(f"{base}?all=yes")
    assert "One of a list" not in alices.get(f"{base}{rule.uid}/").content.decode()


def test_hostile_filters_are_text(travel: Policy, alices: Client) -> None:
    address = f"/policies/{travel.slug}/review/list/"
    page = alices.get(address, {"find": "<img src=x>", "page": "nine", "section": "1-999999999999"})
    assert page.status_code == 200
    assert "<img src" not in page.content.decode()
    assert "No card is like that." in page.content.decode()
