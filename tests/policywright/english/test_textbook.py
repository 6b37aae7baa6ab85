"""The phrasebook of one text takes it apart as the phrasebook of the whole model does."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.english import render_sentence
from policywright.english.lattice import Lattice
from policywright.english.phrasebook import phrasebook
from policywright.english.textbook import MAX_TEXTS, _shelves, textbook
from policywright.model import Phrases, PolicyModel, Role, Variable
from policywright.sorts import BOOL
from policywright.terms import Term
from tests.policywright.english.wide import BASE, models, rules

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

OUTCOMES = PolicyModel(
    variables=(
        Variable("a", "tripIsApproved", BOOL, Role.OUTCOME),
        Variable("b", "b", BOOL, Role.OUTCOME, phrases=Phrases("the trip is approved")),
        Variable("c", "c", BOOL, Role.OUTCOME, phrases=Phrases("A guest may not enter")),
        Variable("d", "d", BOOL, Role.OUTCOME, phrases=Phrases("a guest may enter", "no entry")),
        Variable("e", "anHenThe", BOOL),
        Variable("f", "straßeFrei", BOOL),
        Variable("g", "g", BOOL, phrases=Phrases("the guest can't pay")),
        Variable("h", "h_2_x", BOOL),
    )
)


def assert_taken_apart_alike(model: PolicyModel, text: str) -> None:
    own = Lattice(text, _shelves(model).book(text))
    whole = Lattice(text, phrasebook(model))
    for place in range(whole.last):
        assert own.edges(place) == whole.edges(place), text
    assert own.useful == whole.useful


@QUICK
@given(models(), rules(depth=2))
def test_sentences_are_taken_apart_alike(model: PolicyModel, term: Term) -> None:
    text = render_sentence(model, term)
    assert_taken_apart_alike(model, text.replace('"', ""))


@QUICK
@given(models(), st.data())
def test_phrases_in_any_order_are_taken_apart_alike(
    model: PolicyModel, data: st.DataObject
) -> None:
    texts = [entry.text for entry in phrasebook(model).entries]
    parts = data.draw(st.lists(st.sampled_from([*texts, "and", "a", "5", "unless"]), max_size=4))
    assert_taken_apart_alike(model, " ".join(parts).replace('"', ""))


@pytest.mark.parametrize(
    "text",
    [
        "The trip must be approved",
        "trip is approved is true",
        "the trip cannot be approved if the trip is approved",
        "a trip isn't approved",
        "The guest can enter or no entry",
        "the guest must not enter",
        "An hen the is true, and hen a is not true",
        "STRASSE frei is true",
        "a guest can not pay",
        "h 2 x is not true",
    ],
)
def test_other_words_for_a_phrase_are_in_the_book(text: str) -> None:
    assert_taken_apart_alike(OUTCOMES, text)
    assert Lattice(text, phrasebook(OUTCOMES)).useful


def test_what_stands_in_quotes_is_looked_up_in_the_whole_book() -> None:
    assert textbook(BASE, 'the "anything"') is phrasebook(BASE)


def test_after_many_texts_the_whole_book_is_made() -> None:
    model = PolicyModel(variables=(Variable("x", "x", BOOL),))
    books = [textbook(model, "x is true") for _ in range(MAX_TEXTS + 2)]
    assert books[0] is not books[1]
    assert books[-1] is books[-2] is phrasebook(model)
