"""The sentence of an outcome's default: what holds where no rule speaks."""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.phrases import phrases_of
from policywright.english.words import capitalise
from policywright.model import DefaultChoice, PolicyModel, Rule

NO_RULE = "no rule does so far"


def render_default(model: PolicyModel, rule: Rule) -> str:
    """What holds of an outcome where no rule speaks, with the rules that may speak."""
    phrases = phrases_of(model, rule.outcome)
    names = f" ({rule_names(model, rule.rests_on)})"
    if rule.choice is DefaultChoice.APPROVED:
        return capitalise(f"{phrases.text} unless a rule forbids it{names}.")
    if rule.choice is DefaultChoice.REFUSED:
        return capitalise(f"{phrases.negative} unless a rule grants it{names}.")
    return f"Where no rule speaks, the policy does not decide whether {phrases.text}{names}."


def rule_names(model: PolicyModel, rule_ids: Sequence[str]) -> str:
    """The rules by name; none at all is said too, since an empty list decides much."""
    names = [model.rule_by_id[i].name if i in model.rule_by_id else i for i in rule_ids]
    return ", ".join(names) or NO_RULE
