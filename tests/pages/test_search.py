"""Search over policies: what one may see, by kind, the same on any database."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from policies.archiving import archive
from policies.document_store import add_document, add_revision
from policies.models import Merge, Policy, Rule, User, Variable
from policies.people import create_policy
from policies.searching import MAX_FOUND, search
from tests.policies.making import make_variable
from vetting.declarations import NewVariable, edit_variable, variable_hash

Clients = Callable[[User], Client]


def found(user: User, query: str) -> dict[str, list[str]]:
    return {group.title: [one.title for one in group.found] for group in search(user, query)}


def test_each_kind_is_found_by_its_words(travel: Policy, alice: User, rule: Rule) -> None:
    assert found(alice, "TRAVEL pol")["Policies"] == ["Travel policy"]
    assert found(alice, "travel")["Documents"] == ["Travel policy"]
    assert rule.name in found(alice, rule.name)["Rules"]
    assert rule.name in found(alice, "eur 1,000 approv")["Rules"]
    phrase = Variable.objects.filter(policy=travel, unit="EUR").first()
    assert phrase is not None
    assert phrase.phrase in found(alice, phrase.phrase.upper())["Variables"]
    (sentence,) = [
        one
        for group in search(alice, "EUR 1,000")
        if group.title == "Sentences"
        for one in group.found
    ]
    assert "EUR 1,000" in sentence.says
    assert found(alice, "travel zebra") == {}
    assert found(alice, "  ") == {}


def test_each_result_leads_to_a_page(travel: Policy, alice: User, alices: Client) -> None:
    groups = search(alice, "tr") + search(alice, "cost")
    urls = {one.url for group in groups for one in group.found}
    assert {group.title for group in groups} == {
        "Policies",
        "Documents",
        "Rules",
        "Variables",
        "Sentences",
    }
    for url in urls:
        assert alices.get(url.partition("#")[0]).status_code == 200, url


def test_nobody_finds_what_they_may_not_see(
    travel: Policy, alice: User, charlie: User, client_of: Clients
) -> None:
    theirs = create_policy(charlie, name="Secret travel")
    make_variable(theirs, "tripSecret", phrase="the secret trip")
    add_document(theirs, charlie, title="Secret trips", data=b"Trips are secret.", filename="t.txt")
    assert found(charlie, "travel") == {"Policies": ["Secret travel"]}
    assert found(charlie, "EUR") == {}
    assert found(alice, "secret") == {}
    page = client_of(charlie).get("/search/?q=approv").content.decode()
    assert "Nothing has all of these words" in page
    User.objects.filter(pk=charlie.pk).update(is_active=False)
    charlie.refresh_from_db()
    assert search(charlie, "secret") == []


def test_upper_and_lower_case_are_one_in_any_language(policy: Policy, alice: User) -> None:
    make_variable(policy, "urlaub", phrase="der Jahresurlaub für ÄRZTE")
    make_variable(policy, "otpusk", phrase="отпуск сотрудника")
    for query in ("Ärzte", "ärzte FÜR", "ОТПУСК"):
        assert len(found(alice, query)["Variables"]) == 1, query


@pytest.mark.parametrize(
    "query",
    [
        "%",
        "_",
        "\\",
        "'OR'1'='1",
        '"',
        ".*",
        "(",
        "[",
        "a{99999}",
        "(?i)x",
        "(a+)+$",
        "🛫",
        "\u202e",
        "\\d",
    ],
)
def test_a_word_stands_for_itself_alone(query: str, travel: Policy, alices: Client) -> None:
    response = alices.get("/search/", {"q": query})
    assert response.status_code == 200
    assert "Nothing has all of these words" in response.content.decode()
    make_variable(travel, "odd", phrase=f"so {query} it is said")
    assert "it is said" in alices.get("/search/", {"q": query}).content.decode()


@pytest.mark.parametrize("query", ["\x00", "a\x00b", "x" * 201])
def test_what_cannot_be_searched_for_is_one_sentence(
    query: str, policy: Policy, alices: Client
) -> None:
    response = alices.get("/search/", {"q": query})
    assert response.status_code == 422
    assert 'class="errorlist"' in response.content.decode()


def test_many_words_and_script_do_no_harm(policy: Policy, alices: Client) -> None:
    page = alices.get("/search/", {"q": "<script>alert(1)</script>"}).content.decode()
    assert "<script>alert" not in page
    assert alices.get("/search/", {"q": "a " * 100}).status_code == 200
    assert alices.get("/search/?q=%ff%fe").status_code == 200


def test_what_is_gone_is_not_found(travel: Policy, alice: User, rule: Rule) -> None:
    document = travel.documents.get()
    old = document.revisions.get()
    text = old.text.replace("1,000", "1,500").encode()
    add_revision(document, alice, data=text, filename="travel.md")
    assert "Sentences" not in found(alice, "1,000")
    assert "Sentences" in found(alice, "1,500")
    name = rule.name
    assert name in found(alice, name)["Rules"]
    Rule.objects.filter(pk=rule.pk).update(retired_at=old.created_at)
    assert "Rules" not in found(alice, name)
    first, second = (make_variable(travel, one, phrase=f"the {one}") for one in ("alpha", "beta"))
    Merge.objects.create(policy=travel, from_uid=first.uid, into_uid=second.uid)
    assert found(alice, "alpha") == {}


def test_a_rules_english_is_that_of_its_present_phrases(
    travel: Policy, alice: User, alices: Client
) -> None:
    variable = Variable.objects.filter(policy=travel, unit="EUR").first()
    assert variable is not None
    parts = {
        name: getattr(variable, name)
        for name in ("name", "sort", "role", "unit", "description", "negative_phrase")
    }
    assert "Rules" not in found(alice, "zeppelin")
    edit_variable(
        travel,
        alice,
        variable,
        NewVariable(**parts, phrase="the price of the zeppelin"),
        shown_hash=variable_hash(variable),
    )
    assert "Rules" in found(alice, "zeppelin")


def test_an_archived_policy_is_found_and_says_so(
    travel: Policy, alice: User, alices: Client
) -> None:
    archive(travel, alice)
    assert "· archived" in alices.get("/search/?q=travel").content.decode()


def test_results_and_queries_are_bounded(policy: Policy, alice: User, alices: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            search(alice, "rare")
        return len(asked)

    before = cost()
    for number in range(MAX_FOUND + 1):
        make_variable(policy, f"v{number}", phrase=f"a rare thing {number}")
    assert len(found(alice, "rare")["Variables"]) == MAX_FOUND
    assert cost() == before
    assert "There are more." in alices.get("/search/?q=rare").content.decode()
