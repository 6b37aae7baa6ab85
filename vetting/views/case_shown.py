"""A case of the suite as a page shows it: facts one by one, the question, the four answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from policywright.english import draft_phrases, render_case, render_term, render_value
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.model import PolicyModel, Role, Variable
from policywright.terms import Term, not_
from vetting.feedback import Said, words_marked
from vetting.suites import SuiteCase
from vetting.views.cards import as_sentence


def case_shown(model: PolicyModel, case: SuiteCase) -> dict[str, Any]:
    """Facts that are given, outcomes that are supposed, and what is asked."""
    given = [one for one in model.variables if one.id in case.facts and one.role is Role.FACT]
    supposed = [
        one for one in model.variables if one.id in case.facts and one.role is not Role.FACT
    ]
    return {
        "key": case.key,
        "given": [_fact(model, one, case.facts) for one in given],
        "supposed": [_fact(model, one, case.facts) for one in supposed],
        "asked": asked(model, case.claim),
    }


def asked(model: PolicyModel, claim: Term | None) -> str:
    if claim is None:
        return "Can this case happen?"
    return f"Is it so that {render_term(model, claim)}?"


def answers_offered(model: PolicyModel, claim: Term | None) -> list[dict[str, str]]:
    """The buttons: value, key, label, and what it means where a yes may be misread."""
    if claim is None:
        return [
            _answer(FindingKind.SATISFIABLE, "y", "Yes", "It can happen."),
            _answer(FindingKind.IMPOSSIBLE, "n", "No", "It cannot happen."),
        ]
    return [
        _answer(FindingKind.VALID, "y", "Yes", as_sentence(render_term(model, claim))),
        _answer(FindingKind.INVALID, "n", "No", as_sentence(render_term(model, not_(claim)))),
        _answer(FindingKind.SATISFIABLE, "o", "The document leaves it open", ""),
        _answer(FindingKind.IMPOSSIBLE, "c", "This case cannot happen", ""),
    ]


def say_said(model: PolicyModel, claim: Term | None, said: str) -> str:
    """What a person said of a claim."""
    if said == FindingKind.SATISFIABLE and claim is not None:
        return "the document leaves it open"
    return say_found(model, claim, FindingKind(said))


def say_found(model: PolicyModel, claim: Term | None, found: FindingKind) -> str:
    """What the rules say of a claim."""
    if found is FindingKind.UNDECIDED:
        return "the solver did not decide it"
    if found is FindingKind.IMPOSSIBLE:
        return "this case cannot happen"
    if claim is None:
        return "this case can happen"
    if found is FindingKind.SATISFIABLE:
        return "nothing follows: they leave it open"
    if found is FindingKind.VALID:
        return f"yes, {render_term(model, claim)}"
    return f"no, {render_term(model, not_(claim))}"


def _answer(kind: FindingKind, key: str, label: str, means: str) -> dict[str, str]:
    return {"value": kind.value, "key": key, "label": label, "means": means}


def _fact(model: PolicyModel, variable: Variable, facts: Mapping[str, Value]) -> tuple[Said, ...]:
    """A clause in pieces: its value is what differs, of a yes or no the words that make it no."""
    value = facts[variable.id]
    text = render_case(model, {variable.id: value})
    if isinstance(value, bool):
        phrases = draft_phrases(variable)
        other = phrases.negative if value else phrases.text
        return words_marked(other, text)[1]
    said = render_value(model, variable, value)
    return (Said(text.removesuffix(said), False), Said(said, True))
