"""What the page offers while an owner writes: near phrases, completions, new facts, problems."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from policywright.english.completion import completions
from policywright.english.new_fact import new_fact
from policywright.english.phrase_problems import PhraseProblemKind, phrase_problems
from policywright.english.read_rule import NotUnderstood, Understood, read_rule
from policywright.model import Datatype, Phrases, PolicyModel, Role, Value, Variable
from policywright.sorts import BOOL, INT, REAL
from tests.policywright.english.test_variations import MODEL


def _model(*phrases: str) -> PolicyModel:
    return PolicyModel(
        variables=tuple(
            Variable(f"v{i}", f"v{i}", BOOL, phrases=Phrases(text))
            for i, text in enumerate(phrases)
        )
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("If the total tr", "the total trip cost"),
        ("If tot", "the total trip cost"),
        ("If the trip is ur", "the trip is urgent"),
        ("If the trip is urgent, then a boo", "a booking may be made"),
        ("The destination is dom", "domestic"),
        ("The destination is ", "the destination"),
        ("The total ", "the total trip cost"),
        ("The total trip cost is at l", "is at least"),
        ("If a manager has approved the trip, th", "then"),
    ],
)
def test_a_phrase_that_was_begun_is_completed(text: str, first: str) -> None:
    assert completions(text, len(text), MODEL)[0] == first


def test_only_what_may_come_next_is_offered() -> None:
    offered = completions("If the trip is urgent ", 22, MODEL)
    assert {"and", "or", "then"} <= set(offered)
    assert not {"the trip is approved", "the total trip cost", "domestic"} & set(offered)


def test_a_list_is_compared_with_its_values_alone() -> None:
    assert set(completions("The destination is ", 19, MODEL)) >= {"domestic", "international"}
    assert "the total trip cost" not in completions("The destination is ", 19, MODEL)


def test_only_what_stands_before_the_caret_counts() -> None:
    text = "If the trip is ur, then a booking may be made."
    assert completions(text, len("If the trip is ur"), MODEL)[0] == "the trip is urgent"


def test_completions_are_quick_among_two_thousand_variables() -> None:
    model = _model(*(f"the form number {i} has been filed" for i in range(2_000)))
    completions("If ", 3, model)
    text = "If the form number 7 has been filed and the form number 19"
    best = 1.0
    for _ in range(5):
        started = time.perf_counter()
        found = completions(text, len(text), model)
        best = min(best, time.perf_counter() - started)
    assert found[0] == "the form number 19 has been filed"
    assert best < 0.02


def test_near_phrases_come_with_what_they_mean() -> None:
    described = replace(MODEL.variables[0], description="All costs of one trip")
    model = replace(MODEL, variables=(described, *MODEL.variables[1:]))
    found = read_rule("If the total price of the trip is over EUR 5, a booking can be made.", model)
    assert isinstance(found, NotUnderstood)
    assert [word.text for word in found.words] == ["the total price of the trip"]
    assert found.near[0][0].text == "the total trip cost"
    assert found.near[0][0].meaning == "All costs of one trip"


def test_a_new_fact_is_declared_from_the_words_that_were_not_understood() -> None:
    text = "If the traveller has a visa, then the trip is approved."
    found = read_rule(text, MODEL)
    assert isinstance(found, NotUnderstood)
    fact = new_fact(found.words[0].text, MODEL)
    assert (fact.name, fact.sort, fact.role) == ("travellerVisa", BOOL, Role.FACT)
    assert fact.phrases == Phrases("the traveller has a visa", "the traveller has not a visa")
    model = replace(MODEL, variables=(*MODEL.variables, fact))
    assert isinstance(read_rule(text, model), Understood)


def test_a_noun_phrase_becomes_an_amount_and_names_stay_free() -> None:
    fact = new_fact("the number of rooms", MODEL)
    assert (fact.sort, fact.phrases.text) == (REAL, "the number of rooms")
    taken = replace(MODEL, variables=(*MODEL.variables, fact))
    assert new_fact("the number of rooms", taken).name != fact.name
    assert new_fact("  ", MODEL).sort == BOOL


def test_a_model_with_phrases_of_its_own_has_no_problems() -> None:
    assert phrase_problems(MODEL) == ()


@pytest.mark.parametrize(
    ("phrases", "kind"),
    [
        (("the trip is short", "The trip is  short"), PhraseProblemKind.SAME),
        (("the form isn't signed", "the form is not signed"), PhraseProblemKind.SAME),
        (("the form is signed", "a form is signed"), PhraseProblemKind.ALIKE),
        (("if",), PhraseProblemKind.TEMPLATE),
        (("75%",), PhraseProblemKind.TEMPLATE),
        (("it rains", "it snows", "it rains and it snows"), PhraseProblemKind.COMPOSED),
        (("- a dash",), PhraseProblemKind.NOT_SAYABLE),
        (("turned \u202earound",), PhraseProblemKind.NOT_SAYABLE),
    ],
)
def test_a_phrase_that_clashes_is_named(phrases: tuple[str, ...], kind: PhraseProblemKind) -> None:
    found = phrase_problems(_model(*phrases))
    assert [problem.kind for problem in found] == [kind]
    assert found[0].ids[-1] == f"v{len(phrases) - 1}"
    assert f"`v{len(phrases) - 1}`" in found[0].message


def test_values_of_one_list_must_differ_and_of_two_lists_need_not() -> None:
    one = Datatype("d", "One", (Value("a", "a", "low"), Value("b", "b", "low")))
    other = Datatype("e", "Other", (Value("a", "aa", "low"),))
    (found,) = phrase_problems(PolicyModel((one, other)))
    assert found.ids == ("a", "b")


def test_phrases_are_looked_through_in_time_that_grows_with_their_number() -> None:
    model = _model(*(f"the form number {i} has been filed" for i in range(2_000)))
    started = time.perf_counter()
    assert phrase_problems(model) == ()
    assert time.perf_counter() - started < 4


def test_a_whole_number_is_not_offered_where_it_cannot_stand() -> None:
    model = PolicyModel(variables=(Variable("n", "n", INT, phrases=Phrases("the nights")),))
    assert completions("", 0, model)[0] == "the nights"
    assert "the nights" not in completions("The nights ", 11, model)
