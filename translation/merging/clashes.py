"""What would contradict if two symbols were one, asked of a solver process.

Two kinds: rules that cannot hold together at all, and two rules of which each
decides the merged symbol, in a case that both speak of, in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from policywright.english import render_case
from policywright.model import Kind, PolicyModel, Rule, Variable
from policywright.smtlib import print_model, print_term
from policywright.solving import SolverProcess
from policywright.sorts import BOOL, INT
from policywright.terms import Apply, Literal, Op, Term, and_, eq, ge, integer, real, symbols
from translation.merging.applying import free_name, ids_in
from translation.merging.splitting import parts_of
from translation.renaming import rename_ids

# A page waits for this: so many pairs of rules, and so long for each question.
MAX_PAIRS = 60
MAX_SYMBOLS = 4
DEADLINE_S = 3.0


@dataclass(frozen=True)
class Clash:
    """Rules by name that would contradict; `case` is where, empty if everywhere."""

    rules: tuple[str, ...]
    case: str = ""


@dataclass(frozen=True)
class Clashes:
    """`undecided` says that a question was not answered in time: then nothing is promised."""

    found: tuple[Clash, ...] = ()
    undecided: bool = False


def find_clashes(
    before: PolicyModel, after: PolicyModel, from_id: str, into_id: str, ids: Mapping[str, str]
) -> Clashes:
    """What would contradict after the merge and does not before; `ids` maps all that is merged."""
    touched = _touched(after, into_id)
    if not touched:
        return Clashes()
    with SolverProcess(deadline_s=DEADLINE_S) as solver:
        asking = _Asking(solver, before, after, ids)
        for variable in touched[:MAX_SYMBOLS]:
            clash = asking.everywhere(variable)
            if clash is not None:
                return Clashes((clash,), asking.undecided)
        if into_id not in after.variable_by_id:
            return Clashes((), asking.undecided)
        found = tuple(asking.in_a_case(from_id, into_id))
        return Clashes(found, asking.undecided)


class _Asking:
    def __init__(
        self,
        solver: SolverProcess,
        before: PolicyModel,
        after: PolicyModel,
        ids: Mapping[str, str],
    ) -> None:
        self.solver, self.before, self.after, self.ids = solver, before, after, ids
        # Of a fresh variable nothing is known, so a claim on it shows a case where there is one.
        names = {symbol.name for symbol in (*before.symbols, *after.symbols)}
        names |= {value.name for datatype in before.datatypes for value in datatype.values}
        self.fresh = free_name("anyCase", names)
        self.texts = {
            name: print_model(replace(model, variables=(*model.variables, _named(self.fresh))))
            for name, model in (("before", before), ("after", after))
        }
        self.undecided = False

    def everywhere(self, variable: Variable) -> Clash | None:
        """Whether the rules alone, of the slice of a variable, cannot hold together."""
        finding = self.ask("after", "", _anything(self.after, variable))
        if finding["finding"] != "IMPOSSIBLE":
            return None
        # Clashing before, too, is no consequence of the merge.
        own = self.before.variable_by_id.get(variable.id)
        if own is not None:
            earlier = self.ask("before", "", _anything(self.before, own))
            if earlier["finding"] == "IMPOSSIBLE":
                return None
        return Clash(tuple(finding["rules"]))

    def in_a_case(self, from_id: str, into_id: str) -> Iterator[Clash]:
        """Pairs of rules, one that decides each symbol, that clash where both apply."""
        pairs = (
            (one, other, condition)
            for one, first in _deciding(self.before.rules, from_id)
            for other, second in _deciding(self.before.rules, into_id)
            if one.id != other.id
            for condition in (and_(first, second),)
        )
        asked = 0
        seen: set[tuple[str, str]] = set()
        for one, other, condition in pairs:
            if (one.id, other.id) in seen:
                continue
            asked += 1
            if asked > MAX_PAIRS:
                self.undecided = True
                return
            case = self._clash(condition)
            if case is not None:
                seen.add((one.id, other.id))
                yield Clash((one.name, other.name), case)

    def _clash(self, condition: Term) -> str | None:
        """The case in which the condition holds before, and cannot after; None if there is none."""
        facts = f"(assert {print_term(self.before, condition)})"
        earlier = self.ask("before", facts, self.fresh)
        if earlier["finding"] != "SATISFIABLE":
            return None
        merged = rename_ids(condition, self.ids)
        facts = f"(assert {print_term(self.after, merged)})"
        if self.ask("after", facts, self.fresh)["finding"] != "IMPOSSIBLE":
            return None
        return _case(self.before, condition, earlier["scenarios"]["holds"])

    def ask(self, which: str, facts: str, claim: str) -> dict[str, Any]:
        finding = self.solver.check(which, self.texts[which], facts=facts, claim=claim)
        self.undecided |= finding["finding"] == "UNDECIDED"
        return finding


def _named(name: str) -> Variable:
    return Variable(name, name, BOOL)


def _touched(model: PolicyModel, into_id: str) -> list[Variable]:
    """The merged variable, or those of the merged datatype or value, that a rule speaks of."""
    used = {
        symbol.id
        for rule in model.rules
        if into_id in ids_in(rule)
        for symbol in symbols(rule.term)
    }
    own = model.variable_by_id.get(into_id)
    if own is not None:
        return [own] if own.id in used else []
    return [variable for variable in model.variables if variable.id in used]


def _deciding(rules: Sequence[Rule], symbol_id: str) -> Iterator[tuple[Rule, Term]]:
    """The rules that conclude on a symbol, each with the condition under which it does."""
    for rule in rules:
        if rule.kind is Kind.DEFAULT:
            continue
        for part in parts_of(rule.term):
            if not isinstance(part, Apply) or part.op is not Op.IMPLIES:
                continue
            condition, then = part.args
            if any(symbol.id == symbol_id for symbol in symbols(then)):
                yield rule, condition


def _anything(model: PolicyModel, variable: Variable) -> str:
    """A claim that speaks of a variable, whatever of it: it chooses the slice."""
    symbol: Term = variable.symbol
    if variable.sort.is_enumeration:
        first = model.datatype_by_id[variable.sort.key].values[0]
        symbol = eq(symbol, Literal(first.id, variable.sort))
    elif variable.sort != BOOL:
        symbol = ge(symbol, integer(0) if variable.sort == INT else real(0))
    return print_term(model, symbol)


def _case(model: PolicyModel, condition: Term, shown: Mapping[str, Any]) -> str:
    """The values of the condition's variables, in English."""
    values: dict[str, Any] = {}
    for symbol in symbols(condition):
        declared = model.variable_by_id[symbol.id]
        value = shown.get(declared.name)
        if value is None:
            continue
        if declared.sort.is_enumeration:
            datatype = model.datatype_by_id[declared.sort.key]
            value = next((one.id for one in datatype.values if one.name == value), None)
        elif declared.sort != BOOL:
            value = Fraction(value)
            value = int(value) if declared.sort == INT else value
        if value is not None:
            values[symbol.id] = value
    return render_case(model, values) if values else ""
