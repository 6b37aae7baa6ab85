"""The built-in formalizer as a translator: what it would draft over the declared variables."""

from __future__ import annotations

from collections.abc import Sequence

from policies.models.draft import StatementState
from policywright.model import PolicyModel
from policywright.terms import symbols
from translation.builtin import BuiltinFormalizer
from translation.ensemble.translators import Translated
from translation.formalizers import Cancelled, RuleDraft, SpanText, UnitDraft
from translation.models import TranslationState
from translation.naming import BUILTIN

_ABSTAINED = TranslationState.ABSTAINED


class BuiltinTranslator:
    """It knows variables by their phrases. Where it would need one of its own, it abstains."""

    def __init__(self, name: str = BUILTIN) -> None:
        self.name = name

    def translate(
        self, span: SpanText, wanted: Sequence[int], declared: PolicyModel, *, cancelled: Cancelled
    ) -> list[Translated]:
        draft = BuiltinFormalizer().formalize(span, declared, cancelled=cancelled)
        return [_translated(index, wanted, draft, declared) for index in wanted]


def _translated(
    index: int, wanted: Sequence[int], draft: UnitDraft, declared: PolicyModel
) -> Translated:
    said = next(one for one in draft.statements if one.sentence == index)
    rules = [rule for rule in draft.rules if index in rule.sentences]
    if said.state is not StatementState.FORMALIZED or not rules:
        return Translated(index, _ABSTAINED, reason=said.reason or "it found no rule in it")
    own = _undeclared(rules, draft, declared)
    if own:
        return Translated(index, _ABSTAINED, reason=f"it would need variables of its own: {own}")
    # A rule of several sentences is said once, with the first of them that is asked about.
    terms = tuple(
        rule.term for rule in rules if index == min(one for one in rule.sentences if one in wanted)
    )
    return Translated(index, TranslationState.TRANSLATED, terms)


def _undeclared(rules: Sequence[RuleDraft], draft: UnitDraft, declared: PolicyModel) -> str:
    used = {symbol.id for rule in rules for symbol in symbols(rule.term)}
    missing = used - {symbol.id for symbol in declared.symbols}
    return ", ".join(f"`{one.name}`" for one in draft.variables if one.id in missing)
