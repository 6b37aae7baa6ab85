"""A model's reply as JSON of our shape, or one sentence that says where it is not.

JSON inside a fence or between sentences is taken out, and what stood around it
is kept for the log. Nothing is mended: brackets that are missing stay missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from jsonschema import Draft202012Validator


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
    data, stripped = _json_in(text)
    errors = Draft202012Validator(schema).iter_errors(data)
    wrong = min(errors, key=lambda error: [str(step) for step in error.absolute_path], default=None)
    if wrong is not None:
        path = _path(wrong.absolute_path)
        message = wrong.message if len(wrong.message) <= 200 else f"{wrong.message[:200]}..."
        raise ReplyError(f"the reply has another shape than asked for, at {path}: {message}")
    for path, value in _texts(data, []):
        if re.search("[\0\ud800-\udfff]", value):
            raise ReplyError(f"the reply holds a character that no text may hold, at {path}")
    return data, stripped


def _json_in(text: str) -> tuple[Any, str]:
    """The one JSON value of a text, and the text around it."""
    fence = re.search(r"```\w*\s*(?={)", text)
    start = fence.end() if fence else text.find("{")
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    try:
        if start < 0:
            raise ReplyError("the reply holds no JSON object")
        data, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise ReplyError(
            f"the reply is not JSON: {error.msg.lower()} "
            f"in line {error.lineno}, column {error.colno}"
        ) from None
    except ValueError:
        raise ReplyError("the reply holds a number that is too long") from None
    except RecursionError:
        raise ReplyError("the reply is JSON nested too deep") from None
    return data, (text[:start] + text[end:]).strip()


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
