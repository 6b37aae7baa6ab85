"""An airline's refunds as a first draft has them, in words of our own: two rules clash.

Who stays away from a flight that operated gets nothing; who was denied boarding gets the fare.
"""

from __future__ import annotations

from policies.document_store import add_document
from policies.editing import editing
from policies.models import Policy, Rule, Sentence, User
from policies.people import create_policy
from policywright.english import render_sentence
from policywright.model import PolicyModel
from policywright.smtlib import print_term
from vetting.declarations import NewValue, NewVariable, add_variable, declare_datatype
from vetting.edits import add_rule

RULES = {
    "stayed-away": (
        "Whoever did not fly on a flight that operated gets no money back.",
        "(=> (and (= flightStatus operated) (not travelled)) (not refundDue))",
    ),
    "cancelled-flight": (
        "After a cancelled flight the fare is paid back.",
        "(=> (= flightStatus cancelled) refundDue)",
    ),
    "denied": (
        "Whom we denied boarding gets the fare back.",
        "(=> (= circumstance denied_boarding) refundDue)",
    ),
    "flown": (
        "In the ordinary case, whoever flew on a flight that operated gets no money back.",
        "(=> (and travelled (= flightStatus operated) (= circumstance ordinary)) (not refundDue))",
    ),
}


def draft_airline(owner: User) -> Policy:
    """The policy with its document and rules, none of them approved."""
    policy = create_policy(owner, name="Airline refunds", formalizer="builtin")
    text = "# Refunds\n\n" + "\n\n".join(sentence for sentence, _ in RULES.values())
    add_document(policy, owner, title="Refunds", data=text.encode(), filename="refunds.md")
    for name, values in (
        ("FlightStatus", ("operated", "cancelled")),
        ("Circumstance", ("ordinary", "denied_boarding")),
    ):
        declare_datatype(policy, owner, name=name, values=[NewValue(one) for one in values])
    with editing(policy, owner, cause="declared") as edit:
        for variable in (
            NewVariable("flightStatus", "FlightStatus", phrase="the flight"),
            NewVariable("circumstance", "Circumstance", phrase="the circumstance"),
            NewVariable("travelled", "Bool", phrase="the passenger flew"),
            NewVariable("refundDue", "Bool", role="outcome", phrase="a refund is due"),
        ):
            add_variable(edit, variable)
    for name, (sentence, smtlib) in RULES.items():
        found = Sentence.objects.get(revision__document__policy=policy, text=sentence)
        add_rule(policy, owner, lineages=[found.lineage], smtlib=smtlib, name=name)
    policy.refresh_from_db()
    return policy


def rule_of(policy: Policy, name: str) -> Rule:
    return Rule.objects.get(policy=policy, name=name, retired_at=None)


def draft_of(owner: User, model: PolicyModel, name: str) -> Policy:
    """A policy of a model's declarations and rules; each rule's English is its sentence."""
    policy = create_policy(owner, name=name, formalizer="builtin")
    said = {rule.name: render_sentence(model, rule.term) for rule in model.rules}
    text = f"# {name}\n\n" + "\n\n".join(said.values())
    add_document(policy, owner, title=name, data=text.encode(), filename="draft.md")
    for datatype in model.datatypes:
        values = [NewValue(value.name) for value in datatype.values]
        declare_datatype(policy, owner, name=datatype.name, values=values)
    sorts = {datatype.sort: datatype.name for datatype in model.datatypes}
    with editing(policy, owner, cause="declared") as edit:
        for one in model.variables:
            sort = sorts.get(one.sort, one.sort.key)
            add_variable(edit, NewVariable(one.name, sort, role=one.role.value))
    for rule in model.rules:
        found = Sentence.objects.get(revision__document__policy=policy, text=said[rule.name])
        smtlib = print_term(model, rule.term)
        add_rule(policy, owner, lineages=[found.lineage], smtlib=smtlib, name=rule.name)
    policy.refresh_from_db()
    return policy
