"""Findings in English: what was proved, by which facts and rules, or what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.phrases import draft_phrases, negate_clause, phrases_of
from policywright.english.render import is_said, render_case, render_term, render_value
from policywright.english.words import capitalise, join_words
from policywright.finding_kinds import FindingKind
from policywright.findings.finding import Finding
from policywright.model import PolicyModel, Role, Variable
from policywright.smtlib import Answer
from policywright.sorts import BOOL
from policywright.terms import Symbol, Term, not_
from policywright.witness import Rounded, Witness

NOTHING_GIVEN = "Nothing was taken as given: all of it was asked of the policy."


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
    verdict = _proved(model, answer.claim) if proved else _ruled_out(model, answer.claim)
    facts = _facts(model, answer, finding)
    because = f": {facts}." if facts else ", whatever the facts."
    return [f"{verdict}{because}", *_rules(model, finding)]


def _proved(model: PolicyModel, claim: Term) -> str:
    said = _clause(model, claim)
    return f"It follows that {said}" if said else "The claim follows"


def _ruled_out(model: PolicyModel, claim: Term) -> str:
    """'The trip cannot be approved' for an outcome that 'is', else that it is ruled out."""
    said = _clause(model, claim)
    if not said:
        return "The claim is ruled out"
    if _has_one_verb(model, claim, "is"):
        return capitalise(said.replace(" is ", " cannot be ", 1))
    return f"It is ruled out that {said}"


def _impossible(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    if finding.rules_clash:
        names = _names(finding.rules)
        return [f"The rules contradict each other, so nothing can be checked: {names}."]
    facts = _facts(model, answer, finding)
    against = "the policy" if finding.rules else "each other"
    because = f": {facts}." if facts else "."
    return [f"The facts contradict {against}{because}", *_rules(model, finding)]


def _satisfiable(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    claim = _clause(model, answer.claim) or "the claim holds"
    denied = _clause(model, not_(answer.claim)) or "the claim does not hold"
    assert finding.scenarios is not None
    if finding.silent:
        return [f"The policy does not decide whether {claim}; no further fact would."]
    by_name = {variable.name: variable for variable in model.variables}
    chosen = [by_name[name] for name in finding.depends_on]
    depends = join_words([_noun(model, variable.id) for variable in chosen])
    if _has_one_verb(model, answer.claim, "is"):
        denied = "it is not"
    holds, fails = (
        _given(model, witness, chosen)
        for witness in (finding.scenarios.holds, finding.scenarios.fails)
    )
    nothing_given = [] if answer.facts else [NOTHING_GIVEN]
    return [
        *nothing_given,
        f"The policy does not decide it yet: it depends on {depends}.",
        f"{capitalise(holds)} {claim}; {fails} {denied}.",
    ]


def _given(model: PolicyModel, witness: Witness, chosen: Sequence[Variable]) -> str:
    """`with 6 months`, where the unit says what is meant, or `if ..., then`."""
    if len(chosen) == 1 and chosen[0].unit not in ("", "date"):
        value = witness.values[chosen[0].id]
        if not isinstance(value, Rounded):
            return f"with {render_value(model, chosen[0], value)}"
    return f"if {_case(model, witness, [variable.id for variable in chosen])}, then"


def _undecided(model: PolicyModel, answer: Answer, finding: Finding) -> Sequence[str]:
    sentences = ["This was not decided, for or against."]
    if finding.excluded:
        sentences.append(f"It is already certain not to be {_names(finding.excluded)}.")
    return sentences


def _facts(model: PolicyModel, answer: Answer, finding: Finding) -> str:
    """The facts that took part, as one clause; by name where one needs a list to be said."""
    used = [fact for fact in answer.facts if fact.name in finding.facts]
    return join_words([_clause(model, fact.term) or f"`{fact.name}` holds" for fact in used])


def _rules(model: PolicyModel, finding: Finding) -> Sequence[str]:
    if not finding.rules:
        return []
    label = "Rule" if len(finding.rules) == 1 else "Rules"
    said = "; ".join(_rule(model, name) for name in finding.rules)
    return [f"{label}: {said}" + ("" if said.endswith((".'", "!'", "?'")) else ".")]


def _rule(model: PolicyModel, name: str) -> str:
    rule = next(rule for rule in model.rules if rule.name == name)
    return f"{name}, '{rule.sources[0].quote}'" if rule.sources else name


def _clause(model: PolicyModel, term: Term) -> str:
    """A condition in running words; empty where it takes a list or cannot be said."""
    said = render_term(model, term)
    return "" if "\n" in said or not is_said(said) else said


def _has_one_verb(model: PolicyModel, claim: Term, verb: str) -> bool:
    """Whether a claim is an outcome whose clause has this verb and no other beside it."""
    if not isinstance(claim, Symbol) or claim.sort != BOOL:
        return False
    variable = model.variable_by_id.get(claim.id)
    if variable is None or variable.role is not Role.OUTCOME:
        return False
    phrases = draft_phrases(variable)
    return (
        render_term(model, claim) == phrases.text
        and negate_clause(phrases.text) == phrases.text.replace(f" {verb} ", f" {verb} not ", 1)
        and f" {verb} " in phrases.text
    )


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
