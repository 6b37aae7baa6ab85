"""A sentence as tokens: quantities, function words and plain words, each with its place.

A word that no token may hold (see `lexicon.STOP`) is collected as not understood.
Work is linear in the length of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from policywright.english.drafts import AbstentionKind
from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import CONTEXTUAL, FRACTIONS, STOP, VAGUE, phrase_pattern
from policywright.english.places import Word
from policywright.english.pronouns import resolve
from policywright.english.quantities import (
    NumberSpellingError,
    Quantity,
    fold_digits,
    match_quantity,
)
from policywright.english.words import is_postmodifier, word_set

_PHRASE = phrase_pattern()
_CONTEXTUAL = [(kind, re.compile(pattern)) for kind, pattern in CONTEXTUAL.items()]
_FRACTION = re.compile(rf"(?:{'|'.join(FRACTIONS)})(?=\s+(?:of|the)\b)", re.IGNORECASE)
# Another place of the document; what it does to a meaning is the grammar's to judge.
_REFERENCE = re.compile(
    r"(?:§§?\s*\d|(?:article|section|clause|paragraph|subsection|chapter|annex|appendix|schedule)"
    r"\s+\d)[\d.-]*(?<![.-])(?:\([a-z\d]{1,4}\))*(?!\w)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
_OTHER = re.compile(r"[^\s\w]|[\w]+")
_BLANK = re.compile(r"\s+")
_SPELLED = re.compile(r"[^\W\d]+\s+\S+|\S+")
_CONTRACTED_NOT = re.compile(r"n['’]t$", re.IGNORECASE)
_CHARGED = word_set("due payable charged levied required")
_AMOUNT_FOLLOWS = word_set("ATLEAST ATMOST UPTO MORE LESS OVER UNDER EXACTLY MONEY")


@dataclass(slots=True)
class Tokens:
    """The tokens of a sentence, and the words that no rule can be drafted over."""

    lexemes: list[Lexeme] = field(default_factory=list)
    stops: list[Word] = field(default_factory=list)
    kind: AbstentionKind = AbstentionKind.NOT_UNDERSTOOD
    reason: str = ""


def tokenize(text: str) -> Tokens:
    """All tokens of a sentence; the closing full stop or semicolon is left out."""
    folded = fold_digits(text)
    end = len(folded.rstrip().rstrip(".;!").rstrip())
    tokens = Tokens()
    position = 0
    while position < end:
        blank = _BLANK.match(folded, position)
        if blank:
            position = blank.end()
            continue
        lexeme = _next(folded, position, end, tokens)
        if lexeme.type == "STOP":
            tokens.stops.append(lexeme.word)
        else:
            tokens.lexemes.append(lexeme)
        position = lexeme.end
    tokens.lexemes, unknown = resolve(_retagged(tokens.lexemes))
    tokens.stops += [lexeme.word for lexeme in unknown]
    tokens.stops.sort(key=lambda word: word.start)
    if tokens.stops and not tokens.reason:
        _explain(tokens)
    return tokens


def _next(text: str, position: int, end: int, tokens: Tokens) -> Lexeme:
    try:
        quantity = match_quantity(text, position)
    except NumberSpellingError as error:
        tokens.reason, tokens.kind = str(error), AbstentionKind.AMBIGUOUS
        stop = _SPELLED.match(text, position)
        assert stop
        return Lexeme("STOP", stop.group(), position, stop.end())
    if quantity:
        value, stop_at = quantity
        return Lexeme(value.kind, text[position:stop_at], position, stop_at, value)
    fraction = _FRACTION.match(text, position)
    if fraction:
        share = Quantity("PERCENT", FRACTIONS[fraction.group().lower()], "share")
        return Lexeme("FRACTION", fraction.group(), position, fraction.end(), share)
    special = _contextual(text, position)
    if special:
        return special
    phrase = _PHRASE.match(text, position, end)
    if phrase and phrase.lastgroup:
        kind = phrase.lastgroup.rsplit("_", 1)[0]
        return Lexeme(kind, phrase.group(), position, phrase.end())
    word = _WORD.match(text, position, end)
    if word is None:
        other = _OTHER.match(text, position, end)
        assert other
        return Lexeme("STOP", other.group(), position, other.end())
    plain = word.group().lower()
    stops = plain in STOP or bool(_CONTRACTED_NOT.search(plain))
    return Lexeme("STOP" if stops else "WORD", word.group(), position, word.end())


def _contextual(text: str, position: int) -> Lexeme | None:
    if position and text[position - 1].isalnum():
        return None
    for kind, pattern in _CONTEXTUAL:
        found = pattern.match(text, position)
        if found:
            return Lexeme(kind, found.group(), position, found.end())
    reference = _REFERENCE.match(text, position)
    return reference and Lexeme("REF", reference.group(), position, reference.end())


def _retagged(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Words whose part in the sentence only their neighbours tell.

    `cost` is a verb only where an amount follows: `a trip costs more than`. A
    participle right behind a noun may say which one is meant: `trips booked online`.
    `due` and the like make a charge of an amount: `a fee of EUR 5 is due`.
    """
    tagged: list[Lexeme] = []
    for position, lexeme in enumerate(lexemes):
        following = lexemes[position + 1].type if position + 1 < len(lexemes) else ""
        before = tagged[-1] if tagged else None
        kind = lexeme.type
        if lexeme.text.lower() in ("cost", "costs") and following in _AMOUNT_FOLLOWS:
            kind = "COST"
        elif kind == "WORD" and before is not None:
            kind = _by_neighbour(lexeme, before)
        tagged.append(replace(lexeme, type=kind))
    return tagged


def _by_neighbour(lexeme: Lexeme, before: Lexeme) -> str:
    word = lexeme.text.lower()
    if before.type == "BE" and word in _CHARGED:
        return "DUE"
    names = before.type == "WORD" and not before.text.lower().endswith("ly")
    if names and is_postmodifier(word) and not is_postmodifier(before.text.lower()):
        return "PART"
    return "WORD"


def _explain(tokens: Tokens) -> None:
    vague = [word for word in tokens.stops if word.text.lower() in VAGUE]
    names = ", ".join(f"`{word.text}`" for word in tokens.stops[:6])
    if len(vague) == len(tokens.stops):
        tokens.kind = AbstentionKind.NEEDS_JUDGEMENT
        tokens.reason = f"{names} needs a person's judgement; a rule cannot carry it"
    else:
        tokens.reason = f"the grammar does not know what {names} does to the meaning here"
