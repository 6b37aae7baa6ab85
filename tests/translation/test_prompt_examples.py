"""The prompt teaches by example: each example is typed by our own reader, and is in no doubt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.smtlib import read, read_term
from translation.assembling import assemble
from translation.doubts import doubts
from translation.pieces import Piece
from translation.prompt import schema, system_prompt

DECLARED = Path(__file__).resolve().parents[1] / "fixtures" / "translation" / "prompt-examples.smt2"

ROWS = [
    line.strip("| ").split(" | ")
    for line in system_prompt().splitlines()
    if line.startswith("| ") and not line.startswith(("| sentence |", "| ---"))
]
EXAMPLES = [
    (sentence, rule) for sentence, rules in ROWS for rule in re.findall(r"`(\(.*?\))`", rules)
]


@pytest.fixture(scope="module")
def declared() -> PolicyModel:
    return read(DECLARED.read_text())


@pytest.mark.parametrize(("sentence", "rule"), EXAMPLES, ids=[rule for _, rule in EXAMPLES])
def test_each_example_is_a_rule_that_we_would_take(
    sentence: str, rule: str, declared: PolicyModel
) -> None:
    piece = Piece("rule", {"name": "example", "smtlib": rule}, (0,))
    made = assemble([piece], declared)
    assert made.refused == {}
    assert doubts([piece], made) == {}


def test_what_an_example_leaves_open_differs_from_its_rule(declared: PolicyModel) -> None:
    open_rows = [
        (s, re.findall(r"`(\(.*?\))`", rules)) for s, rules in ROWS if "otherwise" in rules
    ]
    assert len(open_rows) == 3
    for sentence, (rule, other) in open_rows:
        assert "open: " in sentence
        assert normal_form(read_term(rule, declared)) != normal_form(read_term(other, declared))


def test_nothing_is_declared_that_no_example_uses(declared: PolicyModel) -> None:
    for variable in declared.variables:
        assert re.search(rf"\b{variable.name}\b", system_prompt()), variable.name


@pytest.mark.parametrize(
    "words",
    [
        "must", "may: it grants", "only if", "unless", "an exception limits the earlier rule",
        "'at least', 'or over': the bound is in", "'exceeding', 'over', 'more than': it is out",
        "unit percent: 20; unit share: 0.2", "two weeks are 14", "months never become days",
        "a default: only what is granted is a rule", "`OTHER`", "several can hold at once",
        "and/or", "either", "lead-in", "header", "a definition", "someone can break it",
    ],
)  # fmt: skip
def test_the_prompt_speaks_of_what_policies_get_wrong(words: str) -> None:
    assert words in system_prompt()


def test_the_prompt_names_every_field_of_the_answer() -> None:
    statement = schema()["properties"]["statements"]["items"]
    assert set(statement["required"]) == set(statement["properties"])
    for name in [*statement["required"], *statement["properties"]["open"]["items"]["required"]]:
        assert f"`{name}`" in system_prompt(), name


def test_the_prompt_is_small() -> None:
    assert len(system_prompt()) < 8_000
