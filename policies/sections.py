"""Cuts a revision into sections when it is stored, and makes the parts of a page of them.

A page of a long document then reads the rows of its own sections, and of all others
only their titles, and the lineages and hashes of their sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from documents import Block, BlockKind, ReadDocument, Reference
from documents import Sentence as ReadSentence
from policies.models import DocumentRevision, Section, Sentence
from policies.present import sentence_hash
from policies.sources import load_pointed
from policies.structures import from_json, to_json

# A longer section is cut into parts, between two blocks.
MAX_SENTENCES = 100


def store_sections(
    revision: DocumentRevision, document: ReadDocument, sentences: Sequence[Sentence]
) -> None:
    """Write the sections of a revision that was just stored; `sentences` are all of its rows."""
    rows = section_rows(revision.pk, document, sentences)
    Section.objects.bulk_create((Section(**row) for row in rows), batch_size=200)


def section_rows(
    revision_id: int, document: ReadDocument, sentences: Sequence[Sentence]
) -> Iterator[dict[str, Any]]:
    """The fields of each section's row, in order."""
    load_pointed(sentences)
    references: dict[int, list[Reference]] = {}
    for index, found in groupby(document.references, key=lambda one: one.sentence):
        references[index] = list(found)
    for ordinal, cut in enumerate(_cuts(document), start=1):
        start = document.blocks[cut.blocks.start].start
        end = document.blocks[cut.blocks.stop - 1].end
        own = [sentences[index] for index in cut.sentences]
        yield {
            "revision_id": revision_id,
            "ordinal": ordinal,
            "level": cut.level,
            "part": cut.part,
            "headings": cut.headings,
            "page": document.blocks[cut.blocks.start].page,
            "first": cut.sentences.start + 1,
            "sentences": [[one.lineage, sentence_hash(one)] for one in own],
            "start": start,
            "text": document.text[start:end],
            "content": _content(document, cut, start, references),
        }


def read_section(section: Section) -> ReadDocument:
    """What `documents.view` needs of a section; offsets and indices begin with it.

    Targets of references are indices in the whole document.
    """
    content = section.content
    return ReadDocument(
        text=section.text,
        media_type="",
        title="",
        headings=(),
        blocks=from_json(Block, content["blocks"]),
        sentences=tuple(
            ReadSentence(start, end, (), (), number, block, page)
            for start, end, block, number, page in content["sentences"]
        ),
        notes=(),
        references=from_json(Reference, content["references"]),
    )


@dataclass
class _Cut:
    level: int
    headings: list[str]
    part: int
    blocks: range
    sentences: range = field(default=range(0))


def _cuts(document: ReadDocument) -> Iterator[_Cut]:
    """Ranges of blocks: each begins with a heading, or goes on with a long section."""
    owners = [sentence.block for sentence in document.sentences]
    counts = [0] * len(document.blocks)
    for owner in owners:
        counts[owner] += 1
    path: list[tuple[int, str]] = []
    open_ = _Cut(0, [], 1, range(0))
    first, held = 0, 0
    for index, block in enumerate(document.blocks):
        begins = block.kind is BlockKind.HEADING
        too_long = held and held + counts[index] > MAX_SENTENCES
        if (begins or too_long) and index > open_.blocks.start:
            yield _closed(open_, index, first, held)
            first, held = first + held, 0
            open_ = replace(open_, part=open_.part + 1, blocks=range(index, index))
        if begins:
            title = " ".join(document.text[block.start : block.end].split())
            path = [one for one in path if one[0] < block.level] + [(block.level, title)]
            open_ = _Cut(block.level, [one for _, one in path], 1, range(index, index))
        held += counts[index]
    if document.blocks:
        yield _closed(open_, len(document.blocks), first, held)


def _closed(cut: _Cut, end: int, first: int, count: int) -> _Cut:
    return replace(cut, blocks=range(cut.blocks.start, end), sentences=range(first, first + count))


def _content(
    document: ReadDocument, cut: _Cut, start: int, references: dict[int, list[Reference]]
) -> dict[str, Any]:
    return {
        "blocks": to_json(_moved(document.blocks[index], start) for index in cut.blocks),
        "sentences": [
            [
                one.start - start,
                one.end - start,
                one.block - cut.blocks.start,
                one.number,
                one.page,
            ]
            for one in document.sentences[cut.sentences.start : cut.sentences.stop]
        ],
        "references": to_json(
            replace(
                one,
                sentence=index - cut.sentences.start,
                start=one.start - start,
                end=one.end - start,
            )
            for index in cut.sentences
            for one in references.get(index, ())
        ),
    }


def _moved(block: Block, start: int) -> Block:
    return replace(
        block,
        start=block.start - start,
        end=block.end - start,
        breaks=tuple(at - start for at in block.breaks),
        cells=tuple(
            replace(cell, start=cell.start - start, end=cell.end - start) for cell in block.cells
        ),
    )
