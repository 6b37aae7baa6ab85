"""A small travel draft for Alice and Bob to decide on, made of rows and of our services."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from policies.composing import Composition, compose
from policies.editing import editing
from policies.models import (
    Blob,
    Datatype,
    Document,
    DocumentRevision,
    Policy,
    Rule,
    RuleSource,
    Section,
    Sentence,
    Span,
    Statement,
    Unit,
    User,
    Variable,
)
from policies.models.draft import StatementState
from policies.present import sentence_hash
from policywright.model import DefaultChoice
from policywright.smtlib import read_term
from policywright.termjson import term_to_json
from tests.approving import approve
from translation.models import Question, QuestionKind
from vetting.answering import answer_question
from vetting.assumptions import add_range, set_default
from vetting.declarations import NewValue, NewVariable, add_variable, declare_datatype
from vetting.edits import add_rule
from vetting.marks import mark_sentence
from vetting.models import MarkKind
from vetting.publishing import standing
from vetting.questions import open_questions
from vetting.review import RuleReview, rule_states
from vetting.sentences import SentenceReview, sentence_states
from vetting.values import say_values, values_states

COST = "Trips that cost more than EUR 1,000 need the approval of a line manager."
SERVICE = "Trips abroad are for people who have completed six months of service."
REASONABLE = "Expenses must be reasonable."
WELCOME = "We wish you a pleasant journey."
SENTENCES = (COST, SERVICE, REASONABLE, WELCOME)

COST_RULE = "(=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved))"
SERVICE_RULE = "(=> (and (= destination international) (< tenureMonths 6)) (not tripApproved))"
SERVICE_LATER = "(=> (and (= destination international) (<= tenureMonths 6)) (not tripApproved))"


def write_revision(
    policy: Policy, user: User, texts: tuple[str, ...], keep: dict[str, str] | None = None
) -> dict[str, Sentence]:
    """The document's next revision, one sentence a line; `keep` gives lineages by text."""
    document, _ = Document.objects.get_or_create(policy=policy, title="Travel")
    text = "\n".join(texts)
    digest = hashlib.sha256(text.encode()).hexdigest()
    blob, _ = Blob.objects.get_or_create(sha256=digest, defaults={"content": text.encode()})
    revision = DocumentRevision.objects.create(
        document=document,
        number=document.revisions.count() + 1,
        blob=blob,
        filename="travel.txt",
        media_type="text/plain",
        text=text,
        created_by=user,
    )
    sentences, start = {}, 0
    for ordinal, sentence in enumerate(texts):
        known = {"lineage": keep[sentence]} if keep and sentence in keep else {}
        sentences[sentence] = Sentence.objects.create(
            revision=revision,
            ordinal=ordinal,
            start=start,
            end=start + len(sentence),
            text=sentence,
            headings=["Approval"],
            **known,
        )
        start += len(sentence) + 1
    Section.objects.create(
        revision=revision,
        ordinal=1,
        level=1,
        headings=["Approval"],
        first=0,
        sentences=[[one.lineage, sentence_hash(one)] for one in sentences.values()],
        start=0,
        text=text,
    )
    return sentences


@dataclass
class Draft:
    """The draft and what tests do with it; everything is read afresh from the rows."""

    policy: Policy
    alice: User
    bob: User
    sentences: dict[str, Sentence]

    def composition(self) -> Composition:
        return compose(self.policy)

    def rule(self, name: str) -> Rule:
        return Rule.objects.get(policy=self.policy, name=name, retired_at=None)

    def variable(self, name: str) -> Variable:
        return Variable.objects.get(policy=self.policy, name=name)

    def review(self, name: str) -> RuleReview:
        return rule_states(self.policy, self.composition())[self.rule(name).uid]

    def sentence(self, text: str) -> SentenceReview:
        reviews = sentence_states(self.policy, self.composition())
        return next(one for one in reviews if one.sentence.text == text)

    def approve(self, name: str, user: User | None = None) -> None:
        rule = self.rule(name)
        shown = self.composition().hashes[rule.uid]
        approve(self.policy, user or self.bob, rule, shown_hash=shown)

    def approve_all(self) -> None:
        for rule in Rule.objects.filter(policy=self.policy, retired_at=None):
            self.approve(rule.name)

    def approve_all_but_questions(self) -> None:
        for rule in Rule.objects.filter(policy=self.policy, retired_at=None):
            if not self.review(rule.name).questions:
                self.approve(rule.name)

    def answer_all(self, reading: int = 0) -> None:
        for one in open_questions(self.policy, self.composition()):
            answer_question(
                self.policy, self.alice, one.question, reading, shown_hash=one.shown_hash
            )

    def mark_rest(self) -> None:
        kinds = {REASONABLE: MarkKind.BINDING, WELCOME: MarkKind.NOT_BINDING}
        for text, kind in kinds.items():
            sentence = self.sentences[text]
            outcomes = [self.variable("tripApproved").uid] if kind is MarkKind.BINDING else []
            mark_sentence(
                self.policy,
                self.alice,
                sentence,
                kind=kind,
                reason="read by Alice",
                outcomes=outcomes,
                shown_hash=sentence_hash(sentence),
            )

    def make_ready(self) -> None:
        """Say everything that a version needs."""
        say_all_values(self.policy, self.alice)
        self.answer_all()
        self.approve_all()
        self.mark_rest()

    def revision(self) -> int:
        return Policy.objects.get(pk=self.policy.pk).revision

    def standing(self):
        return standing(self.policy)


@pytest.fixture
def draft(policy: Policy, alice: User, bob: User) -> Draft:
    return make_draft(policy, alice, bob)


@pytest.fixture
def ready(draft: Draft) -> Draft:
    """A draft of which everything is said: it can be published."""
    draft.make_ready()
    return draft


def make_draft(policy: Policy, alice: User, bob: User) -> Draft:
    """Two rules, the second with an open question; a range and a default; four sentences."""
    sentences = write_revision(policy, alice, SENTENCES)
    declare_datatype(
        policy, alice, name="Destination", values=[NewValue("domestic"), NewValue("international")]
    )
    variables = (
        NewVariable("costEur", "Real", unit="EUR", phrase="the total trip cost"),
        NewVariable("managerApproved", "Bool", phrase="a line manager has approved the trip"),
        NewVariable("destination", "Destination", phrase="the destination"),
        NewVariable("tenureMonths", "Int", unit="months", phrase="completed service"),
        NewVariable("tripApproved", "Bool", role="outcome", phrase="the trip is approved"),
    )
    with editing(policy, alice, cause="declared") as edit:
        for variable in variables:
            add_variable(edit, variable)
    made = Draft(policy, alice, bob, sentences)
    for text, name, smtlib in (
        (COST, "cost", COST_RULE),
        (SERVICE, "service", SERVICE_RULE),
    ):
        add_rule(policy, alice, lineages=[sentences[text].lineage], smtlib=smtlib, name=name)
    add_range(policy, alice, made.variable("costEur"), lower="0", name="cost-range")
    set_default(
        policy, alice, made.variable("tripApproved"), DefaultChoice.APPROVED, name="approved"
    )
    _ask(made)
    return made


def _ask(draft: Draft) -> Question:
    model = draft.composition().model
    readings = [
        {"label": label, "term": term_to_json(read_term(text, model))}
        for label, text in (
            ("six months are enough", SERVICE_RULE),
            ("more than six months", SERVICE_LATER),
        )
    ]
    return Question.objects.create(
        policy=draft.policy,
        rule=draft.rule("service"),
        kind=QuestionKind.BOUNDARY,
        text="With exactly 6 months of service: approved, or not?",
        boundary={draft.variable("tenureMonths").uid: "6"},
        readings=readings,
    )


@pytest.fixture
def formalized(draft: Draft) -> Callable[[str, StatementState, str], Statement]:
    """Write what a formalizer said of a sentence."""
    span = Span.objects.create(revision=draft.sentences[COST].revision, ordinal=0, start=0, end=10)

    def say(text: str, state: StatementState, reason: str = "") -> Statement:
        unit = Unit.objects.create(policy=draft.policy, span=span, formalizer="by hand")
        return Statement.objects.create(
            unit=unit, sentence=draft.sentences[text], state=state, reason=reason, words=[[0, 8]]
        )

    return say


def say_all_values(policy: Policy, user: User) -> None:
    """Of each enumeration: never two at once, and all there are."""
    for review in values_states(policy, compose(policy)):
        for question in review.asks:
            uid, shown = review.datatype.id, review.hash
            say_values(policy, user, uid, question, holds=True, shown_hash=shown)


def draft_rule(draft: Draft, name: str, smtlib: str, text: str) -> Rule:
    """A rule as a formalizer leaves it: no author."""
    with editing(draft.policy, None, cause="drafted") as edit:
        term = read_term(smtlib, compose(edit.policy).model)
        rule = Rule.objects.create(policy=edit.policy, name=name, term=term_to_json(term))
        sentence = draft.sentences[text]
        RuleSource.objects.create(
            rule=rule,
            lineage=sentence.lineage,
            revision=sentence.revision,
            start=sentence.start,
            end=sentence.end,
            quote=sentence.text,
        )
    return rule


__all__ = ["Datatype", "Draft", "draft_rule", "make_draft", "write_revision"]
