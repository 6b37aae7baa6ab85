"""Text to s-expressions, each with its line and column; comments kept apart.

Iterative and linear: 10,000 nested parentheses are one sentence, not a stack
overflow, and 5 MB cost what they hold.

A text is parsed without places first: equal atoms are then one object, and whoever
asks where one stands gets a PlaceNeededError. Only a text with something wrong in it
is parsed again, each token with its number, from which line and column are worked out.

Source: SMT-LIB 2.6, section 3.1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
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


class PlaceNeededError(Exception):
    """A place was asked for in a text that was parsed without places."""


class NoPlaces:
    """The places of a text of which nobody expects to be asked for one."""

    def of(self, at: int) -> tuple[int, int]:
        raise PlaceNeededError


class Places(NoPlaces):
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


class Atom:
    """A word of a text; `at` is its number."""

    __slots__ = ("at", "kind", "places", "text")

    def __init__(self, kind: AtomKind, text: str, at: int, places: NoPlaces) -> None:
        self.kind, self.text, self.at, self.places = kind, text, at, places

    @property
    def place(self) -> tuple[int, int]:
        return self.places.of(self.at)

    def __str__(self) -> str:
        return self.text


class Node(list["Expression"]):
    """A list; `at` and `end` number its parentheses, in a text without places at its top alone."""

    at = end = 0
    places = NoPlaces()

    @property
    def place(self) -> tuple[int, int]:
        return self.places.of(self.at)

    @property
    def head(self) -> str:
        first = self[0] if self else None
        return first.text if isinstance(first, Atom) and first.kind is _SYMBOL else ""

    def __str__(self) -> str:
        return f"({self.head} ...)" if self else "()"


Expression: TypeAlias = Atom | Node


_SYMBOL = AtomKind.SYMBOL
_OPENERS = frozenset('"|')
_SIGNS = frozenset("=<>*/!_")
_NUMERAL = re.compile(r"0|[1-9][0-9]*")
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)\.[0-9]+")
_SIGNED = re.compile(r"[-+][0-9]+(\.[0-9]+)?")


class Parsed:
    """The expressions of a text, one by one, with the comments before them and what is wrong.

    `tokens` are the pieces of the text, of which `next` is the number of the next one;
    a reader that knows what a piece is may take it from there by itself.
    """

    def __init__(self, text: str, *, placed: bool) -> None:
        """PlaceNeededError is raised where something is wrong in a text that is not `placed`."""
        self.places = Places(text) if placed else NoPlaces()
        self.problems: list[Problem] = []
        self.tokens: list[str] = _TOKEN.findall(text)
        self.next = 0
        self.placed = placed
        self._known: dict[str, Atom] = {}
        self._comments: list[tuple[str, int]] = []
        self._unreadable = 0
        half = _half_a_character(text)
        if half is not None:
            self.problems.append(half)
            self.next = len(self.tokens)

    def upcoming(self) -> str:
        """The next token that is no comment; empty at the end. Comments before it are kept."""
        while self.next < len(self.tokens):
            token = self.tokens[self.next]
            if not _is_comment(token):
                return token
            if token[0] != ";" or not self.next:
                self._comments.append((token, self.next))
            self.next += 1
        return ""

    def comments(self) -> list[tuple[str, int]]:
        """Texts and numbers of the comments on lines of their own that were just passed."""
        found, self._comments = self._comments, []
        return found

    def behind(self) -> str:
        """The comment that follows on the same line, if any."""
        token = self.tokens[self.next] if self.next < len(self.tokens) else ""
        return comment_text(token) if token[:1] == ";" else ""

    def expressions(self) -> list[Expression]:
        """All that is left, without the comments."""
        found = []
        while self.upcoming():
            expression = self.expression()
            if expression is not None:
                found.append(expression)
        return found

    def expression(self) -> Expression | None:
        """The expression that begins with the next token; None if there is none to be read."""
        stack: list[Node] = []
        tokens, known = self.tokens, self._known
        for at in range(self.next, len(tokens)):
            token = tokens[at]
            if token == "(":
                node = Node()
                if self.placed or not stack:
                    node.at, node.places = at, self.places
                if stack:
                    stack[-1].append(node)
                stack.append(node)
                if len(stack) > MAX_DEPTH:
                    message = f"parentheses are nested deeper than {MAX_DEPTH}"
                    self._stop(Problem(*node.place, message, "split the rule"))
                    return None
            elif token == ")" and stack:
                node = stack.pop()
                if not stack:
                    self.next = at + 1
                    return node
            else:
                atom = known.get(token) or self._atom(token, at)
                if token in _OPENERS or self._unreadable >= MAX_PROBLEMS:
                    break
                if atom is not None and stack:
                    stack[-1].append(atom)
                elif not stack:
                    self.next = at + 1
                    return atom
        self.next = len(tokens)
        if stack:
            message = f"this `(` is never closed: `{stack[0]}`"
            self._stop(Problem(*stack[0].place, message, "add the missing `)`"))
        return None

    def _stop(self, problem: Problem) -> None:
        self.problems.append(problem)
        self.next = len(self.tokens)

    def _atom(self, token: str, at: int) -> Atom | None:
        """The atom that a token is; None for a comment, and for what has no meaning."""
        if _is_comment(token):
            return None
        before = len(self.problems)
        atom = _atom(token, at, self)
        self._unreadable += len(self.problems) - before
        if not self.placed and atom is not None:
            self._known[token] = atom
        return atom


def _is_comment(token: str) -> bool:
    return token[0] == ";" or (token[0] in _BLANKS and len(token) > 1)


def comment_text(token: str) -> str:
    """A comment without its semicolons."""
    return token.strip().lstrip(";").strip()


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


def _atom(token: str, at: int, parsed: Parsed) -> Atom | None:
    """Names, quoted names, strings, keywords, numbers; None for what has no meaning."""
    kind, text, problem = _SYMBOL, token, None
    if token[0].isalpha() or token[0] in _SIGNS:
        return Atom(kind, token, at, parsed.places)
    if token == ")":
        message = "this `)` closes nothing"
        parsed.problems.append(Problem(*parsed.places.of(at), message, "remove it"))
        return None
    if len(token) == 1 and (token in '":|' or token.isspace()):
        parsed.problems.append(_unreadable(token, parsed.places.of(at)))
        return None
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
