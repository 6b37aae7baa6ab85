"""The case that tells two conditions apart best for a person.

A case in which they differ is made better wish by wish; a wish that no differing case
grants is let go. Wished for are, in this order: that neither condition rules the case
out whatever the outcome is; that amounts lie exactly at a bound that only one of the
two has, else one step beside it; plain values of everything else. What does not matter
is then left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from policywright.comparison import TellingCase
from policywright.errors import EvaluationError
from policywright.evaluate import Value, holds
from policywright.finding_kinds import BY_SIDES, FindingKind
from policywright.findings.conditions import (
    as_number,
    atoms,
    bound_in,
    compares_numbers,
    conditions,
    equals,
)
from policywright.findings.minimal import minimal_core
from policywright.model import PolicyModel, Role, Variable
from policywright.solver import Session, Status
from policywright.sorts import BOOL
from policywright.steps import step_beside
from policywright.terms import (
    CONNECTIVES,
    Apply,
    Literal,
    Op,
    Term,
    and_,
    boolean,
    eq,
    not_,
    or_,
    substitute,
    symbols,
)
from policywright.witness import Rounded, Witness

_PLAIN = (100, 10, 1, 0)
_MAX_WISHES = 8
# That they differ is known by then, so little is spent on a better case.
_RLIMIT, _MAX_UNKNOWN = 1_000_000, 3


class TellingSearch:
    """Finds the case in a session in which the two sides are asked to differ.

    `base` numbers the assumptions and the difference, which comes last.
    """

    def __init__(
        self,
        model: PolicyModel,
        session: Session,
        base: Sequence[int],
        sides: tuple[Term, Term],
        assumptions: Sequence[Term],
    ) -> None:
        self.model, self.session, self.sides = model, session, sides
        self.assumptions, self.assumed = assumptions, list(base[:-1])
        self.held = list(base)
        self.case: dict[str, Value] = {}
        self.claim: Term | None = None
        self._unknown = 0
        self.atoms = [atoms(side) for side in sides]
        keys = [set(atoms) for atoms in self.atoms]
        self.own_atoms = [
            atom
            for place, atoms in enumerate(self.atoms)
            for key, atom in atoms.items()
            if key not in keys[1 - place]
        ]
        used = dict.fromkeys(symbol.id for side in sides for symbol in symbols(side))
        self.outcome = self._outcome(list(used))
        own = dict.fromkeys(symbol.id for atom in self.own_atoms for symbol in symbols(atom))
        # What only one of the two speaks of comes first: it makes the difference.
        order = dict.fromkeys([*own, *used])
        by_id = model.variable_by_id
        self.variables = [by_id[uid] for uid in order if by_id[uid] != self.outcome]
        self.own = [variable for variable in self.variables if variable.id in own]

    def start(self) -> bool:
        """Take the case that the session has just shown, if the two differ in it indeed."""
        return self._take(self.session.witness())

    def found(self) -> TellingCase:
        self.session.limit_to(min(_RLIMIT, self.session.rlimit))
        for wish in self._possible_wishes():
            self.prefer(wish)
        settled = self._meet_bounds()
        for variable in self.variables:
            if variable.id not in settled:
                self._settle(variable, self._plain(variable))
        facts = self._needed()
        self.claim = self._claim(facts)
        says = [self._says(side, facts) for side in self.sides]
        for variable in self.variables:
            # What the policy decides is no fact, so it is left out where nothing hangs on it.
            if variable.id in facts and variable.role is not Role.FACT:
                fewer = {uid: value for uid, value in facts.items() if uid != variable.id}
                if [self._says(side, fewer) for side in self.sides] == says:
                    facts = fewer
        shown = self._shown(facts)
        at_bound = frozenset(uid for uid in shown if self._is_at_bound(uid))
        return TellingCase(self._in_order_of_model(facts), shown, at_bound, self.claim, *says)

    def prefer(self, wish: Term) -> bool:
        """Hold a wish from now on, if the two differ in a case that grants it."""
        number = self.session.add(wish)
        if not self._grants(wish):
            if self._ask([*self.held, number]) is not Status.SAT:
                return False
            if not self._take(self.session.witness()):
                return False
        self.held.append(number)
        return True

    def _ask(self, numbers: Sequence[int]) -> Status:
        """What is unknown too often is not asked any more: it has to be done in time."""
        if self._unknown >= _MAX_UNKNOWN:
            return Status.UNKNOWN
        status = self.session.check(numbers)
        self._unknown += status is Status.UNKNOWN
        return status

    def _claim(self, facts: Mapping[str, Value]) -> Term | None:
        """The outcome in question; of an amount or a choice, that it is what a side makes it.

        Where neither side gives it a value, that it is what it is in the case.
        """
        outcome = self.outcome
        if outcome is None or outcome.sort == BOOL:
            return outcome.symbol if outcome else None
        given = [equals(self.model.variable_by_id[uid], value) for uid, value in facts.items()]
        for side in self.sides:
            numbers = [*self.assumed, *self.session.add_all([*given, side])]
            if self._ask(numbers) is Status.SAT:
                value = self.session.witness().values[outcome.id]
                if isinstance(value, Rounded):
                    continue
                claim = equals(outcome, value)
                if self._ask([*numbers, self.session.add(not_(claim))]) is Status.UNSAT:
                    return claim
        return equals(outcome, self.case[outcome.id])

    def _take(self, witness: Witness) -> bool:
        """Replay a case; it is taken if it bears out that the two differ."""
        if not witness.exact:
            return False
        case = witness.assignment()
        try:
            if not all(holds(term, case) for term in self.assumptions):
                return False
            first, second = (holds(side, case) for side in self.sides)
        except EvaluationError:
            return False
        if first is second:
            return False
        self.case = case
        return True

    def _grants(self, wish: Term) -> bool:
        try:
            return holds(wish, self.case)
        except EvaluationError:
            return False

    def _outcome(self, used: Sequence[str]) -> Variable | None:
        """What both speak of before what one does, an outcome before what is derived."""
        shared = set.intersection(*({one.id for one in symbols(side)} for side in self.sides))
        variables = [self.model.variable_by_id[uid] for uid in used]
        for role in (Role.OUTCOME, Role.DERIVED):
            of_role = [variable for variable in variables if variable.role is role]
            found = [variable for variable in of_role if variable.id in shared] or of_role
            if found:
                return found[0]
        return None

    def _possible_wishes(self) -> Iterator[Term]:
        """That each side leaves some value of the outcome possible."""
        outcome = self.outcome
        if outcome is None or outcome.sort.is_number:
            return
        values: Sequence[Value] = [True, False]
        if outcome.sort.is_enumeration:
            values = [v.id for v in self.model.datatype_by_id[outcome.sort.key].values]
        for side in self.sides:
            yield or_(*(self._with_outcome(side, value) for value in values))

    def _with_outcome(self, side: Term, value: Value) -> Term:
        assert self.outcome is not None
        return substitute(side, {self.outcome.id: Literal(value, self.outcome.sort)})

    def _meet_bounds(self) -> set[str]:
        """Wish for equality in the comparisons that only one side has; the ids settled by that.

        Where both have all of them, what they make of them differs: then each is wished for.
        """
        shared = [atom for atoms in self.atoms for atom in atoms.values()]
        compared = [atom for atom in self.own_atoms or shared if compares_numbers(atom)]
        settled: set[str] = set()
        beside: list[tuple[Variable, Fraction]] = []
        for atom in compared[:_MAX_WISHES]:
            met, bound = self.prefer(eq(*atom.args)), self._bound(atom)
            if bound is not None and met:
                settled.add(bound[0].id)
            elif bound is not None:
                beside.append(bound)
        for variable, at in beside:
            if variable.id not in settled and self._settle(variable, self._beside(variable, at)):
                settled.add(variable.id)
        return settled

    def _bound(self, atom: Apply) -> tuple[Variable, Fraction] | None:
        """The variable and its bound in an atom, none of the outcome's."""
        found = bound_in(atom)
        variable = self.model.variable_by_id[found[0]] if found else None
        return (variable, found[1]) if found and variable and variable != self.outcome else None

    def _beside(self, variable: Variable, at: Fraction) -> list[Value]:
        step = step_beside(variable, at)
        return [as_number(variable, at + offset) for offset in (step, -step)]

    def _plain(self, variable: Variable) -> list[Value]:
        if variable.sort == BOOL:
            return [True, False]
        if variable.sort.is_enumeration:
            values = self.model.datatype_by_id[variable.sort.key].values
            return [value.id for value in values]
        found: list[Value] = []
        for at in self._constants(variable.id):
            found += [as_number(variable, at + offset) for offset in (1, -1, 0)]
            found += self._beside(variable, at)
        found += [as_number(variable, Fraction(value)) for value in _PLAIN]
        return list(dict.fromkeys(found))

    def _settle(self, variable: Variable, values: Sequence[Value]) -> bool:
        """Give a variable the first of the values that is possible, for good."""
        return any(self.prefer(equals(variable, value)) for value in values[: 2 * _MAX_WISHES])

    def _constants(self, uid: str) -> list[Fraction]:
        """The constants that a variable is compared with, in order, each once."""
        bounds = [
            self._bound(atom)
            for atoms in self.atoms
            for atom in atoms.values()
            if compares_numbers(atom)
        ]
        return list(dict.fromkeys(b[1] for b in bounds if b is not None and b[0].id == uid))

    def _is_at_bound(self, uid: str) -> bool:
        value = self.case[uid]
        return not isinstance(value, (bool, str)) and Fraction(value) in self._constants(uid)

    def _needed(self) -> dict[str, Value]:
        """The values without which the two might say something else of the claim."""
        ordered = [*(v for v in reversed(self.variables) if v not in self.own), *reversed(self.own)]
        numbers = self.session.add_all([equals(v, self.case[v.id]) for v in ordered])
        denied = self.session.add(not_(and_(*self._as_they_are())))
        fixed = [*self.assumed, denied]

        def clash(some: Sequence[int]) -> frozenset[int] | None:
            # Undecided counts as no clash: then a value more is kept, which does no harm.
            return self.session.core() if self._ask(some) is Status.UNSAT else None

        core = clash([*fixed, *numbers])
        needed = numbers if core is None else minimal_core(numbers, fixed, core, clash)[0]
        kept = {v.id for v, number in zip(ordered, numbers, strict=True) if number in needed}
        return {v.id: self.case[v.id] for v in self.variables if v.id in kept}

    def _as_they_are(self) -> Iterator[Term]:
        """What both sides say in the case, for each value of a yes-or-no outcome."""
        outcome = self.outcome
        values: Sequence[Value] = [] if outcome is None else [self.case[outcome.id]]
        if outcome is not None and outcome.sort == BOOL:
            values = [True, False]
        for side in self.sides:
            terms = [self._with_outcome(side, value) for value in values] or [side]
            for term in terms:
                try:
                    yield eq(term, boolean(holds(term, self.case)))
                except EvaluationError:
                    continue

    def _says(self, side: Term, facts: Mapping[str, Value]) -> FindingKind:
        claim = self.claim
        if claim is None:
            return FindingKind.SATISFIABLE if holds(side, self.case) else FindingKind.IMPOSSIBLE
        given = [equals(self.model.variable_by_id[uid], value) for uid, value in facts.items()]
        *numbers, holding, failing = self.session.add_all([*given, side, claim, not_(claim)])
        possible = [self._ask([*self.assumed, *numbers, one]) for one in (holding, failing)]
        if Status.UNKNOWN in possible:
            return FindingKind.UNDECIDED
        return BY_SIDES[possible[0] is Status.SAT, possible[1] is Status.SAT]

    def _in_order_of_model(self, facts: Mapping[str, Value]) -> dict[str, Value]:
        return {v.id: facts[v.id] for v in self.model.variables if v.id in facts}

    def _shown(self, facts: Mapping[str, Value]) -> tuple[str, ...]:
        """What makes the difference, and what is not simply as the conditions want it."""
        own = {variable.id for variable in self.own} & facts.keys()
        if not own:
            return tuple(v.id for v in self.model.variables if v.id in facts)
        outcome = self.outcome.id if self.outcome else ""
        parts = [part for side in self.sides for part in conditions(side, outcome)]
        shown = own | {uid for uid in facts if not self._in_order(uid, parts)}
        return tuple(v.id for v in self.model.variables if v.id in shown)

    def _in_order(self, uid: str, parts: Sequence[tuple[Term, bool]]) -> bool:
        """Whether each condition that speaks of a variable is plain, and met in the case."""
        for part, is_condition in parts:
            if uid not in (symbol.id for symbol in symbols(part)):
                continue
            plain = part.args[0] if isinstance(part, Apply) and part.op is Op.NOT else part
            junction = isinstance(plain, Apply) and plain.op in CONNECTIVES | {Op.ITE}
            if not is_condition or junction or not self._grants(part):
                return False
        return True
