"""Cuts the text of one block into sentences.

sentencex finds nearly every boundary and too many; a few rules join what it cut
wrongly: after a list marker, after an abbreviation, after an enumerator inside a
sentence. The split never looks beyond one block. A line break inside a block
ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import sentencex

# sentencex is quadratic in unclosed quotes, so a long block is cut in pieces first.
_PIECE = 5_000


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never the end of a sentence.
_ALWAYS = _words(
    "e.g i.e eg ie cf viz vs mr mrs ms dr prof hon rev st messrs approx incl excl resp esp"
)
# Not the end before a number, a bracket, a section sign or a lone capital ('Annex. B').
_BEFORE_NUMBER = _words(
    "no nos art arts sec secs sect para paras par fig figs tab ch chap cl p pp vol reg regs "
    "sched app ann pt ex max min ca c u.s.c c.f.r stat pub l"
)
# Ends a sentence before a capital, and not before anything else.
_BEFORE_CAPITAL = _words(
    "etc inc ltd co corp llc plc gmbh bros dept govt u.s u.k e.u d.c u.n a.m p.m am pm hr hrs "
    "yr yrs mo mos wk wks min mins seq al ibid id jan feb mar apr jun jul aug sep sept oct "
    "nov dec jr sr ph.d"
)
_ABBREVIATIONS = _ALWAYS | _BEFORE_NUMBER | _BEFORE_CAPITAL

_LAST_WORD = re.compile(r"([^\W\d_][\w.&]*)\.$")
_ONLY_MARKER = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})[.)]+$")
_ONLY_TITLE = re.compile(
    r"(?:Section|Article|Clause|Part|Rule|Chapter|Annex|Appendix|Schedule|Paragraph|Sec\.|Art\.|§+)"
    r"\s*[\dIVX][\w.\-()]*\.$"
)
_ENUMERATOR = re.compile(r"[;:]\s*(?:and\s+|or\s+)?\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,5})[.)]$")
_ENDS = re.compile(r"[.?!…][\"'”’)\]]*(?:\[\d{1,3}\])*$")
_LEADING_MARKER = re.compile(r"\(\w{1,5}\)\s")
# sentencex takes these for abbreviations inside a sentence whatever follows.
_MISSED = re.compile(r"\b(?:etc|no|[ap]\.m|hrs?|mins?|yrs?)\.[\"”’)\]]?\s+(?=[A-Z][a-z])")
# Words that hardly ever stand inside a sentence with a capital: before one, a full stop ends it.
_OPENS = re.compile(
    r"(?<=[^\W_]{2})[.?!][\"”’)\]]*\s+(?=[(\"“‘]?(?:The|This|These|Those|An?|If|When|Where|Such|Each|In"
    r"|It|They|However|Otherwise|For|Any|All|No|You|We|Our|Your)\s)"
)
_NUMBERISH = re.compile(r"[\d(\[§$€£¥#]|[A-Z]\b(?!')|[IVX]+\b")
_CLOCK = re.compile(r"\b[ap]\.?m\.$", re.IGNORECASE)
_AFTER_CLOCK = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Greenwich|Local|UTC|GMT|[A-Z]{1,3}T|[A-Z][a-z]+day)\b"
)


def split_sentences(text: str, abbreviations: Collection[str] = ()) -> list[tuple[int, int]]:
    """The `[start, end)` of each sentence of one block, without blanks around.

    They cover every character that is not blank. `abbreviations` are an
    organisation's own ('Ref.', 'MGR.'), with or without the full stop; after one
    of them a sentence goes on.
    """
    own = frozenset(word.casefold().rstrip(".") for word in abbreviations)
    kept: list[int] = [0]
    for boundary in _boundaries(text):
        if not _joins(text, kept[-1], boundary, own):
            kept.append(boundary)
    if len(kept) > 1 and not _has_word(text[kept[-1] :]):
        kept.pop()
    spans = zip(kept, [*kept[1:], len(text)], strict=True)
    return [trimmed for start, end in spans if (trimmed := _trim(text, start, end))]


def _boundaries(text: str) -> list[int]:
    """Where a sentence may begin, in order: too many rather than too few."""
    flat = text.replace("\n", " ").replace("\r", " ")
    if _LEADING_MARKER.match(flat):
        flat = "x" + flat[1:]  # sentencex finds nothing after a leading '(a)'
    found = [match.end() for match in _MISSED.finditer(flat)]
    found += [match.end() for match in _OPENS.finditer(flat) if not _is_quoted(flat, match.start())]
    start = 0
    while start < len(flat):
        end = min(start + _PIECE, len(flat))
        if end < len(flat):
            end = max(flat.rfind(" ", start, end) + 1, 0) or end
        pieces = sentencex.get_sentence_boundaries("en", flat[start:end])
        found += [start + piece["start_index"] for piece in pieces if piece["start_index"]]
        # The seam between two pieces is a boundary only where a sentence may end.
        if end < len(flat) and _ENDS.search(flat[max(start, end - 20) : end].rstrip()):
            found.append(end)
        start = end
    return sorted(set(found))


def _joins(text: str, start: int, boundary: int, own: Collection[str]) -> bool:
    """True where `boundary` is inside a sentence that began at `start`."""
    # Only the near neighbourhood decides, so that a long line costs no more.
    left = text[max(start, boundary - 80) : boundary].strip()
    right = text[boundary : boundary + 80].lstrip()
    if not _has_word(left) or not right or right[0] in ",;:" or not _ENDS.search(left):
        return True  # '... if: (a) ...; and (b) ...' is one sentence
    if boundary - start <= 80 and (_ONLY_MARKER.match(left) or _ONLY_TITLE.match(left)):
        return True
    if _ENUMERATOR.search(left):
        return True
    if _CLOCK.search(left) and _AFTER_CLOCK.match(right):
        return True
    word = _LAST_WORD.search(left)
    return word is not None and _continues(word[1].casefold(), right, own)


def _continues(word: str, right: str, own: Collection[str]) -> bool:
    if word in _ALWAYS or word in own:
        return True
    if word not in _ABBREVIATIONS:
        return False
    if right[0].islower() or right[0] in ",;:":
        return True
    if word in _BEFORE_NUMBER:
        return _NUMBERISH.match(right) is not None
    return right[0].isdigit() or right[0] == "§"


def _is_quoted(text: str, at: int) -> bool:
    """True inside a quotation that began not far before; '“Stop. The end.”' stays whole."""
    near = text[max(0, at - 300) : at]
    return near.rfind("“") > near.rfind("”")


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    return (left, right) if left < right else None
