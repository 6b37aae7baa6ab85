"""What the claim of a case is about, for a rule: the outcome that its conclusion leads to.

'The booking is allowed' rather than 'the trip is approved' where the one follows from the
other: then a case need not suppose the approval, and tells slips in both rules. What lies
between the facts and the claim is left open in the case, if it takes few values.
"""

from __future__ import annotations

from dataclasses import dataclass

from policywright.model import PolicyModel, Role, Variable
from policywright.scenarios.saying import concluded
from policywright.solver import compiled
from policywright.sorts import BOOL

MAX_WORLDS = 8
MAX_AHEAD = 2
MAX_CHOICES = 24
"""An outcome of a list with more values is treated like a number."""


@dataclass(frozen=True)
class Claimed:
    """`between` are the variables that a case leaves open besides the claim's own."""

    variable: Variable | None
    between: tuple[Variable, ...] = ()


class Claims:
    """Looked up by rule; made once for a model."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model
        self._compiled = compiled(model)
        self._known: dict[int, list[Variable]] = {}

    def of(self, number: int) -> list[Claimed]:
        """The claims to be tried for a rule, best first; the last is about what it decides."""
        own = sorted(
            self._decided(number), key=lambda one: (one.role is not Role.OUTCOME, one.sort != BOOL)
        )
        if not own:
            return [Claimed(None)]
        ahead = [self.about(one) for one in self._ahead(own[0])]
        plain = [Claimed(own[0])] if self.about(own[0]).between else []
        return [*ahead, self.about(own[0]), *plain]

    def _decided(self, number: int) -> list[Variable]:
        """What a rule decides that is no fact."""
        if number not in self._known:
            by_id = self.model.variable_by_id
            found = [by_id[one.id] for one in concluded(self.model, self.model.rules[number].term)]
            self._known[number] = [one for one in found if one.role is not Role.FACT]
        return self._known[number]

    def _ahead(self, variable: Variable) -> list[Variable]:
        """Yes-or-no outcomes that another rule concludes from this one."""
        found: dict[str, Variable] = {}
        for number in self._compiled.rules_of[variable.id]:
            decided = self._decided(number)
            if variable not in decided:
                found |= {one.id: one for one in decided if one.sort == BOOL}
        return list(found.values())[:MAX_AHEAD]

    def about(self, variable: Variable) -> Claimed:
        """A claim about a variable, with what lies between it and the facts."""
        between: list[Variable] = []
        worlds = self._size(variable)
        for number in self._compiled.rules_of[variable.id]:
            if variable not in self._decided(number):
                continue
            for uid in sorted(self._compiled.rule_symbols[number], key=self._place):
                one = self.model.variable_by_id.get(uid)
                if one is None or one.role is Role.FACT or one in (variable, *between):
                    continue
                if not takes_many(self.model, one) and worlds * self._size(one) <= MAX_WORLDS:
                    worlds *= self._size(one)
                    between.append(one)
        return Claimed(variable, tuple(between))

    def _size(self, variable: Variable) -> int:
        if variable.sort.is_enumeration and not takes_many(self.model, variable):
            return len(self.model.datatype_by_id[variable.sort.key].values)
        return 2

    def _place(self, uid: str) -> int:
        return self._compiled.place_of.get(uid, -1)


def takes_many(model: PolicyModel, variable: Variable) -> bool:
    """Whether not each value is tried: a number, or one of a long list."""
    sort = variable.sort
    if sort.is_enumeration:
        return len(model.datatype_by_id[sort.key].values) > MAX_CHOICES
    return sort.is_number
