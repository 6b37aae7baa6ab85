"""Answers by what was asked, for runs whose spans are asked for side by side; hand-written."""

from __future__ import annotations

import json
from typing import Any

from tests.llm_server import Answer, says
from tests.translation.replies import reply, rule, statement, variable


def sentences_in(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The sentences of a request's data block, each as it was sent."""
    user = next(one["content"] for one in asked["messages"] if one["role"] == "user")
    lines = [json.loads(line) for line in user.splitlines() if line.startswith("{")]
    return [line for line in lines if "sentence" in line]


def leaves_all(asked: dict[str, Any], **about: Any) -> Answer:
    """Says of each sentence that it cannot be formalized."""
    said = [
        statement(one["sentence"], one["text"], formalizable=False, reason="no rule")
        for one in sentences_in(asked)
    ]
    return says(reply(*said), **about)


def limits_trips(asked: dict[str, Any], **about: Any) -> Answer:
    """Of `Trips exceeding EUR n,000 ...` makes the rule, whatever it is told is declared."""
    declares = [
        variable("costEur", "Real", unit="EUR"),
        variable("approved"),
        variable("tripAllowed", role="outcome"),
    ]
    said = []
    for one in sentences_in(asked):
        limit = "".join(filter(str.isdigit, one["text"]))
        term = f"(=> (and (> costEur {limit}) (not approved)) (not tripAllowed))"
        rules = [rule(f"trips-over-{limit}", term)]
        said.append(statement(one["sentence"], one["text"], variables=declares, rules=rules))
    return says(reply(*said), **about)
