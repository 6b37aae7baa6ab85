"""What can go wrong in the core, as one tree.

PolicywrightError
    SortError               a term that would not be well sorted
    NameNotAllowedError     a name that no script may hold
    ModelError              declarations or rules that do not fit together
    ReadError               a text outside the fragment; lists every problem
    EvaluationError         a term that has no value under an assignment
        DivisionByZeroError
        UnassignedError
    DefaultNotPossibleError an outcome whose default cannot be generated

Messages are lower case sentences; user text stands in backticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class PolicywrightError(Exception):
    """The root of the tree: catch it to catch all of ours and nothing else."""


class SortError(PolicywrightError):
    """A factory was asked for a term that would not be well sorted."""


class NameNotAllowedError(PolicywrightError):
    """A name that cannot be a variable, value, datatype or rule name."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.suggestion = suggestion


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a text: where it stands, what it is, what would be right.

    `line` and `column` count from 1; both are 0 where the whole text is meant.
    """

    line: int
    column: int
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.message}" + (f"; {self.remedy}" if self.remedy else "")


class ReadError(PolicywrightError):
    """A text that is not in the fragment; `problems` holds all of them in order.

    `path` names the file where one was read.
    """

    def __init__(self, problems: Sequence[Problem], path: str = "") -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)
        self.path = path


class ModelError(PolicywrightError):
    """A policy model whose parts do not fit together; `problems` are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class EvaluationError(PolicywrightError):
    """A term has no value under the given assignment."""


class DivisionByZeroError(EvaluationError):
    """A divisor is zero: the quotient means nothing, whatever a solver invents."""


class UnassignedError(EvaluationError):
    """A symbol of the term has no value in the assignment."""

    def __init__(self, symbol_id: str) -> None:
        super().__init__(f"`{symbol_id}` has no value")
        self.symbol_id = symbol_id


class DefaultNotPossibleError(PolicywrightError):
    """No closed world can be generated for an outcome from the rules that decide it."""
