"""Reading a text before it is saved: with htmx and without, hostile text, and who may."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Policy, Rule, User, Variable
from vetting.declarations import variable_hash

ENGLISH = (
    "If the cost of the trip is more than EUR 2,000 and the line manager has not approved the "
    "trip, then the trip is not approved."
)
HTMX = {"hx-request": "true"}


@pytest.fixture
def read(travel: Policy, rule: Rule, alices: Client) -> Callable[..., Any]:
    """`read(english="...")` sends the form of the first rule's card for reading."""

    def send(*, htmx: bool = True, **sent: str) -> Any:
        shown = compose(travel).hashes[rule.uid]
        address = f"/policies/{travel.slug}/review/{rule.uid}/read/"
        return alices.post(address, {"shown": shown, **sent}, headers=HTMX if htmx else {})

    return send


def test_htmx_gets_the_reading_alone_for_the_form_that_asked(read: Callable[..., Any]) -> None:
    response = read(english=ENGLISH)
    page = response.content.decode()
    assert response.status_code == 200
    assert response["HX-Retarget"] == "#reading-english"
    assert page.startswith('<section class="reading" id="reading-english"')
    assert "<textarea" not in page
    assert 'name="read" value="pw1:' in page
    assert read(smtlib="(and")["HX-Retarget"] == "#reading-smtlib"


def test_without_script_the_card_comes_with_the_text_and_its_reading(
    read: Callable[..., Any],
) -> None:
    page = read(htmx=False, english=ENGLISH).content.decode()
    assert "<html" in page
    assert f"{ENGLISH}</textarea>" in page
    assert "understood, and read as" in page
    assert '<details class="writes" open>' in page


def test_a_phrase_is_put_in_the_place_of_exactly_the_words_that_were_marked(
    read: Callable[..., Any],
) -> None:
    text = ENGLISH.replace("cost of the trip", "csot of the trip")
    start = text.index("the csot")
    button = {"start": start, "words": "the csot of the trip", "phrase": "the cost of the trip"}
    page = read(english=text, replace=json.dumps(button)).content.decode()
    assert 'hx-swap-oob="true"' in page
    assert f"{ENGLISH}</textarea>" in page
    moved = read(english=f"So {text}", replace=json.dumps(button)).content.decode()
    assert "The text changed since it was read" in moved
    assert "<textarea" not in moved


@pytest.mark.parametrize(
    "button",
    [
        "",
        "x",
        "[]",
        "null",
        '{"start": "a"}',
        '{"start": -3, "words": "", "phrase": ""}',
        "1" * 999,
    ],
)
def test_a_button_that_nobody_offered_changes_nothing(
    read: Callable[..., Any], button: str
) -> None:
    response = read(english=ENGLISH, replace=button)
    assert response.status_code == 200
    assert "<textarea" not in response.content.decode()


@pytest.mark.parametrize("htmx", [True, False])
def test_hostile_text_is_text(read: Callable[..., Any], htmx: bool) -> None:
    hostile = "</textarea><img src=x onerror=alert(1)>"
    for sent in (
        {"english": hostile},
        {"smtlib": hostile},
        {"english": ENGLISH, "declare-from": hostile},
        {"english": ENGLISH, "use": hostile},
        {"english": ENGLISH, "declare": "yes", "new-name": hostile, "new-phrase": hostile},
    ):
        page = read(htmx=htmx, **sent).content.decode()
        assert "<img" not in page, sent
    assert read(htmx=htmx, english="a\x00b\u202e").status_code in (200, 422)


def test_a_save_without_a_reading_is_read_first(travel: Policy, rule: Rule, alices: Client) -> None:
    sent = {"shown": compose(travel).hashes[rule.uid], "english": ENGLISH}
    address = f"/policies/{travel.slug}/review/{rule.uid}/edit/"
    response = alices.post(address, sent)
    assert response.status_code == 422
    assert "this is how it is read now" in response.content.decode()
    assert rule.revisions.count() == 1
    part = alices.post(address, sent, headers=HTMX)
    assert (part.status_code, part["HX-Retarget"]) == (200, "#reading-english")
    assert rule.revisions.count() == 1


def test_the_default_of_an_outcome_has_no_text_to_edit(travel: Policy, alices: Client) -> None:
    outcome = Variable.objects.filter(policy=travel, role="outcome").first()
    assert outcome is not None
    sent = {"outcome": outcome.uid, "choice": "approved unless forbidden"}
    alices.post(f"/policies/{travel.slug}/assumptions/default/", sent)
    made = Rule.objects.get(policy=travel, kind="default")
    address = f"/policies/{travel.slug}/review/{made.uid}/read/"
    page = alices.post(address, {"english": ENGLISH, "shown": ""}, headers=HTMX).content.decode()
    assert "choose another default" in page


def test_phrases_are_offered_to_those_who_may_edit(
    travel: Policy, alice: User, bob: User, charlie: User, client_of: Callable[[User], Client]
) -> None:
    address, sent = f"/policies/{travel.slug}/phrases/", {"before": "If the co"}
    found = client_of(alice).post(address, sent).json()["phrases"]
    assert found[0] == {"text": "the cost of the trip", "typed": len("the co")}
    travel.memberships.filter(user=bob).update(role="viewer")
    assert client_of(bob).post(address, sent).status_code == 403
    assert client_of(charlie).post(address, sent).status_code == 404
    assert client_of(alice).get(address).status_code == 405


@pytest.mark.parametrize("before", ["", " ", "\x00", "( " * 5_000, "the " * 50_000, "\ud800"])
def test_whatever_stands_before_the_caret_is_answered_soon(
    travel: Policy, alices: Client, before: str
) -> None:
    began = time.perf_counter()
    sent = {"before": before.encode("utf-8", "surrogatepass").decode("utf-8", "replace")}
    response = alices.post(f"/policies/{travel.slug}/phrases/", sent)
    assert response.status_code == 200
    assert len(response.content) < 4_000
    assert time.perf_counter() - began < 3


def test_two_thousand_variables_are_not_sent_and_not_slow(
    travel: Policy, rule: Rule, alices: Client, django_assert_max_num_queries: Any
) -> None:
    Variable.objects.bulk_create(
        Variable(
            policy=travel,
            name=f"amount{n}",
            sort="Real",
            role="fact",
            phrase=f"the amount of kind {n}",
        )
        for n in range(2_000)
    )
    page = alices.get(f"/policies/{travel.slug}/review/{rule.uid}/").content.decode()
    assert "the amount of kind 1999" not in page
    address, sent = f"/policies/{travel.slug}/phrases/", {"before": "If the amount of kind 19"}
    alices.post(address, sent)
    began = time.perf_counter()
    with django_assert_max_num_queries(10):
        response = alices.post(address, sent)
    # Measured 0.08 s; the bound leaves room for a busy machine.
    assert time.perf_counter() - began < 1
    assert 0 < len(response.json()["phrases"]) <= 8


def test_a_phrase_that_clashes_is_saved_with_one_sentence_that_says_so(
    travel: Policy, alices: Client
) -> None:
    cost = Variable.objects.get(policy=travel, phrase="the cost of the trip")
    other = Variable.objects.get(policy=travel, phrase="the expense")
    names = ("name", "sort", "role", "unit", "description", "negative_phrase")
    sent = {name: getattr(other, name) for name in names}
    sent |= {"phrase": "the cost of the trip", "shown": variable_hash(other)}
    address = f"/policies/{travel.slug}/glossary/{other.uid}/"
    page = alices.post(address, sent, follow=True).content.decode()
    assert "Saved: " in page
    assert page.count('class="small clash"') == 2
    assert "are both said" in page
    assert cost.name in page
