"""What a model wrote into the draft is shown as text, each character that nobody sees named."""

from __future__ import annotations

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Policy, Variable
from translation.models import Question
from vetting.questions import question_states

TURNED = "\u202eyrros </script>"


@pytest.fixture
def asked(travel: Policy) -> Question:
    """A question of the travel policy, put in words as a hostile model would."""
    found = Question.objects.filter(policy=travel).first()
    assert found is not None
    readings = [{**one, "label": TURNED} for one in found.readings]
    return Question.objects.create(
        policy=travel,
        rule=found.rule,
        unit=found.unit,
        kind=found.kind,
        text=TURNED,
        boundary=found.boundary,
        readings=readings,
    )


def test_its_questions_and_descriptions_turn_no_line_round(
    travel: Policy, asked: Question, alices: Client
) -> None:
    Variable.objects.filter(policy=travel).update(description=TURNED)
    base = f"/policies/{travel.slug}/"
    for path in ("", f"review/{asked.rule.uid}/", "glossary/"):
        page = alices.get(base + path).content.decode()
        assert "right-to-left override" in page
        assert "\u202e" not in page


def test_its_question_stays_readable_once_it_is_answered(
    travel: Policy, asked: Question, alices: Client
) -> None:
    states = {one.question: one for one in question_states(travel, compose(travel))}
    sent = {"shown": states[asked].shown_hash, "reading": "0"}
    card = f"/policies/{travel.slug}/review/{asked.rule.uid}/"
    alices.post(f"/policies/{travel.slug}/review/{asked.uid}/answer/", sent)
    page = alices.get(card).content.decode()
    assert "Alice answered on" in page
    assert "\u202e" not in page
