"""The example policies: what is drafted from them, and that it answers questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from policywright.defaults import generate_default
from policywright.english import render_default
from policywright.findings import FindingKind
from policywright.library import LoadedPolicy
from policywright.model import DefaultChoice, Kind, PolicyModel, Role, Rule
from policywright.sorts import BOOL
from tests.policywright.english.drafting import EXAMPLES, FIXTURES, report


@pytest.mark.parametrize("name", ["travel-policy", "admission-fees"])
def test_what_is_drafted_from_an_example_is_what_its_golden_file_says(name: str) -> None:
    text, _ = report(EXAMPLES / f"{name}.md")
    assert text == Path(FIXTURES / f"{name}.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def travel() -> LoadedPolicy:
    """The travel policy with both defaults, its open bound read as first drafted."""
    _, model = report(EXAMPLES / "travel-policy.md")
    outcomes = [v for v in model.variables if v.role is Role.OUTCOME and v.sort == BOOL]
    for outcome in outcomes:
        model = _with_default(model, outcome.id, outcome.name)
    return LoadedPolicy(model)


def _with_default(model: PolicyModel, outcome: str, name: str) -> PolicyModel:
    found = generate_default(model, outcome, DefaultChoice.APPROVED)
    default = Rule(
        f"default-{name}", f"default-{name}", found.term, Kind.DEFAULT, (), outcome,
        DefaultChoice.APPROVED, found.rests_on,
    )  # fmt: skip
    return model.with_rules((*model.rules, default))


def test_an_unapproved_trip_of_eur_2500_cannot_be_approved(travel: LoadedPolicy) -> None:
    facts = ["(= costOfTrip 2500)", "(not tripInternational)", "(not lineManagerApprovedTrip)"]
    finding = travel.check(facts, "tripApproved")
    assert (finding.kind, finding.rules) == (FindingKind.INVALID, ("cost-of-trip-rule",))


def test_once_approved_it_is_by_the_default(travel: LoadedPolicy) -> None:
    facts = ["(= costOfTrip 2500)", "(not tripInternational)", "lineManagerApprovedTrip"]
    finding = travel.check(facts, "tripApproved")
    assert (finding.kind, finding.rules) == (FindingKind.VALID, ("default-tripApproved",))
    assert travel.check(facts, "bookingMayBeMade").kind is FindingKind.VALID


def test_a_trip_abroad_depends_on_the_length_of_service(travel: LoadedPolicy) -> None:
    facts = ["(= costOfTrip 2000)", "tripInternational", "lineManagerApprovedTrip"]
    finding = travel.check(facts, "tripApproved")
    assert finding.kind is FindingKind.SATISFIABLE
    assert finding.depends_on == ("employeeCompletedService",)


def test_a_booking_without_approval_is_impossible_to_state(travel: LoadedPolicy) -> None:
    facts = ["(= costOfTrip 2500)", "(not lineManagerApprovedTrip)", "tripApproved"]
    assert travel.check(facts, "bookingMayBeMade").kind is FindingKind.IMPOSSIBLE


def test_a_default_of_the_example_reads_as_a_sentence(travel: LoadedPolicy) -> None:
    default = next(r for r in travel.model.rules if r.name == "default-tripApproved")
    assert render_default(travel.model, default) == (
        "The trip is approved unless a rule forbids it (cost-of-trip-rule, "
        "trip-international-rule, employee-completed-service-rule)."
    )
