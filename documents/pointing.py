"""Finds what a sentence leans on: clauses it refers to, defined terms, footnotes, 'Otherwise'."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from documents.clauses import MAX_TARGETS, NUMBER, Clauses
from documents.structure import BlockKind, ReadDocument, Reference
from documents.terms import find_definitions, find_uses

# One to more than this is a place to look at, and no context to read with the sentence.
MAX_POINTED = 20

GOES_ON = re.compile(
    r"(?:otherwise|in all other cases|in any other case|else|if not|failing (?:this|that|which))\b",
    re.IGNORECASE,
)

# Parts that are numbered through a whole document, and parts that are numbered inside those.
_OUTER = (
    r"sections?|secs?\.|articles?|arts?\.|annex(?:es)?|appendix|appendices|schedules?|chapters?"
)
_INNER = r"sub-?clauses?|clauses?|sub-?paragraphs?|paragraphs?|paras?\.|sub-?sections?"
# Words that often stand before a number and refer to nothing.
_UNSURE = r"items?|points?|parts?|rules?|steps?|conditions?|nos?\."
_REFERENCE = re.compile(
    rf"(?<![\w.])(?:(?P<outer>(?i:{_OUTER})\s+|§§?\s?)|(?P<inner>(?i:{_INNER})\s+)"
    rf"|(?i:{_UNSURE})\s+)(?P<cited>(?:§§?\s?)?{NUMBER}"
    rf"(?:\s*(?:,|and|or|to|through|[–-]|,\s*and|,\s*or)\s*(?:§§?\s*)?{NUMBER})*)"
)
# '... of Article 5': where a clause is said to stand.
_WITHIN = re.compile(rf"\s+(?:of|in|under)\s+(?i:{_OUTER}|{_INNER}|parts?)\s+(?P<number>{NUMBER})")
# '... of the Act', '... of Directive 2004/38': a part of another text.
_OUTSIDE = re.compile(
    r"(?:\s*,)?\s+(?:of|to|in|under)\s+(?:the\s+|that\s+|Council\s+|Commission\s+)*"
    r"(?:(?:[A-Z][\w’'-]*\s+(?:(?:and|of|for|on|the)\s+)*){0,6}"
    r"(?:Act|Code|Law|Regulations?|Directive|Convention|Treaty|Constitution|Statute|Ordinance|U\.S\.C|"
    r"C\.?F\.?R|Title|EU|EEC|EC|Manual|Standard|RFC)\b|Title\s+\d|RFC\s?\d|\d+\s+(?:U\.S\.C|C\.?F\.?R)"
    r"|this\s+(?:[Tt]itle|[Cc]ode)\b)"
)
_CITED = re.compile(r"(?:U\.?\s?S\.?\s?C\.?|C\.?\s?F\.?\s?R\.?|RFC\s?\d+,?)\s*$")


def point(document: ReadDocument) -> ReadDocument:
    """The document with its definitions and references, and `pointed` of each sentence."""
    pointer = _Pointer(document)
    definitions = find_definitions(document)
    references = sorted(
        [*pointer.links(), *pointer.citations()], key=lambda one: (one.start, one.end)
    )
    pointed: dict[int, set[int]] = defaultdict(set)
    for reference in references:
        if len(reference.targets) <= MAX_POINTED:
            pointed[reference.sentence].update(reference.targets)
        for target in reference.targets if reference.label else ():
            pointed[target].add(reference.sentence)
    for index, definition in find_uses(document, definitions):
        pointed[index].update(pointer.clauses.with_items(definition.sentence))
    for index, before in pointer.otherwise():
        pointed[index].update(before)
    sentences = tuple(
        replace(sentence, pointed=tuple(sorted(pointed[index] - {index})))
        if index in pointed
        else sentence
        for index, sentence in enumerate(document.sentences)
    )
    return replace(
        document,
        sentences=sentences,
        definitions=definitions,
        references=tuple(references),
    )


class _Pointer:
    """Finds what the words and links of a document point to."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self.clauses = Clauses(document)
        self._starts = [sentence.start for sentence in document.sentences]
        self._linked: set[int] = set()

    def links(self) -> Iterator[Reference]:
        """The author's own links and footnotes' marks."""
        for link in self._document.links:
            mark = link.start == link.end
            # A mark stands behind the words it belongs to.
            at = bisect_right(self._starts, link.start - int(mark)) - 1
            if at < 0 or link.end > self._document.sentences[at].end:
                continue
            targets = tuple(target for target in self.clauses.below(link.block) if target != at)
            if targets:
                self._linked.add(link.start)
                yield Reference(at, link.start, link.end, targets, link.label)

    def citations(self) -> Iterator[Reference]:
        """The words that refer to a clause: 'section 4.2', 'clauses (a) and (b) of Article 5'."""
        text = self._document.text
        for index, sentence in enumerate(self._document.sentences):
            end = sentence.start
            while found := _REFERENCE.search(text, end, sentence.end):
                start, end = found.span()
                within = _WITHIN.match(text, end, sentence.end)
                if within:
                    end = within.end()
                before = text[max(sentence.start, start - 12) : start]
                outside = _OUTSIDE.match(text, end, sentence.end) or _CITED.search(before)
                linked = any(at in self._linked for at in range(start, end))
                if outside or linked:
                    continue
                outer = found["outer"] is not None
                place = within["number"] if within else ""
                every = self.clauses.cited(index, found["cited"], outer=outer, within=place)
                targets = tuple(target for target in every if target != index)
                sure = outer or found["inner"] is not None
                if targets or (sure and not every):
                    yield Reference(index, start, end, targets[:MAX_TARGETS])

    def otherwise(self) -> Iterator[tuple[int, list[int]]]:
        """Each sentence that begins with 'Otherwise', and the sentences that it follows."""
        text, blocks = self._document.text, self._document.blocks
        owners = [sentence.block for sentence in self._document.sentences]
        for index, sentence in enumerate(self._document.sentences):
            if not index or not GOES_ON.match(text, sentence.start, sentence.end):
                continue
            own, above = blocks[sentence.block], blocks[owners[index - 1]]
            first = index - 1
            if own is not above and above.level > own.level and above.kind is BlockKind.ITEM:
                while first and blocks[owners[first]].level > own.level:
                    first -= 1
            yield index, list(range(max(first, index - MAX_TARGETS), index))
