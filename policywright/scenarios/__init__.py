"""Scenarios: cases of which somebody says what the policy says of them.

`make_suite` makes few of them that tell every slip of some kinds from the policy; `run` finds
what a policy says of any.
"""

from policywright.scenarios.edits import TIERS, EditKind
from policywright.scenarios.exchange import (
    facts_to_json,
    scenarios_from_csv,
    scenarios_from_json,
    scenarios_to_csv,
    scenarios_to_json,
)
from policywright.scenarios.fates import Fate
from policywright.scenarios.mutants import Mutant, mutants_of
from policywright.scenarios.reading import read_scenario
from policywright.scenarios.running import Ran, run, run_keys
from policywright.scenarios.saying import claims_in, concluded, say_said, says
from policywright.scenarios.scenario import Scenario, exact_text, scenario_content, value_of
from policywright.scenarios.sentences import say_scenario, settled
from policywright.scenarios.suite import Suite, make_suite
from policywright.scenarios.tally import Tally
from policywright.scenarios.telling import Telling
from policywright.scenarios.words import say_mutant, say_question

__all__ = [
    "TIERS",
    "EditKind",
    "Fate",
    "Mutant",
    "Ran",
    "Scenario",
    "Suite",
    "Tally",
    "Telling",
    "claims_in",
    "concluded",
    "exact_text",
    "facts_to_json",
    "make_suite",
    "mutants_of",
    "read_scenario",
    "run",
    "run_keys",
    "say_mutant",
    "say_question",
    "say_said",
    "say_scenario",
    "says",
    "scenario_content",
    "scenarios_from_csv",
    "scenarios_from_json",
    "scenarios_to_csv",
    "scenarios_to_json",
    "settled",
    "value_of",
]
