"""The playground: facts in the address, what follows of each outcome, and what to say next."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client

from policies.composing import compose
from policies.models import Policy, User
from policies.people import add_person, create_policy
from policies.roles import Role
from policywright.evaluate import Value
from policywright.model import Variable
from policywright.solver_pool import POOL
from policywright.solving import SolverGoneError, SolverProcess
from policywright.sorts import BOOL, INT, REAL
from tests.airline import draft_airline
from vetting.declarations import NewVariable, declare_variable
from vetting.playground import MAX_FACTS, read_chosen, write_value

Clients = Callable[[User], Client]


@pytest.fixture
def airline(alice: User) -> Policy:
    return draft_airline(alice)


@pytest.fixture
def page(airline: Policy, alice: User, client_of: Clients) -> Callable[..., str]:
    """`page(flightStatus="operated", ...)`: the page with these facts, by name."""
    client, model = client_of(alice), compose(airline).model
    ids = {one.name: one.id for one in model.variables}
    ids |= {value.name: value.id for one in model.datatypes for value in one.values}

    def get(query: str = "", *, htmx: str = "", **facts: str) -> str:
        found = urlencode({f"f.{ids[name]}": ids.get(text, text) for name, text in facts.items()})
        address = f"/policies/{airline.slug}/scenarios/playground/?{found}&{query}"
        headers = {"hx-request": "true", "hx-target": htmx} if htmx else {}
        response = client.get(address, follow=True, headers=headers)
        assert response.status_code == 200
        return response.content.decode()

    return get


def outcome(html: str) -> str:
    """The item of the first outcome, in words."""
    item = html.split('class="list outcomes">')[1].split("</li>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", item).split())


def test_nothing_is_given_yet_and_what_matters_most_is_the_way_on(page: Callable[..., str]) -> None:
    html = page()
    assert "Nothing is given yet." in html
    assert "open so far" in outcome(html)
    assert "What matters most:" in html
    # Each value that can be is a way to go on, with what it would settle.
    assert re.search(r'id="set-1" href="/policies/[^"]+playground/\?f\.', html)
    assert "Then a refund is due." in html


def test_what_follows_stands_with_its_rules_in_english_and_their_sentences(
    page: Callable[..., str],
) -> None:
    html = page(flightStatus="cancelled", circumstance="ordinary")
    said = outcome(html)
    assert said.startswith("A refund is due yes")
    assert "By one rule: cancelled-flight" in said
    assert "If the flight is cancelled" in said
    assert "After a cancelled flight the fare is paid back." in said
    html = page(flightStatus="operated", travelled="no", circumstance="ordinary")
    assert outcome(html).startswith("A refund is not due no")


def test_facts_that_cannot_occur_are_explained_and_can_be_taken_back(
    page: Callable[..., str],
) -> None:
    html = page(flightStatus="operated", travelled="no", circumstance="denied_boarding")
    assert "These facts cannot occur together" in html
    clash = html.split('id="clash"')[1].split("</section>")[0]
    assert "Whoever did not fly on a flight that operated gets no money back." in clash
    assert clash.count("Take back:") == 3
    assert "this case cannot happen" in outcome(html)
    assert "What matters most" not in html


def test_what_no_further_fact_can_settle_the_document_leaves_open(
    airline: Policy, alice: User, page: Callable[..., str]
) -> None:
    declare_variable(airline, alice, NewVariable("insured", "Bool", role="outcome"))
    html = page("find=insured")
    assert "the document leaves it open" in outcome(html)
    assert "no rule speaks of it" in outcome(html)
    assert "What matters most" not in html


def test_an_outcome_is_supposed_like_a_fact(page: Callable[..., str]) -> None:
    html = page(refundDue="yes", flightStatus="operated")
    assert "supposed" in html
    assert "There is no outcome that is not given." in html


def test_a_fact_is_added_by_its_phrase_and_the_address_says_it(
    airline: Policy, alice: User, client_of: Clients
) -> None:
    model = compose(airline).model
    flew = next(one.id for one in model.variables if one.name == "travelled")
    address = f"/policies/{airline.slug}/scenarios/playground/"
    response = client_of(alice).get(address, {"add": "The passenger flew.", "find": ""})
    assert response.url == f"{address}?f.{flew}=#f-{flew}"
    again = client_of(alice).get(address, {f"f.{flew}": "yes", "add": "", "find": ""})
    assert again.url == f"{address}?f.{flew}=yes"
    shown = client_of(alice).get(again.url).content.decode()
    assert re.search(r'value="yes" checked', shown)
    # Of several with the words each is offered; of none it is said, and the words stay.
    several = client_of(alice).get(address, {"add": "the"}).content.decode()
    assert "Several have these words." in several
    none = client_of(alice).get(address, {"add": "<b>zebra</b>"}).content.decode()
    assert "Nothing that is not given already is said in these words." in none
    assert 'value="&lt;b&gt;zebra&lt;/b&gt;"' in none


def test_with_htmx_a_change_replaces_what_follows_and_no_field(
    airline: Policy, alice: User, client_of: Clients, page: Callable[..., str]
) -> None:
    html = page(htmx="follows", travelled="no", flightStatus="operated")
    assert "<form" not in html
    assert 'id="outcomes"' in html
    assert 'id="told" hx-swap-oob' in html
    whole = page(htmx="playground", travelled="no")
    assert "<html" not in whole
    assert "<form" in whole
    address = f"/policies/{airline.slug}/scenarios/playground/"
    headers = {"hx-request": "true", "hx-target": "follows"}
    added = client_of(alice).get(address, {"add": "the passenger flew"}, headers=headers)
    assert added["HX-Retarget"] == "#playground"
    assert added["HX-Push-Url"].endswith("=")
    assert "data-focus" in added.content.decode()


def test_a_bad_value_is_one_sentence_beside_its_control_and_the_rest_stays(
    travel: Policy, alices: Client
) -> None:
    model = compose(travel).model
    cost = next(one for one in model.variables if one.unit == "EUR")
    flag = next(one for one in model.variables if one.sort == BOOL and one.id != cost.id)
    address = f"/policies/{travel.slug}/scenarios/playground/"
    response = alices.get(address, {f"f.{cost.id}": "lots <i>", f"f.{flag.id}": "yes"})
    html = response.content.decode()
    assert "<code>lots &lt;i&gt;</code> is not a number; write it as 1000 or 1000.50." in html
    assert 'value="lots &lt;i&gt;"' in html
    assert 'value="yes" checked' in html
    assert 'id="outcomes"' in html


@pytest.mark.parametrize(
    "query",
    [
        {"f.": "yes"},
        {"f.nothing": "yes", "f.00000000000000000000000000000000": "1"},
        {"find": "\x00'\"<script>alert(1)</script>" + "x" * 5000},
        {"add": "\u202e" + "y" * 5000, "page": "-1"},
        {"page": "99999999999999999999"},
        {"page": "²", "also": "everything"},
        {f"f.{n}": "no" for n in range(300)},
    ],
)
def test_a_hostile_address_gets_the_page(
    travel: Policy, alices: Client, query: dict[str, str]
) -> None:
    response = alices.get(f"/policies/{travel.slug}/scenarios/playground/", query, follow=True)
    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert 'id="outcomes"' in response.content.decode()


def test_of_one_fact_the_last_value_counts_and_not_more_facts_than_a_page_takes(
    travel: Policy, alice: User
) -> None:
    for number in range(MAX_FACTS + 5):
        declare_variable(travel, alice, NewVariable(f"extra{number}", "Bool"))
    composition = compose(travel)
    sent = [(one.id, "yes") for one in composition.model.variables]
    assert len(read_chosen(composition, sent)) == MAX_FACTS
    first = composition.model.variables[-1].id
    (found,) = read_chosen(composition, [(first, ""), (first, "no")])
    assert found.value is False


def test_keeping_what_was_found_leads_to_the_form_with_its_english(
    airline: Policy, alice: User, bob: User, client_of: Clients, page: Callable[..., str]
) -> None:
    html = page(flightStatus="cancelled")
    found = re.search(r'href="([^"]+/playground/keep/[^"]+)"', html)
    assert found is not None
    response = client_of(alice).get(found[1].replace("&amp;", "&"))
    led = urlsplit(response.url)
    assert led.path == f"/policies/{airline.slug}/scenarios/own/new/"
    text = parse_qs(led.query)["text"][0]
    assert "the flight is cancelled" in text
    assert "a refund is due" in text
    form = client_of(alice).get(response.url).content.decode()
    assert "understood, and read as" in form
    for facts, words in (
        ({}, "leaves open whether a refund is due"),
        (
            {"flightStatus": "operated", "travelled": "no", "circumstance": "denied_boarding"},
            "cannot",
        ),
    ):
        found = re.search(r'href="([^"]+/playground/keep/[^"]+)"', page(**facts))
        assert found is not None
        led = urlsplit(client_of(alice).get(found[1].replace("&amp;", "&")).url)
        assert words in parse_qs(led.query)["text"][0]
        form = client_of(alice).get(f"{led.path}?{led.query}").content.decode()
        assert "understood, and read as" in form
    add_person(airline, alice, email=bob.email, role=Role.VIEWER)
    address = f"/policies/{airline.slug}/scenarios/playground/"
    assert "Keep this" not in client_of(bob).get(address).content.decode()
    assert client_of(bob).get(f"{address}keep/").status_code == 403
    for query in ("", "?claim=nothing&said=value", "?claim=&said=open"):
        address = f"/policies/{airline.slug}/scenarios/playground/keep/{query}"
        back = client_of(alice).get(address, follow=True)
        assert "Choose the outcome to keep once more." in back.content.decode()


def test_a_policy_without_a_rule_says_what_to_do(alice: User, client_of: Clients) -> None:
    policy = create_policy(alice, name="Empty", formalizer="builtin")
    address = f"/policies/{policy.slug}/scenarios/playground/"
    assert "There is no rule yet" in client_of(alice).get(address).content.decode()


def test_a_solver_that_gives_no_answer_is_said_and_the_facts_stay(
    page: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()

    def gone(*_: Any, **__: Any) -> None:
        raise SolverGoneError("gone")

    for act, sentence in (
        (gone, "The solver ended without an answer."),
        (lambda *_, **__: None, "There was no answer in time."),
    ):
        monkeypatch.setattr(SolverProcess, "play", act)
        html = page(flightStatus="cancelled")
        assert sentence in html
        assert "selected" in html


def test_the_same_page_asks_the_solver_once(
    page: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    first = page(flightStatus="cancelled", htmx="follows")
    monkeypatch.setattr(POOL, "solver", None)
    assert page(flightStatus="cancelled", htmx="follows") == first


@pytest.mark.parametrize(
    ("unit", "sort", "text", "value", "shown"),
    [
        ("EUR", REAL, "1,000.50", Fraction("1000.5"), "1000.5"),
        ("EUR", REAL, "1/3", Fraction(1, 3), "1/3"),
        ("share", REAL, "7.5%", Fraction("0.075"), "7.5"),
        ("percent", REAL, "75 %", Fraction(75), "75"),
        ("months", INT, "-6", -6, "-6"),
        ("date", INT, "2026-03-14", 20526, "14 March 2026"),
        ("date", INT, "14 Mar 2026", 20526, "14 March 2026"),
        ("date", INT, "day 9999999", 9999999, "day 9999999"),
        ("EUR", REAL, "-0.05", Fraction("-0.05"), "-0.05"),
    ],
)
def test_values_are_read_as_people_write_them_and_shown_so(
    travel: Policy, unit: str, sort: Any, text: str, value: Value, shown: str
) -> None:
    composition = compose(travel)
    variable = Variable("x", "x", sort, unit=unit)
    model = composition.model
    composition = type(composition)(
        type(model)(model.datatypes, (*model.variables, variable)), {}, {}
    )
    (found,) = read_chosen(composition, [("x", text)])
    assert (found.value, found.text, found.problem) == (value, shown, "")
    assert write_value(variable, value) == shown
    for bad in ("1.000,50", "14 M 2026", "30 February 2026", "١٢", "1e9", "9" * 99):
        (found,) = read_chosen(composition, [("x", bad)])
        assert (found.value, bool(found.problem)) == (None, True)
