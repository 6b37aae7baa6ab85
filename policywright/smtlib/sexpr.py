"""Text to s-expressions, each with its line and column; comments kept apart.

Iterative and linear: 10,000 nested parentheses are one sentence, not a stack
overflow, and 5 MB cost what they hold.

Source: SMT-LIB 2.6, section 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
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


@dataclass(frozen=True, slots=True)
class Atom:
    kind: AtomKind
    text: str
    line: int
    column: int

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Node:
    """A list; `end_line` is the line of its closing parenthesis."""

    items: list[Expression]
    line: int
    column: int
    end_line: int = 0

    @property
    def head(self) -> str:
        first = self.items[0] if self.items else None
        is_name = isinstance(first, Atom) and first.kind is AtomKind.SYMBOL
        return first.text if is_name and isinstance(first, Atom) else ""

    def __str__(self) -> str:
        return f"({self.head} ...)" if self.items else "()"


Expression: TypeAlias = Atom | Node


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment's text without semicolons; `alone` if nothing stands before it on its line."""

    text: str
    line: int
    alone: bool


@dataclass(slots=True)
class Parsed:
    expressions: list[Expression] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v\u00a0\ufeff]+)"
    r"|(?P<newline>\n)"
    r"|(?P<comment>;[^\n]*)"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r'|(?P<string>"(?:[^"]|"")*")'
    r"|(?P<quoted>\|[^|\\]*\|)"
    r"|(?P<number>[0-9][^\s()\";|]*)"
    r"|(?P<keyword>:[^\s()\";|]+)"
    r"|(?P<word>[^\s()\";|:0-9][^\s()\";|]*)"
)
_NUMERAL = re.compile(r"0|[1-9][0-9]*")
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)\.[0-9]+")
_SIGNED = re.compile(r"[-+][0-9]+(\.[0-9]+)?")


def parse(text: str) -> Parsed:
    """Every complete expression of a text, its comments, and what is wrong with it."""
    parsed = Parsed()
    stack: list[Node] = []
    for kind, token, line, column in _tokens(text, parsed.problems):
        if len(parsed.problems) >= MAX_PROBLEMS:
            break
        if kind == "open":
            if len(stack) >= MAX_DEPTH:
                message = f"parentheses are nested deeper than {MAX_DEPTH}"
                parsed.problems.append(Problem(line, column, message, "split the rule"))
                return parsed
            stack.append(Node([], line, column))
        elif kind == "close":
            _close(stack, parsed, line, column)
        elif kind == "comment":
            parsed.comments.append(Comment(token.lstrip(";").strip(), line, column == 1))
        else:
            atom = _atom(kind, token, line, column, parsed.problems)
            (stack[-1].items if stack else parsed.expressions).append(atom)
    if stack:
        message = f"this `(` is never closed: `{stack[0]}`"
        problem = Problem(stack[0].line, stack[0].column, message, "add the missing `)`")
        parsed.problems.append(problem)
    return parsed


def _close(stack: list[Node], parsed: Parsed, line: int, column: int) -> None:
    if not stack:
        parsed.problems.append(Problem(line, column, "this `)` closes nothing", "remove it"))
        return
    node = stack.pop()
    node.end_line = line
    (stack[-1].items if stack else parsed.expressions).append(node)


def _tokens(text: str, problems: list[Problem]) -> Iterator[tuple[str, str, int, int]]:
    line, line_start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        column = position - line_start + 1
        if match is None:
            problems.append(_unreadable(text, position, line, column))
            if text[position] in '"|':
                return
            position += 1
            continue
        kind, token = match.lastgroup or "", match.group()
        position = match.end()
        if kind == "comment":
            alone = not text[line_start : match.start()].strip()
            yield kind, token, line, 1 if alone else column
        elif kind not in ("space", "newline"):
            yield kind, token, line, column
        if "\n" in token:
            line += token.count("\n")
            line_start = match.start() + token.rindex("\n") + 1


def _unreadable(text: str, position: int, line: int, column: int) -> Problem:
    character = text[position]
    if character == '"':
        return Problem(line, column, "this string is never closed", 'add the missing `"`')
    if character == "|":
        message = "this quoted name is never closed, or holds a backslash"
        return Problem(line, column, message, "use letters, digits and spaces between bars")
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return Problem(line, column, f"`{shown}` has no meaning here", "remove it")


def _atom(kind: str, token: str, line: int, column: int, problems: list[Problem]) -> Atom:
    if kind == "string":
        return Atom(AtomKind.STRING, token[1:-1].replace('""', '"'), line, column)
    if kind == "quoted":
        return Atom(AtomKind.SYMBOL, token[1:-1], line, column)
    if kind == "keyword":
        return Atom(AtomKind.KEYWORD, token, line, column)
    if kind == "number":
        if _NUMERAL.fullmatch(token):
            return Atom(AtomKind.NUMERAL, token, line, column)
        if not _DECIMAL.fullmatch(token):
            problems.append(_number_problem(token, line, column))
            return Atom(AtomKind.DECIMAL, "0.0", line, column)
        return Atom(AtomKind.DECIMAL, token, line, column)
    if _SIGNED.fullmatch(token):
        sign, digits = token[0], token[1:]
        remedy = f"write `(- {digits})`" if sign == "-" else f"write `{digits}`"
        problems.append(Problem(line, column, f"`{token}` is not how a number is written", remedy))
        return Atom(AtomKind.DECIMAL if "." in digits else AtomKind.NUMERAL, digits, line, column)
    return Atom(AtomKind.SYMBOL, token, line, column)


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
