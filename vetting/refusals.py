"""Why a service refused: one sentence for the page, and what the page needs beside it.

RefusedError
    MovedError      the text changed since the form was shown; both texts are carried
    NotReadableError rule text that is not one condition; problems with line and column

Nothing is saved when one of these is raised. `policies.editing.DraftMovedError`
belongs beside them: the whole draft moved.
"""

from __future__ import annotations

from policywright.errors import Problem, ReadError


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


class NotReadableError(RefusedError):
    """Rule text that is not one Boolean term over declared names; lists every problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems

    @classmethod
    def of(cls, error: ReadError) -> NotReadableError:
        return cls(error.problems)
