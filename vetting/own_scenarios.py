"""Scenarios that people write themselves, in English; and their withdrawal.

The text is read by the grammar alone, and what it was read as is shown before it is saved.
What the rules say of the case has no say in that: a case that they contradict is kept, too,
and shown first until the rules or the word change.
"""

from __future__ import annotations

from dataclasses import dataclass

from policies.access import by_uid_or_404
from policies.audit import record
from policies.composing import Composition, compose
from policies.models import Policy, User
from policywright.english import render_term
from policywright.english.cases import SeveralCasesError, say_case
from policywright.english.joints import RuleNotReadError
from policywright.english.meanings import UnknownWordsError
from policywright.english.near import near_phrases
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import PolicyModel, Role
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import read_scenario, say_scenario
from policywright.scenarios.reading import MAX_LENGTH
from vetting.edges import EdgeCase
from vetting.english import MAX_UNKNOWN, joined, near_shown
from vetting.lock import locked
from vetting.models import Origin, Scenario, ScenarioWithdrawal
from vetting.refusals import (
    AmbiguousError,
    Choice,
    NotSeenError,
    NotUnderstoodError,
    RefusedError,
    Unknown,
)
from vetting.scenario_rows import new_scenario
from vetting.scenarios import SAID, InForce, answers_in_force, own_in_force
from vetting.suites import suite_now
from vetting.texts import check_text

OWN = (Origin.WRITTEN, Origin.IMPORTED)


@dataclass(frozen=True)
class ProposedScenario:
    """A text as it was read, for the form that saves it.

    `given`, `supposed` and `asked` say the parts; `said` is the answer that is expected.
    `present` is the word that is in force on the same case, `is_known` that it is the same.
    """

    composition: Composition
    english: str
    given: tuple[str, ...]
    supposed: tuple[str, ...]
    asked: str
    said: str
    read_as: str
    present: Scenario | None
    is_known: bool
    edges: tuple[EdgeCase, ...] = ()


def listed_scenarios(policy: Policy, composition: Composition) -> list[InForce]:
    """Those in force that are not of the suite: of answers to questions, written, imported."""
    own = [one for one in own_in_force(policy) if one.scenario.origin in OWN]
    return [*answers_in_force(policy, composition), *own]


def propose_scenario(policy: Policy, text: str) -> ProposedScenario:
    """What a text is read as; refuses as `add_scenario` does."""
    composition = compose(policy)
    model = composition.model
    expected = read_own(text, model)
    row = new_scenario(model, expected, "", Origin.WRITTEN)
    present = word_on(policy, row.case_hash)
    given: list[str] = []
    supposed: list[str] = []
    for variable in model.variables:
        if variable.id in expected.facts:
            said = say_case(model, {variable.id: expected.facts[variable.id]})
            (given if variable.role is Role.FACT else supposed).append(said)
    return ProposedScenario(
        composition,
        say_scenario(model, expected),
        tuple(given),
        tuple(supposed),
        _asked(model, expected),
        said_of(expected),
        read_as(row),
        present,
        present is not None and present.content_hash == row.content_hash,
    )


def add_scenario(policy: Policy, user: User, text: str, *, shown: str) -> Scenario:
    """Keep what a person wrote, as it was shown to them (`read_as`).

    The same word on the same case gives the row that is there. Raises a ReadingError for
    a text that is not read, or not as it was shown.
    """
    with locked(policy) as row:
        model = compose(row).model
        expected = read_own(text, model)
        new = new_scenario(model, expected, say_scenario(model, expected), Origin.WRITTEN)
        if shown != read_as(new):
            raise NotSeenError("the text changed since it was read; this is how it is read now.")
        present = word_on(row, new.case_hash)
        if present is not None and present.content_hash == new.content_hash:
            return present
        keep(row, user, new)
    return new


def withdraw_scenario(policy: Policy, user: User, uid: str, *, reason: str) -> ScenarioWithdrawal:
    """Say that a scenario does not count any more; said twice it is one row.

    Raises RefusedError without a reason, for one of an answer to a question, and for an answer
    to a case that the suite still asks.
    """
    reason = check_text(reason, "the reason", required=True)
    composition = compose(policy)
    with locked(policy) as row:
        scenario = by_uid_or_404(Scenario.objects.filter(policy=row), uid)
        if scenario.origin == Origin.ANSWER or is_asked(row, composition, scenario):
            raise RefusedError("this came of an answer; answer the question again instead.")
        known = scenario.withdrawals.first()
        if known is not None:
            return known
        withdrawal = ScenarioWithdrawal.objects.create(scenario=scenario, reason=reason, by=user)
        what = f"scenario:{scenario.uid}"
        record(row, user, "withdraw-scenario", what, old_hash=scenario.content_hash)
    return withdrawal


def is_asked(policy: Policy, composition: Composition, scenario: Scenario) -> bool:
    """Whether it answers a case that the suite of the draft asks, so that the case is its page."""
    if scenario.origin != Origin.SUITE:
        return False
    return suite_now(policy, composition).get(scenario.case_hash) is not None


def keep(policy: Policy, user: User, scenario: Scenario) -> None:
    """Save one row with its audit row, within the caller's transaction."""
    scenario.policy, scenario.by = policy, user
    scenario.save()
    what = f"scenario:{scenario.uid}"
    record(policy, user, "add-scenario", what, new_hash=scenario.content_hash)


def word_on(policy: Policy, case_hash: str) -> Scenario | None:
    """The word in force on one case, whoever said it and how."""
    rows = Scenario.objects.filter(policy=policy, answer=None, case_hash=case_hash)
    last = rows.select_related("by").order_by("-pk").first()
    return None if last is None or last.withdrawals.exists() else last


def read_as(scenario: Scenario) -> str:
    """What a form carries of the reading that it showed."""
    return content_hash({"read": scenario.content_hash})


def said_of(expected: Expectation) -> str:
    """What is expected, in the words of the pages."""
    if expected.claim is None and expected.expected is FindingKind.SATISFIABLE:
        return "yes"
    if expected.claim is None:
        return "no: this case cannot happen"
    return SAID.get(expected.expected, "")


def read_own(text: str, model: PolicyModel) -> Expectation:
    """The scenario that a text says; raises NotUnderstoodError, AmbiguousError or RefusedError."""
    text = check_text(text, "the scenario", limit=MAX_LENGTH)
    if not text:
        raise RefusedError("there is no text yet; write the scenario, then read it.")
    try:
        return read_scenario(text, model)
    except SeveralCasesError as error:
        raise AmbiguousError(tuple(Choice(one) for one in error.readings), "") from None
    except RuleNotReadError as error:
        raise NotUnderstoodError(error.reason, _unknown(text, error, model)) from None


def _unknown(text: str, error: RuleNotReadError, model: PolicyModel) -> tuple[Unknown, ...]:
    """The words with phrases like them; what is known and does not fit needs none."""
    if not isinstance(error, UnknownWordsError):
        found = [Unknown(word.start, word.end, word.text) for word in error.words]
        return tuple(found[:MAX_UNKNOWN])
    return joined(
        text,
        [
            Unknown(
                word.start,
                word.end,
                word.text,
                tuple(near_shown(near, model) for near in near_phrases(word.text, model)),
            )
            for word in error.words[:MAX_UNKNOWN]
        ],
    )


def _asked(model: PolicyModel, expected: Expectation) -> str:
    if expected.claim is None:
        return "can this case occur"
    return f"is it so that {render_term(model, expected.claim)}"
