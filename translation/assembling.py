"""Parses and types the pieces of a reply at once, each on its own.

Every piece is accepted or refused with a cause; a refused one takes no other with
it, except the rules that need it. Nothing is declared that the reply does not declare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from policies.composing import free_name
from policywright.errors import NameNotAllowedError, Problem, ReadError, SortError
from policywright.model import Datatype, Kind, PolicyModel, Role, Variable
from policywright.names import check_name
from policywright.normal import normal_form
from policywright.smtlib import read_term
from policywright.sorts import Sort
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Apply, Op, Symbol, Term, symbols
from translation.declaring import Declared
from translation.pieces import Piece, PieceKind, RefusedError, checked_text

# How many of a rule's problems are repeated, and how much of the text at each.
_LISTED, _POINTED = 10, 60

# What the owner of a policy reads as a question and its two answers.
_MAX_QUESTION, _MAX_LABEL = 300, 200


@dataclass(frozen=True)
class TypedRule:
    piece: Piece
    name: str
    term: Term
    kind: Kind
    sentences: tuple[int, ...]


@dataclass(frozen=True)
class TypedQuestion:
    """What a rule leaves open, and what it could mean instead."""

    piece: Piece
    rule: TypedRule
    text: str
    as_written: str
    otherwise: str
    term: Term


@dataclass
class Assembled:
    """What was accepted, in the order of the pieces, and for each refused piece its cause."""

    model: PolicyModel = field(default_factory=PolicyModel)
    datatypes: dict[str, Datatype] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    rules: list[TypedRule] = field(default_factory=list)
    questions: list[TypedQuestion] = field(default_factory=list)
    refused: dict[Piece, str] = field(default_factory=dict)


def assemble(pieces: Sequence[Piece], known: PolicyModel, new: Sequence[Piece] = ()) -> Assembled:
    """Datatypes first, then variables, then rules, each in the order of the reply.

    All declarations of `pieces` come before any of `new`, which so can spoil none of them.
    """
    declared, made = Declared(known), Assembled()
    for batch in (pieces, new):
        _take(batch, "datatype", made, declared.add_datatype)
        _take(batch, "variable", made, declared.add_variable)
    made.model, made.datatypes, made.variables = (
        declared.model,
        declared.datatypes,
        declared.variables,
    )
    rules = _Rules(made)
    _take([*pieces, *new], "rule", made, rules.add)
    _take([*pieces, *new], "question", made, rules.leave_open)
    return made


def _take(
    pieces: Sequence[Piece], kind: PieceKind, made: Assembled, take: Callable[[Piece], None]
) -> None:
    for piece in pieces:
        if piece.kind == kind:
            try:
                check_name(piece.name, kind)
                take(piece)
            except (NameNotAllowedError, RefusedError) as error:
                made.refused[piece] = str(error)
            except ReadError as error:
                made.refused[piece] = _listed(error.problems, piece.smtlib)


class _Rules:
    """Types rules, and other readings of them, over what was declared."""

    def __init__(self, made: Assembled) -> None:
        self.made = made
        self.sorts: Mapping[str, Sort] = {one.id: one.sort for one in made.model.symbols}
        self.names: set[str] = set()
        self.by_name: dict[str, list[TypedRule]] = {}
        self.asked: set[Piece] = set()

    def add(self, piece: Piece) -> None:
        term = self._typed(piece)
        name = free_name(piece.name, self.names)
        rule = TypedRule(piece, name, term, _kind(term, self.made.model), piece.sentences)
        self.made.rules.append(rule)
        self.by_name.setdefault(piece.name, []).append(rule)

    def leave_open(self, piece: Piece) -> None:
        """A question about a rule of the same sentence, with a reading that differs from it."""
        named = self.by_name.get(piece.name, [])
        rule = next((one for one in named if one.piece.shares_a_sentence(piece)), None)
        if rule is None:
            raise RefusedError("the sentence has no rule of that name; name the rule as it is")
        if rule.piece in self.asked:
            raise RefusedError("the rule has a question already; ask one thing of a rule")
        labels = [
            ("question", _MAX_QUESTION),
            ("as_written", _MAX_LABEL),
            ("otherwise", _MAX_LABEL),
        ]
        text, as_written, otherwise = (_line(piece, name, longest) for name, longest in labels)
        term = self._typed(piece)
        if normal_form(term) == normal_form(rule.term):
            raise RefusedError("its other reading says the same as the rule; say what differs")
        self.asked.add(rule.piece)
        self.made.questions.append(TypedQuestion(piece, rule, text, as_written, otherwise, term))

    def _typed(self, piece: Piece) -> Term:
        term = read_term(piece.smtlib, self.made.model)
        if not symbols(normal_form(term)):
            raise RefusedError(
                "it says the same whatever the case is; write what the sentence says"
            )
        try:
            term_from_json(term_to_json(term), self.sorts)
        except SortError:
            raise RefusedError("it is nested too deep; split it") from None
        return term


def _listed(problems: Sequence[Problem], text: str) -> str:
    lines = text.split("\n")
    listed = [_pointed(problem, lines) for problem in problems[:_LISTED]]
    if len(problems) > _LISTED:
        listed.append(f"and {len(problems) - _LISTED:,} more")
    return "; ".join(listed)


def _pointed(problem: Problem, lines: Sequence[str]) -> str:
    """The problem, with the words that stand at its place where it does not name them."""
    if not 0 < problem.line <= len(lines):
        return str(problem)
    there = _expression(lines[problem.line - 1][problem.column - 1 :])
    if not there or there in str(problem):
        return str(problem)
    return f"{problem}, at `{there}`"


def _expression(text: str) -> str:
    """The first s-expression of a text, or as much of it as is shown."""
    depth = 0
    for place, letter in enumerate(text[:_POINTED]):
        depth += (letter == "(") - (letter == ")")
        if depth <= 0 and (letter == ")" or letter.isspace()):
            return text[: place + (letter == ")" and depth == 0)].strip()
    return f"{text[:_POINTED]}..." if len(text) > _POINTED else text


def _kind(term: Term, model: PolicyModel) -> Kind:
    """An equation that says what a derived variable is defines it."""
    if isinstance(term, Apply) and term.op is Op.EQ and isinstance(term.args[0], Symbol):
        variable = model.variable_by_id.get(term.args[0].id)
        if variable is not None and variable.role is Role.DERIVED:
            return Kind.DEFINITION
    return Kind.RULE


def _line(piece: Piece, name: str, longest: int) -> str:
    """A text that is shown to a person, and not empty."""
    text = checked_text(f"`{name}`", piece.data[name], longest)
    if not text:
        raise RefusedError(f"its `{name}` is empty; say it in a few words")
    return text
