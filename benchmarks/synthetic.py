"""Policies of any size with answers to check: deterministic, satisfiable by construction.

The proportions follow what is known of a real 274-page policy: per rule about 1.3
variables and 0.4 enumerations, most of a rule's variables used close by, one rule
in forty with a product of two variables. Rules come in sections of 8 to 40; a
section takes over variables of the one before with probability LINK, so that
components span one to a few sections. `hubs` variables (a country, a
kind of employee) are read in conditions everywhere and join the whole into one component.

Every rule holds in each of WITNESSES hidden assignments.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction

from policywright.evaluate import Value as Hidden
from policywright.evaluate import holds
from policywright.model import Datatype, PolicyModel, Rule, Value, Variable
from policywright.normal import negate
from policywright.smtlib import print_term
from policywright.sorts import BOOL, INT, REAL, Sort
from policywright.terms import (
    Literal,
    Op,
    Symbol,
    Term,
    and_,
    eq,
    ge,
    gt,
    implies,
    le,
    lt,
    mul,
    not_,
    or_,
    symbols,
)

WITNESSES = 3
LINK = 0.35
REUSE = 0.57
CHAIN = 0.35
HUB = 0.15
STEPS = (1, 2, 3, 5, 6, 10, 12, 18, 24, 30, 65, 90, 180, 365, 500, 1000, 2500)


@dataclass(frozen=True)
class Question:
    """Facts and a claim as SMT-LIB conditions over the policy's names."""

    facts: tuple[str, ...]
    claim: str


@dataclass
class Synthetic:
    """A policy under construction; `model()` and `questions()` give the result."""

    rules_wanted: int
    seed: int = 1
    hubs: int = 0
    rng: random.Random = field(init=False)
    datatypes: list[Datatype] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    values: dict[str, list[Hidden]] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    section_of: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self._by_id: dict[str, Variable] = {}
        self._hub_variables = [self._variable(BOOL) for _ in range(self.hubs)]
        before: list[Variable] = []
        section = 0
        while len(self.rules) < self.rules_wanted:
            section += 1
            take = min(3, len(before)) if self.rng.random() < LINK else 0
            recent = self.rng.sample(before, take)
            self._outcomes: list[Term] = []
            size = min(self.rng.randint(8, 40), self.rules_wanted - len(self.rules))
            used: list[Variable] = []
            for _ in range(size):
                used += self._rule(section, recent)
                recent = [*recent, *used[-6:]][-24:]
            before = list(dict.fromkeys(used))

    def model(self) -> PolicyModel:
        return PolicyModel(tuple(self.datatypes), tuple(self.variables), (), tuple(self.rules))

    def questions(self, count: int) -> list[Question]:
        """Aimed at each finding in turn: follows, excluded, open, clash, nothing given."""
        model, rng = self.model(), random.Random(f"questions-{self.seed}")
        shaped = [r for r in self.rules if getattr(r.term, "op", None) is Op.IMPLIES]
        made = []
        for i in range(count):
            condition, outcome = rng.choice(shaped).term.args  # type: ignore[union-attr]
            facts = (
                list(condition.args) if getattr(condition, "op", None) is Op.AND else [condition]
            )
            claim = outcome
            if i % 5 == 1:
                claim = negate(outcome)
            elif i % 5 == 2:
                facts = facts[:-1]
            elif i % 5 == 3:
                facts.append(negate(outcome))
            elif i % 5 == 4:
                facts = []
            texts = tuple(print_term(model, fact) for fact in facts)
            made.append(Question(texts, print_term(model, claim)))
        return made

    def _rule(self, section: int, recent: list[Variable]) -> list[Variable]:
        """Add one rule that holds in every hidden assignment; the variables it reads."""
        while True:
            sizes = len(self.variables), len(self.datatypes)
            term = self._term(recent)
            if self._holds(term):
                break
            for variable in self.variables[sizes[0] :]:
                del self.values[variable.id]
            del self.variables[sizes[0] :], self.datatypes[sizes[1] :]
        name = f"s{section}-r{len(self.rules) + 1}"
        self.rules.append(Rule(name, name, term))
        self.section_of.append(section)
        if getattr(term, "op", None) is Op.IMPLIES:
            self._outcomes.append(term.args[1])  # type: ignore[union-attr]
        return [self._by_id[symbol.id] for symbol in symbols(term)]

    def _holds(self, term: Term) -> bool:
        read = [symbol.id for symbol in symbols(term)]
        cases = ({i: self.values[i][n] for i in read} for n in range(WITNESSES))
        return all(holds(term, case) for case in cases)

    def _term(self, recent: list[Variable]) -> Term:
        form = self.rng.random()
        if form < 0.025:
            left, right = (self._pick(recent, REAL) for _ in range(2))
            cap = self._variable(REAL)
            for i in range(WITNESSES):
                product = self.values[left.id][i] * self.values[right.id][i]  # type: ignore[operator]
                self.values[cap.id][i] = product + 1
            return le(mul(left.symbol, right.symbol), cap.symbol)
        if form < 0.1:
            bounded = self._pick(recent, self.rng.choice((INT, REAL)))
            zero = Fraction(0) if bounded.sort == REAL else 0
            return ge(bounded.symbol, Literal(zero, bounded.sort))
        condition = self._condition(recent)
        outcome = self._literal(self._pick(recent, None, hub=False))
        if form < 0.2:
            return implies(negate(condition), outcome)
        return implies(condition, outcome)

    def _condition(self, recent: list[Variable]) -> Term:
        parts: dict[str, Term] = {}
        for _ in range(self.rng.choices((1, 2, 3, 4), (30, 35, 22, 13))[0]):
            if self._outcomes and self.rng.random() < CHAIN:
                part = self.rng.choice(self._outcomes)
            else:
                part = self._literal(self._pick(recent, None))
            parts.setdefault(symbols(part)[0].id, part)
        if len(parts) == 1:
            return next(iter(parts.values()))
        return (or_ if self.rng.random() < 0.15 else and_)(*parts.values())

    def _literal(self, variable: Variable) -> Term:
        symbol: Symbol = variable.symbol
        if variable.sort == BOOL:
            return symbol if self.rng.random() < 0.65 else not_(symbol)
        if variable.sort.is_number:
            near = self.rng.choice(self.values[variable.id])
            compare = self.rng.choice((gt, ge, lt, le, ge, eq))
            return compare(symbol, Literal(near, variable.sort))
        member = self.rng.choice(self._datatype_of(variable.sort).values)
        equal = eq(symbol, Literal(member.id, variable.sort))
        return equal if self.rng.random() < 0.8 else not_(equal)

    def _datatype_of(self, sort: Sort) -> Datatype:
        return self.datatypes[int(sort.key.removeprefix("T"))]

    def _pick(self, recent: list[Variable], sort: Sort | None, *, hub: bool = True) -> Variable:
        if hub and sort is None and self._hub_variables and self.rng.random() < HUB:
            return self.rng.choice(self._hub_variables)
        pool = [v for v in recent if sort is None or v.sort == sort]
        if pool and self.rng.random() < REUSE:
            return self.rng.choice(pool)
        return self._variable(sort)

    def _variable(self, sort: Sort | None) -> Variable:
        if sort is None:
            sort = (
                self.rng.choices((BOOL, INT, REAL, None), (34, 13, 15, 38))[0] or self._datatype()
            )
        name = f"x{len(self.variables)}"
        variable = Variable(name, name, sort)
        self.variables.append(variable)
        self._by_id[name] = variable
        self.values[name] = [self._value(sort) for _ in range(WITNESSES)]
        return variable

    def _datatype(self) -> Sort:
        number = len(self.datatypes)
        values = tuple(
            Value(f"t{number}v{i}", f"t{number}v{i}")
            for i in range(self.rng.choice((2, 3, 3, 4, 5, 8)))
        )
        datatype = Datatype(f"T{number}", f"T{number}", values)
        self.datatypes.append(datatype)
        return datatype.sort

    def _value(self, sort: Sort) -> Hidden:
        if sort == BOOL:
            return self.rng.random() < 0.5
        if sort == INT:
            return self.rng.choice(STEPS)
        if sort == REAL:
            return Fraction(self.rng.choice(STEPS), self.rng.choice((1, 2, 4, 10)))
        return self.rng.choice(self._datatype_of(sort).values).id
