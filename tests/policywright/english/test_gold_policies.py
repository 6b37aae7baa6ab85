"""The gold policies: how much is drafted, and that each rule reads back as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from policywright.english import render_sentence
from policywright.english.read_rule import parse_rule
from policywright.normal import normal_form
from tests.policywright.english.survey import Survey, survey_file

GOLD = Path(__file__).parents[4] / "shared" / "corpus" / "gold"


@pytest.fixture(scope="module")
def surveys() -> list[Survey]:
    found = sorted(GOLD.glob("*.txt"))
    if not found:
        pytest.skip("the gold policies are not beside this checkout")
    return [survey_file(path) for path in found]


def test_at_least_a_third_of_the_sentences_are_drafted(surveys: list[Survey]) -> None:
    drafted, total = sum(s.drafted for s in surveys), sum(len(s.sentences) for s in surveys)
    assert 3 * drafted >= total


def test_every_drafted_rule_and_reading_reads_back(surveys: list[Survey]) -> None:
    for survey in surveys:
        for one in survey.passage.rules:
            readings = [reading.term for q in one.questions for reading in q.readings]
            for term in (one.rule.term, *readings):
                text = render_sentence(survey.model, term)
                assert parse_rule(text, survey.model) == normal_form(term), text


def test_every_abstention_says_why(surveys: list[Survey]) -> None:
    for survey in surveys:
        assert all(one.reason for one in survey.passage.abstentions.values())
