"""Text to s-expressions, each with its line and column; comments kept apart.

Iterative and linear: 10,000 nested parentheses are one sentence, not a stack
overflow, and 5 MB cost what they hold. Lines and columns are worked out when the
first problem needs one; until then a token is known by its number.

Source: SMT-LIB 2.6, section 3.1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from policywright.errors import Problem

MAX_DEPTH = 200
MAX_PROBLEMS = 100


class AtomKind(Enum):
    SYMBOL = "name"
    NUMERAL = "whole number"
    DECIMAL = "decimal"
    STRING = "string"
    KEYWORD = "keyword"


_BLANKS = " \t\r\f\v\u00a0\ufeff\n"
_BLANK = r"[ \t\r\f\v\u00a0\ufeff]"
_TOKEN = re.compile(
    r"[()]"
    r'|[^\s()";|]+'
    rf"|(?:\n|\A){_BLANK}*;[^\n]*"  # A comment on a line of its own.
    r"|;[^\n]*"
    r'|"(?:[^"]|"")*"'
    r"|\|[^|\\]*\|"
    rf"|(?!{_BLANK}|\n)."  # What has no meaning, or opens a string or a name that never closes.
)


class Places:
    """Where the tokens of a text stand."""

    def __init__(self, text: str) -> None:
        self.text = text

    def of(self, at: int) -> tuple[int, int]:
        """The line and the column of a token, by its number."""
        start = self._starts[at]
        line = bisect_right(self._line_starts, start)
        return line, start - self._line_starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        # A comment on a line of its own begins behind its blanks.
        return [m.end() - len(m.group().lstrip(_BLANKS)) for m in _TOKEN.finditer(self.text)]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


@dataclass(slots=True)
class Atom:
    kind: AtomKind
    text: str
    at: int
    places: Places

    @property
    def place(self) -> tuple[int, int]:
        return self.places.of(self.at)

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Node:
    """A list; `at` and `end` number its opening and its closing parenthesis."""

    items: list[Expression]
    at: int
    places: Places
    end: int = 0

    @property
    def place(self) -> tuple[int, int]:
        return self.places.of(self.at)

    @property
    def head(self) -> str:
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Atom) and first.kind is _SYMBOL else ""

    def __str__(self) -> str:
        return f"({self.head} ...)" if self.items else "()"


Expression: TypeAlias = Atom | Node


@dataclass(slots=True)
class Comment:
    """A comment's text without semicolons; `alone` if nothing stands before it on its line."""

    text: str
    at: int
    alone: bool


@dataclass(slots=True)
class Parsed:
    places: Places
    expressions: list[Expression] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


_SYMBOL = AtomKind.SYMBOL
_SIGNS = frozenset("=<>*/!_")
_NUMERAL = re.compile(r"0|[1-9][0-9]*")
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)\.[0-9]+")
_SIGNED = re.compile(r"[-+][0-9]+(\.[0-9]+)?")


def parse(text: str) -> Parsed:
    """Every complete expression of a text, its comments, and what is wrong with it."""
    places = Places(text)
    parsed = Parsed(places)
    problems = parsed.problems
    half = _half_a_character(text)
    if half is not None:
        problems.append(half)
        return parsed
    stack: list[Node] = []
    items = parsed.expressions
    for at, token in enumerate(_TOKEN.findall(text)):
        first = token[0]
        if first == "(":
            node = Node([], at, places)
            items.append(node)
            stack.append(node)
            items = node.items
            if len(stack) > MAX_DEPTH:
                message = f"parentheses are nested deeper than {MAX_DEPTH}"
                problems.append(Problem(*node.place, message, "split the rule"))
                parsed.expressions.pop()
                return parsed
        elif first == ")":
            if stack:
                stack.pop().end = at
                items = stack[-1].items if stack else parsed.expressions
            else:
                problems.append(Problem(*places.of(at), "this `)` closes nothing", "remove it"))
        elif first.isalpha() or first in _SIGNS:
            items.append(Atom(_SYMBOL, token, at, places))
        elif ";" in token:
            alone = first != ";" or at == 0
            parsed.comments.append(Comment(token.strip().lstrip(";").strip(), at, alone))
        elif len(token) == 1 and (first in '":|' or first.isspace()):
            problems.append(_unreadable(first, places.of(at)))
            if first in '"|':
                break
        else:
            items.append(_atom(token, at, parsed))
        if len(problems) >= MAX_PROBLEMS:
            break
    if stack:
        parsed.expressions.pop()
        message = f"this `(` is never closed: `{stack[0]}`"
        problems.append(Problem(*stack[0].place, message, "add the missing `)`"))
    return parsed


def _half_a_character(text: str) -> Problem | None:
    """A lone surrogate, which no file can hold and nothing can hash."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start]
        line, column = before.count("\n") + 1, error.start - before.rfind("\n")
        return Problem(line, column, "half a character stands here", "remove it")
    return None


def _unreadable(character: str, place: tuple[int, int]) -> Problem:
    if character == '"':
        return Problem(*place, "this string is never closed", 'add the missing `"`')
    if character == "|":
        message = "this quoted name is never closed, or holds a backslash"
        return Problem(*place, message, "use letters, digits and spaces between bars")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return Problem(*place, f"`{shown}` has no meaning here", "remove it")


def _atom(token: str, at: int, parsed: Parsed) -> Atom:
    """What begins with no letter: strings, quoted names, keywords, numbers, other names."""
    kind, text, problem = _SYMBOL, token, None
    if token[0] == '"':
        kind, text = AtomKind.STRING, token[1:-1].replace('""', '"')
    elif token[0] == "|":
        text = token[1:-1]
    elif token[0] == ":":
        kind = AtomKind.KEYWORD
    elif _NUMERAL.fullmatch(token):
        kind = AtomKind.NUMERAL
    elif _DECIMAL.fullmatch(token):
        kind = AtomKind.DECIMAL
    elif _SIGNED.fullmatch(token):
        text = token[1:]
        kind = AtomKind.DECIMAL if "." in text else AtomKind.NUMERAL
        remedy = f"write `(- {text})`" if token[0] == "-" else f"write `{text}`"
        problem = Problem(
            *parsed.places.of(at), f"`{token}` is not how a number is written", remedy
        )
    elif token[0] in "0123456789":
        kind, text = AtomKind.NUMERAL, "0"  # Fits beside whole numbers and decimals alike.
        problem = _number_problem(token, *parsed.places.of(at))
    if problem is not None:
        parsed.problems.append(problem)
    return Atom(kind, text, at, parsed.places)


def _number_problem(token: str, line: int, column: int) -> Problem:
    remedy = "write digits, with one point and digits behind it for a decimal"
    stripped = token.lstrip("0") or "0"
    if _NUMERAL.fullmatch(stripped):
        remedy = f"write `{stripped}`"
    elif token.endswith(".") and _NUMERAL.fullmatch(token[:-1]):
        remedy = f"write `{token}0` or `{token[:-1]}`"
    elif _NUMERAL.fullmatch(token.replace(",", "")):
        remedy = f"write `{token.replace(',', '')}`"
    elif token.endswith("%"):
        remedy = "write the share, such as `0.05` for 5%"
    elif "/" in token:
        remedy = "write `(/ 1.0 3.0)` for a third"
    return Problem(line, column, f"`{token[:40]}` is not how a number is written", remedy)
