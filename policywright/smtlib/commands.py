"""The commands of a policy file: declarations, definitions, assertions.

Each handler reads one command with the comments before it, and adds to what has
been read so far. Ids come from the comments; without one the name is the id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from policywright.errors import ModelError, NameNotAllowedError, Problem, ReadError
from policywright.model import (
    Datatype,
    DefaultChoice,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Rule,
    Source,
    Value,
    Variable,
)
from policywright.names import check_name, is_plain
from policywright.roles import guess_roles
from policywright.smtlib.comments import Notes
from policywright.smtlib.scope import Scope
from policywright.smtlib.sexpr import Atom, AtomKind, Expression, Node, Parsed
from policywright.smtlib.termreader import TermReader
from policywright.sorts import BOOL, Sort
from policywright.terms import Term

Handler = Callable[[Node, Notes], None]

_ROLES = {role.value: role for role in Role}
_SYMBOL = AtomKind.SYMBOL
_NO_PHRASES = Phrases()
_KINDS = {kind.value: kind for kind in Kind}
_CHOICES = {choice.value: choice for choice in DefaultChoice}


class CommandReader:
    """What a policy file has declared and asserted so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.scope = Scope()
        self.problems = problems = parsed.problems
        self.datatypes: list[Datatype] = []
        self.variables: list[Variable] = []
        self.definitions: list[Definition] = []
        self.rules: list[Rule] = []
        self._named: dict[str, int] = {}
        self._places = parsed.places
        self._terms = TermReader(self.scope, problems)
        self.handlers: Mapping[str, Handler] = {
            "declare-datatype": self._declare_datatype,
            "declare-datatypes": self._declare_datatypes,
            "declare-const": self._declare_const,
            "declare-fun": self._declare_fun,
            "define-fun": self._define_fun,
            "define-const": self._define_const,
            "assert": self._assert,
        }

    def model(self) -> PolicyModel:
        """The whole, with guessed roles where none was given; ReadError if it does not fit."""
        try:
            return PolicyModel(
                tuple(self.datatypes),
                guess_roles(self.variables, self.rules),
                tuple(self.definitions),
                tuple(self.rules),
            )
        except ModelError as error:
            raise ReadError([Problem(0, 0, text) for text in error.problems]) from error

    def _declare_datatype(self, node: Node, notes: Notes) -> None:
        items = node[1:]
        if len(items) == 2 and isinstance(items[0], Atom) and isinstance(items[1], Node):
            self._datatype(items[0], items[1], notes)
        else:
            self._incomplete(node, "(declare-datatype NAME ((VALUE) (VALUE)))")

    def _declare_datatypes(self, node: Node, notes: Notes) -> None:
        """`(declare-datatypes ((A 0) (B 0)) (((a1) (a2)) ((b1))))`; the note is for the first."""
        items = node[1:]
        form = "(declare-datatypes ((NAME 0)) (((VALUE) (VALUE))))"
        if len(items) != 2 or not all(isinstance(item, Node) for item in items):
            self._incomplete(node, form)
            return
        assert isinstance(items[0], Node)
        assert isinstance(items[1], Node)
        names, bodies = items[0], items[1]
        if len(names) != len(bodies):
            self._incomplete(node, form)
            return
        for name, body in zip(names, bodies, strict=True):
            first = name[0] if isinstance(name, Node) and len(name) == 2 else None
            counted = first is not None and str(name[1]) == "0"  # type: ignore[index]
            if counted and isinstance(first, Atom) and isinstance(body, Node):
                self._datatype(first, body, notes)
                notes = Notes()
            else:
                self._incomplete(node, form)

    def _datatype(self, name: Atom, body: Node, notes: Notes) -> None:
        data = notes.data.get("datatype", {})
        described = {str(v.get("name")): v for v in _dicts(data.get("values"))}
        values = []
        for item in body:
            atom = item[0] if isinstance(item, Node) and len(item) == 1 else item
            if not isinstance(atom, Atom) or atom.kind is not _SYMBOL:
                message = "a value of a datatype is one name without fields"
                self.problems.append(Problem(*item.place, message, "write `(VALUE)`"))
                return
            if self._name_allowed(atom, "value"):
                value = Value(atom.text, atom.text)
                if extra := described.get(atom.text):
                    value_id = _text(extra, "id") or atom.text
                    value = Value(value_id, atom.text, _text(extra, "phrase"))
                values.append(value)
        if self._name_allowed(name, "datatype") and self._free(name, self.scope.sorts, "datatype"):
            datatype = Datatype(
                _text(data, "id") or name.text,
                name.text,
                tuple(values),
                _text(data, "description") or notes.text,
            )
            self.datatypes.append(datatype)
            self.scope.add_datatype(datatype)

    def _declare_const(self, node: Node, notes: Notes) -> None:
        items = node[1:]
        if len(items) == 2 and isinstance(items[0], Atom):
            self._variable(items[0], items[1], notes)
        else:
            self._incomplete(node, "(declare-const NAME SORT)")

    def _declare_fun(self, node: Node, notes: Notes) -> None:
        items = node[1:]
        if len(items) != 3 or not isinstance(items[0], Atom) or not isinstance(items[1], Node):
            self._incomplete(node, "(declare-fun NAME () SORT)")
        elif items[1]:
            message = f"`{items[0]}` takes arguments, which a variable of a policy does not"
            self.problems.append(Problem(*node.place, message, "write `()`"))
        else:
            self._variable(items[0], items[2], notes)

    def _variable(self, name: Atom, sort_expression: Expression, notes: Notes) -> None:
        sort = self._terms.sort(sort_expression)
        if sort is not None and self._name_allowed(name, "variable"):
            self.add_variable(name.text, sort, name.at, notes)

    def add_variable(self, name: str, sort: Sort, at: int, notes: Notes) -> None:
        """A variable by a name that is allowed, which stands at a token."""
        if name in self.scope.symbols:
            self._wrong(at, f"variable `{name}` is declared twice", "remove one of them")
            return
        data = notes.data.get("variable", {})
        role = _text(data, "role")
        if role and role not in _ROLES:
            self._wrong(at, f"`{role}` is not a role", "fact, outcome or derived")
            return
        variable = Variable(
            _text(data, "id") or name,
            name,
            sort,
            _ROLES[role] if role else Role.FACT,
            _text(data, "unit"),
            _text(data, "description") or notes.text,
            _phrases(data),
            role_guessed=not role,
        )
        self.variables.append(variable)
        self.scope.symbols[name] = variable.symbol

    def _define_fun(self, node: Node, notes: Notes) -> None:
        items = node[1:]
        if len(items) == 4 and isinstance(items[1], Node) and not items[1]:
            self._definition(node, items[0], items[2], items[3], notes)
        elif len(items) == 4 and isinstance(items[1], Node):
            message = f"definition `{items[0]}` takes arguments, which ours do not"
            self.problems.append(Problem(*node.place, message, "write `()`"))
        else:
            self._incomplete(node, "(define-fun NAME () SORT TERM)")

    def _define_const(self, node: Node, notes: Notes) -> None:
        if len(node) == 4:
            self._definition(node, node[1], node[2], node[3], notes)
        else:
            self._incomplete(node, "(define-const NAME SORT TERM)")

    def _definition(
        self, node: Node, name: Expression, sort_: Expression, body: Expression, notes: Notes
    ) -> None:
        sort, term = self._terms.sort(sort_), self._terms.read(body)
        if not isinstance(name, Atom) or not self._new_symbol(name, "definition"):
            return
        if sort is None or term is None:
            return
        if sort != term.sort:
            message = f"`{name}` is declared {sort_}, but its term is not"
            remedy = f"declare it {self.scope.sort_name(term.sort)}"
            self.problems.append(Problem(*node.place, message, remedy))
            return
        data = notes.data.get("definition", {})
        definition = Definition(
            _text(data, "id") or name.text,
            name.text,
            term,
            _text(data, "description") or notes.text,
            _phrases(data),
        )
        self.definitions.append(definition)
        self.scope.symbols[name.text] = definition.symbol
        self.scope.add_extent(definition)

    def _assert(self, node: Node, notes: Notes) -> None:
        body, label = named_assertion(node, self.problems)
        before = len(self.problems)
        term = self._terms.read(body) if body is not None else None
        if label and len(self.problems) > before:
            self.problems[before:] = [
                replace(problem, message=f"rule `{label}`: {problem.message}")
                for problem in self.problems[before:]
            ]
        if term is not None:
            self.add_assertion(term, label, node.at, notes)

    def add_assertion(self, term: Term, label: str, at: int, notes: Notes) -> None:
        """A rule with the name that its assertion gives it, which begins at a token."""
        if term.sort != BOOL:
            message = "this asserts a value, not a condition"
            self._wrong(at, message, "compare it: `(= x y)`")
            return
        data = notes.data.get("rule", {})
        name = _text(data, "name") or label or f"rule-{len(self.rules) + 1}"
        kind = notes.kind or "rule"
        if kind not in _KINDS:
            remedy = "rule, definition, assumption or default"
            self._wrong(at, f"`{kind}` is not a kind", remedy)
            return
        self._add_rule(at, name, term, _KINDS[kind], data, notes)

    def _add_rule(
        self, at: int, name: str, term: Term, kind: Kind, data: dict[str, Any], notes: Notes
    ) -> None:
        if name in self._named:
            line, _ = self._places.of(self._named[name])
            message = f"two rules are named `{name}`: the first on line {line}"
            self._wrong(at, message, "rename one of them")
            return
        try:
            check_name(name, "rule name")
        except NameNotAllowedError as error:
            self._wrong(at, str(error))
            return
        self._named[name] = at
        sources = tuple(_source(source) for source in notes.sources)
        rule = Rule(name, name, term, kind, sources)
        if data:
            rule = replace(
                rule,
                id=_text(data, "id") or name,
                outcome=_text(data, "outcome"),
                choice=_CHOICES.get(_text(data, "choice")),
                rests_on=_texts(data.get("rests_on")),
            )
        self.rules.append(rule)

    def _new_symbol(self, name: Atom, what: str) -> bool:
        return self._name_allowed(name, what) and self._free(name, self.scope.symbols, what)

    def _free(self, name: Atom, taken: Mapping[str, object], what: str) -> bool:
        if name.text in taken:
            message = f"{what} `{name.text}` is declared twice"
            self.problems.append(Problem(*name.place, message, "remove one of them"))
            return False
        return True

    def _name_allowed(self, name: Atom, what: str) -> bool:
        if name.kind is _SYMBOL and is_plain(name.text):
            return True
        if name.kind is not _SYMBOL:
            message = f"`{name.text}` is not a name"
            self.problems.append(Problem(*name.place, message))
            return False
        try:
            check_name(name.text, what)
        except NameNotAllowedError as error:
            self.problems.append(Problem(*name.place, str(error)))
            return False
        return True

    def _wrong(self, at: int, message: str, remedy: str = "") -> None:
        self.problems.append(Problem(*self._places.of(at), message, remedy))

    def _incomplete(self, node: Node, form: str) -> None:
        message = f"`{node.head}` is not complete"
        self.problems.append(Problem(*node.place, message, f"write `{form}`"))


def named_assertion(node: Node, problems: list[Problem]) -> tuple[Expression | None, str]:
    """The body of `(assert TERM)` or `(assert (! TERM :named N))`, and the name or nothing."""
    if len(node) != 2:
        message = "`assert` takes one condition"
        problems.append(Problem(*node.place, message, "write `(assert TERM)`"))
        return None, ""
    body = node[1]
    if not isinstance(body, Node) or body.head != "!":
        return body, ""
    items = body[1:]
    keyword, label = items[1:] if len(items) == 3 else (None, None)
    named = isinstance(keyword, Atom) and keyword.text == ":named"
    if not named or not isinstance(label, Atom) or label.kind is not AtomKind.SYMBOL:
        message = "`!` gives an assertion its name and nothing else"
        remedy = "write `(assert (! TERM :named NAME))`"
        problems.append(Problem(*body.place, message, remedy))
        return None, ""
    return items[0], label.text


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _phrases(data: Mapping[str, Any]) -> Phrases:
    phrases = data.get("phrases")
    if not isinstance(phrases, dict):
        return _NO_PHRASES
    return Phrases(_text(phrases, "text"), _text(phrases, "negative"))


def _source(data: Mapping[str, Any]) -> Source:
    offsets = data.get("offsets")
    pair = isinstance(offsets, list) and len(offsets) == 2
    valid = pair and all(isinstance(number, int) for number in offsets or ())
    start, end = (offsets[0], offsets[1]) if valid and offsets else (0, 0)
    return Source(
        _text(data, "document"),
        _text(data, "revision"),
        start,
        end,
        _text(data, "quote"),
        _texts(data.get("context")),
    )
