"""Plain assertions and declarations read straight from their tokens, without a tree.

Nearly every rule is made of known names, numbers and operators whose sorts fit. What is
anything else, be it a `let` or a mistake, is left where it stands: the reader of terms
takes it from there, and gives the same term for all that is read here.
"""

from __future__ import annotations

import re

from policywright.errors import SortError
from policywright.names import is_plain
from policywright.smtlib.extent import extent, too_large
from policywright.smtlib.scope import Scope
from policywright.smtlib.sexpr import MAX_DEPTH, Parsed
from policywright.sorts import Sort
from policywright.terms import FACTORIES, Term, integer, real

_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,99})(\.[0-9]{1,99})?")
_LABEL = re.compile(r"[A-Za-z][^\s()\";|]*")
_MANY = frozenset({"and", "or", "+", "*", "distinct", "ite"})
"""With more than two arguments they are one term; others would be larger than their text."""


class PlainReader:
    """Takes what is plain from a text; numbers are kept, names are looked up each time."""

    def __init__(self, parsed: Parsed, scope: Scope) -> None:
        self._parsed, self._scope = parsed, scope
        self._numbers: dict[str, Term] = {}

    def assertion(self) -> tuple[Term, str] | None:
        """The term and the name of an assertion that is next; None if it is not a plain one.

        Of a text with places, in which something is wrong, nothing is taken for plain.
        """
        tokens, start = self._parsed.tokens, self._parsed.next
        if self._parsed.placed or tokens[start : start + 2] != ["(", "assert"]:
            return None
        named = tokens[start + 2 : start + 4] == ["(", "!"]
        try:
            term, at = self._term(start + 4 if named else start + 2)
        except (_NotPlainError, SortError, TypeError, IndexError):
            return None
        behind, label = [")"], ""
        if named:
            label = "".join(tokens[at + 1 : at + 2])
            behind = [":named", label, ")", ")"]
        if tokens[at : at + len(behind)] != behind or self._is_too_large(term):
            return None
        if named and not _LABEL.fullmatch(label):
            return None
        self._parsed.next = at + len(behind)
        return term, label

    def variable(self) -> tuple[str, Sort] | None:
        """The name and the sort of a variable that is declared next; None if it is not plain."""
        tokens, start = self._parsed.tokens, self._parsed.next
        if self._parsed.placed or tokens[start : start + 2] != ["(", "declare-const"]:
            return None
        name, sort, end = [*tokens[start + 2 : start + 5], "", "", ""][:3]
        if end != ")" or sort not in self._scope.sorts or not is_plain(name):
            return None
        self._parsed.next = start + 5
        return name, self._scope.sorts[sort]

    def _term(self, at: int) -> tuple[Term, int]:
        """The term that begins at a token, and the place behind it."""
        tokens, symbols, numbers = self._parsed.tokens, self._scope.symbols, self._numbers
        heads: list[str] = []
        waiting: list[list[Term]] = []
        args: list[Term] = []
        while True:
            token = tokens[at]
            at += 1
            if token == "(":
                waiting.append(args)
                heads.append(tokens[at])
                at += 1
                args = []
                if len(heads) >= MAX_DEPTH - 2:
                    raise _NotPlainError
            elif token == ")":
                head = heads.pop()
                factory = FACTORIES.get(head)
                if factory is None or (len(args) > 2 and head not in _MANY):
                    raise _NotPlainError
                term = factory(*args)
                args = waiting.pop()
                args.append(term)
            else:
                args.append(symbols.get(token) or numbers.get(token) or self._constant(token))
            if not heads:
                return args[0], at

    def _constant(self, token: str) -> Term:
        number = _NUMBER.fullmatch(token)
        if number:
            term = self._numbers[token] = real(token) if number[1] else integer(int(token))
            return term
        values = self._scope.values.get(token, {})
        if len(values) != 1:
            raise _NotPlainError
        return next(iter(values.values()))

    def _is_too_large(self, term: Term) -> bool:
        extents = self._scope.extents
        return bool(extents and too_large(extent(term, extents)))


class _NotPlainError(Exception):
    """Something that takes a closer look."""
