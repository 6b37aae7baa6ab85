"""Field reports on what policies mean: who answers the wrong rules' suite rightly disagrees.

Pairs of our own run anywhere; those of the reference texts where they are. A slip that is no
single edit of the listed kinds is told by lint or only by reading, and said so here.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from policywright.findings import FindingKind
from policywright.lint import lint
from policywright.model import PolicyModel, Role
from policywright.scenarios import EditKind, Scenario, make_suite, run
from policywright.scenarios.ground import Ground
from policywright.smtlib import print_term, read

from .shared import shared


def of_roles(text: str, *outcomes: str) -> PolicyModel:
    """The policy with these variables as outcomes, the others as facts."""
    model = read(text)
    variables = tuple(
        replace(v, role=Role.OUTCOME if v.name in outcomes else Role.FACT, role_guessed=False)
        for v in model.variables
    )
    return PolicyModel(model.datatypes, variables, model.definitions, model.rules)


def disagreements(
    wrong: PolicyModel, right: PolicyModel
) -> list[tuple[Scenario, FindingKind, tuple[str, ...]]]:
    """Of the wrong rules' suite what the right rules say otherwise, with the repairs it tells."""
    suite, ground = make_suite(wrong), Ground(wrong)
    answers = run(right, [one.scenario for one in suite.scenarios])
    found = []
    for one, said in zip(suite.scenarios, answers, strict=True):
        assert said.found is not FindingKind.UNDECIDED
        if not said.holds:
            terms = (m.edit.apply(ground.term(m.owner)) for m in one.tells)
            repairs = tuple(" ".join(print_term(wrong, term).split()) for term in terms)
            found.append((one.scenario, said.found, repairs))
    return found


REDUCED = "(declare-const years Int)(declare-const reduced Bool)"
ABROAD = "(declare-const trained Bool)(declare-const abroad Bool)"
NIGHTS = "(declare-const night Bool)(declare-const manager Bool)(declare-const extra Bool)"
ORDERS = "(declare-const price Real)(declare-const signature Bool)"
GUARDS = "(declare-const guard Bool)(declare-const badge Bool)(declare-const inOrder Bool)"
ENTRY = "(declare-const child Bool)(declare-const resident Bool)(declare-const free Bool)"
PAPERS = "(declare-const invoice Bool)(declare-const ticket Bool)(declare-const repaid Bool)"
REFUND = (
    "(declare-const price Real)(declare-const signed Bool)(declare-const sealed Bool)"
    "(declare-const refunded Bool)"
)
STAFF = "(declare-datatype Staff ((lasting) (trainee) (OTHER)))(declare-const staff Staff)"
DAYS = STAFF + "(declare-const days Int)"


def asserted(*rules: str) -> str:
    return "".join(f"(assert (! {rule} :named r{n}))" for n, rule in enumerate(rules))


PAIRS = {
    "FR-65": (REDUCED, ["(=> (> years 64) reduced)"], ["(=> (>= years 64) reduced)"]),
    "FR-67": (ABROAD, ["(=> trained abroad)"], ["(=> abroad trained)"]),
    "FR-73": (
        REFUND,
        ["(=> (and (> price 500.0) signed) refunded)", "(=> (not sealed) (not refunded))"],
        [
            "(=> (and (> price 500.0) signed sealed) refunded)",
            "(=> (not sealed) (not refunded))",
        ],
    ),
    "FR-76": (PAPERS, ["(=> repaid (and invoice ticket))"], ["(=> repaid (or invoice ticket))"]),
}
"""Slips that are one edit of the listed kinds: declarations, the wrong rules, the right ones."""


@pytest.mark.parametrize("case", ["FR-65", "FR-67", "FR-76"])
def test_a_slip_of_one_edit_is_disagreed_with_and_the_right_rule_is_among_its_repairs(
    case: str,
) -> None:
    declared, wrong, right = PAIRS[case]
    outcomes = ("reduced", "abroad", "repaid")
    models = [of_roles(declared + asserted(*rules), *outcomes) for rules in (wrong, right)]
    found = disagreements(*models)
    assert found
    meant = " ".join(print_term(models[1], Ground(models[1]).term("r0")).split())
    assert meant in found[0][2]


def test_fr_65_the_case_that_tells_is_the_threshold_itself() -> None:
    declared, wrong, right = PAIRS["FR-65"]
    models = [of_roles(declared + asserted(*rules), "reduced") for rules in (wrong, right)]
    scenario, said, _ = disagreements(*models)[0]
    assert list(scenario.facts.values()) == [64]
    assert (scenario.expected, said) == (FindingKind.SATISFIABLE, FindingKind.VALID)


OTHER_SLIPS = {
    "FR-68": (
        NIGHTS,
        ["(=> (and night (not manager)) extra)", "(=> manager (not extra))"],
        ["(=> (and night (not manager)) extra)"],
    ),
    "FR-71": (GUARDS, ["badge"], ["(=> inOrder (=> guard badge))"]),
    "FR-74": (
        ENTRY,
        ["(=> (or child resident) free)", "(not (and child resident))"],
        ["(=> (or child resident) free)"],
    ),
    "FR-75": (
        DAYS,
        [
            "(=> (= staff lasting) (= days 25))",
            "(=> (= staff trainee) (= days 10))",
            "(or (= staff lasting) (= staff trainee))",
        ],
        ["(=> (= staff lasting) (= days 25))", "(=> (= staff trainee) (= days 10))"],
    ),
}
"""Slips that add a rule, or say it of something else: the suite asks of each rule there is."""


@pytest.mark.parametrize("case", OTHER_SLIPS)
def test_a_rule_too_many_is_disagreed_with(case: str) -> None:
    declared, wrong, right = OTHER_SLIPS[case]
    outcomes = ("extra", "inOrder", "free", "days")
    models = [of_roles(declared + asserted(*rules), *outcomes) for rules in (wrong, right)]
    assert disagreements(*models)


def test_fr_69_flat_rules_get_no_suite_before_the_conflict_is_mended() -> None:
    wrong = of_roles(
        ORDERS + asserted("signature", "(=> (< price 50.0) (not signature))"), "signature"
    )
    assert [d.code for d in lint(wrong).errors] == ["conflict"]
    right = of_roles(ORDERS + asserted("(= signature (>= price 50.0))"), "signature")
    suite = make_suite(right)
    assert {"VALID", "INVALID"} <= {one.scenario.expected.value for one in suite.scenarios}
    assert suite.tally.score == 1.0


def test_fr_66_a_case_of_a_share_has_amounts_that_a_reader_can_work_with() -> None:
    """A percentage for a share is no step of a constant: lint tells it, if the source is there."""
    fee = "(declare-const late Bool)(declare-const price Real)(declare-const fee Real)"
    wrong = of_roles(fee + asserted("(=> late (= fee (* price 7.5)))"), "fee")
    price = next(v.id for v in wrong.variables if v.name == "price")
    suite = make_suite(wrong)
    assert {k for k, tally in suite.by_kind.items() if tally.killed} >= {EditKind.CONSTANT}
    for one in suite.scenarios:
        value = one.scenario.facts.get(price, Fraction(0))
        assert isinstance(value, Fraction)
        assert value.denominator == 1


def test_fr_73_a_condition_that_went_missing_is_noticed_though_no_rule_names_it() -> None:
    declared, wrong, right = PAIRS["FR-73"]
    models = [of_roles(declared + asserted(*rules), "refunded") for rules in (wrong, right)]
    assert [d.code for d in lint(models[0]).errors] == ["conflict"]
    nowhere = [of_roles(declared + asserted(rules[0]), "refunded") for rules in (wrong, right)]
    scenario, said, repairs = disagreements(*nowhere)[0]
    assert (scenario.expected, said) == (FindingKind.VALID, FindingKind.SATISFIABLE)
    # Which condition it is no edit can say: the words that no rule carries are marked for that.
    assert not any("sealed" in repair for repair in repairs)


SHARED_OUTCOMES = (
    "senior_rate", "late_fee", "may_work_abroad", "overtime_paid", "approval_needed", "complies",
    "reduced_fee", "days", "claim_ok",
)  # fmt: skip
BY_LINT = {"FR-66"}
"""No single edit: `share-above-1` tells it from the sentence, see test_lint_field_reports."""


@pytest.mark.parametrize("number", [65, 66, 67, 68, 69, 71, 74, 75, 76])
def test_the_wrong_rules_of_the_reports_are_disagreed_with(number: int) -> None:
    path = shared("cases", "files", "fr-65-76-policy-meaning.json")
    cases = json.loads(path.read_text(encoding="utf-8"))
    case = next(one for one in cases if one["case"] == f"FR-{number}")
    wrong, right = (
        of_roles(case["declarations"] + case[rules], *SHARED_OUTCOMES)
        for rules in ("wrong_rules", "right_rules")
    )
    found = disagreements(wrong, right)
    assert bool(found) is (case["case"] not in BY_LINT)
