"""The immutable term tree.

Terms are built by the factories below, which check sorts: a term that exists
is well sorted. Symbols and enumeration values are held by stable id; names
live in the reader and the printer. N-ary spellings of SMT-LIB (chained
comparisons, `=>` with many arguments) are taken apart here, so that the tree
knows one shape for each meaning.

Source: SMT-LIB 2.6, theories Core, Ints, Reals_Ints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias, TypeVar

from policywright.errors import SortError
from policywright.sorts import BOOL, INT, REAL, Sort, enumeration

Result = TypeVar("Result")


class Op(Enum):
    """The operators; the value is the word that SMT-LIB uses."""

    NOT = "not"
    AND = "and"
    OR = "or"
    XOR = "xor"
    IMPLIES = "=>"
    EQ = "="
    DISTINCT = "distinct"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    ADD = "+"
    SUB = "-"
    NEG = "neg"
    MUL = "*"
    DIV = "/"
    ITE = "ite"
    TO_REAL = "to_real"
    TO_INT = "to_int"


CONNECTIVES = frozenset({Op.NOT, Op.AND, Op.OR, Op.XOR, Op.IMPLIES})
ORDERINGS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})
FLIPPED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
"""Orderings with their sides exchanged."""

EQUALITIES = frozenset({Op.EQ, Op.DISTINCT})
ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.DIV, Op.TO_REAL, Op.TO_INT})


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: bool for Bool, int for Int, Fraction for Real, a value's id else."""

    value: bool | int | Fraction | str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable or a definition, by stable id."""

    id: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator with its arguments; `sort` is the sort of the whole."""

    op: Op
    args: tuple[Term, ...]
    sort: Sort


Term: TypeAlias = Literal | Symbol | Apply

TRUE = Literal(True, BOOL)
FALSE = Literal(False, BOOL)


def boolean(value: bool) -> Literal:
    return TRUE if value else FALSE


def integer(value: int) -> Literal:
    return Literal(int(value), INT)


def real(value: Fraction | int | str) -> Literal:
    """A Real constant, exact; text such as `0.25` or `1/3` is read as a fraction."""
    return Literal(Fraction(value), REAL)


def member(datatype_id: str, value_id: str) -> Literal:
    """A value of an enumeration, both by id."""
    return Literal(value_id, enumeration(datatype_id))


def not_(term: Term) -> Term:
    _need_bool(Op.NOT, (term,))
    return Apply(Op.NOT, (term,), BOOL)


def and_(*terms: Term) -> Term:
    return _junction(Op.AND, terms)


def or_(*terms: Term) -> Term:
    return _junction(Op.OR, terms)


def xor(*terms: Term) -> Term:
    _need_bool(Op.XOR, terms)
    _need_at_least(Op.XOR, terms, 2)
    result = terms[0]
    for term in terms[1:]:
        result = Apply(Op.XOR, (result, term), BOOL)
    return result


def implies(*terms: Term) -> Term:
    """`(=> a b c)` is `(=> a (=> b c))`."""
    _need_bool(Op.IMPLIES, terms)
    _need_at_least(Op.IMPLIES, terms, 2)
    result = terms[-1]
    for term in reversed(terms[:-1]):
        result = Apply(Op.IMPLIES, (term, result), BOOL)
    return result


def eq(*terms: Term) -> Term:
    _need_same_sort(Op.EQ, terms)
    return _chain(Op.EQ, terms)


def distinct(*terms: Term) -> Term:
    _need_same_sort(Op.DISTINCT, terms)
    _need_at_least(Op.DISTINCT, terms, 2)
    return Apply(Op.DISTINCT, tuple(terms), BOOL)


def lt(*terms: Term) -> Term:
    return _ordering(Op.LT, terms)


def le(*terms: Term) -> Term:
    return _ordering(Op.LE, terms)


def gt(*terms: Term) -> Term:
    return _ordering(Op.GT, terms)


def ge(*terms: Term) -> Term:
    return _ordering(Op.GE, terms)


def add(*terms: Term) -> Term:
    return _nary_number(Op.ADD, terms)


def mul(*terms: Term) -> Term:
    return _nary_number(Op.MUL, terms)


def sub(*terms: Term) -> Term:
    """`(- a b c)` is `(- (- a b) c)`; with one argument it is `neg`."""
    if len(terms) == 1:
        return neg(terms[0])
    _need_numbers(Op.SUB, terms)
    _need_at_least(Op.SUB, terms, 2)
    result = terms[0]
    for term in terms[1:]:
        result = Apply(Op.SUB, (result, term), result.sort)
    return result


def neg(term: Term) -> Term:
    """Minus; of a constant it is the negative constant itself."""
    _need_numbers(Op.SUB, (term,))
    if isinstance(term, Literal):
        assert isinstance(term.value, (int, Fraction))
        return Literal(-term.value, term.sort)
    return Apply(Op.NEG, (term,), term.sort)


def div(*terms: Term) -> Term:
    """Real division; of two constants with a non-zero divisor it is their quotient."""
    if any(term.sort != REAL for term in terms):
        raise SortError("`/` divides Reals; write `(to_real ...)` around a whole number")
    _need_at_least(Op.DIV, terms, 2)
    result = terms[0]
    for term in terms[1:]:
        if isinstance(result, Literal) and isinstance(term, Literal) and term.value != 0:
            assert isinstance(result.value, Fraction)
            assert isinstance(term.value, Fraction)
            result = Literal(result.value / term.value, REAL)
        else:
            result = Apply(Op.DIV, (result, term), REAL)
    return result


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    if condition.sort != BOOL:
        raise SortError(f"the condition of `ite` must be Bool, not {condition.sort}")
    _need_same_sort(Op.ITE, (then, otherwise))
    return Apply(Op.ITE, (condition, then, otherwise), then.sort)


def to_real(term: Term) -> Term:
    if term.sort != INT:
        raise SortError(f"`to_real` takes an Int, not {term.sort}")
    if isinstance(term, Literal):
        assert isinstance(term.value, int)
        return real(term.value)
    return Apply(Op.TO_REAL, (term,), REAL)


def to_int(term: Term) -> Term:
    """The floor of a Real, as SMT-LIB defines it."""
    if term.sort != REAL:
        raise SortError(f"`to_int` takes a Real, not {term.sort}")
    return Apply(Op.TO_INT, (term,), INT)


FACTORIES: Mapping[str, Callable[..., Term]] = {
    "not": not_, "and": and_, "or": or_, "xor": xor, "=>": implies,
    "=": eq, "distinct": distinct, "<": lt, "<=": le, ">": gt, ">=": ge,
    "+": add, "-": sub, "*": mul, "/": div,
    "ite": ite, "to_real": to_real, "to_int": to_int,
}  # fmt: skip


def children(term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, Apply) else ()


def fold(term: Term, visit: Callable[[Term, Sequence[Result]], Result]) -> Result:
    """Compute a value bottom-up: `visit(term, values of its children)`.

    Iterative, and shared subterms are visited once, so depth costs no stack
    and a `let`-expanded term costs what it shares.
    """
    done: dict[int, Result] = {}
    stack: list[Term] = [term]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
        elif not isinstance(node, Apply):
            done[id(stack.pop())] = visit(node, ())
        else:
            waiting = [child for child in node.args if id(child) not in done]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                done[id(stack.pop())] = visit(node, [done[id(child)] for child in node.args])
    return done[id(term)]


def subterms(term: Term) -> Iterator[Term]:
    """Every subterm once, parents before children, left to right."""
    seen: set[int] = set()
    stack: list[Term] = [term]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        stack.extend(reversed(children(node)))


def symbols(term: Term) -> tuple[Symbol, ...]:
    """The symbols of a term, each once, in order of first occurrence."""
    found: dict[Symbol, None] = {}
    for node in subterms(term):
        if isinstance(node, Symbol):
            found[node] = None
    return tuple(found)


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace symbols by id; each replacement must have the symbol's sort."""

    def visit(node: Term, args: Sequence[Term]) -> Term:
        if isinstance(node, Symbol) and node.id in values:
            replacement = values[node.id]
            if replacement.sort != node.sort:
                raise SortError(f"`{node.id}` is {node.sort}, its replacement {replacement.sort}")
            return replacement
        return rebuild(node, args)

    return fold(term, visit)


def have_one_sort(terms: Sequence[Term]) -> bool:
    """Whether all terms have the same sort; true of none."""
    for term in terms:
        if term.sort is not terms[0].sort and term.sort != terms[0].sort:
            return False
    return True


def rebuild(node: Term, args: Sequence[Term]) -> Term:
    """The node with other arguments of the same sorts."""
    if not isinstance(node, Apply) or all(a is b for a, b in zip(node.args, args, strict=True)):
        return node
    return Apply(node.op, tuple(args), node.sort)


def _junction(op: Op, terms: Sequence[Term]) -> Term:
    _need_bool(op, terms)
    _need_at_least(op, terms, 1)
    return terms[0] if len(terms) == 1 else Apply(op, tuple(terms), BOOL)


def _nary_number(op: Op, terms: Sequence[Term]) -> Term:
    _need_numbers(op, terms)
    _need_at_least(op, terms, 1)
    return terms[0] if len(terms) == 1 else Apply(op, tuple(terms), terms[0].sort)


def _ordering(op: Op, terms: Sequence[Term]) -> Term:
    _need_numbers(op, terms)
    return _chain(op, terms)


def _chain(op: Op, terms: Sequence[Term]) -> Term:
    if len(terms) == 2:
        return Apply(op, tuple(terms), BOOL)
    _need_at_least(op, terms, 2)
    return and_(*(Apply(op, pair, BOOL) for pair in pairwise(terms)))


def _need_at_least(op: Op, terms: Sequence[Term], count: int) -> None:
    if len(terms) < count:
        raise SortError(f"`{op.value}` needs at least {count} argument{'s' if count > 1 else ''}")


def _need_bool(op: Op, terms: Sequence[Term]) -> None:
    for term in terms:
        if term.sort is not BOOL and term.sort != BOOL:
            raise SortError(f"`{op.value}` joins conditions, but one argument is {term.sort}")


def _need_numbers(op: Op, terms: Sequence[Term]) -> None:
    for term in terms:
        if not term.sort.is_number:
            raise SortError(f"`{op.value}` takes numbers, but one argument is {term.sort}")
    _need_same_sort(op, terms)


def _need_same_sort(op: Op, terms: Sequence[Term]) -> None:
    if have_one_sort(terms):
        return
    found = {term.sort for term in terms}
    sorts = " and ".join(sorted(str(sort) for sort in found))
    remedy = "; write `(to_real ...)` around the whole number" if found == {INT, REAL} else ""
    raise SortError(f"`{op.value}` needs arguments of one sort, not {sorts}{remedy}")
