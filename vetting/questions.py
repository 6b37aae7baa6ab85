"""Questions: what a sentence leaves open, and which answer counts.

A question is open while no answer to it has the present hash, which covers its
text, its readings and the sentences of its rule as they are now. So a changed
sentence opens it again, and a change undone brings the answer back.

Where a person edited the rule so that it has none of the readings, one more is
offered: the rule as it was edited. Its number is the one behind the others.

A reading may say all that other rules of its sentence say: chosen, it takes their
place. Those rules wait for the answer like the one that the question is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from policies.composing import Composition, renamed
from policies.models import Policy
from policies.present import question_hash
from policywright.english import render_sentence
from policywright.errors import SortError
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import PolicyModel, check_term
from policywright.scenarios import says, value_of
from policywright.termjson import term_from_json
from policywright.terms import Term
from translation.models import Question, QuestionKind
from vetting.cases import Parting, Said, find_parting
from vetting.models import Answer

AS_EDITED = "none of these: the rule as it was edited"


@dataclass(frozen=True)
class ReadingShown:
    """A reading as the page shows it; `is_present` says that the rule has it now.

    `term` is None where it does not fit the declarations any more; `english` then says
    why. `retires` are the uids of live rules whose place it takes.
    """

    number: int
    label: str
    is_present: bool
    term: Term | None
    retires: tuple[str, ...]
    model: PolicyModel = field(repr=False, compare=False)
    problem: str = ""

    @cached_property
    def english(self) -> str:
        """Made when it is read: most pages show the questions of one rule only."""
        return self.problem if self.term is None else render_sentence(self.model, self.term)


@dataclass(frozen=True)
class QuestionReview:
    """A question of a live rule as it stands.

    `hash` is what an answer is bound to; `shown_hash` goes into the form: it covers
    the present content of the rules too, and the `answer` that counts.
    """

    question: Question
    hash: str
    shown_hash: str
    answer: Answer | None
    readings: tuple[ReadingShown, ...]

    @property
    def is_open(self) -> bool:
        return self.answer is None

    @property
    def rules(self) -> frozenset[str]:
        """The uids of the rules that cannot be approved while it is open."""
        taken = (uid for reading in self.readings for uid in reading.retires)
        return frozenset((self.question.rule.uid, *taken))

    def label_of(self, reading: int) -> str:
        """The words of a reading by its number."""
        stored = self.question.readings
        return str(stored[reading]["label"]) if reading < len(stored) else AS_EDITED


def question_states(
    policy: Policy, composition: Composition, only: Collection[str] | None = None
) -> list[QuestionReview]:
    """Every question about a live rule, open or answered; two queries.

    `only` are the uids of rules, where those of some are wanted; a question that concerns
    one of them is found if the composition holds the rule that it is about.
    """
    questions = Question.objects.filter(policy=policy, rule__retired_at=None)
    answers: dict[tuple[int, str], Answer] = {}
    rows = Answer.objects.filter(question__policy=policy, question__rule__retired_at=None)
    if only is not None:
        held = [*composition.model.rule_by_id, *composition.broken]
        concerned = Q(rule__uid__in=only) | Q(kind=QuestionKind.READING, rule__uid__in=held)
        questions = questions.filter(concerned)
        rows = rows.filter(question__in=questions)
    for answer in rows.select_related("by").order_by("pk"):
        answers[answer.question_id, answer.content_hash] = answer
    wanted = None if only is None else set(only)
    return [
        _review(question, composition, answers)
        for question in questions.select_related("rule").order_by("pk")
        if wanted is None or wanted & _concerned(question)
    ]


def open_questions(
    policy: Policy, composition: Composition, only: Collection[str] | None = None
) -> list[QuestionReview]:
    return [review for review in question_states(policy, composition, only) if review.is_open]


def rules_asked_with(policy: Policy, uid: str) -> set[str]:
    """A rule, and those that a composition must hold to know its questions; one query."""
    rows = Question.objects.filter(policy=policy, rule__retired_at=None).select_related("rule")
    # Ids are unlike all other words of a reading, so they are looked for in its text.
    rows = rows.annotate(told=Cast("readings", TextField()))
    named = Q(rule__uid=uid) | Q(kind=QuestionKind.READING, told__contains=f'"{uid}"')
    return {uid}.union(*(_concerned(question) for question in rows.filter(named)))


def parting_of(review: QuestionReview, composition: Composition) -> Parting | None:
    """The whole case of a question, and what each reading says there; None if none is known.

    What the readings of translators say was told by the solver and is kept with them; of
    others it is found by evaluation. Readings that a merge made one part nowhere.
    """
    stored = review.question.readings
    case = case_values(review.question.boundary, composition)
    terms = [reading.term for reading in review.readings]
    if case is None:
        return None
    if not any("says" in reading for reading in stored):
        fitting = [term for term in terms if term is not None]
        whole = len(fitting) == len(terms)
        return find_parting(composition.model, fitting, case) if whole else None
    asked = stored[0].get("claim")
    claim = None if asked is None else reading_term(asked, composition)
    if isinstance(claim, str):
        return None
    kept = [reading.get("says", "") for reading in stored] + [""] * (len(terms) - len(stored))
    said = [
        _said(kind, term, case, claim, composition) for kind, term in zip(kept, terms, strict=True)
    ]
    same: dict[Any, Said | None] = {}
    for reading, one in zip(review.readings, said, strict=True):
        if (
            reading.term is not None
            and same.setdefault((reading.term, reading.retires), one) != one
        ):
            return None
    return Parting(case, tuple(said))


def reading_term(data: Any, composition: Composition, *, what: str = "this reading") -> Term | str:
    """What was kept as a term of the present model; a sentence of `what` does not fit."""
    sorts = {variable.id: variable.sort for variable in composition.model.variables}
    try:
        term = term_from_json(renamed(data, composition.canonical_uid), sorts)
    except SortError as error:
        return str(error)
    problems = check_term(composition.model, term, what=what)
    return "; ".join(problems) or term


def case_values(boundary: Mapping[str, str], composition: Composition) -> dict[str, Value] | None:
    """The values that exact texts spell, by present uid; None where one does not fit any more.

    Nor do two values of what was merged into one.
    """
    found: dict[str, Value] = {}
    for uid, text in boundary.items():
        present = composition.canonical_uid.get(uid, uid)
        variable = composition.model.variable_by_id.get(present)
        if variable is None:
            return None
        try:
            value = value_of(composition.canonical_uid.get(text, text), variable.sort)
        except SortError:
            return None
        if variable.sort.is_enumeration and not _is_value(composition, variable.sort.key, value):
            return None
        if found.setdefault(present, value) != value:
            return None
    return found


def _said(
    kept: str,
    term: Term | None,
    case: Mapping[str, Value],
    claim: Term | None,
    composition: Composition,
) -> Said | None:
    kind = FindingKind(kept) if kept else None
    if kind is None and term is not None:
        kind = says(composition.model, term, case, claim)
    return None if kind is None else Said(claim, kind)


def _is_value(composition: Composition, datatype: str, value: Value) -> bool:
    values = composition.model.datatype_by_id[datatype].values
    return any(one.id == value for one in values)


def _review(
    question: Question,
    composition: Composition,
    answers: Mapping[tuple[int, str], Answer],
) -> QuestionReview:
    rule = composition.model.rule_by_id.get(question.rule.uid)
    sources = rule.sources if rule else ()
    present = question_hash(question.text, question.readings, sources)
    own = composition.own_term(question.rule.uid)
    readings = [
        _shown(number, reading, own, composition)
        for number, reading in enumerate(question.readings)
    ]
    edited = rule is not None and question.rule.author_id is not None
    if own is not None and edited and not any(reading.is_present for reading in readings):
        edited_one = ReadingShown(len(readings), AS_EDITED, True, own, (), composition.model)
        readings.append(edited_one)
    answer = answers.get((question.pk, present))
    answered = 0 if answer is None else answer.pk
    hashes = _rule_hashes(question.rule.uid, readings, composition)
    shown = content_hash([present, answered, *hashes])
    return QuestionReview(question, present, shown, answer, tuple(readings))


def _concerned(question: Question) -> set[str]:
    """The uids of its rule, and of those whose place a reading would take."""
    taken = (uid for reading in question.readings for uid in reading.get("retires", ()))
    return {question.rule.uid, *taken}


def _rule_hashes(uid: str, readings: Sequence[ReadingShown], composition: Composition) -> list[str]:
    taken = dict.fromkeys(one for reading in readings for one in reading.retires)
    return [composition.hashes.get(one, "") for one in (uid, *taken)]


def _shown(
    number: int, reading: Mapping[str, Any], present: Term | None, composition: Composition
) -> ReadingShown:
    found = reading_term(reading["term"], composition)
    term, problem = (None, found) if isinstance(found, str) else (found, "")
    live = composition.model.rule_by_id
    retires = tuple(
        uid for uid in reading.get("retires", ()) if uid in live or uid in composition.broken
    )
    is_present = term is not None and term == present
    label = str(reading["label"])
    return ReadingShown(number, label, is_present, term, retires, composition.model, problem)
