"""A model's reply as JSON of our shape, or one sentence that says where it is not.

JSON inside a fence or between sentences is taken out, and what stood around it
is kept for the log. Nothing is mended: brackets that are missing stay missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from jsonschema import Draft202012Validator

# Many times what a section needs; a reply beyond it is refused before it costs time.
_MOST_CHARACTERS, _MOST_VALUES, _MOST_LEVELS = 1_000_000, 30_000, 20
_MOST_ERRORS, _MOST_STARTS = 100, 20

# How much of a reply that holds no JSON is shown.
_SHOWN = 100


class ReplyError(Exception):
    """The reply is not JSON of the shape asked for; the message names the place."""


@dataclass(frozen=True)
class ReadReply:
    """The statements of a reply; `stripped` is what stood around the JSON."""

    statements: list[dict[str, Any]]
    stripped: str


def read_reply(text: str, schema: Mapping[str, Any]) -> ReadReply:
    """Raises ReplyError like `read_json`."""
    data, stripped = read_json(text, schema)
    return ReadReply(data["statements"], stripped)


def read_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """The JSON of a reply in the shape of a schema, and what stood around it.

    Raises ReplyError with the path of the first wrong field.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ReplyError(
            f"the reply has {len(text):,} characters; at most {_MOST_CHARACTERS:,} are read"
        )
    data, stripped = _json_in(text, schema.get("required", ()))
    _measure(data)
    errors = Draft202012Validator(schema).iter_errors(data)
    # Of a reply with very many errors the first ones are enough.
    listed = islice(errors, _MOST_ERRORS)
    wrong = min(listed, key=lambda error: [str(step) for step in error.absolute_path], default=None)
    if wrong is not None:
        path = _path(wrong.absolute_path)
        message = wrong.message if len(wrong.message) <= 200 else f"{wrong.message[:200]}..."
        raise ReplyError(f"the reply has another shape than asked for, at {path}: {message}")
    for path, value in _texts(data, []):
        if re.search("[\0\ud800-\udfff]", value):
            raise ReplyError(f"the reply holds a character that no text may hold, at {path}")
    return data, stripped


def _json_in(text: str, required: Collection[str]) -> tuple[Any, str]:
    """The first JSON object of a text that has what is asked for, and the text around it.

    Braces in the words around it ('as asked {here}') begin no object. Raises the first error.
    """
    starts = [match.end() for match in re.finditer(r"```\w*\s*(?={)", text)]
    starts += [match.start() for match in re.finditer(r"\{\s*[\"}]", text)]
    error: ReplyError | None = None
    found: tuple[Any, str] | None = None
    for start in starts[:_MOST_STARTS]:
        try:
            data, end = _decoded(text, start)
        except ReplyError as wrong:
            error = error or wrong
            continue
        around = (text[:start] + text[end:]).strip()
        if all(name in data for name in required):
            return data, around
        found = found or (data, around)
    if found is not None:
        return found
    if error is None and "{" in text:
        _decoded(text, text.index("{"))
    raise error or ReplyError(f"the reply holds no JSON object, it begins with `{_start(text)}`")


def _decoded(text: str, start: int) -> tuple[Any, int]:
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    try:
        return decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise ReplyError(
            f"the reply is not JSON: {error.msg.lower()} "
            f"in line {error.lineno}, column {error.colno}; it begins with `{_start(text)}`"
        ) from None
    except ValueError:
        raise ReplyError("the reply holds a number that is too long") from None
    except RecursionError:
        raise ReplyError("the reply is JSON nested too deep") from None


def _measure(data: Any) -> None:
    """Refuse what would take long to check, before anything walks through it."""
    count, level = 0, [data]
    for _ in range(_MOST_LEVELS):
        count += len(level)
        if count > _MOST_VALUES:
            raise ReplyError(f"the reply holds more than {_MOST_VALUES:,} values; say less at once")
        level = [
            item
            for value in level
            if isinstance(value, (dict, list))
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise ReplyError("the reply is JSON nested too deep")


def _start(text: str) -> str:
    """How a reply begins, in one line: a refusal, or another language, shows itself."""
    words = " ".join(text[: 4 * _SHOWN].replace("`", "'").split())
    shown = "".join(letter for letter in words if letter.isprintable())
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _no_constant(word: str) -> NoReturn:
    raise ReplyError(f"the reply holds `{word}`, which is no number")


def _texts(data: Any, path: list[str | int]) -> Iterator[tuple[str, str]]:
    if isinstance(data, str):
        yield _path(path), data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(value, [*path, key])
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, [*path, index])


def _path(steps: Any) -> str:
    return "`" + (".".join(str(step) for step in steps) or "the top") + "`"
