"""The suite of the draft: its cases, kept by what they rest on; made by a job, never by a page.

The job runs `policywright.suiting` in a process of its own. Each part is saved as it comes,
so a worker that was killed goes on where it was, and after an edit only those parts are
made again that the edit touches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.composing import Composition
from policies.models import Job, Policy, User
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.terms import Term

KIND = "suite"


@dataclass(frozen=True)
class SuiteCase:
    """A case of the suite over the present declarations; `key` is its case hash.

    `expected` is what the policy says of it: nothing of it is shown before the person
    answered. `tells` are the edits that it tells apart, as `policywright.suiting` writes
    them. `english` is the case with what is expected, `question` without.
    """

    key: str
    facts: Mapping[str, Value]
    claim: Term | None
    expected: FindingKind
    tier: int
    tells: tuple[Mapping[str, Any], ...]
    english: str
    question: str

    @property
    def shown(self) -> str:
        """A hash of what the page shows of it, for the form that answers."""
        raise NotImplementedError


@dataclass(frozen=True)
class KindScore:
    """Of one kind of edit: how many there are, are the same policy, are told apart, are open.

    `tier` is that of a case, from 0 on: edits of assumptions are of the last, whatever their kind.
    """

    tier: int
    kind: str
    mutants: int
    equivalent: int
    killed: int
    undecided: int


@dataclass(frozen=True)
class SuiteNow:
    """How the suite of the draft stands.

    `blocked` is one sentence why there can be none, or empty. `tiers_made` are the tiers of
    which every part is there, 0 of none; `tiers_before` those that were made before the last
    edits, so that a page may ask for them again. `counts` are the edits of each tier by kind,
    None until the first job looked. `cases` come tier by tier, and within one the case first
    that tells most edits apart. `parts_left` are still to be made; `job` is the last one.
    """

    content: str
    blocked: str
    tiers_made: int
    tiers_before: int
    counts: Mapping[int, Mapping[str, int]] | None
    cases: tuple[SuiteCase, ...]
    by_kind: tuple[KindScore, ...]
    limits: tuple[str, ...]
    parts_left: int = 0
    job: Job | None = field(default=None, compare=False)

    def get(self, key: str) -> SuiteCase | None:
        raise NotImplementedError


def register_suite() -> None:
    raise NotImplementedError


def suite_now(policy: Policy, composition: Composition) -> SuiteNow:
    """What is kept of the suite of this very content; a few queries and no solver."""
    raise NotImplementedError


def start_suite(policy: Policy, user: User | None, tiers: int) -> Job:
    """Make the first `tiers` tiers; gives the job under way where there is one.

    Raises RefusedError with the sentence of `blocked`, or for a tier that there is not.
    """
    raise NotImplementedError
