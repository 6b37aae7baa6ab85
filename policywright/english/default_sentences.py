"""The sentence of an outcome's default, written and read back.

The assertion behind it is generated from the rules that decide the outcome, so
a sentence that names other rules than those is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from policywright.defaults import generate_default
from policywright.english.folding import phrase_key
from policywright.english.joints import RuleNotReadError
from policywright.english.phrasebook import phrasebook
from policywright.english.phrases import phrases_of
from policywright.english.words import capitalise
from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, PolicyModel, Role, Rule
from policywright.sorts import BOOL
from policywright.terms import Symbol, Term, not_

NO_RULE = "no rule does so far"
_DECIDED = re.compile(
    r"(?P<clause>.+?),? unless a rule (?P<verb>forbids|grants) it(?: \((?P<names>.*)\))?\s*\.?",
    re.IGNORECASE | re.DOTALL,
)
_OPEN = re.compile(
    r"Where no rule speaks, the policy does not decide whether (?P<clause>.+?)"
    r"(?: \((?P<names>[^()]*)\))?\s*\.?",
    re.IGNORECASE | re.DOTALL,
)


def render_default(model: PolicyModel, rule: Rule) -> str:
    """What holds of an outcome where no rule speaks, with the rules that may speak."""
    phrases = phrases_of(model, rule.outcome)
    names = f" ({_names(model, rule.rests_on)})"
    if rule.choice is DefaultChoice.APPROVED:
        return capitalise(f"{phrases.text} unless a rule forbids it{names}.")
    if rule.choice is DefaultChoice.REFUSED:
        return capitalise(f"{phrases.negative} unless a rule grants it{names}.")
    return f"Where no rule speaks, the policy does not decide whether {phrases.text}{names}."


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
    deciding = _names(model, generated.rests_on)
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


def _names(model: PolicyModel, rule_ids: Sequence[str]) -> str:
    """The rules by name; none at all is said too, since an empty list decides much."""
    names = [model.rule_by_id[i].name if i in model.rule_by_id else i for i in rule_ids]
    return ", ".join(names) or NO_RULE
