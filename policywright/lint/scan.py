"""What the checks of one lint run share: components, pieces, what was not decided.

Questions are asked of a component (`component`), never of the whole policy. Minimal cores
do not depend on what was asked before: document order picks them. In large components they
are taken of the rules in the clash that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from policywright.errors import PolicywrightError
from policywright.findings.minimal import NotDecidedError, minimal_core
from policywright.lint.component import Component
from policywright.lint.nearby import Nearby
from policywright.lint.parts import Around
from policywright.lint.pieces import Piece, PieceReader, Way
from policywright.lint.tally import Tally
from policywright.model import PolicyModel, Role, Rule, Variable
from policywright.solver import DEFAULT_RLIMIT, Session, Status, compiled
from policywright.terms import Literal, Term

Question = tuple[frozenset[int], tuple[Term, ...]]
"""Rules left out, and terms that are to hold together with the others."""


class LintEvidenceError(PolicywrightError):
    """Evidence did not survive being checked again: a fault of the product."""


class Scan:
    """One run over a model: a part of a policy, or the whole for what is asked of all at once.

    `observe` is told each question, settled by a solver or not.
    """

    def __init__(
        self,
        model: PolicyModel,
        *,
        rlimit: int = DEFAULT_RLIMIT,
        around: Around | None = None,
        complete: Collection[str] = (),
        unfit: Sequence[Rule] = (),
        observe: Callable[[Question], None] | None = None,
    ) -> None:
        self.model, self.rlimit = model, rlimit
        self.around, self.complete = around or Around(), frozenset(complete)
        self.unfit = tuple(unfit)
        self.prepared = compiled(model)
        self.nearby = Nearby(self.prepared)
        self.reader = PieceReader(model)
        self.observe = observe
        self.code = ""
        self.tally = Tally()
        self.dead: set[int] = set()
        self.implied: set[int] = set()
        self.clashes: list[frozenset[int]] = []
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        self.components = self._find_components()
        self.numbers = sorted(n for c in self.components for n in c.rules)
        self._component_of = {n: c for c in self.components for n in c.rules}

    def session(self, rules: Sequence[int], terms: Sequence[Term] = ()) -> Session:
        """A session over rules; all of a scan share one context, since making one is dear."""
        return Session(self.prepared, rules, terms, rlimit=self.rlimit, beside=self.home)

    @cached_property
    def home(self) -> Session:
        """Holds the context that all sessions of the scan share."""
        return Session(self.prepared, (), rlimit=self.rlimit)

    def close(self) -> None:
        """Let go of every solver: of thousands of parts each has a context of megabytes."""
        for component in self.components:
            component.close()
        self.__dict__.pop("home", None)

    def minimal(
        self, session: Session, rules: Sequence[int], fixed: Sequence[int]
    ) -> tuple[int, ...] | None:
        """The minimal ones of some rules that clash with what is fixed, asked again alone.

        None if a question on the way was not decided.
        """

        def clash(numbers: Sequence[int]) -> frozenset[int] | None:
            self.tally.questions += 1
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

    def read_by(self, numbers: Iterable[int]) -> list[Variable]:
        """The variables that these rules read, in the model's order."""
        place_of = self.prepared.place_of
        read = {uid for n in numbers for uid in self.prepared.rule_symbols[n] if uid in place_of}
        return [self.model.variable_by_id[uid] for uid in sorted(read, key=place_of.__getitem__)]

    def ids(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Ids of rules by number, in document order."""
        return tuple(self.model.rules[number].id for number in sorted(numbers))

    def unknown(self) -> None:
        """Count a question of the present check that was not decided."""
        self.tally.undecided[self.code] += 1

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
    def variables(self) -> list[Variable]:
        """Those that the rules looked at read, in the model's order."""
        return self.read_by(self.numbers)

    def _find_components(self) -> list[Component]:
        groups: dict[int, list[int]] = {}
        alone: list[tuple[int, ...]] = []
        component_of = self.prepared.component_of
        for number, used in enumerate(self.prepared.rule_symbols):
            if used:
                groups.setdefault(component_of[next(iter(used))], []).append(number)
            else:
                alone.append((number,))
        return [Component(self, rules) for rules in [*map(tuple, groups.values()), *alone]]


@contextmanager
def naming(scan: Scan, code: str) -> Iterator[None]:
    """Questions not decided within are counted under this code."""
    before, scan.code = scan.code, code
    try:
        yield
    finally:
        scan.code = before
