"""Reads Markdown (CommonMark and tables) by markdown-it-py: its words without the markup.

Link targets, emphasis and tags go; the words, list markers and table cells stay.
Pictures, comments and the metadata block at the top are left out, and said to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.errors import UnreadableError
from documents.fragments import inline_text, read_fragment
from documents.lines import read_lines
from documents.numbering import ListStack
from documents.parts import MAX_LIST_LEVEL, Part, Reading, Remark, row_part
from documents.plain import plain_parts
from documents.structure import BlockKind, NoteKind

# markdown-it drops what is nested deeper than its limit, so such a file is refused.
MAX_NESTING = 60

# The work of matching brackets in one paragraph: brackets times characters.
MAX_BRACKET_WORK = 20_000_000

_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?:(?!---[ \t]*\n).*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_FRONT_TITLE = re.compile(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)


def read_markdown(text: str) -> Reading:
    """Read normalised Markdown into parts.

    The title is the one in the metadata block, else a heading at the very top.
    Raises UnreadableError where quotes and lists are nested too deep.
    """
    front = _FRONT_MATTER.match(text)
    body = text[front.end() :] if front else text
    # Inline markup is parsed one paragraph at a time by `_Walker`, not all at once.
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.core.ruler.disable("inline")
    env: dict[str, object] = {}
    tokens = parser.parse(body, env)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        raise UnreadableError(
            f"Quotes and lists in this file are nested deeper than {MAX_NESTING // 2} levels; "
            "flatten them and upload the file again."
        )
    walker = _Walker(parser, env)
    if front:
        message = "The metadata block at the top of the file is not part of the text."
        walker.remarks.append(Remark(NoteKind.METADATA, message))
    for token in tokens:
        walker.take(token)
    named = _FRONT_TITLE.search(front.group()) if front else None
    first = walker.parts[0] if walker.parts else None
    heading = first.text if first and first.kind is BlockKind.HEADING else ""
    title = " ".join((named[1] if named else heading).split())
    return Reading("text/markdown", title, tuple(walker.parts), tuple(walker.remarks))


@dataclass(slots=True)
class _Item:
    """A list item whose marker waits for its first words."""

    marker: str
    label: str
    level: int
    opens: int


class _Walker:
    """Goes over the block tokens in order and keeps what is open around them."""

    def __init__(self, parser: MarkdownIt, env: dict[str, object]) -> None:
        self.parts: list[Part] = []
        self.remarks: list[Remark] = []
        self._parser = parser
        self._env = env
        self._clauses = ListStack()
        self._base = 0
        self._new_list: list[bool] = []
        self._item: _Item | None = None
        self._quotes = 0
        self._heading = 0
        self._cells: list[str] | None = None
        self._in_header = False
        self._new_table = False

    def take(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._place_item()
                if not self._new_list:
                    self._base = self._clauses.level
                self._new_list.append(True)
            case "bullet_list_close" | "ordered_list_close":
                self._new_list.pop()
            case "list_item_open":
                label = "" if not token.info else f"({token.info})"
                if token.markup == ".":
                    label = token.info
                marker = f"{token.info}{token.markup}"
                self._item = _Item(marker, label, self._level(), int(self._new_list[-1]))
                self._new_list[-1] = False
            case "list_item_close":
                self._place_item()
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "heading_open":
                self._place_item()
                self._heading = int(token.tag[1:])
            case "table_open":
                self._place_item()
                self._new_table = True
            case "thead_open" | "thead_close":
                self._in_header = token.nesting == 1
            case "tr_open":
                self._cells = []
            case "tr_close":
                row = row_part(self._cells or [], header=self._in_header, opens=self._new_table)
                self.parts.append(row)
                self._cells, self._new_table = None, False
            case "inline":
                self._take_words(self._words(token.content))
            case "fence":
                self._place_item()
                self.parts.append(Part(BlockKind.CODE, token.content.rstrip("\n"), self._level()))
            case "code_block":
                self._place_item()
                self._add_all(plain_parts(token.content), self._level())
            case "html_block":
                self._place_item()
                self._take_html(token.content)

    def _level(self) -> int:
        """How many lists are open here."""
        return min(self._base + len(self._new_list), MAX_LIST_LEVEL) if self._new_list else 0

    def _take_words(self, text: str) -> None:
        if self._heading:
            self._clauses.clear()
            self.parts.append(Part(BlockKind.HEADING, text, level=self._heading))
            self._heading = 0
        elif self._cells is not None:
            self._cells.append(text)
        else:
            self._take_paragraph([line for line in text.split("\n") if line.strip()])

    def _take_paragraph(self, lines: Sequence[str]) -> None:
        kind = BlockKind.QUOTE if self._quotes else BlockKind.PARAGRAPH
        clauses = ListStack() if self._new_list or self._quotes else self._clauses
        parts = list(read_lines(lines, clauses, joins=_always, base=self._level(), kind=kind))
        item, self._item = self._item, None
        if item and not parts:
            self._item = item
        elif item:
            parts[0] = _marked(parts[0], item)
        self.parts += parts

    def _place_item(self) -> None:
        """Put down the marker of an item that does not begin with words."""
        if self._item:
            item, self._item = self._item, None
            self.parts.append(_marked(Part(BlockKind.PARAGRAPH, ""), item))

    def _take_html(self, source: str) -> None:
        fragment = read_fragment(source)
        offset = len(self.parts)
        self.remarks += [replace(one, part=one.part + offset) for one in fragment.remarks]
        self._add_all(fragment.parts, self._level())

    def _add_all(self, parts: Iterable[Part], level: int) -> None:
        for part in parts:
            is_nested = part.kind not in (BlockKind.HEADING, BlockKind.TABLE_ROW)
            if part.kind is BlockKind.HEADING:
                self._clauses.clear()
            self.parts.append(replace(part, level=part.level + level) if is_nested else part)

    def _words(self, source: str) -> str:
        """The readable text of one paragraph's source; line breaks stay."""
        if source.count("[") * len(source) > MAX_BRACKET_WORK:
            message = "A paragraph with very many brackets was read as it stands, with its markup."
            self.remarks.append(Remark(NoteKind.MARKUP, message, len(self.parts)))
            return source
        tokens: list[Token] = []
        self._parser.inline.parse(source, self._parser, self._env, tokens)
        return "".join(self._inline(token) for token in tokens)

    def _inline(self, token: Token) -> str:
        match token.type:
            case "softbreak" | "hardbreak":
                return "\n"
            case "html_inline":
                if token.content.startswith("<!--"):
                    self._leave_out(NoteKind.HIDDEN_TEXT, "Hidden text", token.content[4:-3])
                return inline_text(token.content)
            case "image":
                self._leave_out(NoteKind.PICTURE, "A picture", token.content)
                return ""
        return token.content

    def _leave_out(self, kind: NoteKind, what: str, words: str) -> None:
        shown = " ".join(words.split())[:80]
        message = f"{what} was left out: `{shown}`" if shown else f"{what} was left out."
        self.remarks.append(Remark(kind, message, len(self.parts)))


def _always(before: str, after: str) -> bool:
    """A line break inside a Markdown paragraph parts nothing."""
    return True


def _marked(part: Part, item: _Item) -> Part:
    """The first part of a list item, with the item's own marker before it."""
    if part.kind is not BlockKind.ITEM:
        return replace(
            part,
            kind=BlockKind.ITEM,
            level=item.level,
            marker=item.marker,
            labels=(item.label,),
            opens=item.opens,
        )
    return replace(
        part,
        marker=f"{item.marker} {part.marker}",
        labels=(item.label, *part.labels),
        opens=item.opens + part.opens,
    )
