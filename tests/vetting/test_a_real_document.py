"""A real regulation (14 CFR 250, denied boarding) from its text to a published version.

The built-in formalizer abstains on all of it, so every rule is written by hand
here, over variables of our own; then questions, approvals and marks as on any
draft. The version is checked in Python, in Z3 and in cvc5.
"""

from __future__ import annotations

from collections import Counter

from policies.composing import compose
from policies.document_store import add_document
from policies.models import Policy, Rule, Statement, User
from policies.present import present_sentences, sentence_hash
from policywright.library import LoadedPolicy
from policywright.model import DefaultChoice
from policywright.smtlib import read
from tests.approving import approve
from tests.policywright.shared import shared
from tests.policywright.solvers import cvc5_answer, z3_answer
from tests.vetting.conftest import say_all_values
from translation.jobs import finish_inline, start_formalizing
from vetting.assumptions import add_range, set_default
from vetting.declarations import NewValue, NewVariable, declare_datatype, declare_variable
from vetting.edits import add_rule
from vetting.marks import mark_sentence
from vetting.models import MarkKind
from vetting.publishing import blockers, publish

VARIABLES = (
    NewVariable("bumped", "Bool", phrase="the passenger was denied boarding involuntarily"),
    NewVariable("complied", "Bool", phrase="the passenger complied with the contract of carriage"),
    NewVariable("reason", "BumpReason", phrase="the reason for denying boarding"),
    NewVariable("required", "Bool", phrase="operational or safety reasons required it"),
    NewVariable("seats", "Int", unit="seats", phrase="the designed capacity of the aircraft"),
    NewVariable("otherSection", "Bool", phrase="a seat in another section was offered for free"),
    NewVariable("rerouted", "Bool", phrase="alternate transportation was offered"),
    NewVariable("delay", "Real", unit="hours", phrase="the planned delay at the destination"),
    NewVariable("fare", "Real", unit="USD", phrase="the fare to the destination"),
    NewVariable("owed", "Bool", role="outcome", phrase="compensation is owed"),
    NewVariable("amount", "Real", role="outcome", unit="USD", phrase="the compensation"),
)

BAND = "(and owed rerouted (> delay 1.0) (< delay 2.0))"
LATE = "(and owed (or (not rerouted) (>= delay 2.0)))"

# Which sentence (by its place in the document), the rule's name, the rule.
RULES = (
    (1, "involuntary-only", "(=> (not bumped) (not owed))"),
    (2, "soon-enough", "(=> (and rerouted (<= delay 1.0)) (not owed))"),
    (2, "nothing-owed", "(=> (not owed) (= amount 0.0))"),
    (3, "double", f"(=> (and {BAND} (<= (* 2.0 fare) 675.0)) (= amount (* 2.0 fare)))"),
    (3, "double-cap", f"(=> (and {BAND} (> (* 2.0 fare) 675.0)) (= amount 675.0))"),
    (4, "quadruple", f"(=> (and {LATE} (<= (* 4.0 fare) 1350.0)) (= amount (* 4.0 fare)))"),
    (4, "quadruple-cap", f"(=> (and {LATE} (> (* 4.0 fare) 1350.0)) (= amount 1350.0))"),
    (6, "terms", "(=> (not complied) (not owed))"),
    (7, "smaller-aircraft", "(=> (and (= reason smallerAircraft) required) (not owed))"),
    (7, "weight", "(=> (and (= reason weight) required (<= seats 60)) (not owed))"),
    (8, "other-section", "(=> otherSection (not owed))"),
    (9, "comparable", "(=> (and rerouted (<= delay 1.0)) (not owed))"),
)


def test_14_cfr_250_is_taken_through_to_a_published_version(
    policy: Policy, alice: User, bob: User
) -> None:
    data = shared("corpus", "policies", "us-14-cfr-250-denied-boarding.txt").read_bytes()
    add_document(policy, alice, title="Oversales", data=data, filename="250.txt")
    finish_inline(start_formalizing(policy, alice), holder="test")
    counts = Counter(Statement.objects.values_list("state", flat=True))
    assert counts == {"abstained": 10}
    assert len(blockers(policy)) == 11

    write_rules(policy, alice)
    mark_rest(policy, alice)
    say_all_values(policy, alice)
    for rule in Rule.objects.filter(policy=policy, retired_at=None):
        approve(policy, bob, rule, shown_hash=compose(policy).hashes[rule.uid])
    policy.refresh_from_db()
    assert blockers(policy) == []
    version = publish(alice, policy, shown_revision=policy.revision)

    text = bytes(version.smt2).decode()
    assert z3_answer(text) == cvc5_answer(text) == "sat"
    exported = LoadedPolicy(read(text))
    facts = ["bumped", "complied", "(= reason oversold)", "(not otherSection)"]
    late = [*facts, "rerouted", "(= delay 2.5)", "(= fare 300.0)"]
    assert exported.check(late, "(= amount 1200.0)").kind == "VALID"
    early = exported.check([*facts, "rerouted", "(= delay 1.0)"], "owed")
    # Two sentences say the same of one hour: dropping in order keeps the later one.
    assert (early.kind, early.rules) == ("INVALID", ("comparable",))
    open_ = exported.check([*facts, "rerouted", "(= fare 300.0)"], "(= amount 1200.0)")
    assert (open_.kind, open_.depends_on) == ("SATISFIABLE", ("delay",))


def write_rules(policy: Policy, user: User) -> None:
    reasons = [NewValue("oversold"), NewValue("smallerAircraft"), NewValue("weight")]
    declare_datatype(policy, user, name="BumpReason", values=reasons)
    declared = {new.name: declare_variable(policy, user, new) for new in VARIABLES}
    sentences = present_sentences(policy)
    for place, name, smtlib in RULES:
        lineages = [sentences[place].lineage]
        add_rule(policy, user, lineages=lineages, smtlib=smtlib, name=name)
    set_default(policy, user, declared["owed"], DefaultChoice.APPROVED)
    for name in ("delay", "fare", "seats"):
        add_range(policy, user, declared[name], lower="0")


def mark_rest(policy: Policy, user: User) -> None:
    """The first sentence binds the carrier in general; the sixth leads into its list."""
    sentences = present_sentences(policy)
    for place, kind, reason in (
        (0, MarkKind.BINDING, "how few is practicable is judged case by case"),
        (5, MarkKind.DEFINITION, ""),
    ):
        sentence = sentences[place]
        mark_sentence(
            policy,
            user,
            sentence,
            kind=kind,
            reason=reason,
            outcomes=[],
            shown_hash=sentence_hash(sentence),
        )
