"""The loans of a library, in words of our own; a draft of it may carry a slip."""

from __future__ import annotations

from dataclasses import replace

from policies.composing import compose
from policies.document_store import add_document
from policies.editing import editing
from policies.models import Policy, Rule, Sentence, User, Variable
from policies.people import create_policy
from policywright.defaults import generate_default
from policywright.model import DefaultChoice, Kind, PolicyModel
from policywright.model import Rule as ModelRule
from policywright.smtlib import read_term
from vetting.assumptions import set_default
from vetting.declarations import NewVariable, add_variable
from vetting.edits import add_rule

RULES = {
    "long-loan": (
        "A loan of more than 14 days needs the consent of the head librarian.",
        "(=> (and (> loanDays 14) (not consent)) (not loanAllowed))",
    ),
    "in-debt": (
        "Nobody who owes more than EUR 20 borrows without the head librarian's consent.",
        "(=> (and (> owed 20.0) (not consent)) (not loanAllowed))",
    ),
    "reading-room": (
        "What belongs to the reading room stays there, unless it is lent for an exhibition.",
        "(=> (and readingRoom (not exhibition)) (not loanAllowed))",
    ),
}
VARIABLES = (
    NewVariable("loanDays", "Int", unit="days", phrase="the length of the loan"),
    NewVariable("consent", "Bool", phrase="the head librarian has consented"),
    NewVariable("owed", "Real", unit="EUR", phrase="what the reader owes"),
    NewVariable(
        "readingRoom",
        "Bool",
        phrase="the book belongs to the reading room",
        negative_phrase="the book does not belong to the reading room",
    ),
    NewVariable("exhibition", "Bool", phrase="the book is lent for an exhibition"),
    NewVariable("loanAllowed", "Bool", role="outcome", phrase="the loan is allowed"),
)


def draft_loans(
    owner: User, *, choice: DefaultChoice = DefaultChoice.APPROVED, **slips: str
) -> Policy:
    """The policy with its rules, none of them approved; `slips` are what some say instead."""
    policy = create_policy(owner, name="Library loans", formalizer="builtin")
    text = "# Loans\n\n" + "\n\n".join(sentence for sentence, _ in RULES.values())
    add_document(policy, owner, title="Loans", data=text.encode(), filename="loans.md")
    with editing(policy, owner, cause="declared") as edit:
        for variable in VARIABLES:
            add_variable(edit, variable)
    for name, (sentence, smtlib) in RULES.items():
        found = Sentence.objects.get(revision__document__policy=policy, text=sentence)
        said = slips.get(name.replace("-", "_"), smtlib)
        add_rule(policy, owner, lineages=[found.lineage], smtlib=said, name=name)
    outcome = Variable.objects.get(policy=policy, name="loanAllowed")
    set_default(policy, owner, outcome, choice)
    policy.refresh_from_db()
    return policy


def rule_of(policy: Policy, name: str) -> Rule:
    return Rule.objects.get(policy=policy, name=name, retired_at=None)


def right_model(policy: Policy) -> PolicyModel:
    """The draft's model with every rule as its sentence means it, and the default from those."""
    model = compose(policy).model
    rules = tuple(
        replace(rule, term=read_term(RULES[rule.name][1], model)) if rule.name in RULES else rule
        for rule in model.rules
    )
    base = model.with_rules(tuple(rule for rule in rules if rule.kind is not Kind.DEFAULT))
    return model.with_rules(tuple(_generated(base, rule) for rule in rules))


def _generated(base: PolicyModel, rule: ModelRule) -> ModelRule:
    if rule.kind is not Kind.DEFAULT or rule.choice is None:
        return rule
    return replace(rule, term=generate_default(base, rule.outcome, rule.choice).term)
