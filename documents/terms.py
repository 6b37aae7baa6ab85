"""Finds the terms that a document defines, and the sentences that use them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.structure import BlockKind, Definition, ReadDocument, Sentence

# The headings under which alone a definition holds; None for all of the document.
_Scope = tuple[str, ...] | None

# A longer term is no term but a sentence in quotes.
_MAX_WORDS = 8
# How far before a term another one of the same list may begin.
_NEAR = 100
# A term that is defined more often is pointed to at its first definitions only.
_MAX_DEFINITIONS = 5

_QUOTED = r"[“\"‘']([^“”\"‘\n]{1,80}?)[”\"’']"
_SAYS = (
    r"(?:means?|shall\s+mean|(?:is|are)\s+defined\s+(?:as|in|to)|(?:has|have|shall\s+have)\s+the"
    r"\s+(?:same\s+)?meanings?|(?:shall\s+)?includes?|(?:shall\s+not|do(?:es)?\s+not)\s+include"
    r"|refers?\s+to|denotes?)\b"
)
_ASIDE = r"(?:\s*\([^()]{0,80}\))?(?:\s*,[^,.;:]{0,80},)?\s*"
_DEFINES = re.compile(rf"{_QUOTED}(?:\s*(?:,|or|and|,\s*or|,\s*and)\s*{_QUOTED})?{_ASIDE}{_SAYS}")
_ONE_MORE = re.compile(rf"{_QUOTED}[\s,]*(?:and|or)?\s*$")
_TERM_IS = re.compile(rf"^(?:the\s+)?(?:term|word|expression)s?\s+{_QUOTED}\s+(?:is|are)\b", re.I)
_PLAIN = re.compile(
    r"(?:(?:An?|The)\s+)?((?:\w[\w’'-]*\s+){0,3}?\w[\w’'-]*)\s+(?:means|shall\s+mean)\s+(?!of\b|to\b|by\b)"
)
_IN_BRACKETS = re.compile(
    r"\((?:(?:hereinafter|collectively|together|each|individually|also)\b[\s,]*(?:referred to as|"
    rf"called|known as)?\s*)*(?:the|an?)?\s*{_QUOTED}\)"
)
_COLON = re.compile(r"([A-Z][\w’'-]*(?:\s+[\w’'()-]+){0,5}?)\s*(?::|\s[–—-])\s+\S")
_GLOSSARY = re.compile(r"\b(?:definitions?|defined terms|glossary|terms)\b", re.IGNORECASE)
_TERM_COLUMN = re.compile(
    r"^(?:defined )?(?:terms?|words?|expressions?|abbreviations?)$", re.IGNORECASE
)
# Words that no term holds: with one of them, 'X means' is some other sentence.
_NO_TERM = frozenset({
    "this", "that", "it", "which", "these", "those", "what", "who", "they", "here", "there", "may",
    "must", "shall", "can", "will", "use", "uses", "used", "provide", "provides", "by", "any",
    "other", "various", "all", "such", "is", "are", "has", "have", "if", "not",
})  # fmt: skip
_IN_SECTION = re.compile(
    r"\b(?:purposes?\s+of|in|under)\s+this\s+(?:section|article|clause|(?:sub)?paragraph|subsection)\b",
    re.I,
)
_WORD = re.compile(r"[^\W_](?:[\w’'-]*[^\W_])?")


def find_definitions(document: ReadDocument) -> tuple[Definition, ...]:
    """The definitions of a document in order: '"Business day" means ...' and the like."""
    return tuple(
        Definition(document.text[start:end], start, end, index)
        for index, sentence in enumerate(document.sentences)
        for start, end in sorted(set(_terms(document, sentence)))
        if _is_term(document.text[start:end])
    )


def find_uses(
    document: ReadDocument, definitions: Sequence[Definition]
) -> Iterator[tuple[int, Definition]]:
    """Each sentence's index with a definition whose term it uses, but for its own.

    A term that is written with capitals in the middle of sentences ('the Company')
    is used only where it has them. A plural counts. What is defined 'for purposes of
    this section' is used under the same heading only.
    """
    terms = _Terms()
    for definition in definitions:
        terms.add(definition, _scope(document, definition))
    uses = [
        (index, term, exact, at == 0)
        for index, sentence in enumerate(document.sentences)
        for term, exact, at in terms.find(
            document.text[sentence.start : sentence.end], sentence.headings
        )
        if term.definition.sentence != index
    ]
    capital = {
        term.stems
        for _, term, exact, first in uses
        if exact and not first and term.definition.term != term.definition.term.lower()
    }
    for index, term, exact, _ in uses:
        strict = term.stems in capital or term.definition.term.isupper()
        if exact or not strict:
            yield index, term.definition


@dataclass(frozen=True, slots=True)
class _Term:
    definition: Definition
    words: tuple[str, ...]
    stems: tuple[str, ...]


def _scope(document: ReadDocument, definition: Definition) -> _Scope:
    """The headings that a definition 'for purposes of this section' is limited to, else None."""
    sentence = document.sentences[definition.sentence]
    said = _IN_SECTION.search(document.text, sentence.start, definition.start)
    return sentence.headings if said else None


class _Terms:
    """The defined terms, found in a text in time linear in its words."""

    def __init__(self) -> None:
        self._terms: dict[tuple[_Scope, tuple[str, ...]], list[_Term]] = defaultdict(list)
        self._lengths: dict[str, set[int]] = defaultdict(set)

    def add(self, definition: Definition, scope: _Scope) -> None:
        words = tuple(_WORD.findall(definition.term))
        stems = tuple(map(_stem, words))
        held = self._terms[(scope, stems)]
        if len(held) < _MAX_DEFINITIONS:
            held.append(_Term(definition, words, stems))
            self._lengths[stems[0]].add(len(stems))

    def find(self, text: str, headings: tuple[str, ...]) -> Iterator[tuple[_Term, bool, int]]:
        """The terms in a text, whether each has the letters it was defined with, and where."""
        words = _WORD.findall(text)
        stems = [_stem(word) for word in words]
        for at, stem in enumerate(stems):
            for length in self._lengths.get(stem, ()):
                key = tuple(stems[at : at + length])
                known = self._terms.get((None, key), []) + self._terms.get((headings, key), [])
                for term in known:
                    pairs = zip(words[at : at + length], term.words, strict=True)
                    yield term, all(one[:1] == other[:1] for one, other in pairs), at


def _terms(document: ReadDocument, sentence: Sentence) -> Iterator[tuple[int, int]]:
    text = document.text[sentence.start : sentence.end]
    defining = list(_DEFINES.finditer(text))
    found = [*defining, *_IN_BRACKETS.finditer(text)]
    found += [match for match in (_TERM_IS.match(text), _PLAIN.match(text)) if match]
    block = document.blocks[sentence.block]
    if block.kind is BlockKind.TABLE_ROW:
        if sentence.context and _TERM_COLUMN.match(sentence.context[0]) and block.cells:
            yield block.cells[0].start, block.cells[0].end
    elif not found and sentence.headings and _GLOSSARY.search(sentence.headings[-1]):
        found += [match for match in (_COLON.match(text),) if match]
    for match in defining:
        # '“A,” “B,” and “C” mean ...': the match has the last two of them.
        at = match.start()
        while before := _ONE_MORE.search(text, max(0, at - _NEAR), at):
            found.append(before)
            at = before.start()
    for match in found:
        for group in range(1, (match.lastindex or 0) + 1):
            if match[group]:
                start, end = match.span(group)
                inner = text[start:end]
                start += len(inner) - len(inner.lstrip())
                yield sentence.start + start, sentence.start + start + len(inner.strip(" ,.;"))


def _is_term(term: str) -> bool:
    words = _WORD.findall(term)
    small = {word.lower() for word in words}
    return 0 < len(words) <= _MAX_WORDS and not small & _NO_TERM and not small <= {"a", "an", "the"}


def _stem(word: str) -> str:
    """A word in lower case without the endings of plural and possession."""
    word = re.sub(r"['’]s?$", "", word.lower())
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" else word
