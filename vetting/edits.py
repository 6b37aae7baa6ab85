"""Edits of rules by hand: change one, write one for a sentence, assume, set a default.

Rule text is one condition in SMT-LIB over declared names; anything else is
refused with line and column. Every edit holds the draft's lock, is bound to what
its form showed, and leaves a revision and an audit row. Sending the same edit
twice changes nothing the second time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from django.db.models import Max

from policies.audit import record
from policies.composing import Composition, compose
from policies.editing import Edit, editing
from policies.models import Policy, Rule, RuleSource, Sentence, User, Variable
from policies.present import present_sentences
from policywright.defaults import generate_default
from policywright.english.dates import day_number
from policywright.errors import (
    DefaultNotPossibleError,
    NameNotAllowedError,
    ReadError,
    SortError,
)
from policywright.model import DefaultChoice, Kind, PolicyModel, Role
from policywright.model import Variable as ModelVariable
from policywright.names import check_name
from policywright.normal import normal_form
from policywright.smtlib import print_term, read_term
from policywright.sorts import INT
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Literal, Term, and_, ge, integer, le, real, symbols
from vetting.decisions import english_of
from vetting.declarations import NewVariable, add_variable
from vetting.refusals import MovedError, NotReadableError, RefusedError

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")


def edit_rule(policy: Policy, user: User, rule: Rule, *, smtlib: str, shown_hash: str) -> Rule:
    """Give a rule, definition or assumption another condition.

    `shown_hash` is the content hash that the form showed (empty for a broken
    rule). Raises NotReadableError with line and column, MovedError with both
    texts, RefusedError for a default or a rule that is not in the draft.
    """
    with editing(policy, user, cause="edited in SMT-LIB") as edit:
        present = _live(edit.policy, rule)
        if present.kind == Kind.DEFAULT:
            raise RefusedError(
                "a default is made from the rules of its outcome; choose another default instead."
            )
        composition = compose(edit.policy)
        term = read_rule(smtlib, composition.model)
        now = composition.model.rule_by_id.get(present.uid)
        if now is not None and normal_form(now.term) == normal_form(term):
            edit.unchanged = True
            return present
        _check_shown(present, composition, shown_hash, smtlib)
        present.term, present.author = term_to_json(term), user
        present.save(update_fields=["term", "author"])
    return present


def add_rule(
    policy: Policy,
    user: User,
    *,
    lineages: Sequence[str],
    smtlib: str,
    name: str = "",
    kind: Kind = Kind.RULE,
    variables: Sequence[NewVariable] = (),
) -> Rule:
    """Write a rule or definition by hand for sentences of the present text.

    `variables` are declared with it; all is saved or nothing. The same text for
    the same sentences gives the rule that is there.
    """
    if kind not in (Kind.RULE, Kind.DEFINITION):
        raise RefusedError("only a rule or a definition comes from a sentence.")
    with editing(policy, user, cause="written by hand") as edit:
        sources = _sentences(edit.policy, lineages)
        for variable in variables:
            add_variable(edit, variable)
        composition = compose(edit.policy)
        term = read_rule(smtlib, composition.model)
        same = _same_rule(edit.policy, lineages, term, composition)
        if same is not None:
            return same
        return _create(
            edit.policy, user, _free_name(edit.policy, name, "rule"), kind, term, sources
        )


def add_assumption(policy: Policy, user: User, *, smtlib: str, name: str = "") -> Rule:
    """Assert something that stands in no sentence; it is approved and shown apart."""
    with editing(policy, user, cause="assumed") as edit:
        composition = compose(edit.policy)
        return _assume(edit, user, name, read_rule(smtlib, composition.model), composition)


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
                name=_free_name(edit.policy, name or f"{declared.name}-default", "default"),
                kind=Kind.DEFAULT.value,
                position=_last_position(edit.policy) + 1,
                outcome=outcome.uid,
            )
        if row.pk and row.choice == choice.value:
            edit.unchanged = True
            return row
        row.choice, row.author = choice.value, user
        row.save()
    return row


def rename_rule(policy: Policy, user: User, rule: Rule, *, name: str, shown_name: str) -> Rule:
    """Give a rule another name; no approval lapses, since names are not in the content."""
    with editing(policy, user, cause="renamed") as edit:
        present = _live(edit.policy, rule)
        if present.name == name:
            edit.unchanged = True
            return present
        if present.name != shown_name:
            raise MovedError(
                "someone renamed this rule after you opened the page.",
                present=present.name,
                present_hash=present.content_hash,
                sent=name,
            )
        present.name = _free_name(edit.policy, name, "rule")
        present.save(update_fields=["name"])
        record(edit.policy, user, "rename-rule", f"rule:{present.uid}")
    return present


def read_rule(text: str, model: PolicyModel) -> Term:
    """The condition that a text holds; it must speak of at least one variable.

    Raises NotReadableError with every problem by line and column.
    """
    try:
        term = read_term(text, model)
        sorts = {variable.id: variable.sort for variable in model.variables}
        term_from_json(term_to_json(term), sorts)
    except ReadError as error:
        raise NotReadableError.of(error) from error
    except SortError as error:
        raise RefusedError(f"this rule cannot be kept: {error}; write it simpler.") from error
    if not symbols(term):
        raise RefusedError(
            "this condition speaks of no variable, so it says nothing; write what it depends on."
        )
    return term


def _live(policy: Policy, rule: Rule) -> Rule:
    present = Rule.objects.filter(policy=policy, pk=rule.pk, retired_at=None).first()
    if present is None:
        raise RefusedError("this rule is no longer in the draft; nothing was saved.")
    return present


def rule_text(rule: Rule, composition: Composition) -> str:
    """The rule's condition in SMT-LIB, for the editor; for a broken rule, what is wrong."""
    present = composition.model.rule_by_id.get(rule.uid)
    if present is None:
        return english_of(rule, composition)
    return print_term(composition.model, present.term)


def _check_shown(rule: Rule, composition: Composition, shown_hash: str, sent: str) -> None:
    present = composition.hashes.get(rule.uid, "")
    if present != shown_hash:
        raise MovedError(
            "someone changed this rule after you opened the page; nothing was saved. "
            "Your text is below, beside the rule as it is now.",
            present=rule_text(rule, composition),
            present_hash=present,
            sent=sent,
        )


def _sentences(policy: Policy, lineages: Sequence[str]) -> list[Sentence]:
    present = {sentence.lineage: sentence for sentence in present_sentences(policy)}
    found = [present[lineage] for lineage in dict.fromkeys(lineages) if lineage in present]
    if not found or len(found) != len(set(lineages)):
        raise RefusedError(
            "a rule belongs to a sentence of the present text; open the sentence and try again."
        )
    return found


def _same_rule(
    policy: Policy, lineages: Sequence[str], term: Term, composition: Composition
) -> Rule | None:
    wanted = set(lineages)
    live = Rule.objects.filter(policy=policy, retired_at=None, sources__lineage__in=wanted)
    for row in live.distinct().prefetch_related("sources"):
        present = composition.model.rule_by_id.get(row.uid)
        same_sources = {source.lineage for source in row.sources.all()} == wanted
        if present and same_sources and normal_form(present.term) == normal_form(term):
            return row
    return None


def _assume(edit: Edit, user: User, name: str, term: Term, composition: Composition) -> Rule:
    policy = edit.policy
    for rule in composition.model.rules:
        if rule.kind is Kind.ASSUMPTION and normal_form(rule.term) == normal_form(term):
            edit.unchanged = True
            return Rule.objects.get(policy=policy, uid=rule.id)
    return _create(policy, user, _free_name(policy, name, "assumption"), Kind.ASSUMPTION, term, ())


def _create(
    policy: Policy,
    user: User,
    name: str,
    kind: Kind,
    term: Term,
    sources: Sequence[Sentence],
) -> Rule:
    rule = Rule.objects.create(
        policy=policy,
        name=name,
        kind=kind.value,
        position=_last_position(policy) + 1,
        term=term_to_json(term),
        author=user,
    )
    RuleSource.objects.bulk_create(
        RuleSource(
            rule=rule,
            lineage=sentence.lineage,
            revision=sentence.revision,
            start=sentence.start,
            end=sentence.end,
            quote=sentence.text,
        )
        for sentence in sources
    )
    return rule


def _last_position(policy: Policy) -> int:
    return Rule.objects.filter(policy=policy).aggregate(last=Max("position"))["last"] or 0


def _free_name(policy: Policy, name: str, what: str) -> str:
    """The name, checked and free; where none is given, the first free numbered one."""
    live = Rule.objects.filter(policy=policy, retired_at=None)
    taken = set(live.values_list("name", flat=True))
    if not name.strip():
        number = 1
        while f"{what}-{number}" in taken:
            number += 1
        return f"{what}-{number}"
    try:
        check_name(name, what)
    except NameNotAllowedError as error:
        raise RefusedError(f"{error}.") from error
    if name in taken:
        number = 2
        while f"{name}-{number}" in taken:
            number += 1
        raise RefusedError(f"the name `{name}` is taken; `{name}-{number}` would do.")
    return name


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
