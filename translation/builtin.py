"""The built-in formalizer: the grammar of `policywright.english`, over a span's sentences.

Deterministic, without key or network. Each sentence sees what those before it
declared and decided; a list is read with its lead-in. It abstains rather than
guesses, and names the words that stood in the way.
"""

from __future__ import annotations

from decimal import Decimal

from policies.models.draft import StatementState
from policywright.english.drafts import Abstention, DraftedQuestion, SourceSentence
from policywright.english.drafts import QuestionKind as DraftedKind
from policywright.english.passage import PassageDrafting
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


A_ROW = "a row of a table is read with its header, which needs a person or a model"


class BuiltinFormalizer:
    name = "builtin"
    in_order = True

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        # A row of a table is left to a person or a model: its header is no lead-in.
        places = [index for index, one in enumerate(span.sentences) if not one.is_row]
        drafting = PassageDrafting([_source(span.sentences[place]) for place in places], known)
        index = 0
        while index < len(places):
            if cancelled():
                raise CancelledError
            index = drafting.step(index)
        passage = drafting.passage
        abstentions = {places[index]: one for index, one in passage.abstentions.items()}
        return UnitDraft(
            # Nothing is asked of anybody, so the price is known: none.
            run=Run(formalizer=self.name, rounds=1, cost_usd=Decimal(0)),
            statements=tuple(
                _statement(index, sentence, abstentions.get(index))
                for index, sentence in enumerate(span.sentences)
            ),
            datatypes=passage.datatypes,
            variables=passage.variables,
            rules=tuple(
                RuleDraft(
                    one.rule.name,
                    one.rule.term,
                    one.rule.kind,
                    tuple(places[index] for index in one.sentences),
                )
                for one in passage.rules
            ),
            questions=tuple(
                _question(question, number)
                for number, one in enumerate(passage.rules)
                for question in one.questions
            ),
        )


def _source(sentence: SentenceText) -> SourceSentence:
    return SourceSentence(sentence.text, sentence.headings, sentence.context)


def _statement(index: int, sentence: SentenceText, abstention: Abstention | None) -> StatementDraft:
    if sentence.is_row:
        return StatementDraft(StatementState.ABSTAINED, index, sentence.text, A_ROW)
    if abstention is None:
        return StatementDraft(StatementState.FORMALIZED, index, sentence.text)
    words = tuple(Word(word.start, word.end, word.text) for word in abstention.words)
    return StatementDraft(StatementState.ABSTAINED, index, sentence.text, abstention.reason, words)


def _question(question: DraftedQuestion, rule: int) -> QuestionDraft:
    return QuestionDraft(
        rule=rule,
        kind=_KINDS[question.kind],
        text=question.text,
        boundary=dict(question.boundary),
        readings=tuple(Reading(reading.label, reading.term) for reading in question.readings),
    )
