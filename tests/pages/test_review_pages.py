"""The review page: what a card shows, what its forms do, what a hostile name does not."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Policy, Rule, Variable
from vetting.models import Decision, MarkKind, SentenceMark
from vetting.queue import Queue, build_queue
from vetting.reading import pieces

READ = re.compile(r'name="read" value="([^"]+)"')
HOSTILE = "<img src=x onerror=alert(1)>"


def card_of(policy: Policy, key: str) -> str:
    return f"/policies/{policy.slug}/review/{key}/"


def shown(policy: Policy, rule: Rule) -> str:
    return compose(policy).hashes[rule.uid]


def test_a_card_shows_the_rule_its_edge_its_words_and_its_logic(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    page = alices.get(card_of(travel, rule.uid)).content.decode()
    assert "Rule 1 of 6" in page
    assert "If the cost of the trip is more than EUR 1,000" in page
    assert "EUR 1,000.01" in page
    assert "fact, an amount in EUR" in page
    assert "(=&gt; (and (&gt; costOfTrip 1000.0)" in page
    assert page.count('aria-current="true"') == 1


def test_htmx_gets_the_card_without_the_page_around_it(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    address = card_of(travel, rule.uid)
    response = alices.get(address, headers={"hx-request": "true"})
    page = response.content.decode()
    assert response["HX-Push-Url"] == address
    assert page.lstrip().startswith("<title>")
    assert '<div class="review" id="review">' in page
    assert "<html" not in page
    assert 'hx-swap-oob="innerHTML:#said"' in page


def test_an_approval_leads_to_what_waits_next(travel: Policy, rule: Rule, alices: Client) -> None:
    alices.get(card_of(travel, rule.uid))
    response = alices.post(
        f"{card_of(travel, rule.uid)}approve/", {"shown": shown(travel, rule)}, follow=True
    )
    page = response.content.decode()
    assert f"Approved: {rule.name}." in page
    assert "Rule 2 of 6" in page
    assert "1 of 6 approved" in page


def test_after_the_last_card_htmx_moves_to_a_whole_page(
    travel: Policy, rule: Rule, alices: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Queue, "next_waiting", lambda *_, **__: "")
    address = f"/policies/{travel.slug}/review/"
    response = alices.get(address, headers={"hx-request": "true"})
    assert response["HX-Redirect"] == address
    assert response.content == b""


def test_not_binding_rejects_the_rule_and_marks_its_sentence(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    queue = build_queue(travel)
    card = queue.card(rule.uid)
    assert card is not None
    assert card.sentence is not None
    sentence = queue.sentences[card.sentence]
    sent = {
        "shown": shown(travel, rule),
        "shown-sentence": sentence.hash,
        "reason": "an example only",
    }
    alices.post(f"{card_of(travel, rule.uid)}not-binding/", sent)
    assert Decision.objects.get(rule=rule).reason == "an example only"
    mark = SentenceMark.objects.get(lineage=sentence.sentence.lineage)
    assert mark.kind == MarkKind.NOT_BINDING


def test_not_binding_is_both_or_neither(travel: Policy, rule: Rule, alices: Client) -> None:
    sent = {"shown": shown(travel, rule), "shown-sentence": "another", "reason": "an example"}
    response = alices.post(f"{card_of(travel, rule.uid)}not-binding/", sent)
    assert response.status_code == 409
    assert "an example" in response.content.decode()
    assert not Decision.objects.exists()
    assert not SentenceMark.objects.exists()


def test_a_rule_is_written_by_hand_with_a_variable_of_its_own(
    travel: Policy, alices: Client
) -> None:
    sentence = next(s for s in build_queue(travel).sentences if "reasonable" in s.sentence.text)
    card = card_of(travel, sentence.sentence.lineage)
    sent = {
        "shown": sentence.hash,
        "smtlib": "(=> (not expenseReasonable) (not expenseReimbursed))",
        "name": "reasonable-rule",
        "kind": "rule",
    }
    page = alices.post(f"{card}read/", sent | {"smtlib": "(and"}).content.decode()
    assert "Line 1" in page
    page = alices.post(f"{card}read/", sent | {"declare-from": ""}).content.decode()
    assert "A new variable" in page
    fact = {
        "declare": "yes",
        "new-name": "expenseReasonable",
        "new-sort": "Bool",
        "new-role": "fact",
        "new-phrase": "the expense is reasonable",
    }
    page = alices.post(f"{card}read/", sent | fact | {"new-sort": "Nothing"}).content.decode()
    assert 'value="expenseReasonable"' in page
    assert not Variable.objects.filter(name="expenseReasonable").exists()
    page = alices.post(f"{card}read/", sent | fact).content.decode()
    assert "understood, and read as" in page
    assert 'value="reasonable-rule"' in page
    read_as = READ.search(page)
    assert read_as is not None
    saved = sent | {"read": read_as[1]}
    page = alices.post(f"{card}write-rule/", saved, follow=True).content.decode()
    assert "If the expense is not reasonable, then the expense is not reimbursed." in page
    assert Rule.objects.get(policy=travel, name="reasonable-rule")


def test_a_hostile_name_is_text(travel: Policy, rule: Rule, alices: Client) -> None:
    Policy.objects.filter(pk=travel.pk).update(name=HOSTILE)
    Variable.objects.filter(policy=travel).update(
        phrase=HOSTILE, negative_phrase=f"not {HOSTILE}", description=HOSTILE
    )
    Rule.objects.filter(pk=rule.pk).update(name=HOSTILE)
    base = f"/policies/{travel.slug}/"
    for page in ("", "glossary/", "assumptions/", "versions/", "people/", f"review/{rule.uid}/"):
        assert "<img" not in alices.get(f"{base}{page}").content.decode()
    assert "<img" not in alices.get("/policies/").content.decode()


def test_marked_words_are_cut_out_whatever_the_offsets() -> None:
    def cut(*words: tuple[int, int]) -> list[tuple[str, bool]]:
        return [(piece.text, piece.marked) for piece in pieces("must be fair", words)]

    assert cut() == [("must be fair", False)]
    assert cut((8, 12)) == [("must be ", False), ("fair", True)]
    assert cut((0, 4), (2, 7)) == [("must", True), (" be", True), (" fair", False)]
    assert cut((8, 99), (5, 5)) == [("must be ", False), ("fair", True)]


@pytest.mark.django_db(transaction=True)
def test_a_card_asks_as_few_queries_for_many_rules_as_for_few(
    travel: Policy, rule: Rule, alices: Client, django_assert_max_num_queries: object
) -> None:
    """Committed for once: what a process keeps of a draft it keeps of what was committed."""
    alices.get(card_of(travel, rule.uid))
    with django_assert_max_num_queries(15):  # type: ignore[operator]
        alices.get(card_of(travel, rule.uid))
    for number in range(30):
        rule.pk, rule.uid, rule.name = None, f"{number:032x}", f"copy-{number}"
        rule._state.adding = True
        rule.save()
    Policy.objects.filter(pk=travel.pk).update(revision=travel.revision + 100)
    assert alices.get(card_of(travel, f"{0:032x}")).status_code == 200
    with django_assert_max_num_queries(15):  # type: ignore[operator]
        alices.get(card_of(travel, f"{0:032x}"))


def test_fr_47_a_lapsed_approval_says_who_gave_it_and_what_changed(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    alices.get(card_of(travel, rule.uid))
    alices.post(f"{card_of(travel, rule.uid)}approve/", {"shown": shown(travel, rule)})
    variable = Variable.objects.filter(policy=travel, unit="EUR").first()
    assert variable is not None
    was = variable.description
    Variable.objects.filter(pk=variable.pk).update(description="The fare alone.")
    page = alices.get(card_of(travel, rule.uid)).content.decode()
    assert "approval lapsed" in page
    assert "Alice approved this on" in page
    assert "The fare alone." in page
    assert 'data-key="a"' in page
    Variable.objects.filter(pk=variable.pk).update(description=was)
    page = alices.get(card_of(travel, rule.uid)).content.decode()
    assert "approval lapsed" not in page
    assert 'data-key="u"' in page
