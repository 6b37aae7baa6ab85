"""What a list of values means together: asked on the card, answered there or on its own page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.models import User
from tests.vetting.conftest import COST, Draft, make_draft
from vetting.declarations import NewValue, declare_datatype
from vetting.edits import add_rule
from vetting.models import ValuesSaid

Clients = Callable[[User], Client]


@pytest.fixture
def draft(policy, alice: User, bob: User) -> Draft:
    return make_draft(policy, alice, bob)


def addresses(draft: Draft) -> tuple[str, str]:
    base = f"/policies/{draft.policy.slug}/"
    uid = draft.policy.datatypes.get().uid
    card = f"{base}review/{draft.rule('service').uid}/"
    return card, f"{base}glossary/datatypes/{uid}/values/"


def shown_in(page: str) -> str:
    return page.split(
        'name="question" value="exclusive"><input type="hidden" name="shown" value="'
    )[1].split('"')[0]


def test_the_card_asks_and_the_answer_comes_back_to_it(
    draft: Draft, alice: User, client_of: Clients
) -> None:
    card, values = addresses(draft)
    alices = client_of(alice)
    page = alices.get(card).content.decode()
    assert "Are these all that there are?" in page
    assert "Can two of these hold at once?" in page
    data = {
        "question": "exclusive",
        "holds": "yes",
        "shown": shown_in(page),
        "card": draft.rule("service").uid,
    }
    response = alices.post(f"{values}say/", data)
    assert response.url == f"{card}#here"
    assert "Can two of these hold at once?" not in alices.get(card).content.decode()
    assert "never two at once" in alices.get(values).content.decode()


def test_two_at_once_leads_to_facts(draft: Draft, alice: User, client_of: Clients) -> None:
    draft.answer_all()
    card, values = addresses(draft)
    alices = client_of(alice)
    shown = shown_in(alices.get(values).content.decode())
    data = {"question": "exclusive", "holds": "no", "shown": shown}
    assert alices.post(f"{values}say/", data).url == values
    page = alices.get(values).content.decode()
    assert "Make each value a fact of its own" in page
    draft.policy.refresh_from_db()
    response = alices.post(f"{values}facts/", {"draft": draft.policy.revision}, follow=True)
    assert "Each value is a fact of its own now" in response.content.decode()
    assert "the destination includes international" in alices.get(card).content.decode()


def test_something_else_is_added_with_one_click(
    draft: Draft, alice: User, client_of: Clients
) -> None:
    card, values = addresses(draft)
    alices = client_of(alice)
    assert alices.post(f"{values}other/").status_code == 409
    data = {"shown": shown_in(alices.get(card).content.decode())}
    page = alices.post(f"{values}other/", data, follow=True).content.decode()
    assert "domestic, international and something else" in page
    assert "Are these all that there are?" not in page


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({}, 422),
        ({"question": "nothing"}, 422),
        ({"question": "complete", "holds": "no"}, 422),
        ({"question": "exclusive", "holds": "yes", "shown": "old"}, 409),
    ],
)
def test_a_form_that_says_nothing_or_shows_something_else_is_refused_with_a_sentence(
    draft: Draft, alice: User, client_of: Clients, data: dict[str, str], status: int
) -> None:
    _, values = addresses(draft)
    response = client_of(alice).post(f"{values}say/", data)
    assert response.status_code == status
    assert 'role="alert"' in response.content.decode()
    assert not ValuesSaid.objects.exists()


def test_a_stranger_sees_none_of_it_and_nothing_moves_on_a_stale_form(
    draft: Draft, alice: User, charlie: User, client_of: Clients
) -> None:
    _, values = addresses(draft)
    for address in (
        values,
        values.replace("values/", "values/").replace("datatypes/", "datatypes/x"),
    ):
        assert client_of(charlie).get(address).status_code == 404
    assert client_of(charlie).post(f"{values}other/").status_code == 404
    assert client_of(alice).post(f"{values}facts/", {"draft": "1"}).status_code == 409


def test_a_rule_that_compares_two_values_of_no_variable_has_a_card(
    draft: Draft, alice: User, client_of: Clients
) -> None:
    values = [NewValue("gold"), NewValue("silver")]
    datatype = declare_datatype(draft.policy, alice, name="Tier", values=values)
    sentence = draft.sentences[COST].lineage
    smtlib = "(=> (= gold silver) (not tripApproved))"
    rule = add_rule(draft.policy, alice, lineages=[sentence], smtlib=smtlib, name="tiers")
    base = f"/policies/{draft.policy.slug}/"
    for path in (f"review/{rule.uid}/", f"glossary/datatypes/{datatype.uid}/values/"):
        page = client_of(alice).get(base + path).content.decode()
        assert "Tier: gold and silver." in page
