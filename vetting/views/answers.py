"""What a card shows of questions: the case, what each reading says of it, what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from policies.composing import Composition
from policies.models import Policy
from policywright.english import render_case, render_rule
from policywright.scenarios import say_said
from vetting.cases import Parting
from vetting.models import Answer
from vetting.questions import QuestionReview, parting_of
from vetting.scenarios import InForce, Result, Run, answers_in_force, run_scenarios


def question_shown(review: QuestionReview, composition: Composition) -> dict[str, Any]:
    """The context of `_question.html`: one case, and each reading with what it says there."""
    parting = parting_of(review, composition)
    return {
        "question": review.question,
        "shown_hash": review.shown_hash,
        "case": render_case(composition.model, parting.case) if parting else "",
        "readings": [
            {
                "reading": reading,
                "says": _says(composition, parting, reading.number),
                "translations": _translations(review, reading.number),
                "goes": list(_going(composition, reading.retires)),
            }
            for reading in review.readings
        ],
    }


def answers_shown(
    policy: Policy, composition: Composition, reviews: Sequence[QuestionReview]
) -> list[dict[str, Any]]:
    """Those of the questions that are answered, each with its scenario and whether that holds."""
    answered = [one for one in reviews if one.answer is not None]
    if not answered:
        return []
    found = answers_in_force(policy, composition, answered)
    runs = run_scenarios(policy, composition, found)
    by_question = {one.question.question.pk: one for one in found if one.question}
    return [
        _answered(review, review.answer, by_question.get(review.question.pk), runs, composition)
        for review in answered
        if review.answer is not None
    ]


def _answered(
    review: QuestionReview,
    answer: Answer,
    kept: InForce | None,
    runs: dict[str, Run],
    composition: Composition,
) -> dict[str, Any]:
    run = runs[kept.scenario.uid] if kept else None
    return {
        "answer": answer,
        # How many translations read so is no answer.
        "label": "" if _translations(review, answer.reading) else review.label_of(answer.reading),
        "scenario": kept.scenario if kept else None,
        "result": str(run.result) if run else "",
        "fails": run is not None and run.result is Result.FAILS,
        "why": run.why if run else "",
        "again": question_shown(review, composition),
    }


def _says(composition: Composition, parting: Parting | None, number: int) -> str:
    said = parting.said[number] if parting else None
    return say_said(composition.model, said.claim, said.kind) if said else ""


def _translations(review: QuestionReview, number: int) -> int:
    """How many translations read so; 0 where nobody counted."""
    stored: Sequence[dict[str, Any]] = review.question.readings
    return int(stored[number].get("translations", 0)) if number < len(stored) else 0


def _going(composition: Composition, uids: Sequence[str]) -> Iterator[str]:
    """The rules whose place a reading takes, in English."""
    for uid in uids:
        rule = composition.model.rule_by_id.get(uid)
        yield render_rule(composition.model, rule) if rule else "A rule that does not fit."
