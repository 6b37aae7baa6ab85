"""Parses and types the pieces of a reply at once, each on its own.

A piece is a datatype, a variable or a rule as the model wrote it. Every piece is
accepted or refused with a cause; a refused one takes no other with it, except
the rules that need it. Nothing is declared that the reply does not declare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from policies.composing import free_name
from policies.models.people import new_uid
from policywright.errors import NameNotAllowedError, Problem, ReadError, SortError
from policywright.model import (
    Datatype,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Value,
    Variable,
)
from policywright.names import check_name
from policywright.smtlib import read_term
from policywright.sorts import BUILT_IN, Sort
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Apply, Op, Symbol, Term, symbols

Named = TypeVar("Named", Datatype, Value, Variable | Definition)
PieceKind = Literal["datatype", "variable", "rule"]

# What the rows hold; see policies.models.draft.
_MAX_UNIT, _MAX_PHRASE, _MAX_VALUE_PHRASE = 40, 300, 200

# How much of a rule, and how many of its problems, a reason repeats.
_SHOWN, _LISTED = 400, 10


@dataclass(frozen=True, eq=False)
class Piece:
    """A declaration or rule as the model wrote it, with the sentences it is drawn from."""

    kind: PieceKind
    data: Mapping[str, Any]
    sentences: tuple[int, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.data["name"]

    @property
    def label(self) -> str:
        return f"{self.kind} `{self.data['name'][:80]}`"

    @property
    def text(self) -> str:
        """The label, and what a rule says: for a person who has not the reply at hand."""
        return (
            f"{self.label} {shortened(self.data['smtlib'])}" if self.kind == "rule" else self.label
        )


@dataclass(frozen=True)
class TypedRule:
    name: str
    term: Term
    kind: Kind
    sentences: tuple[int, ...]


@dataclass
class Assembled:
    """What was accepted, and for each refused piece its cause."""

    datatypes: dict[str, Datatype] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    rules: list[TypedRule] = field(default_factory=list)
    refused: dict[Piece, str] = field(default_factory=dict)


class _RefusedError(Exception):
    """A piece is refused; the message is the cause."""


def shortened(text: str) -> str:
    """A text that may be of any length, for a sentence that a person reads."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def assemble(pieces: Sequence[Piece], known: PolicyModel) -> Assembled:
    """Datatypes first, then variables, then rules, each in the order of the reply."""
    made = Assembled()
    _take(pieces, "datatype", made, lambda piece: _declare_datatype(piece, known, made))
    _take(pieces, "variable", made, lambda piece: _declare_variable(piece, known, made))
    model = PolicyModel(
        datatypes=(*known.datatypes, *made.datatypes.values()),
        variables=(*known.variables, *made.variables.values()),
        definitions=known.definitions,
    )
    _take(pieces, "rule", made, lambda piece: _type_rule(piece, model, made))
    return made


def _take(
    pieces: Sequence[Piece], kind: PieceKind, made: Assembled, take: Callable[[Piece], None]
) -> None:
    for piece in pieces:
        if piece.kind == kind:
            try:
                check_name(piece.data["name"], kind)
                take(piece)
            except (NameNotAllowedError, _RefusedError) as error:
                made.refused[piece] = str(error)
            except ReadError as error:
                made.refused[piece] = _first_of(error.problems)


def _first_of(problems: Sequence[Problem]) -> str:
    listed = [str(problem) for problem in problems[:_LISTED]]
    if len(problems) > _LISTED:
        listed.append(f"and {len(problems) - _LISTED:,} more")
    return "; ".join(listed)


def _declare_datatype(piece: Piece, known: PolicyModel, made: Assembled) -> None:
    name, names = piece.data["name"], [value["name"] for value in piece.data["values"]]
    if not names:
        raise _RefusedError("it has no values; list them, the last one `OTHER`")
    declared = made.datatypes.get(name) or _by_name(known.datatypes, name)
    if declared is not None:
        if [value.name for value in declared.values] != names:
            shown = ", ".join(f"`{value.name}`" for value in declared.values)
            raise _RefusedError(
                f"it is declared already, with the values {shown}; use it so, or take another name"
            )
        return
    for value in piece.data["values"]:
        check_name(value["name"], "value")
        _check_length("phrase", value["phrase"], _MAX_VALUE_PHRASE)
        if _by_name(known.symbols, value["name"]) is not None:
            raise _RefusedError(f"its value `{value['name']}` is the name of a variable")
    if len(set(names)) < len(names):
        raise _RefusedError("it has the same value twice")
    made.datatypes[name] = Datatype(
        new_uid(),
        name,
        tuple(Value(new_uid(), v["name"], v["phrase"].strip()) for v in piece.data["values"]),
        piece.data["description"].strip(),
    )


def _declare_variable(piece: Piece, known: PolicyModel, made: Assembled) -> None:
    data = piece.data
    datatypes = (*known.datatypes, *made.datatypes.values())
    drafted = Variable(
        new_uid(),
        data["name"],
        _sort(data["sort"], datatypes),
        Role(data["role"]),
        _check_length("unit", data["unit"], _MAX_UNIT),
        data["description"].strip(),
        Phrases(
            _check_length("phrase", data["phrase"], _MAX_PHRASE),
            _check_length("negative phrase", data["negative"], _MAX_PHRASE),
        ),
    )
    declared = made.variables.get(drafted.name) or _by_name(known.symbols, drafted.name)
    if declared is None:
        owner = next((d for d in datatypes if _by_name(d.values, drafted.name)), None)
        if owner is not None:
            raise _RefusedError(f"its name is a value of `{owner.name}`; take another name")
        made.variables[drafted.name] = drafted
    elif not isinstance(declared, Variable) or _meaning(declared) != _meaning(drafted):
        raise _RefusedError(
            f"it is declared already, as {_shown(declared, datatypes)}; "
            "use it so, or take another name"
        )


def _type_rule(piece: Piece, model: PolicyModel, made: Assembled) -> None:
    term = read_term(piece.data["smtlib"], model)
    if not symbols(term):
        raise _RefusedError("it says the same whatever the case is; write what the sentence says")
    sorts = {symbol.id: symbol.sort for symbol in model.symbols}
    try:
        term_from_json(term_to_json(term), sorts)
    except SortError:
        raise _RefusedError("it is nested too deep; split it") from None
    taken = {rule.name for rule in made.rules}
    name = free_name(piece.data["name"], taken)
    made.rules.append(TypedRule(name, term, _kind(term, model), piece.sentences))


def _kind(term: Term, model: PolicyModel) -> Kind:
    """An equation that says what a derived variable is defines it."""
    if isinstance(term, Apply) and term.op is Op.EQ and isinstance(term.args[0], Symbol):
        variable = model.variable_by_id.get(term.args[0].id)
        if variable is not None and variable.role is Role.DERIVED:
            return Kind.DEFINITION
    return Kind.RULE


def _sort(name: str, datatypes: Iterable[Datatype]) -> Sort:
    datatype = _by_name(datatypes, name)
    if datatype is not None:
        return datatype.sort
    if name in BUILT_IN:
        return BUILT_IN[name]
    raise _RefusedError(f"its sort `{name[:80]}` is not Bool, Int, Real or a declared datatype")


def _meaning(variable: Variable) -> tuple[Sort, str, Role]:
    return variable.sort, variable.unit, variable.role


def _shown(declared: Variable | Definition, datatypes: Iterable[Datatype]) -> str:
    if isinstance(declared, Definition):
        return "a definition"
    sort = next((d.name for d in datatypes if d.sort == declared.sort), declared.sort.key)
    unit = f", unit `{declared.unit}`" if declared.unit else ""
    return f"{sort}{unit}, {declared.role}"


def _check_length(what: str, text: str, longest: int) -> str:
    if len(text.strip()) > longest:
        raise _RefusedError(f"its {what} has more than {longest} characters; say it shorter")
    return text.strip()


def _by_name(named: Iterable[Named], name: str) -> Named | None:
    return next((item for item in named if item.name == name), None)
