"""What stands in no sentence: assumptions, ranges, the defaults of outcomes.

They are shown apart, approved apart and marked in the export. Sending the same
form twice changes nothing the second time.
"""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

from policies.composing import Composition, compose
from policies.editing import Edit, editing
from policies.models import Policy, Rule, User, Variable
from policywright.defaults import generate_default
from policywright.english.dates import day_number
from policywright.errors import DefaultNotPossibleError
from policywright.model import DefaultChoice, Kind, Role
from policywright.model import Variable as ModelVariable
from policywright.normal import normal_form
from policywright.sorts import INT
from policywright.terms import Literal, Term, and_, ge, integer, le, real
from vetting.edits import create_rule, free_name, last_position
from vetting.refusals import RefusedError
from vetting.written import read_written, written

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")


def add_assumption(
    policy: Policy,
    user: User,
    *,
    english: str = "",
    smtlib: str = "",
    read_as: str = "",
    name: str = "",
) -> Rule:
    """Assert something that stands in no sentence; it is approved and shown apart.

    `read_as` is the reading that the form showed. Raises a ReadingError for a text
    without one meaning.
    """
    text = written(english=english, smtlib=smtlib)
    with editing(policy, user, cause=f"assumed in {text.called}") as edit:
        composition = compose(edit.policy)
        term = read_written(text, composition.model, read_as)
        return _assume(edit, user, name, term, composition)


def add_range(
    policy: Policy,
    user: User,
    variable: Variable,
    *,
    lower: str = "",
    upper: str = "",
    name: str = "",
) -> Rule:
    """Assume a range of a number, both ends included; one end may be left empty.

    Ends are plain numbers (`0`, `1000.50`), or dates as `2026-03-14` where the
    unit is `date`.
    """
    with editing(policy, user, cause="assumed") as edit:
        composition = compose(edit.policy)
        declared = composition.model.variable_by_id.get(
            composition.canonical_uid.get(variable.uid, variable.uid)
        )
        if declared is None or not declared.sort.is_number:
            raise RefusedError("a range is of a number; choose a variable that is one.")
        term = _range(declared, lower, upper)
        return _assume(edit, user, name or f"{declared.name}-range", term, composition)


def set_default(
    policy: Policy, user: User, outcome: Variable, choice: DefaultChoice, *, name: str = ""
) -> Rule:
    """Say what holds of an outcome where no rule speaks; one default an outcome.

    The assertion is generated when the draft is composed. Raises RefusedError
    where none can be made from the outcome's rules.
    """
    with editing(policy, user, cause="set a default") as edit:
        model = compose(edit.policy).model
        declared = model.variable_by_id.get(outcome.uid)
        if declared is None or declared.role is Role.FACT:
            raise RefusedError(
                "a default is of an outcome; choose a variable that the policy decides."
            )
        try:
            generate_default(model, outcome.uid, choice)
        except DefaultNotPossibleError as error:
            raise RefusedError(f"{error}.") from error
        live = Rule.objects.filter(policy=edit.policy, retired_at=None, kind=Kind.DEFAULT)
        row = live.filter(outcome=outcome.uid).first()
        if row is None:
            row = Rule(
                policy=edit.policy,
                name=free_name(edit.policy, name or f"{declared.name}-default", "default"),
                kind=Kind.DEFAULT.value,
                position=last_position(edit.policy) + 1,
                outcome=outcome.uid,
            )
        if row.pk and row.choice == choice.value:
            edit.unchanged = True
            return row
        row.choice, row.author = choice.value, user
        row.save()
    return row


def _assume(edit: Edit, user: User, name: str, term: Term, composition: Composition) -> Rule:
    policy = edit.policy
    for rule in composition.model.rules:
        if rule.kind is Kind.ASSUMPTION and normal_form(rule.term) == normal_form(term):
            edit.unchanged = True
            return Rule.objects.get(policy=policy, uid=rule.id)
    return create_rule(
        policy, user, free_name(policy, name, "assumption"), Kind.ASSUMPTION, term, ()
    )


def _range(variable: ModelVariable, lower: str, upper: str) -> Term:
    low, high = _end(variable, lower), _end(variable, upper)
    if low is None and high is None:
        raise RefusedError("write at least one end of the range.")
    if low is not None and high is not None and Fraction(low.value) > Fraction(high.value):
        raise RefusedError("the lower end is above the upper end; exchange the two.")
    parts = []
    if low is not None:
        parts.append(ge(variable.symbol, low))
    if high is not None:
        parts.append(le(variable.symbol, high))
    return and_(*parts)


def _end(variable: ModelVariable, text: str) -> Literal | None:
    text = text.strip()
    if not text:
        return None
    if variable.unit == "date":
        try:
            return integer(day_number(date.fromisoformat(text)))
        except ValueError as error:
            raise RefusedError(f"`{text[:40]}` is not a date; write it as 2026-03-14.") from error
    if not _NUMBER.fullmatch(text):
        raise RefusedError(f"`{text[:40]}` is not a number; write it as 1000 or 1000.50.")
    value = Fraction(text)
    if variable.sort != INT:
        return real(value)
    if value.denominator != 1:
        raise RefusedError(
            f"`{variable.name}` is declared whole (Int) and `{text[:40]}` is not; "
            "write a whole number, or make the variable Real."
        )
    return integer(int(value))
