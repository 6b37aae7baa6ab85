"""What `documents.read` found, as JSON in a revision's row, and made again from it.

A field that has its default is left out: most have, and the rows of an older
release, which knew fewer fields, are read like any other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

from documents import (
    Block,
    Definition,
    Edit,
    Heading,
    Link,
    Note,
    ReadDocument,
    Reference,
)
from documents import Sentence as ReadSentence
from documents.editing import join_blocks, sort_edits
from policies.models import DocumentRevision, Sentence

Record = TypeVar("Record")


def to_json(records: Iterable[Any]) -> list[dict[str, Any]]:
    """Frozen records of `documents.structure` as JSON."""
    return [_to_json(record) for record in records]


def from_json(kind: type[Record], rows: Iterable[Mapping[str, Any]]) -> tuple[Record, ...]:
    """The records of `to_json`; `kind` is their class."""
    make = _maker(cast(Any, kind))
    return tuple(cast(Record, make(row)) for row in rows)


def stored_document(revision: DocumentRevision, sentences: Iterable[Sentence]) -> ReadDocument:
    """The document of a revision as `documents.view` and `documents.changes` take it.

    `sentences` are its rows, all in order, or those of one part: indices in
    `references` and `definitions` count them all. Joins by hand are applied to the
    blocks.
    """
    return with_sentences(edited_document(revision), sentences)


def edited_document(revision: DocumentRevision) -> ReadDocument:
    """The document of a revision without its sentences, joins by hand applied to the blocks."""
    document = replace(
        read_document(revision),
        headings=from_json(Heading, revision.headings),
        definitions=from_json(Definition, revision.definitions),
        references=from_json(Reference, revision.references),
    )
    edits = from_json(Edit, revision.edits)
    return join_blocks(document, sort_edits(edits)) if edits else document


def read_document(revision: DocumentRevision) -> ReadDocument:
    """What was read from the file, before sentences were found and edited by hand."""
    return ReadDocument(
        text=revision.text,
        media_type=revision.media_type,
        title="",
        headings=(),
        blocks=from_json(Block, revision.blocks),
        sentences=(),
        notes=from_json(Note, revision.notes),
        links=from_json(Link, revision.links),
        choices=tuple((str(name), str(value)) for name, value in revision.choices),
    )


def with_sentences(document: ReadDocument, rows: Iterable[Sentence]) -> ReadDocument:
    """The document with its sentences; the block of each follows from where it begins."""
    starts = [block.start for block in document.blocks]
    sentences = tuple(
        ReadSentence(
            start=row.start,
            end=row.end,
            headings=tuple(row.headings),
            context=tuple(row.context),
            number=row.number,
            block=max(bisect_right(starts, row.start) - 1, 0),
            page=row.page,
            pointed=tuple(ordinal - 1 for ordinal in row.pointed),
        )
        for row in rows
    )
    return replace(document, sentences=sentences)


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_json(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        kind: Any = type(value)
        return {
            name: _to_json(own)
            for name, default in _defaults(kind)
            if (own := getattr(value, name)) != default
        }
    return value


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((one.name, one.default) for one in fields(kind))


@cache
def _maker(kind: Any) -> Callable[[Any], Any]:
    """The function that makes a record of its JSON."""
    hints = get_type_hints(kind)
    makers = {
        one.name: maker
        for one in fields(kind)
        if (maker := _field_maker(hints[one.name])) is not None
    }
    known = {one.name for one in fields(kind)}
    needed = {one.name for one in fields(kind) if one.default is MISSING}

    def make(row: Mapping[str, Any]) -> Any:
        if not needed <= row.keys() <= known:
            raise ValueError(f"not the fields of a {kind.__name__}: {sorted(row)}")
        return kind(
            **{
                name: makers[name](value) if name in makers else value
                for name, value in row.items()
            }
        )

    return make


def _field_maker(hint: Any) -> Callable[[Any], Any] | None:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    inner = get_args(hint)
    if not inner:
        return None
    if hasattr(inner[0], "__dataclass_fields__"):
        make = _maker(inner[0])
        return lambda rows: tuple(make(row) for row in rows)
    return tuple
