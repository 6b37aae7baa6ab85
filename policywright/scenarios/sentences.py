"""A scenario as one sentence, which `policywright.scenarios.reading` reads back as the same."""

from __future__ import annotations

from collections.abc import Mapping

from policywright.english import render_term
from policywright.english.cases import quote_condition, say_case
from policywright.english.joints import RuleNotReadError
from policywright.english.render import is_said
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.model import PolicyModel, Role
from policywright.normal import negate, normal_form
from policywright.scenarios.saying import say_said
from policywright.scenarios.scenario import Scenario
from policywright.terms import Apply, Op, Term, not_

_OPPOSITE = {FindingKind.VALID: FindingKind.INVALID, FindingKind.INVALID: FindingKind.VALID}
_OF_A_CASE = {
    FindingKind.VALID: FindingKind.SATISFIABLE,
    FindingKind.INVALID: FindingKind.IMPOSSIBLE,
}

LEAVES_OPEN = "the document leaves open whether"
NOT_SAID = (
    "This scenario cannot be said in English without a second meaning; give its variables, "
    "values and units other words."
)


def say_scenario(model: PolicyModel, scenario: Scenario) -> str:
    """What is given, what is supposed, and what is expected.

    Quotation marks stand where a phrase could be taken for something else.
    """
    scenario = settled(scenario)
    claim = "" if scenario.claim is None else render_term(model, _claimed(scenario))
    if claim and not is_said(claim):
        return claim
    text = _sentence(model, scenario, claim, quoted=False)
    if _is_plain(model, text, scenario, claim) or _reads_as(text, model, scenario):
        return text
    text = say_quoted(model, scenario)
    return text if _reads_as(text, model, scenario) else NOT_SAID


def say_quoted(model: PolicyModel, scenario: Scenario) -> str:
    """The sentence with every phrase in quotation marks: what two readings are told apart by."""
    claim = "" if scenario.claim is None else quote_condition(model, _claimed(scenario))
    return _sentence(model, scenario, claim, quoted=True)


def settled(scenario: Scenario) -> Scenario:
    """The same scenario as its sentence says it.

    A claim that is denied is claimed the other way round, or its opposite expected not to
    hold; that a case cannot happen says nothing of a claim.
    """
    claim, expected = scenario.claim, scenario.expected
    if expected is FindingKind.IMPOSSIBLE:
        return Scenario(scenario.facts, None, expected)
    if claim is None:
        return Scenario(scenario.facts, None, _OF_A_CASE.get(expected, expected))
    claim = normal_form(claim)
    if not _is_denied(claim) and expected is FindingKind.INVALID:
        turned = negate(claim)
        if not _is_denied(turned):
            return Scenario(scenario.facts, turned, FindingKind.VALID)
    elif _is_denied(claim):
        claim, expected = negate(claim), _OPPOSITE.get(expected, expected)
    return Scenario(scenario.facts, claim, expected)


def _sentence(model: PolicyModel, scenario: Scenario, claim: str, *, quoted: bool) -> str:
    given, supposed = _sides(model, scenario.facts)
    parts = []
    if given:
        parts.append(f"Given that {say_case(model, given, quoted=quoted)}")
    if supposed:
        verb = "suppose" if parts else "Suppose"
        parts.append(f"{verb} that {say_case(model, supposed, quoted=quoted)}")
    return f"{'; '.join(parts) or 'Whatever the facts'}: {_expected(model, scenario, claim)}."


def _sides(
    model: PolicyModel, facts: Mapping[str, Value]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """What a case supplies, and what would follow from it: that is only supposed."""
    given = {i: v for i, v in facts.items() if model.variable_by_id[i].role is Role.FACT}
    return given, {i: v for i, v in facts.items() if i not in given}


def _claimed(scenario: Scenario) -> Term:
    """What the sentence says of the case."""
    assert scenario.claim is not None
    return not_(scenario.claim) if scenario.expected is FindingKind.INVALID else scenario.claim


def _expected(model: PolicyModel, scenario: Scenario, claim: str) -> str:
    if scenario.expected is FindingKind.UNDECIDED:
        return "the solver did not decide it"
    if scenario.claim is None:
        return say_said(model, None, scenario.expected)
    return f"{LEAVES_OPEN} {claim}" if scenario.expected is FindingKind.SATISFIABLE else claim


def _is_plain(model: PolicyModel, text: str, scenario: Scenario, claim: str) -> bool:
    """Whether a text can be cut in one way only; its parts were asked before."""
    from policywright.scenarios.reading import cuts, is_frame

    if scenario.expected is FindingKind.UNDECIDED:
        return True
    _, supposed = _sides(model, scenario.facts)
    return "\n" not in text and not is_frame(claim) and cuts(text) == (1, bool(supposed))


def _reads_as(text: str, model: PolicyModel, scenario: Scenario) -> bool:
    from policywright.scenarios.reading import read_scenario

    try:
        return read_scenario(text, model) == scenario
    except RuleNotReadError:
        return False


def _is_denied(term: Term) -> bool:
    return isinstance(term, Apply) and term.op is Op.NOT
