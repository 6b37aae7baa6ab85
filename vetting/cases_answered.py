"""What people said of the suite's cases, and whether the rules say the same.

An answer is bound to the case's content, so a suite that is made again keeps what was
answered where the case is the same. Only agreement counts as answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from policies.composing import Composition
from policies.models import Policy, User
from policywright.findings import FindingKind
from policywright.terms import Term
from vetting.models import Scenario
from vetting.suites import SuiteCase, SuiteNow


class CaseState(StrEnum):
    """The words that the pages show; UNDECIDED where the solver could not tell."""

    NEW = "not answered"
    AGREED = "agreed"
    DISAGREES = "disagrees"
    UNDECIDED = "not decided"


@dataclass(frozen=True)
class CaseReview:
    """A case of the suite, with the answer that counts.

    `finding`, `rules` (uids) and `why` (the finding in English) are empty while nobody
    answered; `rules` and `why` also where nobody asked yet: see `reveal`. `before` are
    earlier answers that said something else, the last first.
    """

    case: SuiteCase
    state: CaseState
    scenario: Scenario | None = None
    finding: FindingKind | None = None
    rules: tuple[str, ...] = ()
    why: str = ""
    before: tuple[Scenario, ...] = ()


@dataclass(frozen=True)
class Repair:
    """An edit of a rule with which the case would turn out as the person said.

    `english` is the edit in words, `rule_english` the whole rule after it. Of `of` other
    answered cases it leaves `keeps` as they were answered.
    """

    rule: str
    name: str
    english: str
    rule_english: str
    term: Term
    keeps: int
    of: int


def case_states(policy: Policy, composition: Composition, suite: SuiteNow) -> dict[str, CaseReview]:
    """Every case of the suite by key, in the suite's order; two queries and no solver."""
    raise NotImplementedError


def reveal(policy: Policy, composition: Composition, review: CaseReview) -> CaseReview:
    """The review of an answered case with its rules, asked of a solver process where not kept.

    No transaction may be open. One that nobody answered is given back as it is.
    """
    raise NotImplementedError


def answer_case(policy: Policy, user: User, key: str, said: str, *, shown: str) -> Scenario:
    """Keep what a person says of a case: VALID, INVALID, SATISFIABLE or IMPOSSIBLE.

    `shown` is `SuiteCase.shown` of the page. The same person saying the same again gives the
    row that is there; another answer is a further row, and the later counts. Raises
    RefusedError for a word that there is not, MovedError where the case is not in the suite
    any more or reads differently.
    """
    raise NotImplementedError


def repairs_of(policy: Policy, composition: Composition, scenario: Scenario) -> list[Repair]:
    """Single edits after which the rules would say of a case what the person said.

    Those first that keep most of the other agreed answers. Asks a process of its own, within
    some seconds; no transaction may be open.
    """
    raise NotImplementedError
