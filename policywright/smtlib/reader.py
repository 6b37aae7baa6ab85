"""Reads policy files, single rules and answers; all or nothing, all problems at once.

Source: SMT-LIB 2.6, section 3.9; the fragment is QF_NIRA with enumerations.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from policywright.errors import Problem, ReadError
from policywright.model import PolicyModel
from policywright.smtlib.commands import CommandReader, named_assertion
from policywright.smtlib.comments import Notes, read_notes
from policywright.smtlib.plain import PlainReader
from policywright.smtlib.scope import Scope
from policywright.smtlib.sexpr import Atom, Expression, Node, Parsed, PlaceNeededError
from policywright.smtlib.termreader import TermReader
from policywright.sorts import BOOL
from policywright.terms import Symbol, Term, substitute

Result = TypeVar("Result")

DROPPED = frozenset(
    (
        "set-option", "set-logic", "set-info", "check-sat", "check-sat-assuming", "get-model",
        "get-unsat-core", "get-value", "get-info", "get-option", "get-assertions",
        "get-assignment", "get-proof", "get-unsat-assumptions",
    )
)  # fmt: skip
"""Commands that neither add nor remove rules: read and left out."""

NO_RULE = Problem(0, 0, "this policy has no rules", "write at least one `(assert ...)`")


@dataclass(frozen=True, slots=True)
class Fact:
    """A premise with the name it is reported by."""

    name: str
    term: Term


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer says: facts taken as given, and the claim to judge."""

    facts: tuple[Fact, ...]
    claim: Term


def read(text: str) -> PolicyModel:
    """The policy model of a file; raises ReadError with every problem found."""
    with _no_collecting():
        return _parsed(text, _policy)


def read_term(text: str, model: PolicyModel) -> Term:
    """The one condition (Bool) that a text holds, over the names of a model."""
    return _parsed(text, lambda parsed: _only_term(parsed, model))


def read_answer(text: str, model: PolicyModel) -> Answer:
    """The facts and the claim of an answer file, over the names of a model."""
    return _parsed(text, lambda parsed: _answer(parsed, model))


def read_facts(text: str, model: PolicyModel) -> tuple[Fact, ...]:
    """Named or unnamed assertions without a claim; the unnamed get a name of ours."""
    return read_answer(f"{text}\n(define-fun claim () Bool true)", model).facts


def _parsed(text: str, read: Callable[[Parsed], Result]) -> Result:
    """What `read` makes of a text; with places where it needs one, to say what is wrong."""
    try:
        return read(Parsed(text, placed=False))
    except PlaceNeededError:
        return read(Parsed(text, placed=True))


def _policy(parsed: Parsed) -> PolicyModel:
    problems = parsed.problems
    reader = CommandReader(parsed)
    plain = PlainReader(parsed, reader.scope)
    while parsed.upcoming():
        comments = parsed.comments()
        start = parsed.next
        if assertion := plain.assertion():
            reader.add_assertion(*assertion, start, read_notes(parsed, comments))
        elif variable := plain.variable():
            reader.add_variable(*variable, start, read_notes(parsed, comments))
        else:
            expression = parsed.expression()
            if expression is not None:
                _policy_command(expression, reader, read_notes(parsed, comments))
    if not problems and not reader.rules:
        problems.append(NO_RULE)
    _raise_if(problems)
    return reader.model()


def _only_term(parsed: Parsed, model: PolicyModel) -> Term:
    problems = parsed.problems
    reader = TermReader(Scope.of(model), problems)
    terms = [reader.read(expression) for expression in parsed.expressions()]
    if not problems and len(terms) != 1:
        found = "nothing" if not terms else f"{len(terms)} terms"
        remedy = "write one condition" if not terms else "join them with `(and ...)`"
        problems.append(Problem(1, 1, f"there is {found} here", remedy))
    _raise_if(problems)
    term = terms[0]
    assert term is not None
    if term.sort != BOOL:
        raise ReadError(
            [Problem(1, 1, "this is a value, not a condition", "compare it: `(= x y)`")]
        )
    return term


def _answer(parsed: Parsed, model: PolicyModel) -> Answer:
    problems = parsed.problems
    scope = Scope.of(model)
    reader = TermReader(scope, problems)
    facts: dict[str, Fact] = {}
    local: dict[str, Term] = {}
    for expression in parsed.expressions():
        if isinstance(expression, Node) and expression.head == "assert":
            _fact(expression, reader, facts, local)
        elif isinstance(expression, Node) and expression.head in ("define-fun", "define-const"):
            _local(expression, reader, local)
        else:
            _refuse(expression, problems, "an answer holds named assertions and `claim`")
    if not problems and "claim" not in local:
        remedy = "add `(define-fun claim () Bool ...)`"
        problems.append(Problem(0, 0, "this answer has no claim", remedy))
    _raise_if(problems)
    claim = local["claim"]
    if claim.sort != BOOL:
        raise ReadError([Problem(0, 0, "`claim` is not a condition", "declare it as Bool")])
    return Answer(tuple(facts.values()), claim)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Python looks for garbage by the number of new objects; reading makes many, and none is."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _policy_command(expression: Expression, reader: CommandReader, notes: Notes) -> None:
    head = expression.head if isinstance(expression, Node) else ""
    handler = reader.handlers.get(head)
    if handler is not None and isinstance(expression, Node):
        handler(expression, notes)
    else:
        _refuse(expression, reader.problems, "a policy file holds declarations and assertions")


def _refuse(expression: Expression, problems: list[Problem], allowed: str) -> None:
    head = expression.head if isinstance(expression, Node) else ""
    if head in DROPPED:
        return
    shown = f"`{head}`" if head else f"`{expression}`"
    message = f"{shown} is not allowed here: {allowed}"
    problems.append(Problem(*expression.place, message, "remove it"))


def _fact(node: Node, reader: TermReader, facts: dict[str, Fact], local: dict[str, Term]) -> None:
    body, name = named_assertion(node, reader.problems)
    term = reader.read(body) if body is not None else None
    if term is None:
        return
    number = len(facts) + 1
    name = name or f"fact-{number}"
    if name in facts:
        message = f"two facts are named `{name}`"
        reader.problems.append(Problem(*node.place, message, "rename one"))
    elif term.sort != BOOL:
        message = f"fact `{name}` is a value, not a condition"
        reader.problems.append(Problem(*node.place, message, "compare it: `(= x y)`"))
    else:
        written_out = reader.not_too_large(node, substitute(term, local)) if local else term
        if written_out is not None:
            facts[name] = Fact(name, written_out)


def _local(node: Node, reader: TermReader, local: dict[str, Term]) -> None:
    items = node[1:]
    if node.head == "define-fun" and len(items) == 4:
        items = [items[0], *items[2:]] if isinstance(items[1], Node) else items
    if len(items) != 3 or not isinstance(items[0], Atom):
        message = f"`{node.head}` is not complete"
        remedy = "write `(define-fun claim () Bool ...)`"
        reader.problems.append(Problem(*node.place, message, remedy))
        return
    name, sort = items[0].text, reader.sort(items[1])
    term = reader.read(items[2])
    if name in reader.scope.symbols or name in reader.scope.values:
        message = f"`{name}` is already a name of the policy"
        reader.problems.append(Problem(*node.place, message, "choose another"))
    elif sort is not None and term is not None:
        if sort != term.sort:
            message = f"`{name}` is declared {reader.scope.sort_name(sort)}, but its term is not"
            reader.problems.append(Problem(*node.place, message))
            return
        written_out = reader.not_too_large(node, substitute(term, local)) if local else term
        reader.scope.symbols[name] = Symbol(name, sort)
        if written_out is not None:
            local[name] = written_out


def _raise_if(problems: list[Problem]) -> None:
    if problems:
        raise ReadError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
