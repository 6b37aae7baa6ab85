"""Reads the sentence of an outcome's default back.

The assertion behind it is generated from the rules that decide the outcome, so
a sentence that names other rules than those is not read.
"""

from __future__ import annotations

import re

from policywright.defaults import generate_default
from policywright.english.default_sentences import rule_names
from policywright.english.folding import phrase_key
from policywright.english.joints import RuleNotReadError
from policywright.english.phrasebook import phrasebook
from policywright.english.phrases import phrases_of
from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, PolicyModel, Role
from policywright.sorts import BOOL
from policywright.terms import Symbol, Term, not_

_DECIDED = re.compile(
    r"(?P<clause>.+?),? unless a rule (?P<verb>forbids|grants) it(?: \((?P<names>.*)\))?\s*\.?",
    re.IGNORECASE | re.DOTALL,
)
_OPEN = re.compile(
    r"Where no rule speaks, the policy does not decide whether (?P<clause>.+?)"
    r"(?: \((?P<names>[^()]*)\))?\s*\.?",
    re.IGNORECASE | re.DOTALL,
)


def read_default(text: str, model: PolicyModel) -> Term | None:
    """The assertion of a default's sentence; None if the text is no such sentence.

    Raises RuleNotReadError where its outcome is not known, or its rules are others by now.
    """
    stripped = text.strip()
    found = _DECIDED.fullmatch(stripped)
    if found:
        approves = found["verb"].lower() == "forbids"
        choice = DefaultChoice.APPROVED if approves else DefaultChoice.REFUSED
    else:
        found = _OPEN.fullmatch(stripped)
        choice, approves = DefaultChoice.OPEN, True
    if not found:
        return None
    outcome = _outcome(found["clause"], approves, model)
    try:
        generated = generate_default(model, outcome.id, choice)
    except DefaultNotPossibleError as error:
        raise RuleNotReadError(str(error)) from None
    deciding = rule_names(model, generated.rests_on)
    if found["names"] not in (None, deciding):
        raise RuleNotReadError(f"the rules that may decide it are now others: {deciding}")
    return generated.term


def _outcome(clause: str, holds: bool, model: PolicyModel) -> Symbol:
    wanted = {
        variable.symbol if holds else not_(variable.symbol): variable.symbol
        for variable in model.variables
        if variable.sort == BOOL and variable.role is not Role.FACT
    }
    key = phrase_key(clause)
    entries = phrasebook(model).entries
    found = {
        wanted[term]
        for entry in entries if entry.key == key for term in entry.terms if term in wanted
    }  # fmt: skip
    if not found and not holds:
        # 'It is not true that ...' stands in no phrasebook.
        found = {s for s in wanted.values() if phrase_key(phrases_of(model, s.id).negative) == key}
    if len(found) != 1:
        raise RuleNotReadError(f"`{clause[:80]}` is no single outcome of this policy")
    return found.pop()
