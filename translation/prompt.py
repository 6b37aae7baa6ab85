"""What is sent to a model: the prompt of a version, the declarations, the sentences.

A prompt is a file and never changes once it was used: a better one is a new
file with the next number, and the old ones stay, since a unit names the one it was
made with. Whatever comes from a document or a reply is JSON, one line each, in a
data block whose mark is made from its own text, so that nothing in it can end it.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from policywright.model import PolicyModel
from translation.formalizers import SentenceText, SpanText

VERSION = "formalize-3"

_FOLDER = Path(__file__).parent / "prompts"

# How much of its own reply a model is sent back, in characters.
_REPEATED = 20_000


@cache
def prompt_of(version: str) -> str:
    return (_FOLDER / f"{version}.md").read_text(encoding="utf-8")


@cache
def schema_of(version: str) -> Mapping[str, Any]:
    """The JSON schema of a reply; without lengths or patterns, which slow local servers."""
    text = (_FOLDER / f"{version}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def system_prompt() -> str:
    return prompt_of(VERSION)


def schema() -> Mapping[str, Any]:
    """The JSON schema of a reply that formalizes."""
    return schema_of(VERSION)


@cache
def accepted_schema() -> Mapping[str, Any]:
    """What is read: a statement that leaves nothing open need not say so."""
    accepted = copy.deepcopy(dict(schema()))
    accepted["properties"]["statements"]["items"]["required"].remove("open")
    return accepted


def first_messages(span: SpanText, known: PolicyModel) -> list[dict[str, str]]:
    """The prompt, then the declarations and the sentences, numbered from 1."""
    lines = [
        {"sentence": number, **sentence_data(one)}
        for number, one in enumerate(span.sentences, start=1)
    ]
    return messages_of(system_prompt(), known, lines)


def messages_of(
    system: str, known: PolicyModel, lines: Iterable[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """A fixed prompt, then what is declared, and the lines as JSON in a data block."""
    user = data_block("document", [{"declared": _declared(known)}, *lines])
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def data_block(name: str, lines: Iterable[Mapping[str, Any]]) -> str:
    """Lines of JSON between two marks that none of them can hold."""
    data = "\n".join(_json(line) for line in lines)
    mark = f"{name}-{hashlib.sha256(data.encode()).hexdigest()[:16]}"
    return f"<{mark}>\n{data}\n</{mark}>"


def repair_messages(
    reply: str, problems: Iterable[Mapping[str, Any]], kept: Sequence[str]
) -> list[dict[str, str]]:
    """The model's own reply, what was wrong with it, and what is kept as right."""
    if len(reply) > _REPEATED:
        reply = f"{reply[:_REPEATED]}..."
    block = data_block("wrong", [*problems, {"kept": list(kept)}])
    return [
        {"role": "assistant", "content": reply},
        {"role": "user", "content": f"This was wrong, and this is kept:\n\n{block}"},
    ]


def with_schema_in_words(
    messages: Iterable[Mapping[str, str]], asked: Mapping[str, Any]
) -> list[dict[str, str]]:
    """The messages for a provider that takes no schema: the prompt then ends with `asked`."""
    first, *rest = (dict(message) for message in messages)
    first["content"] += f"\n# The JSON schema of your answer\n\n{_json(asked)}\n"
    return [first, *rest]


def sentence_data(sentence: SentenceText) -> dict[str, Any]:
    """A sentence with all that stands beside it; what it does not have is left out."""
    pairs = zip(sentence.context[::2], sentence.context[1::2], strict=False)
    beside = {
        "clause": sentence.number,
        "page": sentence.page,
        "headings": sentence.headings,
        "lead_ins": []
        if sentence.is_row
        else [{"text": text, "connective": connective} for text, connective in pairs],
        "header": sentence.context if sentence.is_row else [],
        "points_to": sentence.pointed,
    }
    said = {name: value for name, value in beside.items() if value}
    return {**said, "text": sentence.text}


def _declared(known: PolicyModel) -> dict[str, Any]:
    names = {datatype.id: datatype.name for datatype in known.datatypes}
    return {
        "datatypes": [
            {
                "name": datatype.name,
                "values": [value.name for value in datatype.values],
                "description": datatype.description,
            }
            for datatype in known.datatypes
        ],
        "variables": [
            {
                "name": variable.name,
                "sort": names.get(variable.sort.key, variable.sort.key),
                "role": variable.role.value,
                "unit": variable.unit,
                "description": variable.description or variable.phrases.text,
            }
            for variable in known.variables
        ],
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
