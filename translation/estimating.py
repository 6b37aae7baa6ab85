"""About how many tokens a run takes, from the length of what is asked; rather too many.

Of a sentence it is not known beforehand how often its span goes back to be repaired, nor
how many declarations stand with it. So the figures below are assumptions, and are called so
on the page; what a run really takes is counted from its attempts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from policies.models import Policy, Variable
from translation.declared import MAX_CHARACTERS
from translation.prompt import schema, system_prompt
from translation.tokens import estimate_tokens

# A sentence's answer; what each declares for those after it; what stands beside its text.
_ANSWERED, _DECLARED, _BESIDE = 250, 60, 40
# How often a span is asked about: some go back with what was wrong.
_ROUNDS = 1.5


@dataclass(frozen=True)
class Used:
    """Tokens of one model over a whole run."""

    prompt: int
    completion: int


def estimate(policy: Policy, work: Iterable[tuple[int, int]]) -> Used:
    """`work` is each span's characters and sentences, in the order in which they are asked."""
    always = estimate_tokens(system_prompt()) + estimate_tokens(json.dumps(schema()))
    most = estimate_tokens("x" * MAX_CHARACTERS)
    declared = _DECLARED * Variable.objects.filter(policy=policy).count()
    prompt = completion = 0
    for characters, sentences in work:
        text = estimate_tokens("x" * characters) + _BESIDE * sentences
        prompt += always + min(declared, most) + text
        completion += _ANSWERED * sentences
        declared += _DECLARED * sentences
    return Used(round(_ROUNDS * prompt), round(_ROUNDS * completion))
