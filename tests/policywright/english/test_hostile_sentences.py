"""Sentences made to break the reader: it answers at once, with a draft or an abstention."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policywright.english.draft import draft
from policywright.english.drafts import Abstention, AbstentionKind, Draft, SourceSentence
from policywright.english.lexicon import PHRASES
from policywright.english.tokens import tokenize
from policywright.english.words import word_set
from policywright.model import PolicyModel
from tests.policywright.english.drafting import drafted, grown

HOSTILE = {
    "a line of 200 KB": "must " * 40_000,
    "10,000 nested parentheses": "(" * 10_000 + "the trip must be approved" + ")" * 10_000,
    "999 parentheses": "(" * 999,
    "120 words": "trip " * 119 + "must",
    "one limit after another": "Trips "
    + "with a b of c with d of more than EUR 5 " * 6
    + "must go",
    "ifs": "if " * 110,
    "a long number": "1" * 999,
    "number words": "one " * 240,
    "number words with hyphens": "one-" * 240,
    "currency codes": "EUR " * 240,
    "a list of things": "A trip requires " + ", ".join(["a b"] * 25) + " and a c",
    "apostrophes": "'" * 900,
    "spaces": "must" + " " * 990 + "go",
    "a lone full stop": ".",
    "nothing": "",
    "control characters": "must \x00 \x1b[31m go \u202e",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_sentence_is_answered_at_once(text: str) -> None:
    started = time.perf_counter()
    assert isinstance(draft(SourceSentence(text), PolicyModel()), Draft | Abstention)
    assert time.perf_counter() - started < 2


def test_what_is_too_long_says_so() -> None:
    found = draft(SourceSentence("must " * 40_000), PolicyModel())
    assert isinstance(found, Abstention)
    assert found.kind is AbstentionKind.TOO_LONG
    assert "1,000 characters" in found.reason


def test_a_long_heading_or_lead_in_costs_nothing() -> None:
    started = time.perf_counter()
    heading = ("When " + "a b " * 30_000 + "is approved", "When a " * 30_000)
    assert draft(SourceSentence("A trip must be booked.", heading), PolicyModel())
    lead_in = ("the " * 50_000 + "must:", "and")
    assert isinstance(draft(SourceSentence("go", (), lead_in), PolicyModel()), Abstention)
    assert time.perf_counter() - started < 2


_CONTENT = word_set("trip trips employee manager approval international cost EUR 1,000 65 40% $50")
_WORDS = st.sampled_from(
    sorted({phrase for phrases in PHRASES.values() for phrase in phrases.split("|")} | _CONTENT)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, min_size=1, max_size=14))
def test_any_order_of_its_words_gives_a_draft_that_fits_or_an_abstention(words: list[str]) -> None:
    text = " ".join(words)
    found = draft(SourceSentence(text), PolicyModel())
    if isinstance(found, Abstention):
        assert all(text[word.start : word.end] == word.text for word in found.words)
    else:
        grown(PolicyModel(), found)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_every_character_of_a_text_is_a_token_a_stop_or_blank(text: str) -> None:
    found = tokenize(text)
    covered: set[int] = set()
    for start, end in [(x.start, x.end) for x in found.lexemes + found.stops]:
        assert covered.isdisjoint(range(start, end))
        covered |= set(range(start, end))
    rest = "".join(c for i, c in enumerate(text) if i not in covered)
    assert not rest.rstrip(".;! \n\t\r").strip() or rest.isspace()


def test_a_drafted_model_is_a_policy_model_with_names_that_may_be_used() -> None:
    model = PolicyModel()
    for text in (
        "Employees must not push.",
        "The exit must be open.",
        "If true friends meet, the café must be naïve.",
        "A 北京 trip requires approval by the manager.",
    ):
        found = draft(SourceSentence(text), model)
        if isinstance(found, Draft):
            model = grown(model, found)
    assert model.rules


def test_a_draft_is_the_same_every_time() -> None:
    text = "Employees may travel once the manager has approved the plan."
    assert drafted(text) == drafted(text)
