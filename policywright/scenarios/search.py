"""Finds the cases that tell the mutants of one component from the policy.

A mutant is asked about only while no case found so far tells it: then the solver looks for
a case that one of the two policies rules out and the other does not. If there is none, they
have the same models. A case is made to tell more mutants while the solver agrees, and its
amounts are brought near those that the rules name.

Where the owner decides a yes-or-no outcome, a case is looked for in which the outcome may
be so, and may not be otherwise by that rule alone: then a mutant that forbids more is told
by the one side, and one that allows more by the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from policywright.definitions import written_out
from policywright.errors import EvaluationError
from policywright.evaluate import Value, holds
from policywright.findings.conditions import equals
from policywright.model import PolicyModel, Role
from policywright.normal import normal_form
from policywright.scenarios.claims import Claimed, Claims
from policywright.scenarios.directions import directions
from policywright.scenarios.fates import Fate, Fates, bits
from policywright.scenarios.mutants import Group
from policywright.scenarios.plausible import Plausible
from policywright.scenarios.trials import Probe, Trials
from policywright.solver import LARGE, LazySession, Session, Status, compiled, stored_model
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, and_, not_, or_, substitute, symbols, xor

MAX_WISHES, MAX_OTHERS, MAX_REFUSED = 24, 160, 4
"""How many more mutants a case is asked to tell; how many of one other rule may be refused."""

MAX_UNKNOWN = 12
"""What is unknown so often in a component is not asked any more: it has to end in time."""

MAX_TIDIED, MAX_VALUES = 6, 2


@dataclass
class _Aim:
    """What a case is looked for by: assertions that stay on, and what tells each mutant.

    `rules` are the numbers of the rules that hold in it; `tells` builds the condition under
    which a mutant of a group is told, None if in such a case it is not.
    """

    place: int
    rules: list[int]
    held: list[Term]
    shift: Mapping[str, Term] | None
    forbids: bool
    claimed: Claimed


class Search:
    """One component; `fates` say what was found."""

    def __init__(
        self,
        model: PolicyModel,
        rules: Sequence[int],
        groups: Sequence[Group],
        *,
        claims: Claims,
        rlimit: int,
        packed: bool,
    ) -> None:
        self.model, self.rules, self.groups = model, tuple(rules), groups
        self.claims, self.rlimit, self.packed = claims, rlimit, packed
        base = None
        if len(rules) > LARGE:
            base = stored_model(compiled(model), self.rules, rlimit)
        self.trials = Trials(model, rules, groups, base)
        self.plausible = Plausible(model)
        self.fates = Fates(groups, self.trials)
        self.questions = self.unknown = 0
        self._compiled = compiled(model)
        self._kept: Session | None = None
        self._one_sided: set[tuple[int, int, str]] = set()
        self._now = (0, 0, "")
        self._written: dict[int, Term] = {}
        ways = [_ways(model, group) for group in groups]
        self._forbidding = [forbidding for forbidding, _ in ways]
        self._admitting = [admitting & ~forbidding for forbidding, admitting in ways]

    def run(self, tier: int) -> None:
        """Settle every mutant of a tier."""
        # Of what may admit more only its own rule's cases tell; these tell much of the rest.
        for first in (True, False):
            for place in range(len(self.groups)):
                wanted = self._admitting[place] if first else -1
                while todo := self.fates.alive(place, tier) & wanted:
                    bit = next(bits(todo))
                    fate = self._settle(place, bit, tier)
                    if fate is not Fate.TOLD:
                        self.fates.end(place, bit, fate)

    def _settle(self, place: int, bit: int, tier: int) -> Fate:
        if self.unknown >= MAX_UNKNOWN:
            return Fate.UNDECIDED
        group = self.groups[place]
        if not group.rules:
            return Fate.EQUIVALENT  # a definition that nothing uses
        claims = self.claims.of(group.rules[0])
        for claimed, shift in self._shifts(place, claims):
            probe = self._two_sided(place, bit, tier, claimed, shift)
            if probe is not None:
                return self._take(place, bit, tier, probe)
        status, probe = self._plain(place, bit, tier, claims)
        if status is Status.UNSAT:
            return Fate.EQUIVALENT
        return Fate.UNDECIDED if probe is None else self._take(place, bit, tier, probe)

    def _shifts(
        self, place: int, claims: Sequence[Claimed]
    ) -> Iterator[tuple[Claimed, Mapping[str, Term]]]:
        """Ways to make the claim fail: with it what lies between turns, or does not."""
        for number, claimed in enumerate(claims):
            variable = claimed.variable
            if variable is None or variable.sort.is_number:
                continue
            if variable.sort != BOOL:
                for value in self.model.datatype_by_id[variable.sort.key].values[:MAX_VALUES]:
                    turned_to = Literal(value.id, variable.sort)
                    if (place, number, value.id) not in self._one_sided:
                        self._now = (place, number, value.id)
                        yield claimed, {variable.id: turned_to}
                continue
            turned = [variable, *(one for one in claimed.between if one.sort == BOOL)]
            for some in (turned, [variable])[len(turned) == 1 :]:
                if (place, number, str(len(some))) not in self._one_sided:
                    self._now = (place, number, str(len(some)))
                    yield claimed, {one.id: not_(one.symbol) for one in some}

    def _take(self, place: int, bit: int, tier: int, probe: Probe) -> Fate:
        """Drop what the case tells from what is still asked about."""
        if not self.trials.killed(place, probe) >> bit & 1:
            return Fate.UNDECIDED
        self.fates.take(tier, probe)
        return Fate.TOLD

    def _two_sided(
        self, place: int, bit: int, tier: int, claimed: Claimed, shift: Mapping[str, Term]
    ) -> Probe | None:
        """A case of which the owner alone rules out the other side of the outcome."""
        own = self.groups[place].rules
        readers = {n for uid in shift for n in self._compiled.rules_of[uid]}
        others = [n for n in self.rules if n in readers and n not in own]
        held = [substitute(self._open(n), shift) for n in others]
        held.append(not_(and_(*(substitute(self._open(n), shift) for n in own))))
        aim = _Aim(place, list(self.rules), held, shift, True, claimed)
        with self.opened(held) as (session, numbers):
            base = [*aim.rules, *numbers]
            wish = session.add(self._tells(aim, place, bit))
            if self._ask(session, [*base, wish]) is Status.SAT:
                probe = self._witness(session, aim)
                if probe is not None and self.trials.killed(place, probe) >> bit & 1:
                    return self._improve(session, [*base, wish], aim, probe, bit, tier)
            elif self._ask(session, base) is not Status.SAT:
                self._one_sided.add(self._now)
        return None

    def _plain(
        self, place: int, bit: int, tier: int, claims: Sequence[Claimed]
    ) -> tuple[Status, Probe | None]:
        """Any case that exactly one of the two policies rules out."""
        group = self.groups[place]
        before = and_(*(self._open(n) for n in group.rules))
        after = and_(*(written_out(self.model, term) for term in group.changed[bit]))
        others = [n for n in self.rules if n not in group.rules]
        differ = xor(before, after)
        with self.opened([differ]) as (session, numbers):
            status = self._ask(session, [*others, *numbers])
            if status is not Status.SAT:
                return status, None
            case = self._case(session)
            probe = None if case is None else self._telling(case, place, bit, claims)
            if probe is None:
                return self._with_values(session, [*others, *numbers], place, bit, claims)
            forbids, claimed = probe.is_allowed, probe.claimed
            aim = _Aim(place, list(self.rules) if forbids else others, [], None, forbids, claimed)
            held = [] if forbids else [not_(before)]
            numbers = session.add_all([*held, self._tells(aim, place, bit)])
            base = [*aim.rules, *numbers]
            return status, self._improve(session, base, aim, probe, bit, tier)

    def _telling(
        self, case: Mapping[str, Value], place: int, bit: int, claims: Sequence[Claimed]
    ) -> Probe | None:
        """The case with the first claim by which it tells a mutant; the last always does."""
        for claimed in claims:
            probe = self.trials.probe(place, case, claimed)
            if probe is not None and self.trials.killed(place, probe) >> bit & 1:
                return probe
        return None

    def _with_values(
        self,
        session: Session,
        numbers: Sequence[int],
        place: int,
        bit: int,
        claims: Sequence[Claimed],
    ) -> tuple[Status, Probe | None]:
        """Again where nothing is divided by zero, if that is why a case did not count."""
        terms = [self.model.rules[n].term for n in self.rules]
        guards = self.plausible.guards([*terms, *self.groups[place].changed[bit]])
        if not guards:
            return Status.UNKNOWN, None
        added = session.add_all(guards)
        if self._ask(session, [*numbers, *added]) is not Status.SAT:
            return Status.UNKNOWN, None
        case = self._case(session)
        return Status.SAT, None if case is None else self._telling(case, place, bit, claims)

    def _improve(
        self, session: Session, held: list[int], aim: _Aim, probe: Probe, bit: int, tier: int
    ) -> Probe:
        """The case with more mutants told by it, and with better values."""
        wanted = self._wanted(aim, bit, tier) if self.packed else []
        kept = [self._tells(aim, aim.place, bit)]
        refused: dict[int, int] = {}
        for place, one in wanted:
            if refused.get(place, 0) >= MAX_REFUSED and place != aim.place:
                continue
            wish = self._tells(aim, place, one)
            number = session.add(wish)
            if not self.trials.killed(place, probe) >> one & 1 or not _true(wish, probe.case):
                better = None
                if self._ask(session, [*held, number]) is Status.SAT:
                    better = self._witness(session, aim)
                if (
                    better is None
                    or not self.trials.killed(aim.place, better) >> bit & 1
                    or not self.trials.killed(place, better) >> one & 1
                ):
                    refused[place] = refused.get(place, 0) + 1
                    continue
                probe = better
            held.append(number)
            kept.append(wish)
        return self._tidied(session, held, aim, probe, kept)

    def _wanted(self, aim: _Aim, bit: int, tier: int) -> list[tuple[int, int]]:
        """Mutants that may be told by the same case: the owner's, then those of rules near it."""
        todo = {p: self.fates.alive(p, tier) for p in self._near(aim.place)}
        own = [(aim.place, one) for one in bits(todo.pop(aim.place) & ~(1 << bit))][:MAX_WISHES]
        if not aim.forbids:
            return own
        others = ((p, one) for p, mask in todo.items() for one in bits(mask & self._forbidding[p]))
        return own + list(islice(others, MAX_OTHERS))

    def _near(self, place: int) -> list[int]:
        """Itself first, then the places beside it, nearest first."""
        reach = range(max(0, place - MAX_WISHES), min(len(self.groups), place + MAX_WISHES + 1))
        return sorted(reach, key=lambda p: (abs(p - place), p))

    def _tells(self, aim: _Aim, place: int, bit: int) -> Term:
        """The condition under which a case of this aim tells a mutant."""
        after = and_(*(written_out(self.model, t) for t in self.groups[place].changed[bit]))
        if not aim.forbids:
            return after
        if aim.shift is None or place != aim.place:
            return not_(after)
        return or_(not_(after), substitute(after, aim.shift))

    def _tidied(
        self, session: Session, held: list[int], aim: _Aim, probe: Probe, kept: Sequence[Term]
    ) -> Probe:
        """The case with amounts near those that the rules name, as far as it goes."""
        used = dict.fromkeys(one.id for term in (*aim.held, *kept) for one in symbols(term))
        numbers = [self.model.variable_by_id[i] for i in used if i in self.model.variable_by_id]
        numbers = [one for one in numbers if one.sort.is_number]
        # The facts first: what follows from plain facts a reader can work out.
        numbers.sort(key=lambda one: one.role is not Role.FACT)
        for variable in numbers[:MAX_TIDIED]:
            if not self.plausible.is_plain(variable, probe.case[variable.id]):
                for value in self.plausible.values(variable):
                    number = session.add(equals(variable, value))
                    if self._ask(session, [*held, number]) is Status.SAT:
                        better = self._witness(session, aim)
                        if better is not None and self._still(better, probe):
                            probe = better
                            break
            held.append(session.add(equals(variable, probe.case[variable.id])))
        return probe

    def _still(self, better: Probe, probe: Probe) -> bool:
        """Whether a case tells what another told of what is still asked about."""
        return all(
            not self.fates.alive(p) & self.trials.killed(p, probe) & ~self.trials.killed(p, better)
            for p in self.trials.near(probe)
        )

    def _witness(self, session: Session, aim: _Aim) -> Probe | None:
        """The case that the session has just shown, if evaluation bears it out."""
        case = self._case(session)
        probe = None if case is None else self.trials.probe(aim.place, case, aim.claimed)
        return probe if probe is not None and probe.is_allowed is aim.forbids else None

    def _case(self, session: Session) -> dict[str, Value] | None:
        witness = session.witness()
        return witness.assignment() if witness.exact else None

    def _ask(self, session: Session, numbers: Sequence[int]) -> Status:
        self.questions += 1
        status = session.check(numbers)
        self.unknown += status is Status.UNKNOWN
        return status

    @contextmanager
    def opened(self, terms: Sequence[Term]) -> Iterator[tuple[Session, list[int]]]:
        """A session over the component's rules with terms added for a while."""
        if len(self.rules) > LARGE:
            # Beside one that holds nothing: what a rule reads as is kept with the context.
            self._kept = self._kept or Session(self._compiled, (), rlimit=self.rlimit)
            session: Session = LazySession(
                self._compiled, self.rules, terms, rlimit=self.rlimit, beside=self._kept
            )
            yield session, session.added
            return
        self._kept = self._kept or Session(self._compiled, self.rules, rlimit=self.rlimit)
        with self._kept.question(terms) as added:
            yield self._kept, added

    def _open(self, number: int) -> Term:
        """A rule with definitions written out."""
        if number not in self._written:
            self._written[number] = written_out(self.model, self.model.rules[number].term)
        return self._written[number]


def _ways(model: PolicyModel, group: Group) -> tuple[int, int]:
    """The bits of the mutants that may rule out more, and of those that may admit more."""
    forbidding = admitting = 0
    for bit, mutant in enumerate(group.mutants):
        ways = True, True
        if len(group.rules) == 1 and group.owner in model.rule_by_id:
            ways = directions(normal_form(model.rule_by_id[group.owner].term), mutant.edit)
        forbidding |= ways[0] << bit
        admitting |= ways[1] << bit
    return forbidding, admitting


def _true(term: Term, case: Mapping[str, Value]) -> bool:
    try:
        return holds(term, case)
    except EvaluationError:
        return False
