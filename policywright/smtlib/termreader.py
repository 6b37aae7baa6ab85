"""One s-expression to one term: names looked up, sorts checked, every problem kept.

A whole number where a decimal is meant is read as a decimal (`(> costEur 1000)`
with a Real `costEur`), since that has one meaning. A whole-number variable among
Reals is a problem that says where `to_real` belongs: nothing is converted unseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice

from policywright.errors import Problem, SortError
from policywright.smtlib.extent import extent, too_large
from policywright.smtlib.scope import Scope
from policywright.smtlib.sexpr import Atom, AtomKind, Expression, Node
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
    have_one_sort,
    integer,
    real,
    subterms,
)

MAX_DIGITS = 300
MAX_SHOWN = 12

_SYMBOL = AtomKind.SYMBOL
_TRUTH = {"true": TRUE, "false": FALSE}

COMMANDS = frozenset(
    """assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes
    declare-fun declare-sort define-const define-fun define-fun-rec define-funs-rec define-sort
    echo exit get-assertions get-assignment get-info get-model get-option get-proof
    get-unsat-assumptions get-unsat-core get-value pop push reset reset-assertions set-info
    set-logic set-option include eval simplify minimize maximize""".split()  # noqa: SIM905
)

_CHAINED = frozenset("xor => = < <= > >= - /".split())  # noqa: SIM905
"""With more than two arguments they become terms that hold, or are held by, one another."""

_ONE_SORT = frozenset("= distinct < <= > >= + - *".split())  # noqa: SIM905


class TermReader:
    """Reads terms in a scope; problems are appended to the list it was given."""

    def __init__(self, scope: Scope, problems: list[Problem]) -> None:
        self.scope = scope
        self.problems = problems
        self._may_grow = False
        self._numbers: dict[str, Literal] = {}

    def read(self, expression: Expression) -> Term | None:
        """The term, or None if it has a problem, which is then in `problems`."""
        before = len(self.problems)
        self._may_grow = False
        term = self._term(expression, {})
        if term is None or len(self.problems) > before:
            return None
        # Without `let`, chains and definitions a term is no larger than its text.
        if self._may_grow or self.scope.extents:
            return self.not_too_large(expression, term)
        return term

    def not_too_large(self, expression: Expression, term: Term) -> Term | None:
        """The term, or None and a problem if written out it is too large for anyone."""
        message = too_large(extent(term, self.scope.extents))
        if message:
            self._problem(expression, message, "split the rule")
        return None if message else term

    def sort(self, expression: Expression) -> Sort | None:
        if isinstance(expression, Atom) and expression.text in self.scope.sorts:
            return self.scope.sorts[expression.text]
        known = ", ".join(f"`{name}`" for name in islice(self.scope.sorts, MAX_SHOWN))
        if len(self.scope.sorts) > MAX_SHOWN:
            known += f" and {len(self.scope.sorts) - MAX_SHOWN} more"
        self._problem(expression, f"`{expression}` is not a sort", f"one of {known} would be")
        return None

    def _term(self, expression: Expression, bound: Mapping[str, Term]) -> Term | None:
        if isinstance(expression, Atom):
            return self._atom(expression, bound)
        head = expression.head
        factory = FACTORIES.get(head)
        if factory is None:
            return self._special(expression, head, bound)
        args: list[Term] = []
        for item in expression[1:]:
            arg = self._term(item, bound)
            if arg is not None:
                args.append(arg)
        if len(args) < len(expression) - 1:
            return None
        if len(args) > 2 and head in _CHAINED:
            self._may_grow = True
        try:
            return factory(*args)
        except (SortError, TypeError):
            return self._mended(expression, head, args)

    def _special(self, node: Node, head: str, bound: Mapping[str, Term]) -> Term | None:
        if head == "let":
            return self._let(node, bound)
        if head == "as":
            return self._qualified(node)
        if head == "!":
            self._problem(node, "`!` belongs directly inside `assert`", "remove it here")
        else:
            self._not_an_operator(node, head)
        return None

    def _atom(self, atom: Atom, bound: Mapping[str, Term]) -> Term | None:
        if atom.kind is _SYMBOL:
            text = atom.text
            if text in bound:
                return bound[text]
            # `true` and `false` are no names that a declaration may have.
            return self.scope.symbols.get(text) or self._value(atom)
        if atom.kind is AtomKind.NUMERAL or atom.kind is AtomKind.DECIMAL:
            return self._number(atom)
        self._problem(atom, f"a {atom.kind.value} has no meaning in a rule", "use a name")
        return None

    def _value(self, atom: Atom) -> Term | None:
        if atom.text in _TRUTH:
            return _TRUTH[atom.text]
        values = self.scope.values.get(atom.text, {})
        if len(values) == 1:
            return next(iter(values.values()))
        if values:
            owners = [self.scope.sort_name(sort) for sort in islice(values, 3)]
            message = f"`{atom.text}` is a value of {' and of '.join(f'`{o}`' for o in owners)}"
            self._problem(atom, message, f"say which: `(as {atom.text} {owners[0]})`")
            return None
        near = self.scope.nearest(atom.text)
        remedy = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else "declare it"
        self._problem(atom, f"`{atom.text}` is not declared", remedy)
        return None

    def _qualified(self, node: Node) -> Term | None:
        items = node
        if len(items) == 3 and isinstance(items[1], Atom):
            sort = self.sort(items[2])
            if sort is None:
                return None
            value = self.scope.values.get(items[1].text, {}).get(sort)
            if value is not None:
                return value
        self._problem(node, "`as` names a value and its datatype", "write `(as VALUE DATATYPE)`")
        return None

    def _let(self, node: Node, bound: Mapping[str, Term]) -> Term | None:
        if len(node) != 3 or not isinstance(node[1], Node):
            self._problem(node, "`let` is not complete", "write `(let ((x TERM)) TERM)`")
            return None
        self._may_grow = True
        inner = dict(bound)
        complete = True
        for pair in node[1]:
            if isinstance(pair, Node) and len(pair) == 2 and isinstance(pair[0], Atom):
                value = self._term(pair[1], bound)
                complete = complete and value is not None
                if value is not None:
                    inner[pair[0].text] = value
            else:
                self._problem(pair, "a `let` name is not complete", "write `(x TERM)`")
                complete = False
        return self._term(node[2], inner) if complete else None

    def _mended(self, node: Node, head: str, args: Sequence[Term]) -> Term | None:
        """Arguments that do not fit, tried again with whole numbers read as decimals."""
        if head in _ONE_SORT and not have_one_sort(args):
            args = _as_reals(args)
            mixed = self._decimal_for_whole(head, args)
            if mixed is not None:
                self.problems.append(Problem(*node.place, *mixed))
                return None
        elif head == "ite" and len(args) == 3:
            args = (args[0], *_as_reals(args[1:]))
        elif head == "/":
            args = _all_as_reals(args)
        try:
            return FACTORIES[head](*args)
        except SortError as error:
            self.problems.append(Problem(*node.place, self._named(str(error), args)))
        except TypeError:
            message = f"`{head}` does not take {len(args)} argument{'s' if len(args) != 1 else ''}"
            self.problems.append(Problem(*node.place, message))
        return None

    def _decimal_for_whole(self, head: str, args: Sequence[Term]) -> tuple[str, str] | None:
        """The sentence for a whole-number variable beside a decimal, which Z3 takes silently."""
        sorts = {arg.sort for arg in args}
        if sorts != {INT, REAL}:
            return None
        whole = next(arg for arg in args if arg.sort == INT)
        decimal = next(arg for arg in args if arg.sort == REAL)
        if isinstance(whole, Symbol) and isinstance(decimal, Literal):
            name = self.scope.name_of(whole)
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
        shown = (
            f"`{self.scope.name_of(whole)}`" if isinstance(whole, Symbol) else "the whole number"
        )
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

    def _number(self, atom: Atom) -> Term | None:
        if len(atom.text) > MAX_DIGITS:
            message = f"this number has more than {MAX_DIGITS} digits"
            self._problem(atom, message, "write a shorter one")
            return None
        if atom.text not in self._numbers:
            whole = atom.kind is AtomKind.NUMERAL
            self._numbers[atom.text] = integer(int(atom.text)) if whole else real(atom.text)
        return self._numbers[atom.text]

    def _problem(self, where: Expression, message: str, remedy: str = "") -> None:
        self.problems.append(Problem(*where.place, message, remedy))


def _as_reals(args: Sequence[Term]) -> tuple[Term, ...]:
    """Where one argument is Real: whole-number constants beside it read as decimals."""
    return _all_as_reals(args) if any(arg.sort == REAL for arg in args) else tuple(args)


def _all_as_reals(args: Sequence[Term]) -> tuple[Term, ...]:
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
