"""Makes a case that tells one mutant tell more of them, with values that a reader would choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from policywright.definitions import written_out
from policywright.errors import EvaluationError
from policywright.evaluate import Value, holds
from policywright.findings.conditions import equals
from policywright.model import PolicyModel, Role
from policywright.scenarios.asking import Asking, case_of
from policywright.scenarios.claims import Claimed
from policywright.scenarios.fates import Fates, bits
from policywright.scenarios.mutants import Group
from policywright.scenarios.plausible import Plausible
from policywright.scenarios.trials import Probe
from policywright.solver import Session, Status
from policywright.terms import Term, and_, not_, or_, substitute, symbols

MAX_WISHES, MAX_OTHERS, MAX_REFUSED = 24, 160, 4
"""How many more mutants a case is asked to tell; how many of one other rule may be refused."""

MAX_TIDIED = 6


@dataclass
class Aim:
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


class Improving:
    """One component; `forbidding` are by group the bits of the mutants that may rule out more."""

    def __init__(
        self,
        model: PolicyModel,
        groups: Sequence[Group],
        fates: Fates,
        asking: Asking,
        plausible: Plausible,
        forbidding: Sequence[int],
        *,
        packed: bool,
    ) -> None:
        self.model, self.groups, self.packed = model, groups, packed
        self.fates, self.trials = fates, fates.trials
        self.asking, self.plausible, self._forbidding = asking, plausible, forbidding

    def improve(
        self, session: Session, held: list[int], aim: Aim, probe: Probe, bit: int, tier: int
    ) -> Probe:
        """The case with more mutants told by it, and with better values."""
        wanted = self._wanted(aim, bit, tier) if self.packed else []
        kept = [self.tells(aim, aim.place, bit)]
        refused: dict[int, int] = {}
        for place, one in wanted:
            if refused.get(place, 0) >= MAX_REFUSED and place != aim.place:
                continue
            wish = self.tells(aim, place, one)
            number = session.add(wish)
            if not self.trials.killed(place, probe) >> one & 1 or not _true(wish, probe.case):
                better = None
                if self.asking.ask(session, [*held, number]) is Status.SAT:
                    better = self.witness(session, aim)
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

    def _wanted(self, aim: Aim, bit: int, tier: int) -> list[tuple[int, int]]:
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

    def tells(self, aim: Aim, place: int, bit: int) -> Term:
        """The condition under which a case of this aim tells a mutant."""
        after = and_(*(written_out(self.model, t) for t in self.groups[place].changed[bit]))
        if not aim.forbids:
            return after
        if aim.shift is None or place != aim.place:
            return not_(after)
        return or_(not_(after), substitute(after, aim.shift))

    def _tidied(
        self, session: Session, held: list[int], aim: Aim, probe: Probe, kept: Sequence[Term]
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
                    if self.asking.ask(session, [*held, number]) is Status.SAT:
                        better = self.witness(session, aim)
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

    def witness(self, session: Session, aim: Aim) -> Probe | None:
        """The case that the session has just shown, if evaluation bears it out."""
        case = case_of(session)
        probe = None if case is None else self.trials.probe(aim.place, case, aim.claimed)
        return probe if probe is not None and probe.is_allowed is aim.forbids else None


def _true(term: Term, case: Mapping[str, Value]) -> bool:
    try:
        return holds(term, case)
    except EvaluationError:
        return False
