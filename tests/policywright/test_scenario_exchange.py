"""Scenarios go out as CSV and JSON and come back the same; what is wrong is said by its place."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from policywright.errors import ReadError
from policywright.findings import FindingKind
from policywright.scenarios import (
    Scenario,
    run,
    scenarios_from_csv,
    scenarios_from_json,
    scenarios_to_csv,
    scenarios_to_json,
)
from policywright.scenarios.exchange import placed_from_csv, placed_from_json
from policywright.smtlib import read, read_term

MODEL = read(
    """(declare-datatype Place ((home) (|=away|)))
    (declare-const place Place) (declare-const cost Real) (declare-const nights Int)
    (declare-const signed Bool) (declare-const approved Bool)
    (assert (! (=> (and (> cost 1000.0) (not signed)) (not approved)) :named cost-rule))"""
)
IDS = {variable.name: variable.id for variable in MODEL.variables}
AWAY = MODEL.datatypes[0].values[1].id
SCENARIOS = [
    Scenario(
        {IDS["cost"]: Fraction(100001, 100), IDS["signed"]: False},
        read_term("approved", MODEL),
        FindingKind.INVALID,
    ),
    Scenario({IDS["place"]: AWAY, IDS["nights"]: -1}, None, FindingKind.SATISFIABLE),
    Scenario({IDS["cost"]: Fraction(1, 3)}, read_term("(not signed)", MODEL), FindingKind.VALID),
]


def test_what_goes_out_as_csv_comes_back() -> None:
    text = scenarios_to_csv(MODEL, SCENARIOS)
    assert text.splitlines()[0] == "place,cost,nights,signed,claim,expected"
    assert text.splitlines()[1] == ",1000.01,,false,approved,INVALID"
    assert scenarios_from_csv(MODEL, text) == SCENARIOS
    assert scenarios_from_csv(MODEL, "\N{ZERO WIDTH NO-BREAK SPACE}" + text) == SCENARIOS


def test_what_goes_out_as_json_comes_back() -> None:
    data = scenarios_to_json(MODEL, SCENARIOS)
    assert data[0] == {
        "facts": {"cost": "1000.01", "signed": False},
        "claim": "approved",
        "expected": "INVALID",
    }
    assert scenarios_from_json(MODEL, json.dumps(data)) == SCENARIOS


def test_no_cell_is_a_formula() -> None:
    text = scenarios_to_csv(MODEL, SCENARIOS)
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert "'=away" in cells
    assert not any(cell[:1] in tuple("=+@") for cell in cells)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the first line names variables"),
        ("cost,cost,claim,expected\n", "the first line names variables"),
        ("cost,claim,expected\n1,approved\n", "line 2, column 1: 2 cells under 3 names"),
        ("price,claim,expected\n1,approved,VALID\n", "`price` is not a variable"),
        ("cost,claim,expected\ncheap,approved,VALID\n", "`cost`: `cheap` is not a constant"),
        ("signed,claim,expected\nmaybe,approved,VALID\n", "neither true nor false"),
        ("place,claim,expected\nabroad,approved,VALID\n", "`abroad` is none of `home`"),
        ("cost,claim,expected\n1,(exit),VALID\n", "`claim`"),
        ("cost,claim,expected\n1,approved,LIKELY\n", "`expected` is one of VALID"),
        ("signed,claim,expected\ntrue,signed,VALID\n", "the facts already fix"),
        ('cost,claim,expected\n"1,approved,VALID\n', "no CSV table"),
        ("cost,claim,expected\n" + "9" * 200 + ",approved,VALID\n", "too long"),
    ],
)
def test_a_table_with_a_mistake_is_refused_as_a_whole(text: str, problem: str) -> None:
    with pytest.raises(ReadError, match=problem.replace("(", r"\(")):
        scenarios_from_csv(MODEL, text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "no JSON document"),
        ("[" * 100_000, "no JSON document"),
        ("{}", "a list of objects"),
        ("[1]", "scenario 1: it is no object"),
        ('[{"facts": {"cost": 1.5}, "claim": "approved", "expected": "VALID"}]', "exact"),
        ('[{"facts": {"nights": true}, "claim": "approved", "expected": "VALID"}]', "exact"),
        ('[{"facts": {}, "claim": 3, "expected": "VALID"}]', "`claim` is a condition"),
        ('[{"facts": {}, "claim": null, "expected": "VALID"}]', "neither facts nor a claim"),
        ('[{"facts": {"nights": 1, "nights": 2}}]', "`nights` stands twice in one object"),
        ('[{"facts": {"nights": 1}, "claim": null, "expected": "VALID"}]', "without a claim"),
        ('[{"facts": {"nights": 1}, "claim": "true", "expected": "VALID"}]', "about no variable"),
    ],
)
def test_a_document_with_a_mistake_is_refused_as_a_whole(text: str, problem: str) -> None:
    with pytest.raises(ReadError, match=problem):
        scenarios_from_json(MODEL, text)


def test_each_scenario_runs_and_says_whether_it_holds() -> None:
    ran = list(run(MODEL, SCENARIOS))
    assert [one.found for one in ran] == [
        FindingKind.INVALID,
        FindingKind.SATISFIABLE,
        FindingKind.SATISFIABLE,
    ]
    assert [one.holds for one in ran] == [True, True, False]
    assert ran[0].rules == ("cost-rule",)


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["expected", '"expected"'])
def test_other_separators_are_told_by_the_first_line(separator: str, end: str, last: str) -> None:
    text = scenarios_to_csv(MODEL, SCENARIOS).replace(",", separator).replace("\n", end)
    text = text.replace("expected", last, 1)
    assert scenarios_from_csv(MODEL, text) == SCENARIOS


def test_each_scenario_is_told_with_its_place() -> None:
    text = scenarios_to_csv(MODEL, SCENARIOS)
    assert [one.where for one in placed_from_csv(MODEL, text)] == ["line 2", "line 3", "line 4"]
    data = json.dumps(scenarios_to_json(MODEL, SCENARIOS))
    assert [one.where for one in placed_from_json(MODEL, data)][-1] == "scenario 3"


@pytest.mark.parametrize("cell", ["1e999999999", "-1E-999999999", "2.5e+401"])
def test_a_number_that_would_fill_the_memory_is_refused_at_once(cell: str) -> None:
    with pytest.raises(ReadError, match="too large or too small"):
        scenarios_from_csv(MODEL, f"cost,claim,expected\n{cell},approved,VALID\n")
    data = [{"facts": {"cost": cell}, "claim": "approved", "expected": "VALID"}]
    with pytest.raises(ReadError, match="too large or too small"):
        scenarios_from_json(MODEL, json.dumps(data))


def test_a_spreadsheet_may_write_an_exponent() -> None:
    (one,) = scenarios_from_csv(MODEL, "cost,claim,expected\n1.5E+05,approved,VALID\n")
    assert one.facts == {IDS["cost"]: Fraction(150_000)}


def test_a_value_that_is_named_like_a_huge_number_goes_out_at_once() -> None:
    model = read("(declare-datatype P ((|1e999999999|) (b)))(declare-const p P)(assert (= p b))")
    p, value = model.variables[0].id, model.datatypes[0].values[0].id
    scenarios = [Scenario({p: value}, None, FindingKind.SATISFIABLE)]
    assert scenarios_from_csv(model, scenarios_to_csv(model, scenarios)) == scenarios
