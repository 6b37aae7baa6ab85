"""Replies as a model should give them, put together by hand, and what is made of them."""

from __future__ import annotations

from typing import Any

from policywright.model import PolicyModel
from policywright.smtlib import print_term
from tests.llm_server import LlmServer
from tests.translation.conftest import connect, never
from translation.formalizers import SpanText, UnitDraft
from translation.litellm_formalizer import LiteLlmFormalizer


def statement(sentence: int, quote: str, **parts: Any) -> dict[str, Any]:
    return {
        "sentence": sentence,
        "quote": quote,
        "formalizable": True,
        "reason": "",
        "datatypes": [],
        "variables": [],
        "rules": [],
        "open": [],
    } | parts


def variable(name: str, sort: str = "Bool", role: str = "fact", unit: str = "") -> dict[str, str]:
    return {
        "name": name,
        "sort": sort,
        "role": role,
        "unit": unit,
        "description": f"what {name} means",
        "phrase": f"the {name} holds" if sort == "Bool" else f"the {name}",
        "negative": "",
    }


def rule(name: str, smtlib: str) -> dict[str, str]:
    return {"name": name, "smtlib": smtlib}


def reply(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"statements": list(statements)}


def left_open(name: str, smtlib: str, question: str = "Which is meant?") -> dict[str, str]:
    return {
        "rule": name,
        "question": question,
        "as_written": "as the rule says",
        "otherwise": "the other way",
        "smtlib": smtlib,
    }


def formalize(
    server: LlmServer, span: SpanText, known: PolicyModel | None = None, **changes: object
) -> UnitDraft:
    formalizer = LiteLlmFormalizer(connect(server, **changes))
    return formalizer.formalize(span, known or PolicyModel(), cancelled=never)


def printed(draft: UnitDraft, known: PolicyModel | None = None) -> list[str]:
    known = known or PolicyModel()
    model = PolicyModel(
        datatypes=(*known.datatypes, *draft.datatypes),
        variables=(*known.variables, *draft.variables),
    )
    return [print_term(model, drafted.term) for drafted in draft.rules]
