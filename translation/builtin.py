"""The built-in formalizer: the grammar of `policywright.english`, sentence by sentence.

Deterministic, without key or network. Each sentence sees what those before it
declared. It abstains rather than guesses, and names the words that stood in the way.
"""

from __future__ import annotations

from decimal import Decimal

from policywright.english.draft import draft

from policies.models.draft import StatementState
from policywright.english.drafts import Abstention, Draft, DraftedQuestion, SourceSentence
from policywright.english.drafts import QuestionKind as DraftedKind
from policywright.model import PolicyModel
from translation.formalizers import (
    Cancelled,
    CancelledError,
    QuestionDraft,
    Reading,
    RuleDraft,
    Run,
    SentenceText,
    SpanText,
    StatementDraft,
    UnitDraft,
    Word,
)
from translation.models import QuestionKind

_KINDS = {
    DraftedKind.BOUNDARY: QuestionKind.BOUNDARY,
    DraftedKind.DIRECTION: QuestionKind.READING,
    DraftedKind.OUTCOME: QuestionKind.OUTCOME,
}


class BuiltinFormalizer:
    name = "builtin"
    in_order = True

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        statements: list[StatementDraft] = []
        rules: list[RuleDraft] = []
        questions: list[QuestionDraft] = []
        model = known
        for index, sentence in enumerate(span.sentences):
            if cancelled():
                raise CancelledError
            drafted = draft(_source(sentence), model)
            if isinstance(drafted, Abstention):
                statements.append(_abstained(index, sentence, drafted))
                continue
            model = _with_declarations(model, drafted)
            questions += [_question(question, len(rules)) for question in drafted.questions]
            rules += [
                RuleDraft(rule.name, rule.term, rule.kind, (index,)) for rule in drafted.rules
            ]
            statements.append(StatementDraft(StatementState.FORMALIZED, index, sentence.text))
        return UnitDraft(
            # Nothing is asked of anybody, so the price is known: none.
            run=Run(formalizer=self.name, rounds=1, cost_usd=Decimal(0)),
            statements=tuple(statements),
            datatypes=model.datatypes[len(known.datatypes) :],
            variables=model.variables[len(known.variables) :],
            rules=tuple(rules),
            questions=tuple(questions),
        )


def _source(sentence: SentenceText) -> SourceSentence:
    return SourceSentence(sentence.text, sentence.headings, sentence.context)


def _abstained(index: int, sentence: SentenceText, abstention: Abstention) -> StatementDraft:
    words = tuple(Word(word.start, word.end, word.text) for word in abstention.words)
    return StatementDraft(StatementState.ABSTAINED, index, sentence.text, abstention.reason, words)


def _with_declarations(model: PolicyModel, drafted: Draft) -> PolicyModel:
    return PolicyModel(
        datatypes=(*model.datatypes, *drafted.datatypes),
        variables=(*model.variables, *drafted.variables),
        definitions=model.definitions,
        rules=model.rules,
    )


def _question(question: DraftedQuestion, first_rule: int) -> QuestionDraft:
    return QuestionDraft(
        rule=first_rule + question.rule_index,
        kind=_KINDS[question.kind],
        text=question.text,
        boundary=dict(question.boundary),
        readings=tuple(Reading(reading.label, reading.term) for reading in question.readings),
    )
