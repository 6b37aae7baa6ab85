"""Which outcome a heading names: what the rules below it decide.

`When a trip is approved` and `Whether a trip is approved` say it as a clause;
`Trip approval` and `Approval of trips` are read as `the trip is approved`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from policywright.english.lexicon import STOP
from policywright.english.phrases import negate_clause
from policywright.english.words import singular

_CLAUSE = re.compile(
    r"(?:when|whether)\s+([\w'’-]+(?: [\w'’-]+){0,5}? (?:is|are|has|have|may) [\w'’ -]+)",
    re.IGNORECASE,
)
_APPROVAL = re.compile(r"(?:approval of (?:the |an? )?([\w-]+)|([\w-]+) approvals?)", re.IGNORECASE)
_NUMBERING = re.compile(r"^(?:§\s*)?[\d.]+[.)]?\s+")
_VERB = re.compile(r"\s(?:is|are|has|have|may)\s")
_MAX_LENGTH = 120
_ALLOWED = frozenset({"may"})


@dataclass(frozen=True, slots=True)
class HeadingOutcome:
    """An outcome as a clause with its opposite; `subject` is the noun it is about."""

    text: str
    negative: str
    subject: str


def heading_outcome(headings: tuple[str, ...]) -> HeadingOutcome | None:
    """The outcome of the innermost heading that names one."""
    for heading in reversed(headings):
        title = " ".join(_NUMBERING.sub("", heading[:_MAX_LENGTH].strip()).rstrip(" .:?").split())
        found = _outcome(title)
        if found:
            return found
    return None


def _outcome(heading: str) -> HeadingOutcome | None:
    clause = _CLAUSE.fullmatch(heading)
    if clause:
        text = clause.group(1)
        text = text[0].lower() + text[1:]
        if " may " not in text:
            # What a case is about is one thing: `the trip is approved`.
            text = re.sub(r"^(?:an? |the )?", "the ", text)
        words = set(re.findall(r"[\w'’-]+", text.lower()))
        if words & (STOP - _ALLOWED):
            return None
        subject = _VERB.split(text)[0].split()[-1]
        return HeadingOutcome(text, negate_clause(text), singular(subject))
    approval = _APPROVAL.fullmatch(heading)
    if approval:
        noun = singular((approval.group(1) or approval.group(2)).lower())
        if noun in STOP or noun == "approval":
            return None
        return HeadingOutcome(f"the {noun} is approved", f"the {noun} is not approved", noun)
    return None
