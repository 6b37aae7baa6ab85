"""Lets the further translators of a span speak, then compares them with its draft.

A translator that fails takes neither the span nor the others with it: its failure is kept
beside each sentence. What stops the whole job (cancelled, paused) stops this, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.errors import ModelError
from policywright.model import PolicyModel, Rule
from policywright.terms import symbols
from translation.ensemble.comparing import Ensemble, compare_translations, groups_of
from translation.ensemble.translators import Translated, Translator
from translation.formalizers import (
    Cancelled,
    CancelledError,
    FormalizerError,
    SpanText,
    UnitDraft,
)
from translation.models import TranslationState


def translate_again(
    span: SpanText,
    draft: UnitDraft,
    known: PolicyModel,
    translators: Sequence[Translator],
    *,
    assumptions: Sequence[Rule] = (),
    cancelled: Cancelled,
) -> Ensemble:
    """Have each sentence that rules were drafted of translated once more by each translator.

    `known` holds the declarations that the draft was made on. Raises CancelledError, and
    whatever else of the asker's is no FormalizerError.
    """
    wanted = sorted({index for group in groups_of(draft.rules) for index in group.sentences})
    if not translators or not wanted:
        return Ensemble()
    declared = PolicyModel(
        (*known.datatypes, *draft.datatypes),
        (*known.variables, *draft.variables),
        known.definitions,
    )
    said = {one.name: _translated(one, span, wanted, declared, cancelled) for one in translators}
    return compare_translations(draft, _with(declared, assumptions), said, cancelled=cancelled)


def _translated(
    translator: Translator,
    span: SpanText,
    wanted: Sequence[int],
    declared: PolicyModel,
    cancelled: Cancelled,
) -> list[Translated]:
    try:
        return translator.translate(span, wanted, declared, cancelled=cancelled)
    except CancelledError:
        raise
    except FormalizerError as error:
        reason = error.as_sentence()
        return [Translated(index, TranslationState.FAILED, reason=reason) for index in wanted]


def _with(declared: PolicyModel, assumptions: Sequence[Rule]) -> PolicyModel:
    """The declarations with the assumptions that speak of them alone."""
    ids = {symbol.id for symbol in declared.symbols}
    fitting = [one for one in assumptions if {s.id for s in symbols(one.term)} <= ids]
    try:
        return declared.with_rules(fitting)
    except ModelError:
        # A sort that changed since the span was begun: such an assumption has no say here.
        return declared
