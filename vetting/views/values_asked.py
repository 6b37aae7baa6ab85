"""The questions about an enumeration's values as a card and the datatype's own page show them."""

from __future__ import annotations

from typing import Any

from policies.composing import Composition
from policies.models import Policy
from policywright.english import draft_phrases
from policywright.english.phrases import value_phrase
from vetting.models import ValuesQuestion
from vetting.values import ValuesReview, values_states

ASKED = {
    ValuesQuestion.COMPLETE: {
        "text": "Are these all that there are?",
        "yes": "Yes, all",
        "no": "No: add ‘something else’",
    },
    ValuesQuestion.EXCLUSIVE: {
        "text": "Can two of these hold at once?",
        "yes": "No, never two at once",
        "no": "Yes, two can",
    },
}


def values_asked(policy: Policy, composition: Composition, rule: str) -> list[dict[str, Any]]:
    """The enumerations of a rule of which nobody has said all, for its card."""
    states = values_states(policy, composition)
    return [values_shown(one, composition) for one in states if rule in one.rules and one.asks]


def values_shown(review: ValuesReview, composition: Composition) -> dict[str, Any]:
    """The context of `_values.html`."""
    model, datatype = composition.model, review.datatype
    own = [one for one in model.variables if one.sort.key == datatype.id]
    # A rule may compare two values with each other, and so use a datatype without a variable.
    named = [draft_phrases(one).text for one in own] or [datatype.name]
    said, value = named[0], value_phrase(datatype.values[0])
    return {
        "uid": datatype.id,
        "name": datatype.name,
        "of": " and ".join(named),
        "listed": review.listed,
        "hash": review.hash,
        "before": f"{said} is {value}",
        "after": f"{said} includes {value}",
        "asks": [{"key": one.value, **ASKED[one]} for one in review.asks],
        "said": [
            {"row": row, "denied": not row.holds, "key": one.value, **ASKED[one]}
            for one, row in review.said.items()
        ],
        "can_hold_at_once": review.can_hold_at_once,
        "has_other": review.has_other,
    }
