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

from policywright.definitions import written_out
from policywright.evaluate import Value
from policywright.model import PolicyModel
from policywright.scenarios.asking import Asking, case_of
from policywright.scenarios.budget import Budget, work_for
from policywright.scenarios.claims import Claimed, Claims, takes_many
from policywright.scenarios.directions import ways
from policywright.scenarios.fates import Fate, Fates, bits
from policywright.scenarios.improving import Aim, Improving
from policywright.scenarios.mutants import Group
from policywright.scenarios.plausible import Plausible
from policywright.scenarios.trials import Probe, Trials
from policywright.solver import LARGE, Session, Status, compiled, stored_model
from policywright.sorts import BOOL
from policywright.terms import Literal, Term, and_, not_, substitute, xor

MAX_UNKNOWN = 12
"""What is unknown so often in a component is not asked any more: it has to end in time."""

MAX_VALUES = 2


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
        work: int | None = None,
    ) -> None:
        self.model, self.rules, self.groups = model, tuple(rules), groups
        self.claims = claims
        base = None
        if len(rules) > LARGE:
            base = stored_model(compiled(model), self.rules, rlimit)
        self.trials = Trials(model, rules, groups, base)
        self.plausible = Plausible(model)
        self.fates = Fates(groups, self.trials)
        self._compiled = compiled(model)
        self._one_sided: set[tuple[int, int, str]] = set()
        self._now = (0, 0, "")
        self._written: dict[int, Term] = {}
        both = [ways(model, group) for group in groups]
        self._admitting = [admitting & ~forbidding for forbidding, admitting in both]
        self.asking = Asking(model, rules, rlimit=rlimit)
        most = work_for(len(rules)) if work is None else work
        self.budget = Budget(most, self.asking, self.trials)
        self.improving = Improving(
            model,
            groups,
            self.fates,
            self.asking,
            self.plausible,
            [forbidding for forbidding, _ in both],
            packed=packed,
        )

    def run(self, tier: int) -> None:
        """Settle every mutant of a tier, as far as the budget goes."""
        # Of what may admit more only its own rule's cases tell; these tell much of the rest.
        for first in (True, False):
            for place in range(len(self.groups)):
                wanted = self._admitting[place] if first else -1
                while todo := self.fates.alive(place, tier) & wanted:
                    if self.budget.ends_search:
                        self.fates.leave(tier)
                        return
                    bit = next(bits(todo))
                    fate = self._settle(place, bit, tier)
                    if fate is not Fate.TOLD:
                        self.fates.end(place, bit, fate)

    def _settle(self, place: int, bit: int, tier: int) -> Fate:
        if self.asking.unknown >= MAX_UNKNOWN:
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
            if variable is None or takes_many(self.model, variable):
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
        aim = Aim(place, list(self.rules), held, shift, True, claimed)
        with self.asking.opened(held) as (session, numbers):
            base = [*aim.rules, *numbers]
            wish = session.add(self.improving.tells(aim, place, bit))
            if self.asking.ask(session, [*base, wish]) is Status.SAT:
                probe = self.improving.witness(session, aim)
                if probe is not None and self.trials.killed(place, probe) >> bit & 1:
                    return self.improving.improve(session, [*base, wish], aim, probe, bit, tier)
            elif self.asking.ask(session, base) is not Status.SAT:
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
        with self.asking.opened([differ]) as (session, numbers):
            status = self.asking.ask(session, [*others, *numbers])
            if status is not Status.SAT:
                return status, None
            case = case_of(session)
            probe = None if case is None else self._telling(case, place, bit, claims)
            if probe is None:
                return self._with_values(session, [*others, *numbers], place, bit, claims)
            forbids, claimed = probe.is_allowed, probe.claimed
            aim = Aim(place, list(self.rules) if forbids else others, [], None, forbids, claimed)
            held = [] if forbids else [not_(before)]
            numbers = session.add_all([*held, self.improving.tells(aim, place, bit)])
            base = [*aim.rules, *numbers]
            return status, self.improving.improve(session, base, aim, probe, bit, tier)

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
        if self.asking.ask(session, [*numbers, *added]) is not Status.SAT:
            return Status.UNKNOWN, None
        case = case_of(session)
        return Status.SAT, None if case is None else self._telling(case, place, bit, claims)

    def _open(self, number: int) -> Term:
        """A rule with definitions written out."""
        if number not in self._written:
            self._written[number] = written_out(self.model, self.model.rules[number].term)
        return self._written[number]
