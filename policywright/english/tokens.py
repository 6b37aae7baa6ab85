"""A sentence as tokens: quantities, function words and plain words, each with its place.

A word that no token may hold (see `lexicon.STOP`) is collected as not understood.
Work is linear in the length of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from policywright.english.drafts import AbstentionKind, Word
from policywright.english.lexicon import STOP, VAGUE, phrase_pattern
from policywright.english.quantities import (
    NumberSpellingError,
    Quantity,
    fold_digits,
    match_quantity,
)
from policywright.english.words import word_set

_PHRASE = phrase_pattern()
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*['’]?")
_OTHER = re.compile(r"[^\s\w]|[\w]+")
_BLANK = re.compile(r"\s+")
_SPELLED = re.compile(r"[^\W\d]+\s+\S+|\S+")
_CONTRACTED_NOT = re.compile(r"n['’]t$", re.IGNORECASE)
_AMOUNT_FOLLOWS = word_set("ATLEAST ATMOST UPTO MORE LESS OVER UNDER EXACTLY MONEY")


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One token; `quantity` is set for MONEY, PERCENT, TIME, NUMBER and DATE."""

    type: str
    text: str
    start: int
    end: int
    quantity: Quantity | None = None

    @property
    def word(self) -> Word:
        return Word(self.start, self.end, self.text)


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
    tokens.lexemes = _retagged(tokens.lexemes)
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


def _retagged(lexemes: list[Lexeme]) -> list[Lexeme]:
    """`cost` is a verb only where an amount follows: `a trip costs more than`."""
    tagged = []
    for position, lexeme in enumerate(lexemes):
        following = lexemes[position + 1].type if position + 1 < len(lexemes) else ""
        if lexeme.text.lower() in ("cost", "costs") and following in _AMOUNT_FOLLOWS:
            lexeme = Lexeme("COST", lexeme.text, lexeme.start, lexeme.end)
        tagged.append(lexeme)
    return tagged


def _explain(tokens: Tokens) -> None:
    vague = [word for word in tokens.stops if word.text.lower() in VAGUE]
    names = ", ".join(f"`{word.text}`" for word in tokens.stops[:6])
    if len(vague) == len(tokens.stops):
        tokens.kind = AbstentionKind.NEEDS_JUDGEMENT
        tokens.reason = f"{names} needs a person's judgement; a rule cannot carry it"
    else:
        tokens.reason = f"the grammar does not know what {names} does to the meaning here"
