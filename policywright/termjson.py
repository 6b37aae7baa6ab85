"""Terms as JSON: nested lists of strings, by stable id, for rows and records.

`["literal", SORT, VALUE]`, `["symbol", ID]`, `[OPERATOR, ARGUMENT, ...]`.
Sorts of symbols are not repeated: the declarations give them when reading back,
so a variable whose sort changed makes the rule ill sorted, visibly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from policywright.errors import SortError
from policywright.normal import canonical
from policywright.sorts import BOOL, BUILT_IN, INT, REAL, Sort
from policywright.terms import (
    FACTORIES,
    Literal,
    Op,
    Symbol,
    Term,
    boolean,
    integer,
    member,
    neg,
    real,
)

MAX_DEPTH = 200
MAX_EXPONENT = 400

_FACTORY = {op.value: FACTORIES[op.value] for op in Op if op is not Op.NEG} | {"neg": neg}


def term_to_json(term: Term) -> Any:
    return canonical(term)


def term_from_json(data: Any, sorts: Mapping[str, Sort]) -> Term:
    """The term that the JSON spells, `sorts` giving each symbol's sort by id.

    Raises SortError for an unknown symbol, a wrong shape or an ill-sorted term.
    """
    return _read(data, sorts, 0)


def _read(data: Any, sorts: Mapping[str, Sort], depth: int) -> Term:
    if not isinstance(data, list) or not data or depth > MAX_DEPTH:
        raise SortError("a term is a list that starts with its operator")
    head, *rest = data
    if head == "literal" and len(rest) == 2:
        return _literal(rest)
    if head == "symbol" and len(rest) == 1:
        if rest[0] not in sorts:
            raise SortError(f"`{rest[0]}` is not declared")
        return Symbol(rest[0], sorts[rest[0]])
    if head not in _FACTORY:
        raise SortError(f"`{head}` is not an operator of the rule language")
    args = [_read(item, sorts, depth + 1) for item in rest]
    try:
        return _FACTORY[head](*args)
    except TypeError as error:
        raise SortError(f"`{head}` has {len(args)} arguments, which is not its number") from error


def _literal(rest: Sequence[Any]) -> Literal:
    key, text = rest
    try:
        if key == BOOL.key:
            return boolean({"true": True, "false": False}[text])
        if key == INT.key:
            return integer(int(text))
        if key == REAL.key:
            # `1e999999999` would be written out, for hours.
            if abs(int(str(text).lower().partition("e")[2] or 0)) > MAX_EXPONENT:
                raise SortError(f"`{text}` is too large or too small")
            return real(Fraction(text))
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise SortError(f"`{text}` is not a constant of sort {key}") from error
    return member(key, text)


def parse_sort(key: str) -> Sort:
    """The built-in sort with that word, else the enumeration with that id."""
    return BUILT_IN.get(key) or Sort(key, is_enumeration=True)
