"""Brings a policy where a test begins, in a line: drafted, or with all said of it."""

from __future__ import annotations

from django.conf import settings

from policies.composing import compose
from policies.document_store import add_document
from policies.models import Policy, Rule, Sentence, User
from policies.people import create_policy
from policywright.comparison import Differ
from policywright.english.asking import render_question
from policywright.findings.comparing import compare
from policywright.scenarios import exact_text
from policywright.smtlib import print_term, read_term
from policywright.termjson import term_to_json
from tests.approving import approve
from translation.ensemble.agreement import term_hash
from translation.jobs import finish_inline, start_formalizing
from translation.models import (
    Comparison,
    Question,
    QuestionKind,
    Translation,
    TranslationState,
)
from vetting.answering import answer_question
from vetting.declarations import NewValue, NewVariable, declare_datatype, declare_variable
from vetting.edits import edit_rule
from vetting.marks import mark_sentence
from vetting.models import MarkKind
from vetting.publishing import standing
from vetting.questions import question_states
from vetting.sentences import UNACCOUNTED

OWNER = "owner@example.org"
PASSWORD = "a long enough secret"


def draft_travel() -> Policy:
    """The example travel policy, as the built-in formalizer drafts it, owned by OWNER."""
    owner = User.objects.create_user(OWNER, PASSWORD, name="Olivia Owner")
    policy = create_policy(owner, name="Travel policy", formalizer="builtin")
    example = settings.BASE_DIR / "examples" / "travel-policy.md"
    add_document(
        policy, owner, title="Travel policy", data=example.read_bytes(), filename=example.name
    )
    finish_inline(start_formalizing(policy, owner), holder="tests")
    policy.refresh_from_db()
    return policy


def settle(policy: Policy) -> None:
    """Answer, approve and mark everything, as the owner would."""
    owner = User.objects.get(email=OWNER)
    for question in standing(policy).questions:
        answer_question(policy, owner, question.question, 0, shown_hash=question.shown_hash)
    now = standing(policy)
    for uid, review in now.rules.items():
        approve(policy, owner, Rule.objects.get(uid=uid), shown_hash=review.hash)
    for sentence in standing(policy).sentences:
        if sentence.state in UNACCOUNTED:
            mark_sentence(
                policy,
                owner,
                sentence.sentence,
                kind=MarkKind.NOT_BINDING,
                reason="it binds nobody",
                shown_hash=sentence.hash,
            )


def ask_of_translators(policy: Policy) -> Question:
    """A question as translations of the travel policy leave one, in rows.

    One of three reads the six months as more than six; the solver tells the case.
    """
    composition = compose(policy)
    model = composition.model
    said = {rule.id: print_term(model, rule.term) for rule in model.rules}
    row = Rule.objects.get(uid=next(uid for uid, text in said.items() if "(< " in text))
    drafted = model.rule_by_id[row.uid].term
    other = read_term(said[row.uid].replace("(< ", "(<= "), model)
    comparison = compare(model, [drafted], [other])
    assert isinstance(comparison, Differ)
    case = comparison.case
    assert case.claim is not None
    claim = term_to_json(case.claim)
    return Question.objects.create(
        policy=policy,
        rule=row,
        unit=row.unit,
        kind=QuestionKind.READING,
        text=render_question(model, case),
        boundary={uid: exact_text(value) for uid, value in case.facts.items()},
        readings=[
            {
                "label": label,
                "term": term_to_json(term),
                "retires": [],
                "claim": claim,
                "says": kind.value,
                "translations": count,
            }
            for label, term, kind, count in (
                ("2 of 3 translations read it so, the draft among them", drafted, case.first, 2),
                ("1 of 3 translations reads it so", other, case.second, 1),
            )
        ],
    )


def choose_a_cabin(policy: Policy) -> Rule:
    """The rule about six months is of a cabin now: a choice of three values, of which nobody
    has said whether two can hold at once."""
    owner = User.objects.get(email=OWNER)
    values = [NewValue("first", "first class"), NewValue("business"), NewValue("economy")]
    declare_datatype(policy, owner, name="Cabin", values=values)
    declare_variable(policy, owner, NewVariable("cabin", "Cabin", phrase="the cabin"))
    now = compose(policy)
    rule = next(one for one in now.model.rules if "(< " in print_term(now.model, one.term))
    row = Rule.objects.get(uid=rule.id)
    text = "(=> (or (= cabin first) (= cabin business)) (not tripApproved))"
    return edit_rule(policy, owner, row, smtlib=text, shown_hash=now.hashes[rule.id])


def translations_of(rule: Rule) -> None:
    """What two further translators made of a rule's sentence: one reads it alike, one left it."""
    source = rule.sources.get()
    sentence = Sentence.objects.get(revision=source.revision, lineage=source.lineage)
    for translator, state, terms, comparison, reason in (
        ("litellm:one", TranslationState.TRANSLATED, [rule.term], Comparison.SAME, ""),
        ("builtin", TranslationState.ABSTAINED, [], Comparison.NONE, "it found no rule in it"),
    ):
        Translation.objects.create(
            unit=rule.unit,
            sentence=sentence,
            translator=translator,
            state=state,
            terms=terms,
            comparison=comparison,
            rules={rule.uid: term_hash(rule.term)},
            reason=reason,
        )


def contradict(policy: Policy, rule: Rule) -> None:
    """All questions of the rule about six months are answered by 'more than six', and the rule
    is then edited back."""
    owner = User.objects.get(email=OWNER)
    for question in rule.questions.all():
        states = question_states(policy, compose(policy))
        shown = {one.question.pk: one.shown_hash for one in states}[question.pk]
        answer_question(policy, owner, question, 1, shown_hash=shown)
    now = compose(policy)
    text = print_term(now.model, now.model.rule_by_id[rule.uid].term).replace("(<= ", "(< ")
    edit_rule(policy, owner, rule, smtlib=text, shown_hash=now.hashes[rule.uid])
