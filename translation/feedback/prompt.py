"""What is sent to a model to have rules changed: its prompt of a version, and data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from translation.feedback.given import Given, GivenRule
from translation.prompt import messages_of, sentence_data

VERSION = "revise-1"

_FOLDER = Path(__file__).parents[1] / "prompts"


@cache
def system_prompt() -> str:
    return (_FOLDER / f"{VERSION}.md").read_text(encoding="utf-8")


@cache
def schema() -> Mapping[str, Any]:
    """The JSON schema of a reply."""
    text = (_FOLDER / f"{VERSION}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


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
