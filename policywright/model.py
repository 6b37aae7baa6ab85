"""The policy model: datatypes, variables, definitions and rules, immutable.

Parts refer to each other by stable id; names are for printing and reading.
A model that exists fits together: names are allowed and unique, every symbol
of a term is declared with the sort it is used at, definitions are not circular.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from policywright.errors import ModelError, NameNotAllowedError
from policywright.names import are_plain, check_name
from policywright.sorts import BOOL, BUILT_IN, Sort, enumeration
from policywright.terms import Apply, Literal, Symbol, Term, symbols


class Role(StrEnum):
    """What a variable is for: a case supplies facts, the policy decides outcomes."""

    FACT = "fact"
    OUTCOME = "outcome"
    DERIVED = "derived"


class Kind(StrEnum):
    """What an assertion is: only rules and definitions come from a sentence."""

    RULE = "rule"
    DEFINITION = "definition"
    ASSUMPTION = "assumption"
    DEFAULT = "default"


class DefaultChoice(StrEnum):
    """What holds of an outcome when no rule speaks."""

    APPROVED = "approved unless forbidden"
    REFUSED = "refused unless granted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Phrases:
    """How a variable is said.

    `text` is a clause for a Bool ('a line manager has approved the trip') and a
    noun phrase otherwise ('the total trip cost'); `negative` is a Bool's clause
    for false. Empty means: not given, draft one from the name.
    """

    text: str = ""
    negative: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an enumeration; `phrase` is how it is said after 'is'."""

    id: str
    name: str
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class Datatype:
    id: str
    name: str
    values: tuple[Value, ...]
    description: str = ""

    @property
    def sort(self) -> Sort:
        return enumeration(self.id)

    def value(self, value_id: str) -> Value:
        return next(value for value in self.values if value.id == value_id)


@dataclass(frozen=True, slots=True)
class Variable:
    """A typed symbol with a meaning; `unit` is `EUR`, `months`, `percent`, `date` or empty.

    `role_guessed` says that no file or person gave the role.
    """

    id: str
    name: str
    sort: Sort
    role: Role = Role.FACT
    unit: str = ""
    description: str = ""
    phrases: Phrases = Phrases()
    role_guessed: bool = False

    @property
    def symbol(self) -> Symbol:
        return Symbol(self.id, self.sort)


@dataclass(frozen=True, slots=True)
class Definition:
    """A named term (`define-fun` without arguments): a shorthand, not an assertion."""

    id: str
    name: str
    term: Term
    description: str = ""
    phrases: Phrases = Phrases()

    @property
    def sort(self) -> Sort:
        return self.term.sort

    @property
    def symbol(self) -> Symbol:
        return Symbol(self.id, self.sort)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule comes from: `[start, end)` in code points of a revision's text.

    `context` is what was shown beside the sentence: heading titles, lead-in and
    connective, table headers, what it points to.
    """

    document: str
    revision: str
    start: int
    end: int
    quote: str
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A named assertion. A default names its outcome, choice and the rules it rests on."""

    id: str
    name: str
    term: Term
    kind: Kind = Kind.RULE
    sources: tuple[Source, ...] = ()
    outcome: str = ""
    choice: DefaultChoice | None = None
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class PolicyModel:
    """Datatypes, variables, definitions and rules, in document order.

    Raises ModelError, with every problem found, if the parts do not fit together.
    """

    datatypes: tuple[Datatype, ...] = ()
    variables: tuple[Variable, ...] = ()
    definitions: tuple[Definition, ...] = ()
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise ModelError(problems)

    @cached_property
    def datatype_by_id(self) -> Mapping[str, Datatype]:
        return {datatype.id: datatype for datatype in self.datatypes}

    @cached_property
    def variable_by_id(self) -> Mapping[str, Variable]:
        return {variable.id: variable for variable in self.variables}

    @cached_property
    def definition_by_id(self) -> Mapping[str, Definition]:
        return {definition.id: definition for definition in self.definitions}

    @cached_property
    def rule_by_id(self) -> Mapping[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def ordered_definitions(self) -> tuple[Definition, ...]:
        """Definitions with those they use before them, else in document order."""
        ordered: dict[str, Definition] = {}
        for definition in self.definitions:
            _order(definition, self.definition_by_id, ordered)
        return tuple(ordered.values())

    @cached_property
    def symbols(self) -> tuple[Variable | Definition, ...]:
        """All that a term may name: variables, then definitions."""
        return (*self.variables, *self.definitions)

    @cached_property
    def symbol_by_id(self) -> Mapping[str, Variable | Definition]:
        return {symbol.id: symbol for symbol in self.symbols}

    @cached_property
    def value_ids(self) -> Mapping[str, frozenset[str]]:
        """Of each datatype, by its id."""
        return {d.id: frozenset(value.id for value in d.values) for d in self.datatypes}

    def declared(self, symbol_id: str) -> Variable | Definition:
        """The variable or definition with that id; KeyError if there is none."""
        return self.variable_by_id.get(symbol_id) or self.definition_by_id[symbol_id]

    def name_of(self, symbol_id: str) -> str:
        return self.declared(symbol_id).name

    def with_rules(self, rules: Sequence[Rule]) -> PolicyModel:
        return PolicyModel(self.datatypes, self.variables, self.definitions, tuple(rules))


def check_term(model: PolicyModel, term: Term, *, what: str = "the rule") -> list[str]:
    """What keeps a term from being a rule of a model: sentences, none if it fits."""
    return list(_rule_problems(_Declared(model), term, what))


def _problems(model: PolicyModel) -> Iterator[str]:
    yield from _duplicates(model)
    yield from _bad_names(model)
    for variable in model.variables:
        if not _known(variable.sort, model):
            yield f"variable `{variable.name}` has the unknown sort `{variable.sort}`"
    declared = _Declared(model)
    terms = [definition.term for definition in model.definitions]
    fits = declared.all_fit([*terms, *(rule.term for rule in model.rules)])
    for definition in () if fits else model.definitions:
        yield from declared.problems(definition.term, f"definition `{definition.name}`")
    yield from _circular(model)
    for rule in model.rules:
        if not fits or rule.term.sort is not BOOL:
            yield from _rule_problems(declared, rule.term, f"rule `{rule.name}`")


def _rule_problems(declared: _Declared, term: Term, what: str) -> Iterator[str]:
    if term.sort != BOOL:
        yield f"{what} must be a condition (Bool), not {term.sort}"
    yield from declared.problems(term, what)


def _duplicates(model: PolicyModel) -> Iterator[str]:
    groups: list[tuple[str, list[str], list[str]]] = [
        ("datatype", [d.id for d in model.datatypes], [d.name for d in model.datatypes]),
        ("variable", [s.id for s in model.symbols], [s.name for s in model.symbols]),
        ("rule", [r.id for r in model.rules], [r.name for r in model.rules]),
    ]
    for datatype in model.datatypes:
        ids, names = [v.id for v in datatype.values], [v.name for v in datatype.values]
        groups.append((f"value of `{datatype.name}`", ids, names))
        if not ids:
            yield f"datatype `{datatype.name}` has no values"
    for what, ids, names in groups:
        for label, items in (("id", ids), ("name", names)):
            if len(set(items)) < len(items):
                for item in sorted(item for item, count in Counter(items).items() if count > 1):
                    yield f"two {what}s have the {label} `{item}`"
    constants = {value.name for datatype in model.datatypes for value in datatype.values}
    for symbol in model.symbols:
        if symbol.name in constants:
            yield f"`{symbol.name}` names both a variable and a value; rename one of them"


def _bad_names(model: PolicyModel) -> Iterator[str]:
    named = [
        ("datatype", [datatype.name for datatype in model.datatypes]),
        ("value", [value.name for datatype in model.datatypes for value in datatype.values]),
        ("variable", [variable.name for variable in model.variables]),
        ("definition", [definition.name for definition in model.definitions]),
        ("rule", [rule.name for rule in model.rules]),
    ]
    for what, names in named:
        for name in () if are_plain(names) else names:
            try:
                check_name(name, what)
            except NameNotAllowedError as error:
                yield str(error)


class _Declared:
    """What the terms of a model may use; each symbol and value is looked up once."""

    def __init__(self, model: PolicyModel) -> None:
        self.symbols = model.symbol_by_id
        self.datatypes = model.datatype_by_id
        self.values = model.value_ids
        self.fitting: set[int] = set()

    def all_fit(self, terms: Sequence[Term]) -> bool:
        """Whether there is nothing to say about any of the terms, each part looked at once."""
        seen: dict[int, Term] = {}
        level = {id(term): term for term in terms}
        while level:
            seen |= level
            applied = [node for node in level.values() if isinstance(node, Apply)]
            below = {id(arg): arg for node in applied for arg in node.args}
            level = {key: node for key, node in below.items() if key not in seen}
        return not any(self.problem(n) for n in seen.values() if not isinstance(n, Apply))

    def problems(self, term: Term, what: str) -> Iterator[str]:
        seen: set[int] = set()
        stack: list[Term] = [term]
        while stack:
            node = stack.pop()
            key = id(node)
            if key in self.fitting or key in seen:
                continue
            seen.add(key)
            if isinstance(node, Apply):
                stack.extend(reversed(node.args))
            elif problem := self.problem(node):
                yield f"{what} uses {problem}"
            else:
                self.fitting.add(key)

    def problem(self, node: Literal | Symbol) -> str:
        if isinstance(node, Symbol):
            declared = self.symbols.get(node.id)
            if declared is None:
                return f"`{node.id}`, which is not declared"
            if declared.sort != node.sort:
                return f"`{declared.name}` as {node.sort}, but it is {declared.sort}"
        elif node.sort.is_enumeration:
            if node.sort.key not in self.datatypes:
                return f"a value of `{node.sort}`, which is not declared"
            if node.value not in self.values[node.sort.key]:
                name = self.datatypes[node.sort.key].name
                return f"`{node.value}`, which is not a value of `{name}`"
        return ""


def _known(sort: Sort, model: PolicyModel) -> bool:
    return sort.key in model.datatype_by_id if sort.is_enumeration else sort.key in BUILT_IN


def _circular(model: PolicyModel) -> Iterator[str]:
    """Takes away what uses nothing that is left; what then remains goes in circles."""
    uses = {
        d.id: {s.id for s in symbols(d.term)} & model.definition_by_id.keys()
        for d in model.definitions
    }
    users: dict[str, list[str]] = {key: [] for key in uses}
    for key, used in uses.items():
        for other in used:
            users[other].append(key)
    free = [key for key, used in uses.items() if not used]
    while free:
        key = free.pop()
        del uses[key]
        for user in users[key]:
            uses[user].discard(key)
            if not uses[user]:
                free.append(user)
    if uses:
        names = ", ".join(f"`{model.definition_by_id[key].name}`" for key in uses)
        yield f"definitions refer to each other in a circle: {names}"


def _order(
    definition: Definition, by_id: Mapping[str, Definition], done: dict[str, Definition]
) -> None:
    stack = [(definition, False)]
    while stack:
        current, ready = stack.pop()
        if current.id in done:
            continue
        if ready:
            done[current.id] = current
            continue
        stack.append((current, True))
        used = [by_id[s.id] for s in symbols(current.term) if s.id in by_id]
        stack.extend((other, False) for other in reversed(used))
