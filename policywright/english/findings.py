"""Findings in English: what was proved, by which facts and rules, or what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.phrases import phrases_of
from policywright.english.render import render_case, render_term
from policywright.english.words import capitalise, join_words
from policywright.findings.finding import Finding, FindingKind
from policywright.model import PolicyModel
from policywright.smtlib import Answer
from policywright.terms import not_
from policywright.witness import Rounded, Witness


def render_finding(model: PolicyModel, answer: Answer, finding: Finding) -> str:
    """One or two sentences that a person without logic can act on."""
    sentences = {
        FindingKind.VALID: _decided,
        FindingKind.INVALID: _decided,
        FindingKind.IMPOSSIBLE: _impossible,
        FindingKind.SATISFIABLE: _satisfiable,
        FindingKind.UNDECIDED: _undecided,
    }[finding.kind](model, answer, finding)
    return " ".join([*sentences, *(f"Note: {note}." for note in finding.notes)])


def _decided(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    proved = finding.kind is FindingKind.VALID
    claim = render_term(model, answer.claim)
    verdict = f"The policy proves it: {claim}" if proved else f"The policy rules it out: {claim}"
    return [f"{verdict}.", *_because(model, answer, finding)]


def _impossible(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    if finding.rules_clash:
        return [f"The rules contradict each other: {_names(finding.rules)}."]
    if not finding.rules:
        return ["The facts contradict each other.", *_because(model, answer, finding)]
    return ["The facts contradict the policy.", *_because(model, answer, finding)]


def _satisfiable(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    claim, denied = render_term(model, answer.claim), render_term(model, not_(answer.claim))
    assert finding.scenarios is not None
    if finding.silent:
        return [f"The policy does not decide whether {claim}; no further fact would."]
    by_name = {variable.name: variable for variable in model.variables}
    chosen = [by_name[name] for name in finding.depends_on]
    depends = join_words([_noun(model, variable.id) for variable in chosen])
    ids = [variable.id for variable in chosen]
    holds, fails = (
        _case(model, w, ids) for w in (finding.scenarios.holds, finding.scenarios.fails)
    )
    return [
        f"The policy does not decide it yet: it depends on {depends}.",
        f"If {holds}, then {claim}; if {fails}, then {denied}.",
    ]


def _undecided(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    sentences = ["This was not decided, for or against."]
    if finding.excluded:
        sentences.append(f"It is already certain not to be {_names(finding.excluded)}.")
    return sentences


def _because(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    used = [fact.term for fact in answer.facts if fact.name in finding.facts]
    sentences = []
    if used:
        facts = join_words([render_term(model, term) for term in used])
        sentences.append(f"{capitalise(facts)}.")
    if finding.rules:
        label = "Rule" if len(finding.rules) == 1 else "Rules"
        sentences.append(f"{label}: {', '.join(_rule(model, name) for name in finding.rules)}.")
    return sentences


def _rule(model: PolicyModel, name: str) -> str:
    rule = next(rule for rule in model.rules if rule.name == name)
    return f"{name} ('{rule.sources[0].quote}')" if rule.sources else name


def _case(model: PolicyModel, witness: Witness, ids: Sequence[str]) -> str:
    values = witness.values
    exact = {i: value for i, value in witness.assignment().items() if i in ids}
    text = render_case(model, exact)
    rounded = [
        f"{_noun(model, i)} is about {value.text} (rounded, not replayed)"
        for i in ids
        if isinstance(value := values[i], Rounded)
    ]
    return join_words([part for part in (text, *rounded) if part])


def _noun(model: PolicyModel, variable_id: str) -> str:
    phrase = phrases_of(model, variable_id).text
    return f"whether {phrase}" if model.declared(variable_id).sort.key == "Bool" else phrase


def _names(names: Sequence[str]) -> str:
    return join_words(list(names))
