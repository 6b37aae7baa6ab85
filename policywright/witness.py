"""What a solver shows as an example: values of variables, exact or said to be rounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policywright.evaluate import Value


@dataclass(frozen=True, slots=True)
class Rounded:
    """A value that is no fraction, rounded for reading; never fed back as a premise."""

    text: str


@dataclass(frozen=True, slots=True)
class Witness:
    """An assignment by variable id; `free` are those for which any value would do."""

    values: Mapping[str, Value | Rounded]
    free: frozenset[str]

    @property
    def exact(self) -> bool:
        return not any(isinstance(value, Rounded) for value in self.values.values())

    def assignment(self) -> dict[str, Value]:
        """The exact values: a witness with a rounded one has no assignment."""
        return {k: v for k, v in self.values.items() if not isinstance(v, Rounded)}
