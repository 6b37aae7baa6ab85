"""Sets sentences like a document: sections under their headings, paragraphs, marked words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from policies.models import Sentence
from vetting.in_hand import Around
from vetting.outline import Covered
from vetting.queue import Queue, cards_of_covered


@dataclass(frozen=True)
class Piece:
    text: str
    marked: bool


@dataclass(frozen=True)
class Heading:
    """`level` is that of the HTML element; at the top it stands below the document's title."""

    level: int
    title: str


@dataclass(frozen=True)
class Said:
    """One thing said of a sentence: the state of a rule of its, or its own."""

    card: str
    state: str


@dataclass(frozen=True)
class Line:
    """A sentence as it is set; `opens` says that a paragraph begins."""

    card: str
    pieces: tuple[Piece, ...]
    says: tuple[Said, ...]
    opens: bool
    is_item: bool
    is_here: bool


@dataclass
class Section:
    document: str
    headings: list[Heading]
    sentences: list[Line] = field(default_factory=list)


def set_document(queue: Queue, around: Around, *, here: str = "") -> list[Section]:
    """The sentences in sections; `here` is the key of the card that is open."""
    sections: list[Section] = []
    before: Sentence | None = None
    for covered in around.shown:
        sentence = around.present.get(covered.lineage)
        if sentence is None:  # of a document that another revision has replaced meanwhile
            continue
        new_document = before is None or before.revision_id != sentence.revision_id
        if new_document or before is None or before.headings != sentence.headings:
            known = [] if new_document or before is None else _path(before)
            title = sentence.revision.document.title if new_document else ""
            sections.append(Section(title, _new_headings(known, _path(sentence))))
        opens = before is None or new_document or sentence.start - before.end > 1
        cut = pieces(sentence.text, around.words.get(covered.lineage, ()))
        line = _line(queue, covered, cut, opens=opens, is_item=bool(sentence.context), here=here)
        sections[-1].sentences.append(line)
        before = sentence
    return sections


def pieces(text: str, words: Iterable[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text cut at the marked words; overlapping marks are joined."""
    found, position = [], 0
    for start, end in sorted(words):
        start, end = max(start, position), min(end, len(text))
        if start >= end:
            continue
        found += [Piece(text[position:start], False), Piece(text[start:end], True)]
        position = end
    found.append(Piece(text[position:], False))
    return tuple(piece for piece in found if piece.text)


def _path(sentence: Sentence) -> list[str]:
    """The headings above a sentence; the document's title is shown once, not twice."""
    path = list(sentence.headings)
    title = sentence.revision.document.title.casefold()
    return path[1:] if path and path[0].casefold() == title else path


def _new_headings(known: Sequence[str], present: Sequence[str]) -> list[Heading]:
    """The headings that stand between two sentences, by the paths above the two."""
    same = 0
    while same < min(len(known), len(present)) and known[same] == present[same]:
        same += 1
    return [
        Heading(min(3 + depth, 6), title) for depth, title in enumerate(present) if depth >= same
    ]


def _line(
    queue: Queue,
    covered: Covered,
    cut: tuple[Piece, ...],
    *,
    opens: bool,
    is_item: bool,
    here: str,
) -> Line:
    keys = cards_of_covered(covered)
    cards = [card for key in keys if (card := queue.card(key)) is not None]
    waiting = [card.key for card in cards if card.waits]
    own = Said(keys[0], str(covered.state))
    says = tuple(Said(card.key, str(card.state)) for card in cards) if len(cards) > 1 else (own,)
    return Line(
        card=(waiting or keys)[0],
        pieces=cut,
        says=says,
        opens=opens,
        is_item=is_item,
        is_here=here in keys,
    )
