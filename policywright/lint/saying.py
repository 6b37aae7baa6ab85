"""The words that diagnostics share: rules with their sentences, cases, lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policywright.english import render_case, render_sentence, render_term
from policywright.english.phrases import phrases_of
from policywright.english.render import is_said
from policywright.english.words import capitalise, join_words
from policywright.evaluate import Value
from policywright.model import PolicyModel, Rule, Variable
from policywright.per_model import PerModel
from policywright.terms import Term

MAX_QUOTE = 240
MAX_LISTED = 12
MAX_SECTION = 60

__all__ = ["capitalise", "join_words"]


_said: PerModel[dict[str, str]] = PerModel(lambda _: {})


def rule_said(model: PolicyModel, rule: Rule) -> str:
    """A rule by name with its sentence: the document's, else its own in English."""
    known = _said(model)
    if rule.id not in known:
        known[rule.id] = _rule_said(model, rule)
    return known[rule.id]


def _rule_said(model: PolicyModel, rule: Rule) -> str:
    if rule.sources and rule.sources[0].quote:
        text = " ".join(rule.sources[0].quote.split())
    else:
        text = _on_one_line(render_sentence(model, rule.term))
    if len(text) > MAX_QUOTE:
        text = text[: MAX_QUOTE - 3].rstrip() + "..."
    return f"`{rule.name}` ('{text}')"


def rules_said(model: PolicyModel, rule_ids: Iterable[str]) -> str:
    return joined([rule_said(model, model.rule_by_id[uid]) for uid in rule_ids])


def names_of(model: PolicyModel, rule_ids: Iterable[str]) -> str:
    return joined([f"`{model.rule_by_id[uid].name}`" for uid in rule_ids])


def joined(parts: Sequence[str]) -> str:
    """A list in words; a long one is cut, with its count."""
    if len(parts) <= MAX_LISTED:
        return join_words(list(parts))
    return f"{', '.join(parts[:MAX_LISTED])} and {len(parts) - MAX_LISTED} more"


def case_said(model: PolicyModel, case: Mapping[str, Value]) -> str:
    return render_case(model, case)


def term_said(model: PolicyModel, term: Term) -> str:
    """A condition or an amount in running words; on one line even where it takes a list."""
    said = _on_one_line(render_term(model, term))
    return said if is_said(said) else "a condition too long to be said"


def _on_one_line(text: str) -> str:
    """A rendering without the dashes of its lists."""
    lines = (line.strip().removeprefix("- ") for line in text.split("\n"))
    return " ".join(line for line in lines if line)


def clause_of(model: PolicyModel, variable: Variable, value: bool) -> str:
    phrases = phrases_of(model, variable.id)
    return phrases.text if value else phrases.negative


def noun_of(model: PolicyModel, variable: Variable) -> str:
    """'the total trip cost', or "whether a manager has approved the trip"."""
    text = phrases_of(model, variable.id).text
    return f"whether {text}" if variable.sort.key == "Bool" else text


def place_of(rule: Rule) -> str:
    """The section that a rule stands in, if its source names one; else the rule's name."""
    headings = rule.sources[0].context if rule.sources else ()
    heading = " ".join(headings[0].split()) if headings else ""
    return f"'{heading}'" if 0 < len(heading) <= MAX_SECTION else f"`{rule.name}`"


def guessed(variable: Variable) -> str:
    """What is added where a diagnostic rests on a guessed role."""
    return " That it is decided by the policy was guessed." if variable.role_guessed else ""
