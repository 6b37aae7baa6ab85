"""Structured English as tokens: the phrases of a model, literals, words of the templates.

At each place the longest phrase wins, so that a clause may hold `and` or `if`.
Lists are read off the indentation of their dashes. What fits nothing is
collected as unknown words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from policywright.english.drafts import Word
from policywright.english.phrases import draft_phrases, value_phrase
from policywright.english.quantities import NumberSpellingError, Quantity, match_quantity
from policywright.english.values import unit_word
from policywright.model import Definition, PolicyModel, Variable
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, member, not_

WORDS: dict[str, str] = {
    "IF": "if", "THEN": "then", "AND": "and", "OR": "or", "OTHERWISE": "otherwise",
    "ONLYIF": "only if", "EXACTLYIF": "exactly if", "COMMA": ",", "EITHER": "either",
    "NOTBOTH": "but not both",
    "ALLOF": "all of the following hold:", "ANYOF": "any of the following holds:",
    "NOTALLOF": "not all of the following hold:", "NONEOF": "none of the following holds:",
    "ONEOF": "exactly one of the following holds:", "HOLDS": "the following holds:",
    "HOLDSNOT": "the following does not hold:",
    "ALWAYS": "this always holds", "NEVER": "this never holds",
    "DIFFERENT": "are all different", "NOTDIFFERENT": "are not all different",
    "MORE": "is more than|is greater than|is over|is above|exceeds|is after",
    "ATLEAST": "is at least|is no less than|is not less than|is on or after",
    "LESS": "is less than|is under|is below|is before",
    "ATMOST": "is at most|is no more than|is not more than|does not exceed|is on or before",
    "IS": "is", "ISNOT": "is not", "PLUS": "+", "MINUS": "-|−", "TIMES": "×|*", "DIVIDED": "÷",
    "OF": "of", "NEGATIVE": "minus", "ROUNDED": "rounded down", "LPAR": "(", "RPAR": ")",
    "WHOLE": "the number (", "UNTRUE": "it is not true that",
}  # fmt: skip
_ITEM = re.compile(r"( *)- ")
_UNKNOWN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|\S")


@dataclass(frozen=True, slots=True)
class RuleToken:
    """A token; `terms` are what a phrase stands for, more than one if it is ambiguous."""

    type: str
    text: str
    start: int
    end: int
    terms: tuple[Term, ...] = ()
    quantity: Quantity | None = None

    @property
    def word(self) -> Word:
        return Word(self.start, self.end, self.text)

    @property
    def shows_point(self) -> bool:
        return "." in self.text


@dataclass(frozen=True, slots=True)
class Entry:
    """What a phrase is: a template word, a clause, a number, or a value."""

    type: str
    terms: tuple[Term, ...] = ()


class Phrasebook:
    """The phrases of a model and of the templates, found longest first."""

    def __init__(self, model: PolicyModel) -> None:
        self.entries: dict[str, Entry] = {}
        for token, phrases in WORDS.items():
            for phrase in phrases.split("|"):
                self.entries[phrase] = Entry(token)
        for phrase, type_, term in _phrases_of(model):
            key = _key(phrase)
            known = self.entries.get(key)
            terms = known.terms if known and known.type == type_ else ()
            self.entries[key] = Entry(type_, (*terms, *([] if term in terms else [term])))
        self.by_first: dict[str, list[str]] = {}
        for key in sorted(self.entries, key=len, reverse=True):
            self.by_first.setdefault(_first(key), []).append(key)
        units = {v.unit for v in model.variables if v.unit}
        words = sorted({w for u in units for w in (u, unit_word(u, 1))}, key=len, reverse=True)
        self.unit = re.compile(rf" ?({'|'.join(map(re.escape, words))})(?!\w)") if words else None
        self.unit_names = {unit_word(u, 1): u for u in units} | {u: u for u in units}

    def match(self, lower: str, position: int) -> tuple[str, Entry] | None:
        for key in self.by_first.get(_first(lower[position : position + 80]), []):
            end = position + len(key)
            if not lower.startswith(key, position):
                continue
            inside = end < len(lower) and lower[end].isalnum() and key[-1].isalnum()
            if not inside:
                return key, self.entries[key]
        return None


def tokenize_rule(text: str, model: PolicyModel) -> tuple[list[RuleToken], list[Word]]:
    """The tokens of a text, and the words that are no phrase of the model."""
    book = Phrasebook(model)
    tokens: list[RuleToken] = []
    unknown: list[Word] = []
    lists: list[int] = []
    start = 0
    for line in text.split("\n"):
        body = line.rstrip()
        item = _ITEM.match(body)
        indent = len(body) - len(body.lstrip())
        if body:
            if (lists or item) and tokens and tokens[-1].text in (";", ","):
                tokens.pop()
            tokens += _structure(lists, indent, bool(item), start)
        _line(body, start, item.end() if item else indent, book, tokens, unknown)
        start += len(line) + 1
    while tokens and tokens[-1].text in (".", ";"):
        tokens.pop()
    tokens += [RuleToken("CLOSE", "", start, start) for _ in lists]
    return tokens, [word for word in unknown if word.text not in (".", ";")]


def _structure(lists: list[int], indent: int, is_item: bool, at: int) -> Iterator[RuleToken]:
    """OPEN, NEXT and CLOSE in front of a line; `lists` holds the columns of open dashes."""
    while lists and (lists[-1] > indent or (lists[-1] == indent and not is_item)):
        lists.pop()
        yield RuleToken("CLOSE", "", at, at)
    if is_item and lists and lists[-1] == indent:
        yield RuleToken("NEXT", "", at, at)
    elif is_item:
        lists.append(indent)
        yield RuleToken("OPEN", "", at, at)


def _line(
    line: str,
    start: int,
    position: int,
    book: Phrasebook,
    tokens: list[RuleToken],
    unknown: list[Word],
) -> None:
    lower = line.lower()
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        found = _token(line, lower, position, start, book)
        if found is None:
            word = _UNKNOWN.match(line, position)
            assert word
            end = word.end()
            unknown.append(Word(start + position, start + end, word.group()))
            tokens.append(RuleToken("UNKNOWN", word.group(), start + position, start + end))
            position = end
            continue
        tokens.append(found)
        position = found.end - start


def _token(line: str, lower: str, position: int, start: int, book: Phrasebook) -> RuleToken | None:
    phrase = book.match(lower, position)
    literal = _literal(line, position, start, book)
    if phrase and (literal is None or len(phrase[0]) >= literal.end - literal.start):
        key, entry = phrase
        end = position + len(key)
        return RuleToken(entry.type, line[position:end], start + position, start + end, entry.terms)
    return literal


def _literal(line: str, position: int, start: int, book: Phrasebook) -> RuleToken | None:
    try:
        found = match_quantity(line, position)
    except NumberSpellingError:
        return None
    if found is None:
        return None
    quantity, end = found
    if quantity.kind == "NUMBER" and book.unit:
        unit = book.unit.match(line, end)
        if unit:
            name = book.unit_names[unit.group(1)]
            quantity, end = Quantity("TIME", quantity.value, name), unit.end()
    type_ = "PERCENT" if quantity.kind == "PERCENT" else "LITERAL"
    return RuleToken(type_, line[position:end], start + position, start + end, (), quantity)


def _phrases_of(model: PolicyModel) -> Iterator[tuple[str, str, Term]]:
    symbols: list[Variable | Definition] = [*model.variables, *model.definitions]
    for symbol in symbols:
        phrases = draft_phrases(symbol)
        if symbol.sort == BOOL:
            yield phrases.text, "CLAUSE", symbol.symbol
            yield phrases.negative, "CLAUSE", not_(symbol.symbol)
        else:
            yield phrases.text, "NUMBER", symbol.symbol
    for datatype in model.datatypes:
        for value in datatype.values:
            literal: Literal = member(datatype.id, value.id)
            yield value_phrase(value), "VALUE", literal
            yield f"{value_phrase(value)} of {datatype.name}", "VALUE", literal


def _key(phrase: str) -> str:
    return " ".join(phrase.lower().split())


def _first(text: str) -> str:
    """What the phrases that may begin here have in common: the first word or sign."""
    found = re.match(r"[^\W_]+|\S", text)
    return found.group() if found else ""
