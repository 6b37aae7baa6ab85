"""Scenarios: cases of which somebody says what the policy says of them."""

from policywright.scenarios.saying import claims_in, concluded, say_said, says
from policywright.scenarios.scenario import Scenario, exact_text, scenario_content, value_of

__all__ = [
    "Scenario",
    "claims_in",
    "concluded",
    "exact_text",
    "say_said",
    "says",
    "scenario_content",
    "value_of",
]
