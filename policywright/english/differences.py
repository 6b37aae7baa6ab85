"""What a new version of a policy decides otherwise, as a sentence with its case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from policywright.english.phrases import phrases_of
from policywright.english.render import render_case
from policywright.english.words import join_words
from policywright.evaluate import Value
from policywright.model import PolicyModel


class DifferenceKind(StrEnum):
    """How a version differs from the one before it in a case."""

    NEWLY_ALLOWED = "newly_allowed"
    NEWLY_RULED_OUT = "newly_ruled_out"
    REDEFINED = "redefined"


class Decision(StrEnum):
    """What a version says of an outcome in a case."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"
    IMPOSSIBLE = "impossible"


_HEADS = {
    DifferenceKind.NEWLY_ALLOWED: "Newly allowed",
    DifferenceKind.NEWLY_RULED_OUT: "Newly ruled out",
    DifferenceKind.REDEFINED: "Decided otherwise",
}


def render_difference(
    model: PolicyModel,
    *,
    kind: DifferenceKind,
    case: Mapping[str, Value],
    outcome: str | None,
    before: Decision,
    after: Decision,
    rules: Sequence[str] = (),
) -> str:
    """A difference in English, over the variables of the version after the change.

    `case` is values by variable id and `outcome` the id of the outcome that is
    decided otherwise, None where the case as a whole is; `rules` are the names of
    those that decide it now.
    """
    said = render_case(model, case) or "any case"
    by = f", by {join_words(list(rules))}" if rules else ""
    return (
        f"{_HEADS[kind]}: {said}. Before: {_decided(model, outcome, before)}. "
        f"Now: {_decided(model, outcome, after)}{by}."
    )


def _decided(model: PolicyModel, outcome: str | None, decision: Decision) -> str:
    if decision is Decision.IMPOSSIBLE:
        return "the policy rules the case out"
    if outcome is None:
        return "the policy allows the case"
    phrases = phrases_of(model, outcome)
    match decision:
        case Decision.PROVED:
            return phrases.text
        case Decision.REFUTED:
            return phrases.negative
    return f"the policy does not decide whether {phrases.text}"
