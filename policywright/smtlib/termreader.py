"""One s-expression to one term: names looked up, sorts checked, every problem kept.

A whole number where a decimal is meant is read as a decimal (`(> costEur 1000)`
with a Real `costEur`), since that has one meaning. A whole-number variable among
Reals is a problem that says where `to_real` belongs: nothing is converted unseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from policywright.errors import Problem, SortError
from policywright.smtlib.scope import Scope
from policywright.smtlib.sexpr import MAX_DEPTH, Atom, AtomKind, Expression, Node
from policywright.sorts import INT, REAL, Sort
from policywright.terms import (
    FACTORIES,
    FALSE,
    TRUE,
    Apply,
    Literal,
    Symbol,
    Term,
    fold,
    integer,
    real,
    subterms,
)

MAX_SIZE = 200_000
"""How many nodes a term may have once `let` is written out."""

MAX_DIGITS = 300

COMMANDS = frozenset(
    """assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes
    declare-fun declare-sort define-const define-fun define-fun-rec define-funs-rec define-sort
    echo exit get-assertions get-assignment get-info get-model get-option get-proof
    get-unsat-assumptions get-unsat-core get-value pop push reset reset-assertions set-info
    set-logic set-option include eval simplify minimize maximize""".split()  # noqa: SIM905
)

_ONE_SORT = frozenset("= distinct < <= > >= + - *".split())  # noqa: SIM905


class TermReader:
    """Reads terms in a scope; problems are appended to the list it was given."""

    def __init__(self, scope: Scope, problems: list[Problem]) -> None:
        self.scope = scope
        self.problems = problems

    def read(self, expression: Expression) -> Term | None:
        """The term, or None if it has a problem, which is then in `problems`."""
        before = len(self.problems)
        term = self._term(expression, {})
        if term is None or len(self.problems) > before:
            return None
        size, depth = _extent(term)
        if size > MAX_SIZE or depth > MAX_DEPTH:
            message = f"this term has more than {MAX_SIZE:,} parts once `let` is written out"
            if depth > MAX_DEPTH:
                message = f"this term is nested deeper than {MAX_DEPTH}"
            self._problem(expression, message, "split the rule")
            return None
        return term

    def sort(self, expression: Expression) -> Sort | None:
        if isinstance(expression, Atom) and expression.text in self.scope.sorts:
            return self.scope.sorts[expression.text]
        known = ", ".join(f"`{name}`" for name in self.scope.sorts)
        self._problem(expression, f"`{expression}` is not a sort", f"one of {known} would be")
        return None

    def _term(self, expression: Expression, bound: Mapping[str, Term]) -> Term | None:
        if isinstance(expression, Atom):
            return self._atom(expression, bound)
        head = expression.head
        if head == "let":
            return self._let(expression, bound)
        if head == "as":
            return self._qualified(expression)
        if head == "!":
            self._problem(expression, "`!` belongs directly inside `assert`", "remove it here")
            return None
        if head not in FACTORIES:
            self._not_an_operator(expression, head)
            return None
        args = [self._term(item, bound) for item in expression.items[1:]]
        if any(arg is None for arg in args):
            return None
        return self._apply(expression, head, [arg for arg in args if arg is not None])

    def _atom(self, atom: Atom, bound: Mapping[str, Term]) -> Term | None:
        if atom.kind in (AtomKind.NUMERAL, AtomKind.DECIMAL):
            return self._number(atom)
        if atom.kind is not AtomKind.SYMBOL:
            self._problem(atom, f"a {atom.kind.value} has no meaning in a rule", "use a name")
            return None
        if atom.text in bound:
            return bound[atom.text]
        if atom.text in ("true", "false"):
            return TRUE if atom.text == "true" else FALSE
        if atom.text in self.scope.symbols:
            return self.scope.symbols[atom.text]
        return self._value(atom)

    def _value(self, atom: Atom) -> Term | None:
        values = self.scope.values.get(atom.text, [])
        if len(values) == 1:
            return values[0]
        if values:
            owners = [self.scope.sort_name(value.sort) for value in values]
            message = f"`{atom.text}` is a value of {' and of '.join(f'`{o}`' for o in owners)}"
            self._problem(atom, message, f"say which: `(as {atom.text} {owners[0]})`")
            return None
        near = self.scope.nearest(atom.text)
        remedy = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else "declare it"
        self._problem(atom, f"`{atom.text}` is not declared", remedy)
        return None

    def _qualified(self, node: Node) -> Term | None:
        items = node.items
        if len(items) == 3 and isinstance(items[1], Atom):
            sort = self.sort(items[2])
            if sort is None:
                return None
            value = self.scope.value_of(items[1].text, sort)
            if value is not None:
                return value
        self._problem(node, "`as` names a value and its datatype", "write `(as VALUE DATATYPE)`")
        return None

    def _let(self, node: Node, bound: Mapping[str, Term]) -> Term | None:
        if len(node.items) != 3 or not isinstance(node.items[1], Node):
            self._problem(node, "`let` is not complete", "write `(let ((x TERM)) TERM)`")
            return None
        inner = dict(bound)
        complete = True
        for pair in node.items[1].items:
            if isinstance(pair, Node) and len(pair.items) == 2 and isinstance(pair.items[0], Atom):
                value = self._term(pair.items[1], bound)
                complete = complete and value is not None
                if value is not None:
                    inner[pair.items[0].text] = value
            else:
                self._problem(pair, "a `let` name is not complete", "write `(x TERM)`")
                complete = False
        return self._term(node.items[2], inner) if complete else None

    def _apply(self, node: Node, head: str, args: Sequence[Term]) -> Term | None:
        if head in _ONE_SORT:
            args = _as_reals(args) if any(arg.sort == REAL for arg in args) else args
        elif head == "/":
            args = _as_reals(args)
        elif head == "ite" and len(args) == 3:
            branches = args[1:]
            if any(arg.sort == REAL for arg in branches):
                args = (args[0], *_as_reals(branches))
        mixed = self._decimal_for_whole(head, args)
        if mixed is not None:
            self.problems.append(Problem(node.line, node.column, *mixed))
            return None
        try:
            return FACTORIES[head](*args)
        except SortError as error:
            self.problems.append(Problem(node.line, node.column, self._named(str(error), args)))
        except TypeError:
            message = f"`{head}` does not take {len(args)} argument{'s' if len(args) != 1 else ''}"
            self.problems.append(Problem(node.line, node.column, message))
        return None

    def _decimal_for_whole(self, head: str, args: Sequence[Term]) -> tuple[str, str] | None:
        """The sentence for a whole-number variable beside a decimal, which Z3 takes silently."""
        sorts = {arg.sort for arg in args}
        if head not in _ONE_SORT or sorts != {INT, REAL}:
            return None
        whole = next(arg for arg in args if arg.sort == INT)
        decimal = next(arg for arg in args if arg.sort == REAL)
        if isinstance(whole, Symbol) and isinstance(decimal, Literal):
            name = self._name(whole)
            assert isinstance(decimal.value, Fraction)
            if decimal.value.denominator == 1:
                return (
                    f"`{name}` is a whole number (Int), but it meets a decimal",
                    f"write `{decimal.value.numerator}`",
                )
            return (
                f"`{name}` is a whole number (Int), but the rule needs a decimal",
                f"declare `{name}` as Real, or compare it with a whole number",
            )
        shown = f"`{self._name(whole)}`" if isinstance(whole, Symbol) else "the whole number"
        return (
            f"`{head}` mixes a whole number (Int) and a Real",
            f"write `(to_real ...)` around {shown}",
        )

    def _not_an_operator(self, node: Node, head: str) -> None:
        if head in COMMANDS:
            message = f"`{head}` is a command, which a rule cannot hold"
            self._problem(node, message, "write only the condition")
        elif head in self.scope.symbols:
            self._problem(node, f"`{head}` takes no arguments", f"write `{head}` without brackets")
        elif head:
            known = ", ".join(f"`{word}`" for word in FACTORIES)
            self._problem(node, f"`{head}` is not an operator here", f"these are: {known}")
        else:
            self._problem(node, "a term starts with an operator", "write `(and A B)` or a name")

    def _named(self, message: str, args: Sequence[Term]) -> str:
        """Datatype ids in a factory's message replaced by the names people gave."""
        for arg in args:
            if arg.sort.is_enumeration:
                message = message.replace(arg.sort.key, f"`{self.scope.sort_name(arg.sort)}`")
        return message

    def _name(self, symbol: Symbol) -> str:
        return next(name for name, other in self.scope.symbols.items() if other == symbol)

    def _number(self, atom: Atom) -> Term | None:
        if len(atom.text) > MAX_DIGITS:
            message = f"this number has more than {MAX_DIGITS} digits"
            self._problem(atom, message, "write a shorter one")
            return None
        if atom.kind is AtomKind.NUMERAL:
            return integer(int(atom.text))
        return real(Fraction(atom.text))

    def _problem(self, where: Expression, message: str, remedy: str = "") -> None:
        self.problems.append(Problem(where.line, where.column, message, remedy))


def _as_reals(args: Sequence[Term]) -> tuple[Term, ...]:
    """Whole-number constants, and arithmetic of nothing else, read as decimals."""
    return tuple(_as_real(arg) if arg.sort == INT and _constant(arg) else arg for arg in args)


def _constant(term: Term) -> bool:
    """Whether a whole-number term is arithmetic of written whole numbers only."""
    return all(node.sort == INT and not isinstance(node, Symbol) for node in subterms(term))


def _as_real(term: Term) -> Term:
    def visit(node: Term, args: Sequence[Term]) -> Term:
        if isinstance(node, Literal) and node.sort == INT:
            assert isinstance(node.value, int)
            return real(node.value)
        assert isinstance(node, Apply)
        return Apply(node.op, tuple(args), REAL)

    return fold(term, visit)


def _extent(term: Term) -> tuple[int, int]:
    """How many nodes a term has, written out, and how deep it is nested."""

    def visit(node: Term, args: Sequence[tuple[int, int]]) -> tuple[int, int]:
        size = 1 + sum(size for size, _ in args)
        return min(size, 10 * MAX_SIZE), 1 + max((depth for _, depth in args), default=0)

    return fold(term, visit)
