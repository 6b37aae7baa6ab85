"""What is sent to a model to have rules changed: its prompt of a version, and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from translation.feedback.given import Given, GivenRule
from translation.prompt import messages_of, prompt_of, schema_of, sentence_data

VERSION = "revise-1"


def system_prompt() -> str:
    return prompt_of(VERSION)


def schema() -> Mapping[str, Any]:
    """The JSON schema of a reply."""
    return schema_of(VERSION)


def first_messages(given: Given) -> list[dict[str, str]]:
    return messages_of(system_prompt(), given.shown, _lines(given))


def _lines(given: Given) -> Iterator[dict[str, Any]]:
    yield {"wrong": given.wrong}
    for rule in given.rules:
        yield _rule_data(rule)
    if given.case:
        yield {"case": {name: given.case[name] for name in ("facts", "expected", "actual")}}


def _rule_data(rule: GivenRule) -> dict[str, Any]:
    said = {
        "rule": rule.name,
        "kind": rule.kind.value,
        "smtlib": rule.smtlib,
        "english": rule.english,
        "scopes": list(rule.scopes),
        "sentences": [sentence_data(one) for one in rule.sentences],
    }
    return {name: value for name, value in said.items() if value}
