"""What one rule by itself says of a claim in a case, told by evaluation.

The words of a finding are used: VALID if the claim follows from the rule and the case,
INVALID if its opposite does, SATISFIABLE if nothing follows, IMPOSSIBLE if the rule rules
the case out. For a claim of None only whether the case can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policywright.english import render_term
from policywright.errors import EvaluationError
from policywright.evaluate import Value, evaluate, holds
from policywright.findings import FindingKind
from policywright.model import PolicyModel, Role
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Literal, Op, Symbol, Term, eq, not_, symbols

Case = Mapping[str, Value]


def says(model: PolicyModel, term: Term, case: Case, claim: Term | None) -> FindingKind | None:
    """What a rule says of a claim; None where evaluation does not tell.

    That is where the case leaves more open than the claim's one variable, where a
    divisor is zero, or where the rule bounds a number without giving its value.
    """
    try:
        return _says(model, term, case, claim)
    except EvaluationError:
        return None


def claims_in(model: PolicyModel, terms: Sequence[Term], case: Case) -> list[Term]:
    """Claims about what these rules decide: each outcome, with the values that they give it."""
    found: list[Term] = []
    for term in terms:
        for symbol in concluded(model, term):
            if symbol.sort == BOOL:
                found.append(symbol)
                continue
            try:
                values = _given_values(model, term, case, symbol)
            except EvaluationError:
                values = []
            found += [eq(symbol, Literal(value, symbol.sort)) for value in values]
    return list(dict.fromkeys(found))


def concluded(model: PolicyModel, term: Term) -> list[Symbol]:
    """The variables that a rule decides: those of its consequences that are no facts."""
    found: list[Symbol] = []
    for part in _parts(normal_form(term)):
        own = [one for one in symbols(part) if one.id in model.variable_by_id]
        decided = [one for one in own if model.variable_by_id[one.id].role is not Role.FACT]
        outcomes = [one for one in own if model.variable_by_id[one.id].role is Role.OUTCOME]
        found += outcomes or decided
    return list(dict.fromkeys(found))


def _parts(term: Term) -> Iterator[Term]:
    """The consequences of a rule; of `x = condition` the x."""
    if isinstance(term, Apply) and term.op is Op.AND:
        for arg in term.args:
            yield from _parts(arg)
    elif isinstance(term, Apply) and term.op is Op.IMPLIES:
        yield from _parts(term.args[1])
    elif isinstance(term, Apply) and term.op is Op.EQ:
        yield next((arg for arg in term.args if isinstance(arg, Symbol)), term)
    else:
        yield term


def say_said(model: PolicyModel, claim: Term | None, kind: FindingKind) -> str:
    """What a rule says of a claim, for somebody who knows no logic."""
    if kind is FindingKind.IMPOSSIBLE:
        return "this case cannot happen"
    if claim is None:
        return "this case can occur"
    if kind is FindingKind.SATISFIABLE:
        return "nothing follows"
    return render_term(model, claim if kind is FindingKind.VALID else not_(claim))


def _says(model: PolicyModel, term: Term, case: Case, claim: Term | None) -> FindingKind | None:
    if claim is None:
        return FindingKind.SATISFIABLE if holds(term, case, model) else FindingKind.IMPOSSIBLE
    unknown = [symbol for symbol in symbols(claim) if symbol.id not in case]
    if len(unknown) != 1:
        return None
    (symbol,) = unknown
    if symbol.sort.is_number:
        return _of_number(model, term, case, claim, symbol)
    truths = {
        holds(claim, tried, model)
        for value in _values(model, symbol)
        if holds(term, tried := {**case, symbol.id: value}, model)
    }
    if not truths:
        return FindingKind.IMPOSSIBLE
    if len(truths) == 2:
        return FindingKind.SATISFIABLE
    return FindingKind.VALID if truths == {True} else FindingKind.INVALID


def _of_number(
    model: PolicyModel, term: Term, case: Case, claim: Term, symbol: Symbol
) -> FindingKind | None:
    """By the value that the rule gives the number, if its condition holds and it gives one."""
    if _is_idle(model, term, case):
        return FindingKind.SATISFIABLE
    for value in _given_values(model, term, case, symbol):
        holds_then = holds(claim, {**case, symbol.id: value}, model)
        return FindingKind.VALID if holds_then else FindingKind.INVALID
    return None


def _is_idle(model: PolicyModel, term: Term, case: Case) -> bool:
    """Whether the rule is a condition with a consequence, and the condition fails."""
    term = normal_form(term)
    is_conditional = isinstance(term, Apply) and term.op is Op.IMPLIES
    return is_conditional and not holds(term.args[0], case, model)  # type: ignore[union-attr]


def _given_values(model: PolicyModel, term: Term, case: Case, symbol: Symbol) -> list[Value]:
    """The values that the consequence equates the variable with, where the condition holds."""
    if _is_idle(model, term, case):
        return []
    return [
        evaluate(other, case, model)
        for other in _equated(normal_form(term), symbol)
        if not any(one == symbol for one in symbols(other))
    ]


def _equated(term: Term, symbol: Symbol) -> Iterator[Term]:
    if not isinstance(term, Apply):
        return
    if term.op is Op.IMPLIES:
        yield from _equated(term.args[1], symbol)
    elif term.op is Op.AND:
        for arg in term.args:
            yield from _equated(arg, symbol)
    elif term.op is Op.EQ and len(term.args) == 2:
        for one, other in (term.args, term.args[::-1]):
            if one == symbol:
                yield other


def _values(model: PolicyModel, symbol: Symbol) -> Sequence[Value]:
    if symbol.sort == BOOL:
        return (True, False)
    return [value.id for value in model.datatype_by_id[symbol.sort.key].values]
