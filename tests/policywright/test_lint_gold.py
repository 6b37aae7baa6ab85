"""The gold policies: what is wrong with them is said, and nothing is that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from policywright.lint import FixKind, Report, lint, proposed
from policywright.model import PolicyModel
from policywright.smtlib import read
from tests.policywright.shared import shared

SOUND = [
    "airline-refund",
    "conference-tickets",
    "dc-sick-leave",
    "eu-cancellation",
    "park",
    "reg-e-liability",
    "travel",
    "us-denied-boarding",
]


def gold(name: str) -> PolicyModel:
    path: Path = shared("corpus", "gold", f"{name}.smt2")
    return read(path.read_text(encoding="utf-8"))


def rules_by_code(report: Report) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for diagnostic in report.diagnostics:
        found.setdefault(diagnostic.code, []).append(diagnostic.rules)
    return found


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_policy_has_no_error(name: str) -> None:
    report = lint(gold(name))
    assert report.errors == ()
    assert "No conflict found among" in report.limits[0]


def test_the_draft_of_the_airline_has_each_clash_with_its_two_clauses() -> None:
    found = rules_by_code(lint(gold("airline-refund-unvetted")))
    assert set(found["conflict"]) == {
        ("c1-not-travelled", "c3-delayed"),
        ("c1-not-travelled", "c6-denied-boarding"),
        ("c1-not-travelled", "c7-death"),
        ("c2-cancelled", "c4-travelled"),
        ("c2-cancelled", "c5-deadline"),
        ("c3-delayed", "c5-deadline"),
        ("c4-travelled", "c6-denied-boarding"),
        ("c4-travelled", "c7-death"),
        ("c5-deadline", "c6-denied-boarding"),
        ("c5-deadline", "c7-death"),
    }


def test_a_clash_is_explained_by_a_case_and_both_clauses() -> None:
    first = lint(gold("airline-refund-unvetted")).errors[0]
    assert "travelled is not true and the delay hours is 6" in first.message
    assert "If the delay hours is at least 5 and travelled is not true" in first.message
    assert first.witness is not None
    assert set(first.witness) == {
        "flightStatus",
        "travelled",
        "circumstance",
        "delayHours",
        "requestDay",
    }
    assert [fix.kind for fix in first.fixes] == [
        FixKind.EXCEPTION,
        FixKind.EXCEPTION,
        FixKind.NEW_FACT,
    ]


def test_taking_the_first_fix_of_each_clash_leaves_the_draft_without_error() -> None:
    model = gold("airline-refund-unvetted")
    for _ in range(12):
        errors = lint(model).errors
        if not errors:
            break
        model = proposed(model, errors[0].fixes[0])
    assert lint(model).errors == ()
    assert len(model.rules) == 7


def test_an_average_that_no_schedule_covers_is_a_gap() -> None:
    found = rules_by_code(lint(gold("dc-sick-leave")))
    assert set(found["threshold-gap"]) == {
        ("a2-25-to-99", "a3-24-or-fewer"),
        ("a1-hundred-or-more", "a2-25-to-99"),
    }


def test_a_limit_of_facts_is_asked_about_and_no_conflict() -> None:
    found = rules_by_code(lint(gold("park")))
    assert ("credit-limit",) in found["bare-assertion"]
    assert found["non-linear"] == [("final-admission",)]


def test_a_list_of_two_destinations_lacks_other() -> None:
    report = lint(gold("travel"))
    (found,) = [d for d in report.diagnostics if d.code == "no-other"]
    changed = proposed(gold("travel"), found.fixes[0])
    assert [value.name for value in changed.datatypes[0].values][-1] == "OTHER"
    assert "no-other" not in rules_by_code(lint(changed))
    said = lint(gold("travel"), complete=["Destination"])
    assert "no-other" not in rules_by_code(said)
