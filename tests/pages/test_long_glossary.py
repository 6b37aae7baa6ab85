"""A glossary of many words comes in pages, and a word is found by what it says."""

from __future__ import annotations

import pytest
from django.test import Client

from policies.models import Datatype, Policy, Variable

pytestmark = pytest.mark.django_db


@pytest.fixture
def base(travel: Policy) -> str:
    """A policy with 230 facts more, and a datatype behind them."""
    Variable.objects.bulk_create(
        Variable(
            policy=travel, name=f"widget{n}", sort="Bool", role="fact", phrase=f"widget {n} turns"
        )
        for n in range(230)
    )
    kind = Datatype.objects.create(policy=travel, name="LastKind")
    kind.values.create(name="PLAIN", phrase="plain & simple", position=1)
    return f"/policies/{travel.slug}/glossary/"


def shown(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_each_word_is_on_one_page_and_pages_lead_to_each_other(alices: Client, base: str) -> None:
    pages = [shown(alices, f"{base}?page={number}") for number in (1, 2, 3)]
    for n in range(230):
        assert sum(f">widget {n} turns<" in page for page in pages) == 1
    assert [page.count("<h3>") for page in pages[:2]] == [100, 100]
    assert 'rel="next"' in pages[0]
    assert 'rel="prev"' not in pages[0]
    assert 'rel="next"' not in pages[2]
    assert "LastKind" in pages[2]
    assert "LastKind" not in pages[0]


def test_a_page_that_is_not_there_is_the_nearest_that_is(alices: Client, base: str) -> None:
    assert "Page 3 of 3" in shown(alices, f"{base}?page=999")
    assert "Page 1 of 3" in shown(alices, f"{base}?page=x%00")


def test_a_word_is_found_by_all_that_is_asked_for_whatever_the_case(
    alices: Client, base: str
) -> None:
    page = shown(alices, f"{base}?find=TURNS+117")
    assert page.count("<h3>") == 1
    assert "widget 117 turns" in page
    assert "LastKind" in shown(alices, f"{base}?find=plain+%26")
    # What was looked for stays with the next page.
    assert "?page=2&amp;find=widget" in shown(alices, f"{base}?find=widget")


def test_nothing_found_is_said_and_what_was_typed_is_only_text(alices: Client, base: str) -> None:
    page = shown(alices, f"{base}?find=%3Cscript%3E")
    assert "No word of 2" in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_a_short_glossary_has_neither_search_nor_pages(alices: Client, travel: Policy) -> None:
    page = shown(alices, f"/policies/{travel.slug}/glossary/")
    assert 'type="search"' not in page
    assert "Page 1 of" not in page
