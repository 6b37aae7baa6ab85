"""The cases at a rule's edge: one on each side of every bound, with what follows.

Found by evaluation over a few values near the rule's own constants, never by a
solver, so a page may ask for it: the work for a rule is bounded. Where no case
is found within the bound, none is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import floor

from policywright.english import render_case, render_term, render_value
from policywright.errors import EvaluationError
from policywright.evaluate import Value, evaluate, holds
from policywright.model import Kind, PolicyModel, Rule, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL, INT
from policywright.steps import step_beside
from policywright.terms import (
    EQUALITIES,
    ORDERINGS,
    Apply,
    Literal,
    Op,
    Symbol,
    Term,
    not_,
    subterms,
    symbols,
)

MAX_BOUNDS = 6
MAX_TRIES = 400
MAX_SIZE = 400
MAX_VALUES = 12
NOTHING = "nothing follows"
ALLOWED, RULED_OUT = "allowed", "ruled out"


@dataclass(frozen=True)
class EdgeCase:
    """A case beside a bound: `at` names the bound's variable and value, if it is one."""

    at: str
    english: str
    follows: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class ComparedCase:
    """A case under a rule as it is and as it would be: what follows before and after."""

    english: str
    before: str
    after: str


@dataclass(frozen=True)
class _Parts:
    """A rule as condition and consequence; `otherwise` is what follows where it fails."""

    condition: Term
    then: str
    otherwise: str


def edge_cases(model: PolicyModel, rule: Rule) -> list[EdgeCase]:
    """Cases of a rule, those of one bound together, the lower value first.

    A rule without bounds gets one case in which something follows. A default, and
    a rule too large to try, get none.
    """
    term = normal_form(rule.term)
    if rule.kind is Kind.DEFAULT or sum(1 for _ in subterms(term)) > MAX_SIZE:
        return []
    parts = _parts(model, term)
    search = Search(model, parts.condition)
    cases: list[EdgeCase] = []
    for atom in islice(_bounds(parts.condition), MAX_BOUNDS):
        cases += _beside(model, parts, search, atom)
    if not cases:
        fires = search.fires()
        if fires is not None:
            cases.append(_case(model, parts, fires, None))
    return cases


def compared_cases(model: PolicyModel, edits: Sequence[tuple[Rule, Rule]]) -> list[ComparedCase]:
    """The cases at the edge of rules, as they are and as they would be, that turn out differently.

    An edit is a rule before and after. What follows in a case is what all of them say
    together: a consequence that merely moves from one rule to another makes no difference.
    """
    sides = [[_parts(model, normal_form(edit[side].term)) for edit in edits] for side in (0, 1)]
    cases = [[case for rule in edit for case in edge_cases(model, rule)] for edit in edits]
    calm = [
        _calm(model, own, parts) for own, parts in zip(cases, zip(*sides, strict=True), strict=True)
    ]
    found: dict[str, ComparedCase] = {}
    for place, own in enumerate(cases):
        # A case of one rule lacks what only another reads: there nothing follows, if it can be.
        fill: dict[str, Value] = {}
        for other in [*calm[:place], *calm[place + 1 :]]:
            fill |= other
        for case in own:
            values = {**fill, **_all_read(own), **case.values}
            follows = [_follow_together(model, side, values) for side in sides]
            if None not in follows and set(follows[0] or ()) != set(follows[1] or ()):
                english = render_case(model, values)
                before, after = (" and ".join(one or ()) or NOTHING for one in follows)
                found.setdefault(english, ComparedCase(english, before, after))
    return list(found.values())


def case_compared(
    model: PolicyModel, edits: Sequence[tuple[Rule, Rule]], values: Mapping[str, Value]
) -> ComparedCase | None:
    """One case under rules before and after; None where all say the same of it, or nothing can."""
    read = {one.id for edit in edits for rule in edit for one in symbols(rule.term)}
    case = {uid: value for uid, value in values.items() if uid in read}
    sides = [[_parts(model, normal_form(edit[side].term)) for edit in edits] for side in (0, 1)]
    follows = [_follow_together(model, side, case) for side in sides]
    if None in follows or set(follows[0] or ()) == set(follows[1] or ()):
        return None
    before, after = (" and ".join(one or ()) or NOTHING for one in follows)
    return ComparedCase(render_case(model, case), before, after)


def _calm(
    model: PolicyModel, cases: Sequence[EdgeCase], parts: Sequence[_Parts]
) -> Mapping[str, Value]:
    """A case in which nothing follows from a rule, as it is and as it would be; else any."""
    whole = [{**_all_read(cases), **case.values} for case in cases]
    for values in whole:
        if all(_follows(model, one, values) == NOTHING for one in parts):
            return values
    return whole[0] if whole else {}


def _all_read(cases: Sequence[EdgeCase]) -> dict[str, Value]:
    """A value for each variable of the cases, the first that it has."""
    found: dict[str, Value] = {}
    for case in reversed(cases):
        found |= case.values
    return found


def _follow_together(
    model: PolicyModel, side: Sequence[_Parts], case: Mapping[str, Value]
) -> list[str] | None:
    """What the rules say of a case, each thing once; None where one of them has no value in it."""
    follows = [_follows(model, parts, case) for parts in side]
    if "" in follows:
        return None
    said = [one for one in dict.fromkeys(follows) if one != NOTHING]
    return [one for one in said if not (one == ALLOWED and RULED_OUT in said)]


def _parts(model: PolicyModel, term: Term) -> _Parts:
    if isinstance(term, Apply) and term.op is Op.IMPLIES:
        return _Parts(term.args[0], render_term(model, term.args[1]), NOTHING)
    if isinstance(term, Apply) and term.op is Op.EQ and term.args[0].sort == BOOL:
        decided, condition = term.args
        if isinstance(decided, Symbol):
            return _Parts(condition, render_term(model, decided), render_term(model, not_(decided)))
    return _Parts(term, ALLOWED, RULED_OUT)


def _bounds(condition: Term) -> Iterator[Apply]:
    """The comparisons of an amount with a constant, left to right."""
    for node in subterms(condition):
        if isinstance(node, Apply) and node.op in ORDERINGS | EQUALITIES and len(node.args) == 2:
            constants = [isinstance(arg, Literal) for arg in node.args]
            if node.args[0].sort.is_number and any(constants) and len(symbols(node)) == 1:
                yield node


def _beside(model: PolicyModel, parts: _Parts, search: Search, atom: Apply) -> Iterator[EdgeCase]:
    """The two cases that differ in one value only and lie on two sides of the bound."""
    symbol = symbols(atom)[0]
    variable = model.variable_by_id.get(symbol.id)
    pair = _neighbours(variable, atom) if variable is not None else None
    if variable is None or pair is None:
        return
    for case in search.around(atom, {variable.id: pair[0]}):
        other = {**case, variable.id: pair[1]}
        first, second = (_holds(parts.condition, one, model) for one in (case, other))
        if first is not None and second is not None and first is not second:
            yield _case(model, parts, case, variable)
            yield _case(model, parts, other, variable)
            return


def _neighbours(variable: Variable, atom: Apply) -> tuple[Value, Value] | None:
    """The two values of the variable, one step apart, between which the comparison turns."""
    at = _crossing(variable, atom)
    if at is None:
        return None
    step = step_beside(variable, at)
    low = floor(at / step) * step
    values = [low + step * offset for offset in (-1, 0, 1, 2)]
    # Where a bound is met from above and from below, the pair around the constant comes first.
    for first, second in ((1, 2), (0, 1), (2, 3)):
        pair = _number(variable, values[first]), _number(variable, values[second])
        truths = [_holds(atom, {variable.id: value}, None) for value in pair]
        if None not in truths and truths[0] is not truths[1]:
            return pair
    return None


def _crossing(variable: Variable, atom: Apply) -> Fraction | None:
    """Where the two sides are equal, if the difference is linear in the variable."""
    found = []
    for point in (0, 1, 2):
        value = _number(variable, Fraction(point))
        try:
            left, right = (evaluate(arg, {variable.id: value}) for arg in atom.args)
        except EvaluationError:
            return None
        assert isinstance(left, (int, Fraction))
        assert isinstance(right, (int, Fraction))
        found.append(Fraction(left) - Fraction(right))
    slope = found[1] - found[0]
    if slope == 0 or found[2] - found[1] != slope:
        return None
    return -found[0] / slope


def _number(variable: Variable, value: Fraction) -> Value:
    return int(value) if variable.sort == INT else value


def _case(
    model: PolicyModel, parts: _Parts, case: Mapping[str, Value], variable: Variable | None
) -> EdgeCase:
    value = render_value(model, variable, case[variable.id]) if variable else ""
    return EdgeCase(value, render_case(model, case), _follows(model, parts, case), dict(case))


def _follows(model: PolicyModel, parts: _Parts, case: Mapping[str, Value]) -> str:
    """What follows in a case; empty where the condition has no value in it."""
    truth = _holds(parts.condition, case, model)
    return "" if truth is None else parts.then if truth else parts.otherwise


def _holds(term: Term, case: Mapping[str, Value], model: PolicyModel | None) -> bool | None:
    """Whether a condition holds; None where it has no value, as behind a division by zero."""
    try:
        return holds(term, case, model)
    except EvaluationError:
        return None


class Search:
    """Cases of a condition, likely ones first, a bounded number of them."""

    def __init__(self, model: PolicyModel, condition: Term) -> None:
        self._model = model
        self._condition = condition
        self.variables = _read_variables(model, condition)
        self._candidates = {v.id: _candidates(model, condition, v) for v in self.variables}

    def fires(self) -> dict[str, Value] | None:
        """A case in which the condition holds."""
        for case in self.cases({}, list(wishes_for(self._condition, True))):
            if _holds(self._condition, case, self._model):
                return case
        return None

    def around(self, atom: Apply, fixed: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
        """Cases in which all likely hangs on one comparison."""
        return self.cases(fixed, _wishes_around(self._condition, atom))

    def cases(
        self,
        fixed: Mapping[str, Value],
        wishes: Sequence[tuple[Term, bool]],
        without: Collection[str] = (),
    ) -> Iterator[dict[str, Value]]:
        """Cases with these values, of all variables but those `without`."""
        free = [v for v in self.variables if v.id not in fixed and v.id not in without]
        choices = [self._choices(variable, wishes) for variable in free]
        for values in islice(product(*choices), MAX_TRIES):
            yield {**fixed, **{v.id: value for v, value in zip(free, values, strict=True)}}

    def _choices(self, variable: Variable, wishes: Sequence[tuple[Term, bool]]) -> list[Value]:
        """The variable's candidates; those that grant most wishes about it alone come first."""
        own = [
            (term, wanted)
            for term, wanted in wishes
            if [symbol.id for symbol in symbols(term)] == [variable.id]
        ]

        def missed(value: Value) -> int:
            case = {variable.id: value}
            return sum(_holds(term, case, None) is not wanted for term, wanted in own)

        return sorted(self._candidates[variable.id], key=missed)


def _wishes_around(condition: Term, target: Apply) -> list[tuple[Term, bool]]:
    """What should hold and what should fail so that a condition hangs on one part of it.

    Beside it under `and` all should hold, beside it under `or` all should fail.
    """
    wishes: list[tuple[Term, bool]] = []
    node = condition
    while isinstance(node, Apply) and node is not target:
        inside = [arg for arg in node.args if any(part is target for part in subterms(arg))]
        if not inside:
            break
        if node.op in (Op.AND, Op.OR):
            for arg in node.args:
                if arg is not inside[0]:
                    wishes += wishes_for(arg, node.op is Op.AND)
        node = inside[0]
    return wishes


def wishes_for(term: Term, value: bool) -> Iterator[tuple[Term, bool]]:
    """The parts of a condition, each with the truth that gives the whole the wanted one."""
    if isinstance(term, Apply) and term.op in (Op.AND, Op.OR):
        for arg in term.args:
            yield from wishes_for(arg, value)
    elif isinstance(term, Apply) and term.op is Op.NOT:
        yield from wishes_for(term.args[0], not value)
    else:
        yield term, value


def _candidates(model: PolicyModel, condition: Term, variable: Variable) -> list[Value]:
    if variable.sort == BOOL:
        return [True, False]
    if variable.sort.is_enumeration:
        return [value.id for value in model.datatype_by_id[variable.sort.key].values]
    found: list[Value] = []
    for atom in _bounds(condition):
        pair = _neighbours(variable, atom) if symbols(atom)[0].id == variable.id else None
        found += pair or ()
    for node in subterms(condition):
        if isinstance(node, Literal) and node.sort == variable.sort:
            found.append(node.value)
    found += [_number(variable, Fraction(n)) for n in (1, 0)]
    return list(dict.fromkeys(found))[:MAX_VALUES]


def _read_variables(model: PolicyModel, condition: Term) -> list[Variable]:
    """The variables that a condition reads, through definitions, in the model's order."""
    ids: set[str] = set()
    pending: list[Term] = [condition]
    while pending:
        for symbol in symbols(pending.pop()):
            if symbol.id not in ids:
                ids.add(symbol.id)
                if symbol.id in model.definition_by_id:
                    pending.append(model.definition_by_id[symbol.id].term)
    return [variable for variable in model.variables if variable.id in ids]
