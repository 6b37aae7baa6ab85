"""Questions: what a sentence leaves open, and the owner's answer.

A question is open while no answer to it has the present hash, which covers its
text, its readings and the sentences of its rule as they are now. So a changed
sentence opens it again, and a change undone brings the answer back.

Where a person edited the rule so that it has none of the readings, one more is
offered: the rule as it was edited. Its number is the one behind the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from policies.audit import record
from policies.composing import Composition, compose, renamed
from policies.editing import editing
from policies.models import Policy, Rule, User
from policies.present import question_hash
from policywright.english import render_sentence
from policywright.errors import SortError
from policywright.hashing import content_hash
from policywright.model import check_term
from policywright.termjson import term_from_json
from policywright.terms import Term
from translation.models import Question
from vetting.lock import locked
from vetting.models import Answer
from vetting.refusals import MovedError, RefusedError

AS_EDITED = "none of these: the rule as it was edited"


@dataclass(frozen=True)
class ReadingShown:
    """A reading as the page shows it; `is_present` says that the rule has it now."""

    number: int
    label: str
    english: str
    is_present: bool


@dataclass(frozen=True)
class QuestionReview:
    """A question of a live rule as it stands.

    `hash` is what an answer is bound to; `shown_hash` goes into the form: it
    covers the rule's present content too. `answer` is the one that counts.
    """

    question: Question
    hash: str
    shown_hash: str
    answer: Answer | None
    readings: tuple[ReadingShown, ...]

    @property
    def is_open(self) -> bool:
        return self.answer is None

    def label_of(self, reading: int) -> str:
        """The words of a reading by its number."""
        stored = self.question.readings
        return str(stored[reading]["label"]) if reading < len(stored) else AS_EDITED


def question_states(
    policy: Policy, composition: Composition, only: Collection[str] | None = None
) -> list[QuestionReview]:
    """Every question about a live rule, open or answered; two queries.

    `only` are the uids of rules, where those of some are wanted.
    """
    questions = Question.objects.filter(policy=policy, rule__retired_at=None)
    answers: dict[tuple[int, str], Answer] = {}
    rows = Answer.objects.filter(question__policy=policy, question__rule__retired_at=None)
    if only is not None:
        questions = questions.filter(rule__uid__in=only)
        rows = rows.filter(question__rule__uid__in=only)
    for answer in rows.select_related("by").order_by("pk"):
        answers[answer.question_id, answer.content_hash] = answer
    return [
        _review(question, composition, answers)
        for question in questions.select_related("rule").order_by("pk")
    ]


def open_questions(
    policy: Policy, composition: Composition, only: Collection[str] | None = None
) -> list[QuestionReview]:
    return [review for review in question_states(policy, composition, only) if review.is_open]


def answer_question(
    policy: Policy, user: User, question: Question, reading: int, *, shown_hash: str
) -> Answer:
    """Choose a reading, by its place; the rule takes it where it has another.

    Answering the same again gives the answer that is there. Raises MovedError if
    the question, its sentences or its rule changed since the page was shown, and
    RefusedError for a reading that there is not, or that fits no longer.
    """
    with locked(policy) as row:
        rule = Rule.objects.filter(policy=row, pk=question.rule_id, retired_at=None).first()
        if rule is None:
            raise RefusedError("this question is about a rule that is no longer in the draft.")
        composition = compose(row)
        review = _present_review(row, question, composition)
        if review.answer is not None and _says_already(review, user, reading):
            return review.answer
        if review.shown_hash != shown_hash:
            raise MovedError(
                "this question or its rule changed after you opened the page; "
                "read it as it is now, then answer.",
                present=question.text,
                present_hash=review.shown_hash,
            )
        if not 0 <= reading < len(review.readings):
            raise RefusedError("choose one of the readings that the question offers.")
        answer = Answer.objects.create(
            question=question, reading=reading, content_hash=review.hash, by=user
        )
        record(row, user, "answer-question", f"question:{question.uid}", new_hash=review.hash)
        if not review.readings[reading].is_present:
            _take_reading(row, user, rule, question.readings[reading]["term"], composition)
    policy.revision = row.revision
    return answer


def _take_reading(
    policy: Policy, user: User, rule: Rule, term: Any, composition: Composition
) -> None:
    fitting = _reading_term(term, composition)
    if isinstance(fitting, str):
        raise RefusedError(f"this reading does not fit any more: {fitting}.")
    with editing(policy, user, cause="answered a question") as edit:
        rule.term, rule.author = term, user
        rule.save(update_fields=["term", "author"])
    policy.revision = edit.policy.revision


def _says_already(review: QuestionReview, user: User, reading: int) -> bool:
    answer = review.answer
    if answer is None or answer.reading != reading or answer.by_id != user.pk:
        return False
    return reading < len(review.readings) and review.readings[reading].is_present


def _present_review(policy: Policy, question: Question, composition: Composition) -> QuestionReview:
    found = {review.question.pk: review for review in question_states(policy, composition)}
    return found[question.pk]


def _review(
    question: Question,
    composition: Composition,
    answers: Mapping[tuple[int, str], Answer],
) -> QuestionReview:
    rule = composition.model.rule_by_id.get(question.rule.uid)
    sources = rule.sources if rule else ()
    present = question_hash(question.text, question.readings, sources)
    shown = content_hash([present, composition.hashes.get(question.rule.uid, "")])
    own = composition.own_term(question.rule.uid)
    readings = [
        _shown(number, reading, own, composition)
        for number, reading in enumerate(question.readings)
    ]
    edited = rule is not None and question.rule.author_id is not None
    if own is not None and edited and not any(reading.is_present for reading in readings):
        english = render_sentence(composition.model, own)
        readings.append(ReadingShown(len(readings), AS_EDITED, english, True))
    answer = answers.get((question.pk, present))
    return QuestionReview(question, present, shown, answer, tuple(readings))


def _shown(
    number: int, reading: Mapping[str, Any], present: Term | None, composition: Composition
) -> ReadingShown:
    term = _reading_term(reading["term"], composition)
    english = term if isinstance(term, str) else render_sentence(composition.model, term)
    return ReadingShown(number, str(reading["label"]), english, term == present)


def _reading_term(data: Any, composition: Composition) -> Term | str:
    """The reading as a term of the present model; a sentence where it does not fit."""
    sorts = {variable.id: variable.sort for variable in composition.model.variables}
    try:
        term = term_from_json(renamed(data, composition.canonical_uid), sorts)
    except SortError as error:
        return str(error)
    problems = check_term(composition.model, term, what="this reading")
    return "; ".join(problems) or term
