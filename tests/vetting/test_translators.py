"""What a card says of further translators: how many agree, and how each reads the sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from policies.models import Span, Unit
from policywright.smtlib import read_term
from policywright.termjson import term_to_json
from tests.vetting.conftest import COST, COST_RULE, Draft
from translation.ensemble.agreement import Agreement, term_hash
from translation.models import Comparison, Translation, TranslationState
from vetting.edits import edit_rule
from vetting.views.translators import agreement_line, translators_shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def translated(draft: Draft) -> Callable[..., None]:
    """Write what a translator made of the sentence about costs."""
    span = Span.objects.create(revision=draft.sentences[COST].revision, ordinal=0, start=0, end=10)
    unit = Unit.objects.create(policy=draft.policy, span=span, formalizer="by hand")

    def say(
        translator: str, comparison: str, *texts: str, state: str = "", reason: str = ""
    ) -> None:
        rule, model = draft.rule("cost"), draft.composition().model
        Translation.objects.create(
            unit=unit,
            sentence=draft.sentences[COST],
            translator=translator,
            state=state or TranslationState.TRANSLATED,
            terms=[term_to_json(read_term(text, model)) for text in texts],
            comparison=comparison,
            rules={rule.uid: term_hash(rule.term)},
            reason=reason,
        )

    return say


def shown(draft: Draft):
    return translators_shown(draft.policy, draft.rule("cost"), draft.composition())


def test_where_nobody_else_translated_nothing_is_said(draft: Draft) -> None:
    assert shown(draft) is None


def test_how_many_agree_and_what_each_read(draft: Draft, translated: Callable[..., None]) -> None:
    translated("model-b", Comparison.SAME, COST_RULE)
    assert shown(draft)["line"] == "2 of 2 translations agree"
    translated(
        "model-c",
        Comparison.NONE,
        state=TranslationState.ABSTAINED,
        reason="`approval` is not clear",
    )
    found = shown(draft)
    assert found["line"] == "2 of 3 translations agree; 1 could not"
    assert [(one["translator"], one["word"]) for one in found["readings"]] == [
        ("model-b", "says the same"),
        ("model-c", "left it to a person"),
    ]
    (english,) = found["readings"][0]["english"]
    assert "more than EUR 1,000" in english


def test_once_edited_it_is_not_compared_any_more(
    draft: Draft, translated: Callable[..., None]
) -> None:
    translated("model-b", Comparison.SAME, COST_RULE)
    edited = COST_RULE.replace("1000.0", "1500.0")
    shown_hash = draft.review("cost").hash
    edit_rule(draft.policy, draft.bob, draft.rule("cost"), smtlib=edited, shown_hash=shown_hash)
    found = shown(draft)
    assert found["line"] == "not compared since it was edited"
    assert [one["word"] for one in found["readings"]] == ["said the same as the draft"]


def test_a_translator_goes_by_the_name_that_other_pages_give_it(
    draft: Draft, translated: Callable[..., None]
) -> None:
    translated("builtin", Comparison.SAME, COST_RULE)
    translated("litellm:openai/some-model #2", Comparison.SAME, COST_RULE)
    names = [one["translator"] for one in shown(draft)["readings"]]
    assert names == ["The built-in formalizer", "openai/some-model #2"]


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (Agreement(3, 3), "3 of 3 translations agree"),
        (Agreement(2, 3, failed=1), "2 of 3 translations agree; 1 could not"),
        (Agreement(1, 3, differ=2), "1 of 3 translations, the draft alone; 2 read it otherwise"),
        (
            Agreement(1, 4, differ=1, undecided=1, abstained=1),
            "1 of 4 translations, the draft alone; 1 reads it otherwise; "
            "1 could not be compared; 1 could not",
        ),
    ],
)
def test_the_line_says_what_became_of_each(found: Agreement, line: str) -> None:
    assert agreement_line(found) == line
