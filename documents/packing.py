"""A read document as JSON and back, for the pipe between two processes.

A record is written as the list of its fields in their order, so that the names are
not repeated for each sentence. What comes back is checked against the types of
`documents.structure`: the other process read a hostile file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from documents.structure import ReadDocument


def pack(document: ReadDocument) -> str:
    """One line of JSON."""
    return json.dumps(_pack(document), ensure_ascii=False, separators=(",", ":"))


def unpack(packed: str) -> ReadDocument:
    """The document of `pack`. Raises ValueError for anything else."""
    document = _unpacker(ReadDocument)(json.loads(packed))
    if not isinstance(document, ReadDocument):
        raise ValueError("expected a document")
    return document


def _pack(value: object) -> object:
    if is_dataclass(value):
        return [_pack(getattr(value, one.name)) for one in fields(value)]
    if isinstance(value, tuple):
        return [_pack(one) for one in value]
    return value


@cache
def _unpacker(kind: type) -> Callable[[object], object]:
    """The function that makes a value of a type from JSON, or raises ValueError."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        members = [_unpacker(hints[one.name]) for one in fields(kind)]

        def record(value: object) -> object:
            values = _items(value, len(members))
            return kind(*[make(one) for make, one in zip(members, values, strict=True)])

        return record
    if get_origin(kind) is tuple:
        return _tuple_unpacker(get_args(kind))
    if issubclass(kind, StrEnum):
        return kind

    def plain(value: object) -> object:
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, found {type(value).__name__}")
        return value

    return plain


def _tuple_unpacker(kinds: tuple[Any, ...]) -> Callable[[object], object]:
    if kinds[-1] is Ellipsis:
        make = _unpacker(kinds[0])
        return lambda value: tuple(make(one) for one in _items(value))
    members = [_unpacker(one) for one in kinds]
    return lambda value: tuple(
        make(one) for make, one in zip(members, _items(value, len(members)), strict=True)
    )


def _items(value: object, count: int | None = None) -> list[object]:
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise ValueError(f"expected a list of {count or 'values'}")
    return value
