"""Reads Markdown (CommonMark and tables) by markdown-it-py: its words without the markup.

Link targets, emphasis and tags go; the words, list markers and table cells stay.
Pictures, comments and the metadata block at the top are left out, and said to be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.errors import UnreadableError
from documents.flow import Words
from documents.html_reading import read_html
from documents.markdown_notes import note_parts, protect_notes, restore_code, take_marks
from documents.nesting import Nesting
from documents.parts import LinkPart, Part, Reading, Remark, row_part
from documents.plain import plain_parts
from documents.saying import Saying
from documents.structure import BlockKind, NoteKind

# markdown-it drops what is nested deeper than its limit, so such a file is refused.
MAX_NESTING = 60

# The work of matching brackets in one paragraph: brackets times characters.
MAX_BRACKET_WORK = 20_000_000

_FRONT_MATTER = re.compile(
    r"---[ \t]*\n(?:(?!---[ \t]*\n).*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
_OWN_ANCHOR = re.compile(r"\{#([\w.:-]+)\}\s*$")
_FRONT_TITLE = re.compile(r"^title:[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.MULTILINE)


def read_markdown(text: str) -> Reading:
    """Read normalised Markdown into parts.

    The title is the one in the metadata block, else a heading at the very top.
    Raises UnreadableError where quotes and lists are nested too deep.
    """
    front = _FRONT_MATTER.match(text)
    body, notes = protect_notes(text[front.end() :] if front else text)
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
    walker = _Walker(parser, env, notes)
    if front:
        what = "The metadata block at the top of the file is not part of the text"
        walker.saying.say(NoteKind.METADATA, what)
    for remark in _link_definitions(env):
        walker.saying.add(remark)
    for token in tokens:
        walker.take(token)
    walker.finish()
    named = _FRONT_TITLE.search(front.group()) if front else None
    first = walker.nesting.parts[0] if walker.nesting.parts else None
    heading = first.text if first and first.kind is BlockKind.HEADING else ""
    title = " ".join((named[1] if named else heading).split())
    return Reading(
        "text/markdown", title, tuple(walker.nesting.parts), tuple(walker.saying.remarks)
    )


class _Walker:
    """Goes over the block tokens in order and keeps what is open around them."""

    def __init__(self, parser: MarkdownIt, env: dict[str, object], notes: Collection[str]) -> None:
        self.nesting = Nesting()
        self.saying = Saying(self.nesting.parts)
        self._parser = parser
        self._env = env
        self._notes = notes
        self._quotes = 0
        self._heading = 0
        self._cells: list[str] | None = None
        self._in_header = False
        self._new_table = False
        self._html: list[str] = []
        self._slugs: Counter[str] = Counter()

    def take(self, token: Token) -> None:
        if token.type != "html_block":
            self.finish()
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self.nesting.open_list()
            case "bullet_list_close" | "ordered_list_close":
                self.nesting.close_list()
            case "list_item_open":
                label = "" if not token.info else f"({token.info})"
                if token.markup == ".":
                    label = token.info
                self.nesting.open_item(f"{token.info}{token.markup}", label)
            case "list_item_close":
                self.nesting.close_item()
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "heading_open":
                self._heading = int(token.tag[1:])
            case "table_open":
                self._new_table = True
            case "thead_open" | "thead_close":
                self._in_header = token.nesting == 1
            case "tr_open":
                self._cells = []
            case "tr_close":
                row = row_part(self._cells or [], header=self._in_header, opens=self._new_table)
                self.nesting.add(row)
                self._cells, self._new_table = None, False
            case "inline":
                self._take_words(*self._words(token.content))
            case "fence":
                code = restore_code(token.content.rstrip("\n"), self._notes)
                self.nesting.add(Part(BlockKind.CODE, code, self.nesting.level))
            case "code_block":
                self.nesting.add_all(plain_parts(restore_code(token.content, self._notes)))
            case "html_block":
                self._html.append(token.content)

    def finish(self) -> None:
        """Read the HTML that came last; a table may be cut into pieces by blank lines."""
        if not self._html:
            return
        self.nesting.place_item()
        fragment = read_html("".join(self._html))
        self._html.clear()
        offset = len(self.nesting.parts)
        for one in fragment.remarks:
            self.saying.add(replace(one, part=one.part + offset))
        self.nesting.add_all(fragment.parts)

    def _take_words(self, text: str, links: tuple[LinkPart, ...]) -> None:
        if self._heading:
            heading = Part(BlockKind.HEADING, text, self._heading, anchors=self._anchors(text))
            self.nesting.add(heading)
            self._heading = 0
        elif self._cells is not None:
            self._cells.append(take_marks(Words(text, ()), self._notes).text)
        elif found := list(note_parts(Words(text, links), self._notes)):
            for part in found:
                self.nesting.add(part)
        else:
            kind = BlockKind.QUOTE if self._quotes else BlockKind.PARAGRAPH
            words = take_marks(Words(text, links), self._notes)
            self.nesting.paragraph(words, kind, joins=_always)

    def _anchors(self, title: str) -> tuple[str, ...]:
        """The names by which a page made of this file links to a heading."""
        named = _OWN_ANCHOR.search(title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = self._slugs[slug]
        self._slugs[slug] += 1
        anchor = f"{slug}-{count}" if count else slug
        return (anchor, named[1]) if named else (anchor,)

    def _words(self, source: str) -> tuple[str, tuple[LinkPart, ...]]:
        """The readable text of one paragraph's source, with line breaks, and its links."""
        if source.count("[") * len(source) > MAX_BRACKET_WORK:
            what = "A paragraph with very many brackets was read as it stands, with its markup"
            self.saying.say(NoteKind.MARKUP, what)
            return source, ()
        tokens: list[Token] = []
        self._parser.inline.parse(source, self._parser, self._env, tokens)
        text = ""
        open_links: list[tuple[int, str]] = []
        links: list[LinkPart] = []
        for token in tokens:
            if token.type == "link_open":
                open_links.append((len(text), str(token.attrGet("href") or "")))
            elif token.type == "link_close" and open_links:
                start, target = open_links.pop()
                if target.startswith("#") and text[start:].strip():
                    links.append(LinkPart(start, len(text), unquote(target[1:])))
            else:
                text += self._inline(token)
        return text, tuple(links)

    def _inline(self, token: Token) -> str:
        match token.type:
            case "softbreak" | "hardbreak":
                return "\n"
            case "html_inline":
                if token.content.startswith("<!--"):
                    hidden = token.content[4:-3]
                    self.saying.say(NoteKind.HIDDEN_TEXT, "Hidden text was left out", hidden)
                return "\n" if re.match(r"<br\b", token.content, re.IGNORECASE) else ""
            case "image":
                self.saying.say(NoteKind.PICTURE, "A picture was left out", token.content)
                return ""
        return token.content


def _link_definitions(env: dict[str, object]) -> Iterator[Remark]:
    """Says which lines were taken for definitions of links, and so are not shown."""
    references = env.get("references")
    if isinstance(references, dict) and references:
        label, first = next(iter(references.items()))
        shown = " ".join(f"{label}: {first.get('href', '')}".split())[:80]
        count = len(references)
        what = (
            "A line that defines a link was"
            if count == 1
            else f"{count} lines that define links were"
        )
        yield Remark(NoteKind.MARKUP, f"{what} left out, first `{shown}`")


def _always(before: str, after: str) -> bool:
    """A line break inside a Markdown paragraph parts nothing."""
    return True
