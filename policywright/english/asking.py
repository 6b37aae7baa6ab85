"""The question that a case puts to a person: what makes the difference, and what is asked of it."""

from __future__ import annotations

import re

from policywright.comparison import TellingCase
from policywright.english.phrases import draft_phrases, phrases_of
from policywright.english.render import render_case, render_value
from policywright.english.verbs import is_participle, negative_clause
from policywright.english.words import capitalise, join_words, word_set
from policywright.model import PolicyModel
from policywright.terms import Apply, Literal, Symbol, Term

_PLAIN = word_set("is are was were may can must will shall should")
_PERFECT = word_set("has have had")
_OTHERS = word_set("do does did could would might")
_AUXILIARIES = _PLAIN | _PERFECT | _OTHERS
_RELATIVE = word_set("who whose which that where when if unless")

IN_ORDER = "all else is in order"


def render_question(model: PolicyModel, case: TellingCase) -> str:
    """`If the completed service is exactly 6 months, and all else is in order: is the trip
    approved?`

    Facts that are merely as the rule wants them are not listed.
    """
    clauses = [_clause(model, case, uid) for uid in case.shown]
    if len(case.facts) > len(case.shown):
        clauses.append(IN_ORDER)
    given = f"if {_joined(clauses)}" if clauses else "whatever the case"
    return f"{capitalise(given)}: {_asked(model, case.claim)}?"


def ask(clause: str) -> str:
    """A clause as a question without its mark: `is the trip approved`, `does the trip comply`.

    Where its verb is not surely known the clause stays as it is, behind `is it so that`.
    """
    words = clause.split()
    verbs = [place for place, word in enumerate(words) if word.lower() in _AUXILIARIES]
    if _RELATIVE & {word.lower() for word in words} or re.search("[,;:]", clause):
        verbs = [0]
    if not verbs:
        # `the trip does not comply`: its opposite has the verb that a question begins with.
        asked = re.fullmatch("(.+) (does|do|did) not (.+)", negative_clause(clause))
        if asked:
            return f"{asked[2]} {asked[1]} {asked[3]}"
    elif len(verbs) == 1 and 0 < verbs[0] < len(words) - 1 and _may_lead(words, verbs[0]):
        (at,) = verbs
        return " ".join([words[at], *words[:at], *words[at + 1 :]])
    return f"is it so that {clause}"


def _may_lead(words: list[str], at: int) -> bool:
    verb = words[at].lower()
    return verb in _PLAIN or (verb in _PERFECT and is_participle(words[at + 1]))


def _clause(model: PolicyModel, case: TellingCase, uid: str) -> str:
    value = case.facts[uid]
    if uid not in case.exact:
        return render_case(model, {uid: value})
    variable = model.variable_by_id[uid]
    return f"{draft_phrases(variable).text} is exactly {render_value(model, variable, value)}"


def _joined(clauses: list[str]) -> str:
    """With a comma before `all else`: it speaks of none of the clauses before it."""
    if clauses[-1] != IN_ORDER or len(clauses) == 1:
        return join_words(clauses)
    return f"{join_words(clauses[:-1])}, and {IN_ORDER}"


def _asked(model: PolicyModel, claim: Term | None) -> str:
    if claim is None:
        return "may that be"
    if isinstance(claim, Symbol):
        return ask(phrases_of(model, claim.id).text)
    symbol, value = _sides(claim)
    variable = model.variable_by_id[symbol.id]
    return f"is {draft_phrases(variable).text} {render_value(model, variable, value.value)}"


def _sides(claim: Term) -> tuple[Symbol, Literal]:
    assert isinstance(claim, Apply)
    symbol, value = claim.args
    assert isinstance(symbol, Symbol)
    assert isinstance(value, Literal)
    return symbol, value
