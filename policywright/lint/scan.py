"""What the checks of one lint run share: components, sessions, cases, what was not decided.

Questions are asked of a component, the rules that share variables however indirectly,
never of the whole. Each is first tried near a case that is known (`nearby`), then put to
a solver that is kept: every rule behind a literal of its own, so that leaving a rule out
costs nothing. In a component of more than LARGE rules a question begins at one stored case,
lets go of a value only where a clash asks for it, and loads a rule only once a change
breaks it.

Minimal cores do not depend on what was asked before: document order picks them. Cases that
are shown come from a session of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from policywright.errors import EvaluationError, PolicywrightError
from policywright.evaluate import Value, holds
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.lint.growing import GrowingSearch
from policywright.lint.nearby import Case, Nearby
from policywright.lint.pieces import Piece, PieceReader, Way
from policywright.model import PolicyModel, Role, Rule, Variable
from policywright.solver import DEFAULT_RLIMIT, LARGE, Session, Status, compiled
from policywright.solver.lazy import stored_model
from policywright.terms import Literal, Term, eq
from policywright.witness import Rounded

KEPT_CASES = 3
Question = tuple[frozenset[int], tuple[Term, ...]]
"""Rules left out, and terms that are to hold together with the others."""


class LintEvidenceError(PolicywrightError):
    """Evidence did not survive being checked again: a fault of the product."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`core` only after UNSAT: numbers of rules. `case` after SAT, if it is exact and of all rules;
    where rules were left out it is read only if it comes for nothing.
    """

    status: Status
    case: Mapping[str, Value] | None = None
    core: frozenset[int] = frozenset()


class Scan:
    """One run over a model. `only` limits the checks to components with these rules or variables.

    `observe` is told each question, settled by a solver or not.
    """

    def __init__(
        self,
        model: PolicyModel,
        *,
        rlimit: int = DEFAULT_RLIMIT,
        only: Collection[str] | None = None,
        complete: Collection[str] = (),
        ranks: Mapping[str, int] | None = None,
        unfit: Sequence[Rule] = (),
        observe: Callable[[Question], None] | None = None,
    ) -> None:
        self.model, self.rlimit = model, rlimit
        self.complete, self.ranks = frozenset(complete), dict(ranks or {})
        self.unfit = tuple(unfit)
        self.prepared = compiled(model)
        self.nearby = Nearby(self.prepared)
        self.reader = PieceReader(model)
        self.observe = observe
        self.asked = 0
        self.code = ""
        self.undecided: Counter[str] = Counter()
        self.limits: list[str] = []
        self.dead: set[int] = set()
        self.implied: set[int] = set()
        self.clashes: list[frozenset[int]] = []
        self.touching: set[frozenset[int]] = set()
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        self.components = self._find_components(only)
        self.numbers = sorted(n for c in self.components for n in c.rules)
        self._component_of = {n: c for c in self.components for n in c.rules}

    def session(self, rules: Sequence[int], terms: Sequence[Term] = ()) -> Session:
        """A session over rules; all of a scan share one context, since making one is dear."""
        return Session(self.prepared, rules, terms, rlimit=self.rlimit, beside=self.home)

    @cached_property
    def home(self) -> Session:
        """Holds the context that all sessions of the scan share."""
        return Session(self.prepared, (), rlimit=self.rlimit)

    def minimal(
        self, session: Session, rules: Sequence[int], fixed: Sequence[int]
    ) -> tuple[int, ...] | None:
        """The minimal ones of some rules that clash with what is fixed, asked again alone.

        None if a question on the way was not decided.
        """

        def clash(numbers: Sequence[int]) -> frozenset[int] | None:
            self.asked += 1
            status = session.check(numbers)
            if status is Status.UNKNOWN:
                raise NotDecidedError
            return session.core() if status is Status.UNSAT else None

        try:
            found = clash([*rules, *fixed])
            if found is None:
                raise LintEvidenceError("what was excluded is possible when asked again")
            kept, _ = minimal_core(rules, fixed, found, clash)
        except NotDecidedError:
            return None
        with session.alone([*kept, *fixed]) as check:
            status = check([*kept, *fixed])
        if status is Status.SAT:
            raise LintEvidenceError("rules were reported that do not clash alone")
        return tuple(sorted(kept)) if status is Status.UNSAT else None

    def component(self, number: int) -> Component:
        """That of a rule."""
        return self._component_of[number]

    def rules(self) -> Iterator[tuple[int, Rule]]:
        """The rules that are looked at, with their numbers, in document order."""
        return ((number, self.model.rules[number]) for number in self.numbers)

    def sound(self) -> Iterator[Component]:
        """The components whose rules can all hold: of the others everything would follow."""
        return (component for component in self.components if component.is_sound)

    def pieces(self, number: int) -> tuple[Piece, ...]:
        if number not in self._pieces:
            self._pieces[number] = self.reader.read(number)
        return self._pieces[number]

    def ids(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Ids of rules by number, in document order."""
        return tuple(self.model.rules[number].id for number in sorted(numbers))

    def unknown(self) -> None:
        """Count a question of the present check that was not decided."""
        self.undecided[self.code] += 1

    def follows_from_a_clash(self, core: Collection[int]) -> bool:
        """Whether what shows something holds a clash that is reported by itself."""
        return any(clash <= set(core) for clash in self.clashes)

    @cached_property
    def decided(self) -> frozenset[str]:
        """Ids of the variables that are no facts."""
        return frozenset(v.id for v in self.model.variables if v.role is not Role.FACT)

    @cached_property
    def facts_alone(self) -> frozenset[int]:
        """The rules that speak of facts and of nothing that the policy decides."""
        return frozenset(
            number
            for number, used in enumerate(self.prepared.rule_symbols)
            if used.isdisjoint(self.decided)
        )

    @cached_property
    def limits_facts(self) -> frozenset[int]:
        """The rules that decide nothing, and so say which facts there can be.

        Those that speak of facts alone, and bounds on what another rule says outright: 'at
        most half of the fee' where the fee is a sum of facts.
        """
        defined = {
            piece.decides: number
            for number in range(len(self.model.rules))
            for piece in self.pieces(number)
            if piece.way is Way.VALUE and not piece.conditions and piece.value is not None
            if not isinstance(piece.value, Literal) or piece.value.sort.is_number
        }
        by_id = self.model.variable_by_id

        def is_settled(uid: str, number: int) -> bool:
            if uid not in by_id or by_id[uid].role is Role.FACT:
                return True
            return defined.get(uid, number) != number

        found = set(self.facts_alone)
        for number in range(len(self.model.rules)):
            pieces = self.pieces(number)
            if all(piece.way in (Way.NONE, Way.BOUND) for piece in pieces) and all(
                is_settled(uid, number) for uid in self.prepared.rule_symbols[number]
            ):
                found.add(number)
        return frozenset(found)

    @cached_property
    def looked_at(self) -> frozenset[str]:
        return frozenset(self.model.rules[number].id for number in self.numbers)

    @cached_property
    def variables(self) -> list[Variable]:
        """Those that the rules looked at read, in the model's order."""
        read = {uid for number in self.numbers for uid in self.prepared.rule_symbols[number]}
        return [variable for variable in self.model.variables if variable.id in read]

    def _find_components(self, only: Collection[str] | None) -> list[Component]:
        groups: dict[int, list[int]] = {}
        alone: list[tuple[int, ...]] = []
        component_of = self.prepared.component_of
        for number, used in enumerate(self.prepared.rule_symbols):
            if used:
                groups.setdefault(component_of[next(iter(used))], []).append(number)
            else:
                alone.append((number,))
        found = [Component(self, rules) for rules in [*map(tuple, groups.values()), *alone]]
        if only is None:
            return found
        wanted = set(only)
        return [component for component in found if component.reaches(wanted)]


class Component:
    """The rules that share variables, asked about together."""

    def __init__(self, scan: Scan, rules: tuple[int, ...]) -> None:
        self.scan, self.rules = scan, rules
        self.cases: list[Case] = []
        self._session: Session | None = None

    def reaches(self, wanted: Collection[str]) -> bool:
        prepared, rules = self.scan.prepared, self.scan.model.rules
        return any(
            rules[n].id in wanted or not prepared.rule_symbols[n].isdisjoint(wanted)
            for n in self.rules
        )

    @cached_property
    def is_large(self) -> bool:
        return len(self.rules) > LARGE

    @cached_property
    def status(self) -> Status:
        """Whether all rules can hold together; the first case is kept."""
        self.scan.asked += 1
        if self.is_large:
            stored = stored_model(self.scan.prepared, self.rules, self.scan.rlimit)
            if stored is not None:
                self._keep(stored)
                return Status.SAT
        session = self._kept_session()
        status = session.check(self.rules)
        if status is Status.SAT:
            witness = session.witness()
            if witness.exact:
                self._keep(witness.assignment())
        return status

    @property
    def is_sound(self) -> bool:
        return self.status is Status.SAT

    def ask(self, terms: Sequence[Term], without: Collection[int] = ()) -> Answer:
        """Whether terms can hold together with all rules but some."""
        scan = self.scan
        scan.asked += 1
        if scan.observe is not None:
            scan.observe((frozenset(without), tuple(terms)))
        near = self._near(terms, without)
        if near is not None:
            return Answer(Status.SAT, near)
        if self.is_large and self.is_sound and self.cases:
            answer = self._around(terms, without)
        else:
            answer = self._of_whole(terms, without)
        if answer.case is not None and not without:
            self._keep(dict(answer.case))
        return answer

    def core(self, terms: Sequence[Term], without: Collection[int] = ()) -> tuple[int, ...] | None:
        """The minimal rules that exclude the terms, asked again alone; None if undecided.

        `ask` has said before that they are excluded.
        """
        if self.is_large and self.cases:
            # Of the rules in the clash that was found: going through all would cost too much.
            rules = sorted(self._around(terms, without).core)
            small = self.scan.session(rules, terms)
            return self.scan.minimal(small, rules, small.added)
        rules = [number for number in self.rules if number not in without]
        session = self._kept_session()
        with session.question(terms) as added:
            return self.scan.minimal(session, rules, added)

    def _near(self, terms: Sequence[Term], without: Collection[int]) -> Case | None:
        starts = self.cases[:1] if self.is_large else self.cases
        found = self.scan.nearby.find(starts, terms, without)
        if found is not None and not without:
            self._keep(found)
        return found

    def _of_whole(self, terms: Sequence[Term], without: Collection[int]) -> Answer:
        session = self._kept_session()
        with session.question(terms) as added:
            numbers = [number for number in self.rules if number not in without]
            status = session.check([*numbers, *added])
            return _answer(session, status, wants_case=not without)

    def _around(self, terms: Sequence[Term], without: Collection[int]) -> Answer:
        """Of few rules: those that break when only what has to change is changed.

        Every variable keeps the value of a stored case until a clash asks for another one;
        every rule is left aside until such a change breaks it. So a clash without kept
        values is one of the rules, and a case that breaks no rule is one of all.
        """
        search = GrowingSearch(
            self.scan.prepared,
            terms,
            self.cases[0],
            rlimit=self.scan.rlimit,
            beside=self.scan.home,
        )
        while True:
            status = search.possible()
            if status is Status.UNKNOWN:
                return Answer(status)
            if status is Status.UNSAT:
                if not search.release():
                    return Answer(status, core=search.clashing())
                continue
            case = search.case()
            broken = None if case is None else search.broken(case, without)
            if case is None or broken is None:
                return Answer(status)
            if not broken:
                return Answer(status, case)
            search.load(broken)

    def _kept_session(self) -> Session:
        if self._session is None:
            self._session = self.scan.session(self.rules)
        return self._session

    @cached_property
    def background(self) -> Session:
        """A session over the rules that speak of facts alone."""
        return self.scan.session([n for n in self.rules if n in self.scan.facts_alone])

    def _keep(self, case: Case) -> None:
        if len(self.cases) < KEPT_CASES:
            by_id = self.scan.model.variable_by_id
            rest = {
                uid: self.scan.prepared.default_value(by_id[uid])
                for number in self.rules
                for uid in self.scan.prepared.rule_symbols[number]
                if uid in by_id and uid not in case
            }
            self.cases.append({**rest, **case})


@contextmanager
def naming(scan: Scan, code: str) -> Iterator[None]:
    """Questions not decided within are counted under this code."""
    before, scan.code = scan.code, code
    try:
        yield
    finally:
        scan.code = before


def all_hold(model: PolicyModel, terms: Iterable[Term], case: Mapping[str, Value]) -> bool:
    """Whether evaluation says that all terms hold in a case; a zero divisor counts as no."""
    try:
        return all(holds(term, case, model) for term in terms)
    except EvaluationError:
        return False


def _equal(variable: Variable, value: Value) -> Term:
    return eq(variable.symbol, Literal(value, variable.sort))


def _answer(session: Session, status: Status, *, wants_case: bool) -> Answer:
    if status is Status.UNSAT:
        return Answer(status, core=session.core())
    if status is Status.UNKNOWN or not wants_case:
        return Answer(status)
    witness = session.witness()
    exact = not any(isinstance(value, Rounded) for value in witness.values.values())
    return Answer(status, witness.assignment() if exact else None)
