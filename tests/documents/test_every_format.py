"""The same document in each format: no word is lost, none is read twice, places hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import BlockKind, ReadDocument, read, view
from tests.documents.docx_files import HEADING, cell, docx, item, p, row, table
from tests.documents.test_offsets import check, check_spans

# What is put between numbered words; they make the readers and the splitter work.
JOINERS = [
    " ",
    " ",
    ", ",
    ". ",
    "; ",
    " (",
    ") ",
    ': "',
    '." ',
    " e.g. ",
    " No. ",
    " § ",
    " & ",
    " < ",
]
ENDS = [".", ".", ";", "; and", ":", ", or", "", "?"]
FORMATS = ["txt", "md", "html", "docx"]


@dataclass(frozen=True)
class Source:
    """A block to write: `kind` is 'heading', 'p', 'item' or 'table'; texts hold '@' for words."""

    kind: str
    level: int
    texts: tuple[str, ...]


texts = st.builds(
    lambda joiners, end: "@" + "".join(f"{joiner}@" for joiner in joiners) + end,
    st.lists(st.sampled_from(JOINERS), max_size=6),
    st.sampled_from(ENDS),
)
sources = st.lists(
    st.builds(
        Source,
        st.sampled_from(["heading", "p", "p", "item", "item", "table"]),
        st.integers(1, 3),
        st.lists(texts, min_size=2, max_size=4).map(tuple),
    ),
    min_size=1,
    max_size=8,
)


def numbered(found: list[Source]) -> list[Source]:
    """The same blocks with a word of its own for each '@'."""
    numbers = count(1)
    return [
        Source(
            one.kind,
            one.level,
            tuple(re.sub("@", lambda _: f"Word{next(numbers)}", text) for text in one.texts),
        )
        for one in found
    ]


def write(found: list[Source], kind: str) -> bytes:
    if kind == "docx":
        return docx("".join(map(_docx, found)))
    writers = {"txt": _txt, "md": _md, "html": _html}
    return "\n\n".join(map(writers[kind], found)).encode()


def _txt(one: Source) -> str:
    if one.kind == "heading":
        return f"{one.texts[0]}\n{'=-~'[one.level - 1] * len(one.texts[0])}"
    marker = "  " * one.level + "- " if one.kind == "item" else ""
    return marker + " ".join(one.texts)


def _md(one: Source) -> str:
    if one.kind == "heading":
        return f"{'#' * one.level} {one.texts[0]}"
    if one.kind == "table":
        rule = "|".join(["---"] * len(one.texts))
        cells = " | ".join(one.texts)
        return f"| {cells} |\n|{rule}|"
    marker = "- " if one.kind == "item" else ""
    return marker + " ".join(one.texts).replace("<", "&lt;")


def _html(one: Source) -> str:
    quoted = [escape(text) for text in one.texts]
    if one.kind == "heading":
        return f"<h{one.level}>{quoted[0]}</h{one.level}>"
    if one.kind == "table":
        spans = f"<td rowspan={one.level} colspan=2>"
        return f"<table><tr>{spans}{'<td>'.join(quoted)}<tr><td><b>-</b></table>"
    words = "<br>".join(quoted)
    inner = f"<p>{words}</p>"
    return (
        "<ol>" * one.level + f"<li>{inner}</li>" + "</ol>" * one.level
        if one.kind == "item"
        else inner
    )


def _docx(one: Source) -> str:
    if one.kind == "heading":
        return p(one.texts[0], HEADING)
    if one.kind == "table":
        first = cell(one.texts[0], f'<w:gridSpan w:val="{one.level}"/>')
        return table(row(first, *map(cell, one.texts[1:])))
    return item(" ".join(one.texts), one.level) if one.kind == "item" else p(" ".join(one.texts))


def words_shown(document: ReadDocument) -> list[str]:
    pieces: list[str] = []
    for block in view(document):
        pieces += [piece.text for piece in block.pieces]
        pieces += [q.text for one in block.rows for c in one.cells for q in c.pieces]
    return re.findall(r"Word\d+", " ".join(pieces))


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=60, deadline=None)
@given(found=sources, limit=st.integers(20, 400))
def test_no_word_is_lost_and_none_is_read_twice(kind: str, found: list[Source], limit: int) -> None:
    # A document of headings alone is refused; one sentence makes it readable.
    source = numbered([*found, Source("p", 1, ("@ is the end.", "@ too."))])
    used = [text for one in source for text in one.texts[: 1 if one.kind == "heading" else None]]
    expected = re.findall(r"Word\d+", " ".join(used))
    document = read(write(source, kind), filename=f"policy.{kind}")
    assert re.findall(r"Word\d+", document.text) == expected
    assert words_shown(document) == expected
    check(document)
    check_spans(document, limit)
    for one in document.sentences:
        assert document.text[one.start : one.end].strip()
        assert all(0 <= target < len(document.sentences) for target in one.pointed)
    for block in document.blocks:
        if block.kind is BlockKind.TABLE_ROW:
            cells = [document.text[c.start : c.end] for c in block.cells]
            assert "\t".join(cells) == document.text[block.start : block.end]
