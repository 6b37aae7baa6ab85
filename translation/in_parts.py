"""Formalizes a span in as many parts as the model's window asks for, split between sentences.

Counted before anything is sent: a server may drop what does not fit, and answer as if it
had read all. A part is asked with its headings and all that stands beside its sentences,
and is told what the parts before it declared. Where no window is known nothing is split.
"""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

from policywright.model import PolicyModel
from translation.connection import Connection
from translation.formalizers import Cancelled, Run, SentenceText, SpanText, UnitDraft
from translation.litellm_formalizer import LiteLlmFormalizer
from translation.llm_errors import LlmTooLongError
from translation.price_list import window_of
from translation.prompt import first_messages, schema
from translation.tokens import estimate_prompt, estimate_tokens


class InParts:
    """A `LiteLlmFormalizer` that is never sent more than its window holds."""

    def __init__(self, formalizer: LiteLlmFormalizer) -> None:
        self._formalizer = formalizer
        self.in_order = formalizer.in_order

    @property
    def name(self) -> str:
        return self._formalizer.name

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        """Raises LlmTooLongError where one sentence alone does not fit, before any is asked."""
        connection = self._formalizer.connection
        window = window_of(connection)
        if window is None or not span.sentences:
            return self._formalizer.formalize(span, known, cancelled=cancelled)
        room = window - connection.max_tokens - estimate_tokens(json.dumps(schema()))
        for sentence in span.sentences:
            _fitting(span, (sentence,), known, room, connection)
        parts: list[SpanText] = []
        drafts: list[UnitDraft] = []
        left = span.sentences
        while left:
            shown = _with_drafted(known, drafts)
            parts.append(_fitting(span, left, shown, room, connection))
            drafts.append(self._formalizer.formalize(parts[-1], shown, cancelled=cancelled))
            left = left[len(parts[-1].sentences) :]
        return _joined(parts, drafts)


def _fitting(
    span: SpanText,
    left: tuple[SentenceText, ...],
    known: PolicyModel,
    room: int,
    connection: Connection,
) -> SpanText:
    """The span with as many of the sentences that are left as fit, at least one.

    Raises LlmTooLongError where not even that fits.
    """
    size = always = _size(replace(span, sentences=()), known)
    fitting = 0
    for sentence in left:
        size += _size(replace(span, sentences=(sentence,)), known) - always
        if size > room:
            break
        fitting += 1
    if not fitting:
        text = left[0].text
        shown = f"{text[:60]}..." if len(text) > 60 else text
        raise LlmTooLongError(
            f"with its headings, the declarations and the prompt the sentence `{shown}` takes "
            f"about {size:,} tokens, and `{connection.name}` has room for {max(room, 0):,}; "
            "choose a model with a larger window"
        )
    return replace(span, sentences=left[:fitting])


def _size(span: SpanText, known: PolicyModel) -> int:
    return estimate_prompt(first_messages(span, known))


def _with_drafted(known: PolicyModel, drafts: list[UnitDraft]) -> PolicyModel:
    return PolicyModel(
        (*known.datatypes, *(one for draft in drafts for one in draft.datatypes)),
        (*known.variables, *(one for draft in drafts for one in draft.variables)),
        known.definitions,
    )


def _joined(parts: list[SpanText], drafts: list[UnitDraft]) -> UnitDraft:
    """One draft of the whole span: indexes of sentences and rules count through all parts."""
    joined, sentences = replace(drafts[0], run=_run(drafts)), len(parts[0].sentences)
    for part, draft in zip(parts[1:], drafts[1:], strict=True):
        rules = len(joined.rules)
        joined = UnitDraft(
            run=joined.run,
            statements=(
                *joined.statements,
                *(
                    one if one.sentence is None else replace(one, sentence=one.sentence + sentences)
                    for one in draft.statements
                ),
            ),
            datatypes=joined.datatypes + draft.datatypes,
            variables=joined.variables + draft.variables,
            rules=(
                *joined.rules,
                *(
                    replace(one, sentences=tuple(index + sentences for index in one.sentences))
                    for one in draft.rules
                ),
            ),
            questions=(
                *joined.questions,
                *(replace(one, rule=one.rule + rules) for one in draft.questions),
            ),
        )
        sentences += len(part.sentences)
    return joined


def _run(drafts: list[UnitDraft]) -> Run:
    """What all parts took; one unknown price makes the sum unknown."""
    runs = [draft.run for draft in drafts]
    costs = [run.cost_usd for run in runs]
    known = [cost for cost in costs if cost is not None]
    return replace(
        runs[0],
        rounds=sum(run.rounds for run in runs),
        prompt_tokens=sum(run.prompt_tokens for run in runs),
        completion_tokens=sum(run.completion_tokens for run in runs),
        cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
        log=tuple(entry for run in runs for entry in run.log),
    )
