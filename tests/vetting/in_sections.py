"""A document with sections for two countries, rules for some of its sentences."""

from __future__ import annotations

from dataclasses import dataclass

from policies.composing import Composition, compose
from policies.document_store import add_document
from policies.models import Document, DocumentRevision, Policy, Rule, Sentence, User
from policies.present import sentence_hash
from tests.approving import approve
from vetting.declarations import NewValue, NewVariable, declare_datatype, declare_variable
from vetting.edits import add_rule
from vetting.marks import mark_sentence
from vetting.models import MarkKind
from vetting.review import RuleReview, rule_states

TEXT = """# Leave

## Background

This text was written by the people team. We thank everybody.
Questions are answered within 3 days.

## Germany

Leave of more than 30 days is not granted.

### Parents

Parents need six months of service.

## France

Leave needs a request.
"""
LONG_LEAVE = "(=> (> days 30) (not granted))"
PARENTS = "(=> (and parent (< service 6)) (not granted))"
REQUEST = "(=> (not requested) (not granted))"


@dataclass
class Leave:
    """The policy and what tests do with it; everything is read afresh from the rows."""

    policy: Policy
    alice: User
    bob: User
    revision: DocumentRevision

    @property
    def document(self) -> Document:
        return self.revision.document

    def composition(self) -> Composition:
        return compose(self.policy)

    def latest(self) -> DocumentRevision:
        found = self.document.revisions.order_by("number").last()
        assert found is not None
        return found

    def sentence(self, beginning: str) -> Sentence:
        return self.latest().sentences.get(text__startswith=beginning)

    def rule(self, name: str) -> Rule:
        return Rule.objects.get(policy=self.policy, name=name, retired_at=None)

    def review(self, name: str) -> RuleReview:
        return rule_states(self.policy, self.composition())[self.rule(name).uid]

    def approve(self, name: str) -> None:
        rule = self.rule(name)
        approve(self.policy, self.bob, rule, shown_hash=self.composition().hashes[rule.uid])

    def mark(self, beginning: str, kind: MarkKind = MarkKind.NOT_BINDING) -> None:
        sentence = self.sentence(beginning)
        shown = sentence_hash(sentence)
        mark_sentence(self.policy, self.bob, sentence, kind=kind, reason="read", shown_hash=shown)


def make_leave(policy: Policy, alice: User, bob: User) -> Leave:
    """Three rules: of Germany, of a section below it, of France."""
    revision = add_document(
        policy, alice, title="Leave handbook", data=TEXT.encode(), filename="leave.md"
    )
    values = [NewValue("germany", phrase="Germany"), NewValue("france", phrase="France")]
    declare_datatype(policy, alice, name="Country", values=values)
    for variable in (
        NewVariable("country", "Country", phrase="the country"),
        NewVariable("days", "Int", unit="days", phrase="the length of the leave"),
        NewVariable("service", "Int", unit="months", phrase="completed service"),
        NewVariable("parent", "Bool", phrase="the employee is a parent"),
        NewVariable("requested", "Bool", phrase="the leave was requested"),
        NewVariable("granted", "Bool", role="outcome", phrase="the leave is granted"),
    ):
        declare_variable(policy, alice, variable)
    leave = Leave(policy, alice, bob, revision)
    for beginning, name, smtlib in (
        ("Leave of more", "long", LONG_LEAVE),
        ("Parents need", "parents", PARENTS),
        ("Leave needs", "request", REQUEST),
    ):
        lineages = [leave.sentence(beginning).lineage]
        add_rule(policy, alice, lineages=lineages, smtlib=smtlib, name=name)
    return leave
