"""Units: what may be compared and added, what a product is counted in, which ratios are fixed."""

from __future__ import annotations

import pytest

from policywright.model import PolicyModel
from policywright.smtlib import read
from policywright.units import UnitProblem, unit_problems
from tests.policywright.shared import shared

UNITS = {
    "costEur": "EUR", "feeEur": "EUR", "budgetUsd": "USD", "stay": "days", "weeks": "weeks",
    "tenure": "months", "age": "years", "rate": "percent", "part": "share", "nights": "nights",
    "perNight": "EUR per night", "due": "date", "sent": "date", "plain": "", "speed": "km/h",
}  # fmt: skip


def model(*rules: str, definitions: str = "") -> PolicyModel:
    lines = []
    for name, unit in UNITS.items():
        note = f'; variable: {{"unit": "{unit}"}}\n' if unit else ""
        lines.append(f"{note}(declare-const {name} Real)")
    asserted = [f"(assert (! {rule} :named r{i}))" for i, rule in enumerate(rules, start=1)]
    return read("\n".join([*lines, definitions, *asserted]))


def problems(rule: str) -> list[str]:
    return [problem.message for problem in unit_problems(model(rule))]


RIGHT = [
    "(> costEur 1000.0)",
    "(= costEur (+ feeEur 10.0))",
    "(= costEur (* 0.75 feeEur))",
    "(= costEur (* feeEur part))",
    "(= costEur (* feeEur (- 1.0 part)))",
    "(= costEur (/ (* feeEur rate) 100.0))",
    "(= costEur (* feeEur (/ rate 100.0)))",
    "(= costEur (* feeEur 0.01 rate))",
    "(= rate (* 100.0 part))",
    "(= part (/ costEur feeEur))",
    "(= rate (* 100.0 (/ costEur feeEur)))",
    "(= stay (* 7.0 weeks))",
    "(= weeks (/ stay 7.0))",
    "(<= (* 2.0 stay) (* 2.0 (* 7.0 weeks)))",
    "(<= tenure (* 12.0 age))",
    "(= costEur (* perNight nights))",
    "(= perNight (/ costEur nights))",
    "(= costEur (* 50.0 nights))",
    "(<= stay (* 30.0 tenure))",
    "(<= (- due sent) 30.0)",
    "(<= (- due sent) stay)",
    "(<= (- due sent) (* 7.0 weeks))",
    "(= due (+ sent 30.0))",
    "(= due (+ sent stay))",
    "(= due (+ sent (* 7.0 weeks)))",
    "(= due (- sent stay))",
    "(< (- due 14.0) sent)",
    "(= plain costEur)",
    "(= costEur (+ plain feeEur))",
    "(= costEur (* plain budgetUsd))",
    "(= costEur (ite (> stay 3.0) feeEur 0.0))",
    "(> (+ 1.0 2.0) part)",
    "(= feeEur (- costEur))",
]


@pytest.mark.parametrize("rule", RIGHT)
def test_amounts_of_one_unit_meet_in_silence(rule: str) -> None:
    assert problems(rule) == []


WRONG = [
    ("(> costEur budgetUsd)",
     "compares an amount in EUR and an amount in USD; count both in one currency"),
    ("(= costEur (* 1.1 budgetUsd))", "count both in one currency"),
    ("(> costEur stay)",
     "compares an amount in EUR and an amount in days; give both the same unit"),
    ("(= costEur (+ feeEur stay))", "adds an amount in EUR and an amount in days"),
    ("(= costEur (- feeEur stay))", "subtracts an amount in EUR and an amount in days"),
    ("(= costEur (ite (> stay 3.0) feeEur budgetUsd))", "chooses between an amount in EUR and"),
    ("(> stay weeks)", "multiply what is in weeks by 7"),
    ("(> stay (* 5.0 weeks))", "multiply what is in weeks by 7"),
    ("(> stay tenure)", "an amount in days and an amount in months; give both the same unit"),
    ("(> tenure age)", "multiply what is in years by 12"),
    ("(> speed age)", "an amount in km/h and an amount in years"),
    ("(= costEur (* perNight stay))", "EUR × days/nights; give both the same unit"),
    ("(> due stay)", "compares a date and an amount in days; compare a date with a date"),
    ("(> (+ due sent) 5.0)", "adds a date and a date; subtract one date from another"),
    ("(> (* 2.0 due) sent)", "multiplies or divides a date; take the days between two dates"),
    ("(= due (+ sent weeks))", "multiply what is in weeks by 7"),
    ("(= due (+ sent tenure))", "adds an amount in days and an amount in months"),
    ("(> (- stay due) 3.0)", "subtracts an amount in days and a date"),
    ("(distinct costEur feeEur budgetUsd)", "count both in one currency"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "sentence"), WRONG)
def test_units_that_do_not_fit_are_one_sentence_with_what_is_right(
    rule: str, sentence: str
) -> None:
    (found,) = problems(rule)
    assert found.startswith("rule `r1` ")
    assert sentence in found


def test_fr_66_percent_and_share_are_not_interchangeable_without_the_factor_100() -> None:
    assert problems("(> rate part)") == [
        "rule `r1` compares an amount in percent and a share; divide what is in percent by 100"
    ]
    assert problems("(> part rate)") == [
        "rule `r1` compares a share and an amount in percent; divide what is in percent by 100"
    ]
    assert problems("(= rate (* 10.0 part))") == problems("(= rate part)")
    assert "divide what is in EUR × percent by 100" in problems("(= feeEur (* costEur rate))")[0]


def test_fr_65_a_threshold_takes_the_unit_it_meets() -> None:
    assert problems("(>= age 60.0)") == problems("(>= rate 7.5)") == problems("(>= part 0.075)")


def test_a_problem_says_which_rule_and_which_two_units() -> None:
    (found,) = unit_problems(model("(> costEur 5.0)", "(> costEur stay)"))
    assert found == UnitProblem("r2", found.message, ("EUR", "days"))


def test_two_units_of_one_rule_are_said_once_and_each_rule_has_its_own() -> None:
    both = "(and (> costEur stay) (< costEur stay))"
    assert [p.rule_id for p in unit_problems(model(both, both))] == ["r1", "r2"]


def test_a_definition_is_counted_as_its_term_is() -> None:
    total = "(define-fun total () Real (* perNight nights))"
    assert unit_problems(model("(> costEur total)", definitions=total)) == ()
    (found,) = unit_problems(model("(> stay total)", definitions=total))
    assert "an amount in days and an amount in EUR" in found.message
    wrong = "(define-fun total () Real (+ costEur stay))"
    (found,) = unit_problems(model("(> costEur total)", definitions=wrong))
    assert (found.rule_id, found.message[:18]) == ("total", "definition `total`")


@pytest.mark.parametrize(
    ("one", "other"),
    [("%", "percent"), ("day", "days"), ("Days", "days"), ("night", "nights"), ("EUR", "EUR"),
     ("EUR/night", "EUR per night"), ("per cent", "percent")],
)  # fmt: skip
def test_a_unit_may_be_spelled_in_several_ways(one: str, other: str) -> None:
    text = "".join(
        f'; variable: {{"unit": "{unit}"}}\n(declare-const {name} Real)\n'
        for name, unit in (("a", one), ("b", other))
    )
    assert unit_problems(read(f"{text}(assert (> a b))")) == ()


def test_a_file_without_units_is_left_in_peace() -> None:
    for path in sorted(shared("corpus", "gold").glob("*.smt2")):
        assert unit_problems(read(path.read_text(encoding="utf-8"))) == ()


def test_a_long_rule_costs_what_it_holds() -> None:
    wide = f"(> (+ {' '.join(['costEur'] * 20_000)}) budgetUsd)"
    assert len(problems(wide)) == 1
    deep = "(* 2.0 " * 150 + "costEur" + ")" * 150
    assert len(problems(f"(> {deep} budgetUsd)")) == 1
