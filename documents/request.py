"""What is said to the process that reads a file: one line of JSON before the bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from documents.limits import DEFAULT_LIMITS, Limits

# The exit code of `python -m documents.read` for a file that cannot become a document.
FAILED = 2


@dataclass(frozen=True, slots=True)
class Request:
    """What the parent process asks for: a name, and the arguments of `documents.read`."""

    filename: str
    limits: Limits = DEFAULT_LIMITS
    choices: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Sequence[str] = ()

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Request:
        """Raises ValueError, KeyError or TypeError for anything but a line of `to_json`."""
        given = json.loads(line)
        return cls(
            given["filename"],
            Limits(**given["limits"]),
            given["choices"],
            given["abbreviations"],
        )
