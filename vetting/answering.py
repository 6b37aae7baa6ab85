"""Answers a question: the rule takes the reading, and the case becomes a scenario.

All of it in one transaction. Rules whose place the reading takes are retired; another
answer brings them back. The scenario says what the chosen reading says of the case at
which the readings part, so that no later change contradicts the answer unseen.
"""

from __future__ import annotations

from policies.audit import record
from policies.composing import Composition, compose
from policies.editing import editing
from policies.models import Policy, Rule, User
from policies.retiring import restore_rule, retire_rule
from policywright.english import render_case
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import say_said
from translation.models import Question
from vetting.lock import locked
from vetting.models import Answer, Origin, Scenario
from vetting.questions import QuestionReview, parting_of, question_states
from vetting.refusals import MovedError, RefusedError
from vetting.scenario_rows import new_scenario


def answer_question(
    policy: Policy, user: User, question: Question, reading: int, *, shown_hash: str
) -> Answer:
    """Choose a reading, by its place; the rule takes it where it has another.

    Answering the same again gives the answer that is there. Raises MovedError if
    the question, its sentences or its rules changed since the page was shown, or if
    somebody answered since; RefusedError for a reading that there is not, or that fits
    no longer.
    """
    with locked(policy) as row:
        rule = Rule.objects.filter(policy=row, pk=question.rule_id, retired_at=None).first()
        if rule is None:
            raise RefusedError("this question is about a rule that is no longer in the draft.")
        composition = compose(row)
        review = _present_review(row, question, composition)
        expected = expectation(review, reading, composition)
        if review.answer is not None and _says_already(review, user, reading, expected):
            return review.answer
        if review.shown_hash != shown_hash:
            raise _moved(review)
        if not 0 <= reading < len(review.readings):
            raise RefusedError("choose one of the readings that the question offers.")
        retired = _take_reading(row, user, rule, review, reading)
        answer = Answer.objects.create(
            question=question, reading=reading, content_hash=review.hash, retired=retired, by=user
        )
        record(row, user, "answer-question", f"question:{question.uid}", new_hash=review.hash)
        if expected is not None:
            _keep_scenario(row, user, answer, expected)
    policy.revision = row.revision
    return answer


def expectation(review: QuestionReview, reading: int, composition: Composition) -> Scenario | None:
    """The scenario, not saved, that a reading would become; None where nobody can tell one."""
    parting = parting_of(review, composition)
    if parting is None or not 0 <= reading < len(parting.said):
        return None
    said, model = parting.said[reading], composition.model
    if said is None:
        return None
    case = render_case(model, parting.case) or "Whatever the case"
    expected = Expectation(parting.case, said.claim, said.kind)
    english = f"{case}: {say_said(model, said.claim, said.kind)}"
    return new_scenario(model, expected, english, Origin.ANSWER)


def _keep_scenario(policy: Policy, user: User, answer: Answer, scenario: Scenario) -> None:
    scenario.policy, scenario.answer, scenario.by = policy, answer, user
    scenario.save()
    record(
        policy,
        user,
        "add-scenario",
        f"scenario:{scenario.uid}",
        new_hash=scenario.content_hash,
    )


def _take_reading(
    policy: Policy, user: User, rule: Rule, review: QuestionReview, number: int
) -> list[str]:
    """Give the rule the reading; the uids of the rules that are gone with it."""
    reading = review.readings[number]
    if reading.term is None:
        raise RefusedError(f"this reading does not fit any more: {reading.english}.")
    stored = review.question.readings
    wanted = stored[number].get("retires", []) if number < len(stored) else []
    last = review.question.answers.order_by("-pk").first()
    before = last.retired if last is not None else []
    elsewhere = _gone_elsewhere(policy, review.question)
    # The rule as it was edited decides nothing about the others.
    kept = before if number >= len(stored) else [uid for uid in before if uid in wanted]
    # A rule that another answer retired is gone by this one, too, and outlives neither.
    kept += [uid for uid in wanted if uid in elsewhere and uid not in kept]
    back = [uid for uid in before if uid not in kept and uid not in elsewhere]
    if reading.is_present and not reading.retires and not back:
        return kept
    with editing(policy, user, cause="answered a question") as edit:
        if not reading.is_present:
            rule.term, rule.author = stored[number]["term"], user
            rule.save(update_fields=["term", "author"])
        rows = Rule.objects.filter(policy=policy)
        for one in rows.filter(uid__in=reading.retires, retired_at=None):
            retire_rule(edit, one)
        for one in rows.filter(uid__in=back).exclude(retired_at=None):
            restore_rule(edit, one)
    policy.revision = edit.policy.revision
    return list(dict.fromkeys([*kept, *reading.retires]))


def _gone_elsewhere(policy: Policy, question: Question) -> set[str]:
    """The rules that the last answers to other questions about live rules retired."""
    rows = Answer.objects.filter(question__policy=policy, question__rule__retired_at=None)
    last: dict[int, list[str]] = {
        one.question_id: one.retired for one in rows.exclude(question=question).order_by("pk")
    }
    return {uid for retired in last.values() for uid in retired}


def _says_already(
    review: QuestionReview, user: User, reading: int, expected: Scenario | None
) -> bool:
    """Whether the same person gave this answer, and it still means the same rules and case."""
    answer = review.answer
    if answer is None or answer.reading != reading or answer.by_id != user.pk:
        return False
    if reading >= len(review.readings):
        return False
    chosen = review.readings[reading]
    if not chosen.is_present or chosen.retires:
        return False
    last = answer.scenarios.order_by("-pk").first()
    return (last.content_hash if last else "") == (expected.content_hash if expected else "")


def _moved(review: QuestionReview) -> MovedError:
    answer, present = review.answer, review.question.text
    what = "this question or its rule changed"
    if answer is not None:
        what = f"{answer.by} answered this question, or its rule changed,"
        if answer.reading < len(review.readings):
            present = f"{present} {answer.by} chose: {review.readings[answer.reading].english}"
    return MovedError(
        f"{what} after you opened the page; read it as it is now, then answer.",
        present=present,
        present_hash=review.shown_hash,
    )


def _present_review(policy: Policy, question: Question, composition: Composition) -> QuestionReview:
    found = {review.question.pk: review for review in question_states(policy, composition)}
    return found[question.pk]
