"""Some facts are chosen: what follows of each outcome, and which further fact matters most.

What a policy says of an outcome depends only on the rules connected with it and with the
facts given, so it is asked part by part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from policywright.evaluate import Value
from policywright.findings.minimal import NotDecidedError
from policywright.model import PolicyModel
from policywright.playground.mattering import MAX_OPEN, Open, what_matters
from policywright.playground.order import facts_behind, outcomes_in_order, touches
from policywright.playground.part import Clock, Part
from policywright.playground.played import A_PAGE, DEADLINE_S, Clash, Matter, Outcome, Played, State
from policywright.solver import LARGE, Status, compiled

RLIMIT = 2_000_000
"""Of one question, in Z3's units; about half a second. There are hundreds a page."""
_LATE = "there was no time to look at every outcome; ask for fewer of them"
_CLASH = "whether these facts can occur at all was not decided"


def play(
    model: PolicyModel,
    given: Mapping[str, Value],
    *,
    asked: Sequence[str] | None = None,
    start: int = 0,
    count: int = A_PAGE,
    derived: bool = False,
    rlimit: int = RLIMIT,
    deadline_s: float = DEADLINE_S,
) -> Played:
    """What follows from `given` (values by variable id) for a page of the outcomes.

    `asked` are ids to choose from, all by default; of these, in the order of
    `outcomes_in_order`, `count` from `start` on are looked at. Where the facts cannot
    occur there is a clash. `rlimit` is of one question; past the deadline what is left is
    not decided, and `limits` says so. Raises KeyError for an id that there is not.
    """
    clock = Clock(time.monotonic() + deadline_s)
    order = outcomes_in_order(model, given, derived=derived)
    if asked is not None:
        wanted = set(asked)
        order = [uid for uid in order if uid in wanted]
    shown = order[start : start + count]
    parts = _Parts(model, given, rlimit, clock)
    try:
        clash = parts.clash()
    except NotDecidedError:
        outcomes = tuple(Outcome(uid, State.UNDECIDED) for uid in shown)
        return Played(len(order), outcomes, limits=(_CLASH,))
    if clash is not None:
        outcomes = tuple(Outcome(uid, State.IMPOSSIBLE, rules=clash.rules) for uid in shown)
        return Played(len(order), outcomes, clash)
    outcomes = tuple(map(parts.outcome, shown))
    matters, limits = _matters(model, parts, outcomes)
    limits = [*parts.limits(), *limits, *([_LATE] if clock.is_over else [])]
    return Played(len(order), outcomes, None, tuple(matters), tuple(limits))


def _matters(
    model: PolicyModel, parts: _Parts, outcomes: Sequence[Outcome]
) -> tuple[list[Matter], list[str]]:
    """Of the first open outcomes that the given facts touch; of the first of all if none is."""
    found = [one.variable for one in outcomes if one.state is State.OPEN]
    found = ([uid for uid in found if touches(model, uid, parts.given)] or found)[:MAX_OPEN]
    by_id = model.variable_by_id
    return what_matters(
        model, [Open(by_id[uid], parts.of(uid), parts.facts_behind(uid)) for uid in found]
    )


class _Parts:
    """The parts of a policy that were asked about, each made once."""

    def __init__(
        self, model: PolicyModel, given: Mapping[str, Value], rlimit: int, clock: Clock
    ) -> None:
        self.model, self.given = model, given
        self._compiled = compiled(model)
        self._made: dict[tuple[tuple[int, ...], str], Part] = {}
        self._make: Callable[[tuple[int, ...], Mapping[str, Value]], Part] = lambda rules, facts: (
            Part(model, rules, facts, rlimit=rlimit, clock=clock)
        )

    def of(self, uid: str) -> Part:
        """The part that a variable is in, with the facts given of it."""
        rules = self._slice(uid)
        # Of a large part only what an outcome needs is loaded, so each has one of its own.
        key = rules, uid if len(rules) > LARGE else ""
        if key not in self._made:
            own = {other: v for other, v in self.given.items() if self._slice(other) == rules}
            self._made[key] = self._make(rules, own)
        return self._made[key]

    def clash(self) -> Clash | None:
        """Why the facts cannot occur; None if they can. NotDecidedError."""
        for uid in self.given:
            part = self.of(uid)
            if part.occurs is Status.UNSAT:
                return part.clash()
            if part.occurs is Status.UNKNOWN:
                raise NotDecidedError
        return None

    def outcome(self, uid: str) -> Outcome:
        part = self.of(uid)
        if part.occurs is Status.UNSAT:
            # The rules clash by themselves here, whatever the facts.
            return Outcome(uid, State.IMPOSSIBLE, rules=part.clash().rules)
        if part.occurs is Status.UNKNOWN:
            return Outcome(uid, State.UNDECIDED)
        found = part.outcome(self.model.variable_by_id[uid])
        if found.state is not State.OPEN:
            return found
        return replace(found, waits=bool(self.facts_behind(uid)))

    def facts_behind(self, uid: str) -> Mapping[str, int]:
        """The facts not given that an outcome can depend on, with their distance in rules."""
        found = facts_behind(self.model, uid)
        return {fact: near for fact, near in found.items() if fact not in self.given}

    def limits(self) -> list[str]:
        return list(dict.fromkeys(line for part in self._made.values() for line in part.limits))

    def _slice(self, uid: str) -> tuple[int, ...]:
        return self._compiled.slice_of([self.model.variable_by_id[uid].symbol])
