"""What is done with one span: its declarations chosen, drafted, translated again, compared.

All of it outside any transaction, on the draft as it then is; `translation.jobs` keeps
the result in the transaction that ends the item.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from policies.composing import compose, compose_rules
from policies.composing_part import restricted
from policies.jobs import Context, JobError
from policies.models import Policy, Rule, Sentence, Span
from policies.sources import BULKY
from policywright.model import Kind, PolicyModel
from policywright.model import Rule as ModelRule
from policywright.terms import symbols
from translation.declared import declarations_for
from translation.ensemble.comparing import Ensemble
from translation.ensemble.running import translate_again
from translation.ensemble.translators import choose_translators
from translation.formalizers import FormalizerError, UnitDraft, choose_formalizer
from translation.spans import open_sentences, text_of
from translation.table_asker import TableAsker


@dataclass(frozen=True)
class SpanResult:
    """What a span's item ends with; `sentences` are the rows of the draft's sentences."""

    span: Span
    sentences: list[Sentence]
    draft: UnitDraft
    ensemble: Ensemble = field(default_factory=Ensemble)


def formalize_span(payload: dict[str, Any], context: Context) -> SpanResult:
    """Raises JobError with the one sentence that says why the span could not be done."""
    rows = Span.objects.select_related("revision__document__policy")
    span = rows.defer(*(f"revision__{name}" for name in BULKY)).get(
        pk=payload["span"], revision__document__policy=context.policy
    )
    asker = TableAsker(context.policy, context)
    try:
        formalizer = choose_formalizer(context.job.settings["formalizer"], asker)
        sentences = open_sentences(span, formalizer.name)
        text = text_of(span, sentences)
        # The built-in formalizer builds on the rules so far, and costs nothing to be shown all.
        in_order = formalizer.in_order
        known = compose(context.policy).model if in_order else declarations_for(span, text, context)
        draft = formalizer.formalize(text, known, cancelled=context.cancelled)
        translators = choose_translators(context.job.settings.get("translators", []), asker)
        ensemble = Ensemble()
        if translators:
            if in_order:
                known = _shown(known, draft, declarations_for(span, text, context))
            assumptions = _assumptions(context.policy)
            ensemble = translate_again(
                text,
                draft,
                known,
                translators,
                assumptions=assumptions,
                cancelled=context.cancelled,
            )
    except FormalizerError as error:
        raise JobError(error.as_sentence(), type(error).__name__) from error
    return SpanResult(span, sentences, draft, ensemble)


def _shown(known: PolicyModel, draft: UnitDraft, chosen: PolicyModel) -> PolicyModel:
    """What translators are shown of the declarations: those chosen, and those that rules use."""
    shown = {symbol.id for rule in draft.rules for symbol in symbols(rule.term)}
    shown.update(one.id for one in chosen.variables)
    shown.update(one.id for one in chosen.datatypes)
    return restricted(known, shown)


def _assumptions(policy: Policy) -> tuple[ModelRule, ...]:
    rows = Rule.objects.filter(policy=policy, kind=Kind.ASSUMPTION, retired_at=None)
    uids = list(rows.values_list("uid", flat=True))
    return compose_rules(policy, uids).model.rules if uids else ()
