"""Why a service refused: one sentence for the page, and what the page needs beside it.

RefusedError
    MovedError        the text changed since the form was shown; both texts are carried
    ReadingError      the text for a rule has not one meaning that its author has seen
        NotReadableError    SMT-LIB that is not one condition; problems with line and column
        NotUnderstoodError  English with words that are not understood; the exact words
        AmbiguousError      English with two readings; both, and the case that tells them apart
        NotSeenError        the text is not the one whose reading was shown

Nothing is saved when one of these is raised. `policies.editing.DraftMovedError`
belongs beside them: the whole draft moved.
"""

from __future__ import annotations

from dataclasses import dataclass

from policywright.errors import Problem, ReadError


@dataclass(frozen=True)
class Near:
    """A known phrase that resembles words of a text, and what it means."""

    phrase: str
    meaning: str = ""


@dataclass(frozen=True)
class Unknown:
    """Words of a text that were not understood: `text[start:end)`, and known phrases like them.

    `fact` holds the words, and perhaps some around them, that a new fact would be said in.
    """

    start: int
    end: int
    words: str
    near: tuple[Near, ...] = ()
    fact: str = ""


@dataclass(frozen=True)
class Choice:
    """One reading of a text, and whether it allows the case between the readings."""

    english: str
    allows: bool = False


class RefusedError(Exception):
    """A service refused; `str()` is one sentence that says what to do."""


class MovedError(RefusedError):
    """What the form showed is no longer what there is.

    `present` is the present text (for a rule its English, for a variable or a
    sentence its parts, one a line); `sent` is what the person wanted to save;
    `present_hash` goes into the form that is shown again.
    """

    def __init__(self, message: str, *, present: str, present_hash: str, sent: str = "") -> None:
        super().__init__(message)
        self.present = present
        self.present_hash = present_hash
        self.sent = sent


class ReadingError(RefusedError):
    """The text for a rule has not exactly one meaning that its author has seen."""


class NotReadableError(ReadingError):
    """Rule text that is not one Boolean term over declared names; lists every problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems

    @classmethod
    def of(cls, error: ReadError) -> NotReadableError:
        return cls(error.problems)


class NotUnderstoodError(ReadingError):
    """Structured English in which some words are not understood; `reason` is a sentence."""

    def __init__(self, reason: str, unknown: tuple[Unknown, ...]) -> None:
        super().__init__(reason)
        self.unknown = unknown


class AmbiguousError(ReadingError):
    """Structured English with more than one reading: each in English, and a case between them."""

    def __init__(self, readings: tuple[Choice, ...], telling_case: str) -> None:
        super().__init__("this text can be read in more than one way; choose what you mean.")
        self.readings = readings
        self.telling_case = telling_case


class NotSeenError(ReadingError):
    """The text changed since its reading was shown; it is read again before it is saved."""
