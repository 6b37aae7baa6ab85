"""The row of a scenario, made from what it says: one place, whoever said it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policywright.hashing import content_hash
from policywright.model import PolicyModel
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import exact_text, scenario_content
from policywright.termjson import term_to_json
from vetting.models import Origin, Scenario


def new_scenario(
    model: PolicyModel, expected: Expectation, english: str, origin: Origin
) -> Scenario:
    """The row, not saved: the caller says whose it is. `english` is the case as it was displayed.

    Raises KeyError for a variable that the model does not hold.
    """
    content = scenario_content(model, expected)
    return Scenario(
        origin=origin,
        facts={uid: exact_text(value) for uid, value in expected.facts.items()},
        claim=None if expected.claim is None else term_to_json(expected.claim),
        expected=expected.expected.value,
        content=content,
        content_hash=content_hash({"scenario": content}),
        case_hash=case_hash(content),
        english=english,
    )


def case_hash(content: Mapping[str, Any]) -> str:
    """What names a case: all that `scenario_content` gives but what is expected of it."""
    case = {key: value for key, value in content.items() if key != "expected"}
    return content_hash({"case": case})
