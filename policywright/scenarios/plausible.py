"""Values that a reader of the policy would choose: those its rules name, and just beside.

EUR 1,000.01 and not EUR 8,433,021: the constants that a variable is compared with, a step
and one beside each; else a few plain numbers. A date is a day of this age.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from policywright.checks import divisors
from policywright.evaluate import Value
from policywright.findings.conditions import as_number
from policywright.model import PolicyModel, Variable
from policywright.solver import compiled
from policywright.steps import step_beside
from policywright.terms import Term, eq, not_, real

MAX_VALUES = 8
_PLAIN = (1, 10, 100, 0)
_A_DAY = 20_454
"""1 January 2026."""


class Plausible:
    """What is known of each variable is read off all rules once."""

    def __init__(self, model: PolicyModel) -> None:
        self._compiled = compiled(model)
        self._model = model
        self._limits: dict[str, list[Fraction]] = {}
        self._values: dict[str, list[Value]] = {}

    def values(self, variable: Variable) -> Sequence[Value]:
        """The best first."""
        if variable.id not in self._values:
            found: list[Fraction] = []
            limits = self.limits(variable)
            for at in limits:
                step = step_beside(variable, at)
                found += [at, at + step, at - step]
            found += [at + offset for at in limits for offset in (1, -1)]
            plain = [_A_DAY + n for n in _PLAIN] if variable.unit == "date" else _PLAIN
            found = [at for at in found if at >= 0] or found
            values = [as_number(variable, at) for at in found]
            values += [as_number(variable, Fraction(at)) for at in plain]
            self._values[variable.id] = list(dict.fromkeys(values))
        return self._values[variable.id][:MAX_VALUES]

    def is_plain(self, variable: Variable, value: Value) -> bool:
        """Whether a reader would not wonder at the value."""
        self.values(variable)
        return value in self._values[variable.id]

    def limits(self, variable: Variable) -> Sequence[Fraction]:
        """The constants that rules compare a variable with, in document order."""
        if variable.id not in self._limits:
            found: dict[Fraction, None] = {}
            for number in self._compiled.rules_of.get(variable.id, ()):
                limits = self._compiled.rule_limits(number).get(variable.id, set())
                found |= dict.fromkeys(sorted(limits))
            self._limits[variable.id] = list(found)
        return self._limits[variable.id]

    def guards(self, terms: Sequence[Term]) -> list[Term]:
        """That nothing in the terms is divided by zero."""
        return [not_(eq(divisor, real(0))) for divisor in divisors(self._model, terms)]
