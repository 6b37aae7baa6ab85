"""Which drafted rule says what a gold rule says, under the best mapping of variables found.

A drafted variable may stand for a gold one of its sort, for its negation where its name
says so, for an enumeration's value, or for a number of the other sort. Two rules match
under a mapping if the solver finds them equivalent; the mapping of the whole policy is
the one under which most rules match, and among those the one whose names are nearest.
It is searched for within a bound, so what is reported is a lower bound.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product

from rapidfuzz import fuzz

from policywright.checks import equivalent
from policywright.errors import EvaluationError
from policywright.evaluate import holds
from policywright.model import Datatype, PolicyModel, Rule, Variable
from policywright.solver import Status, ask, open_session
from policywright.sorts import BOOL, INT, REAL
from policywright.terms import (
    Literal,
    Symbol,
    Term,
    eq,
    member,
    not_,
    substitute,
    subterms,
    symbols,
    to_real,
)
from translation.evaluation.drafting import Drafted, DraftedPolicy
from translation.evaluation.gold import GoldPolicy
from translation.merging.contrasts import is_negated
from translation.merging.words import words
from translation.renaming import rename_ids

MAX_VARIABLES = 7
MAX_MAPPINGS = 4_000
MAX_NODES = 20_000
RLIMIT = 2_000_000


@dataclass(frozen=True)
class Target:
    """What a drafted variable stands for: a gold term, and the gold variable in it.

    `widened` says that the gold variable is the drafted whole number as a Real one.
    `values` maps the drafted values of an enumeration, and `datatype` the datatype itself.
    """

    gold: str
    term: Term
    widened: bool = False
    values: tuple[tuple[str, str], ...] = ()


Mapped = Mapping[str, Target]


@dataclass(frozen=True)
class Match:
    drafted: int
    gold: int
    mapping: tuple[tuple[str, Target], ...]
    nearness: float


@dataclass(frozen=True)
class Matching:
    """`equal` maps drafted rules to gold ones; `implied` ones follow from gold, but are none."""

    equal: Mapping[int, int]
    implied: frozenset[int]
    mapping: Mapped


class Matcher:
    def __init__(self, gold: GoldPolicy, draft: DraftedPolicy) -> None:
        self.gold, self.draft = gold, draft
        self.rules: tuple[Rule, ...] = gold.rules
        drafted = {variable.id: variable for variable in draft.variables}
        self.variables: Mapping[str, Variable] = drafted
        self.datatypes: Mapping[str, Datatype] = {d.id: d for d in draft.datatypes}
        own = tuple(
            Variable(one.id, f"drafted{index}", one.sort)
            for index, one in enumerate(draft.variables)
            if not one.sort.is_enumeration
        )
        # Drafted whole numbers occur in questions; all other drafted variables are replaced.
        self.model = PolicyModel(gold.model.datatypes, (*gold.model.variables, *own))

    def match(self) -> Matching:
        found = [
            match
            for index, rule in enumerate(self.draft.rules)
            for number, gold in enumerate(self.rules)
            for match in self._matches(index, rule, number, gold)
        ]
        chosen, mapping = _choose(found)
        equal = {match.drafted: match.gold for match in chosen}
        implied = frozenset(
            index
            for index, rule in enumerate(self.draft.rules)
            if index not in equal and self._follows(rule.term, mapping)
        )
        return Matching(equal, implied, mapping)

    def mapped(self, term: Term, mapping: Mapped) -> Term | None:
        """A drafted term in gold's variables; None where one of its variables stands for none."""
        used = symbols(term)
        if any(symbol.id not in mapping or mapping[symbol.id].widened for symbol in used):
            return None
        return _replaced(term, {symbol.id: mapping[symbol.id] for symbol in used}, self.datatypes)

    def same(self, one: Term, other: Term) -> bool:
        return ask(self.model, equivalent(one, other), rlimit=RLIMIT) is Status.UNSAT

    def _follows(self, term: Term, mapping: Mapped) -> bool:
        mapped = self.mapped(term, mapping)
        if mapped is None:
            return False
        model = self.gold.model.with_rules(self.rules)
        session = open_session(model, [not_(mapped)], rlimit=RLIMIT)
        return session.check([*session.rules, *session.added]) is Status.UNSAT

    def _matches(self, index: int, rule: Drafted, number: int, gold: Rule) -> Iterator[Match]:
        used, wanted = symbols(rule.term), symbols(gold.term)
        if not used or max(len(used), len(wanted)) > MAX_VARIABLES:
            return
        targets = [list(self._targets(self.variables[one.id], wanted)) for one in used]
        tried = 0
        for choice in product(*targets):
            golds = [(target.gold, target.term) for target in choice]
            # Two drafted variables are two things, and all of the gold rule is spoken of.
            if len(set(golds)) < len(golds) or {one for one, _ in golds} != {w.id for w in wanted}:
                continue
            tried += 1
            if tried > MAX_MAPPINGS:
                return
            mapping = {one.id: target for one, target in zip(used, choice, strict=True)}
            near = self._nearness(mapping)
            # Two rules of one shape match under some mapping: names or numbers must speak for it.
            if near is None and not _shared_numbers(rule.term, gold.term):
                continue
            one, other = self._both(rule.term, gold.term, mapping)
            if _may_be_same(one, other, self.model) and self.same(one, other):
                yield Match(index, number, tuple(mapping.items()), near or 0.0)

    def _both(self, term: Term, gold: Term, mapping: Mapped) -> tuple[Term, Term]:
        widened = {
            target.gold: to_real(Symbol(uid, INT))
            for uid, target in mapping.items()
            if target.widened
        }
        plain = {uid: target for uid, target in mapping.items() if not target.widened}
        return _replaced(term, plain, self.datatypes), substitute(gold, widened)

    def _targets(self, variable: Variable, wanted: Sequence[Symbol]) -> Iterator[Target]:
        for symbol in wanted:
            if variable.sort == BOOL and symbol.sort == BOOL:
                # The opposite only by its name: else a rule of the wrong sign would be right.
                opposite = is_negated(variable.name, self.gold.model.name_of(symbol.id))
                yield Target(symbol.id, not_(symbol) if opposite else symbol)
            elif variable.sort == BOOL and symbol.sort.is_enumeration:
                for value in self.gold.model.datatype_by_id[symbol.sort.key].values:
                    yield Target(symbol.id, eq(symbol, member(symbol.sort.key, value.id)))
            elif variable.sort == symbol.sort:
                yield Target(symbol.id, symbol)
            elif variable.sort == REAL and symbol.sort == INT:
                yield Target(symbol.id, to_real(symbol))
            elif variable.sort == INT and symbol.sort == REAL:
                yield Target(symbol.id, symbol, widened=True)
            elif variable.sort.is_enumeration and symbol.sort.is_enumeration:
                yield from self._value_pairs(variable, symbol)

    def _value_pairs(self, variable: Variable, symbol: Symbol) -> Iterator[Target]:
        first = self.datatypes[variable.sort.key].values
        second = self.gold.model.datatype_by_id[symbol.sort.key].values
        if len(first) != len(second) or len(first) > 4:
            return
        for order in permutations(second):
            pairs = tuple((one.id, other.id) for one, other in zip(first, order, strict=True))
            yield Target(symbol.id, symbol, values=pairs)

    def _nearness(self, mapping: Mapped) -> float | None:
        """How near the names are, on average; None where most have no word in common."""
        nears = [self._near(self.variables[uid], target) for uid, target in mapping.items()]
        if 2 * sum(near > 0 for near in nears) <= len(nears):
            return None
        return sum(nears) / len(nears)

    def _near(self, variable: Variable, target: Target) -> float:
        said = " ".join([*words(variable.name), variable.phrases.text, variable.description])
        model = self.gold.model
        values = [
            model.datatype_by_id[node.sort.key].value(str(node.value)).name
            for node in subterms(target.term)
            if isinstance(node, Literal) and node.sort.is_enumeration
        ]
        named = " ".join(words(" ".join([model.variable_by_id[target.gold].name, *values])))
        near = fuzz.token_set_ratio(said, named) / 100
        return near if near >= 0.5 else 0.0


def _replaced(term: Term, mapping: Mapped, datatypes: Mapping[str, Datatype]) -> Term:
    ids: dict[str, str] = {}
    terms: dict[str, Term] = {}
    sorts = {symbol.id: symbol.sort for symbol in symbols(term)}
    for uid, target in mapping.items():
        if target.values:
            ids |= {uid: target.gold, sorts[uid].key: target.term.sort.key, **dict(target.values)}
        else:
            terms[uid] = target.term
    return substitute(rename_ids(term, ids), terms)


def _shared_numbers(one: Term, other: Term) -> bool:
    return bool(_numbers(one) & _numbers(other) - {Fraction(0), Fraction(1)})


def _numbers(term: Term) -> set[Fraction]:
    return {
        Fraction(node.value)
        for node in subterms(term)
        if isinstance(node, Literal) and node.sort.is_number
    }


def _may_be_same(one: Term, other: Term, model: PolicyModel) -> bool:
    """False if one of a few cases near the rules' own numbers tells the two apart."""
    chance = random.Random(1)
    near = sorted({n + d for n in _numbers(one) | _numbers(other) for d in (-1, 0, 1)})
    near = near or [Fraction(0)]
    used = {symbol.id: symbol for term in (one, other) for symbol in symbols(term)}
    for _ in range(24):
        case: dict[str, bool | int | Fraction | str] = {}
        for uid, symbol in used.items():
            if symbol.sort == BOOL:
                case[uid] = chance.random() < 0.5
            elif symbol.sort.is_enumeration:
                values = model.datatype_by_id[symbol.sort.key].values
                case[uid] = chance.choice(values).id
            else:
                number = Fraction(chance.choice(near))
                case[uid] = int(number) if symbol.sort == INT else number
        try:
            if holds(one, case, model) != holds(other, case, model):
                return False
        except EvaluationError:
            continue
    return True


def _choose(found: Sequence[Match]) -> tuple[list[Match], dict[str, Target]]:
    """The matches that fit together, as many as found within the bound, the nearest first."""
    order = sorted(found, key=lambda match: (-match.nearness, match.drafted, match.gold))
    best: tuple[int, float, list[Match], dict[str, Target]] = (0, 0.0, [], {})
    nodes = 0

    def search(start: int, chosen: list[Match], mapping: dict[str, Target]) -> None:
        nonlocal best, nodes
        nodes += 1
        score = (len(chosen), sum(match.nearness for match in chosen))
        if score > best[:2]:
            best = (*score, list(chosen), dict(mapping))
        left = len({match.drafted for match in order[start:]})
        if nodes > MAX_NODES or len(chosen) + left < best[0]:
            return
        for place in range(start, len(order)):
            match = order[place]
            if _fits(match, chosen, mapping):
                search(place + 1, [*chosen, match], mapping | dict(match.mapping))

    search(0, [], {})
    return best[2], best[3]


def _fits(match: Match, chosen: Sequence[Match], mapping: Mapped) -> bool:
    """A drafted variable stands for one thing; two may stand for one, as before a merge."""
    if any(match.drafted == one.drafted or match.gold == one.gold for one in chosen):
        return False
    return all(mapping.get(uid, target) == target for uid, target in match.mapping)
