"""People take one thing apart into two: a variable, a datatype, a value, a rule.

What moves is written anew in the rules that a person chose, so each of them asks for
approval again. A rule with an open question is not touched: its readings speak of
what it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from policies.audit import record
from policies.composing import Composition, compose, renamed
from policies.editing import Edit, editing
from policies.models import Datatype, DatatypeValue, Policy, Rule, User, Variable
from policies.retiring import retire_rule
from policywright.model import Kind
from policywright.termjson import term_to_json
from translation.merging.applying import ids_in
from translation.merging.splitting import parts_of
from vetting.datatypes import next_position
from vetting.declarations import (
    NewVariable,
    add_variable,
    check_free_value,
    check_free_variable,
    check_symbol_name,
)
from vetting.edits import copy_sources, editable, free_name
from vetting.questions import open_questions
from vetting.refusals import MovedError, RefusedError
from vetting.texts import check_text


def split_variable(
    policy: Policy,
    user: User,
    variable: Variable,
    new: NewVariable,
    *,
    rules: Collection[str],
    shown_revision: int,
) -> Variable:
    """Declare a variable of the same sort and unit, and let some rules speak of it instead.

    `rules` are uids. Merging the two undoes it.
    """
    with editing(policy, user, expected_revision=shown_revision) as edit:
        composition = compose(edit.policy)
        uid = composition.canonical_uid.get(variable.uid, variable.uid)
        declared = composition.model.variable_by_id.get(uid)
        if declared is None:
            raise RefusedError("this variable is no longer in the draft; nothing was saved.")
        if (new.sort, new.unit) != (declared.sort.key, declared.unit):
            raise RefusedError("the new variable has the sort and the unit of the old one.")
        edit.cause = f"`{declared.name}` split"
        check_free_variable(edit.policy, new.name)
        added = add_variable(edit, new)
        rows = _rules(edit, composition, rules, frozenset({uid}))
        ids = dict.fromkeys(_all_of(composition, uid), added.uid)
        _rewrite(edit, rows, ids)
        record(edit.policy, user, "split-variable", f"variable:{uid}")
    return added


def split_value(
    policy: Policy,
    user: User,
    value: DatatypeValue,
    *,
    name: str,
    phrase: str = "",
    rules: Collection[str],
    shown_revision: int,
) -> DatatypeValue:
    """Add a value to a datatype, and let some rules speak of it instead of another."""
    with editing(policy, user, expected_revision=shown_revision) as edit:
        composition = compose(edit.policy)
        uid = composition.canonical_uid.get(value.uid, value.uid)
        edit.cause = f"value `{value.name}` split"
        row = DatatypeValue.objects.get(uid=uid, datatype__policy=edit.policy)
        check_free_value(edit.policy, name)
        if row.datatype.values.filter(name=name).exists():
            raise RefusedError(f"the datatype has a value `{name}` already; choose another name.")
        added = DatatypeValue.objects.create(
            datatype=row.datatype,
            name=name,
            phrase=check_text(phrase, "the phrase", limit=200, lines=False),
            position=next_position(row.datatype),
        )
        rows = _rules(edit, composition, rules, frozenset({uid}))
        _rewrite(edit, rows, dict.fromkeys(_all_of(composition, uid), added.uid))
        record(edit.policy, user, "split-value", f"value:{uid}")
    return added


def split_datatype(
    policy: Policy,
    user: User,
    datatype: Datatype,
    *,
    name: str,
    variables: Collection[str],
    shown_revision: int,
) -> Datatype:
    """Copy a datatype with its values under a name, and give the copy to some variables.

    Refused where a rule holds one of them beside a variable that keeps the old datatype,
    since the two could not be compared any more.
    """
    with editing(policy, user, expected_revision=shown_revision) as edit:
        composition = compose(edit.policy)
        model = composition.model
        uid = composition.canonical_uid.get(datatype.uid, datatype.uid)
        declared = model.datatype_by_id.get(uid)
        if declared is None:
            raise RefusedError("this datatype is no longer in the draft; nothing was saved.")
        edit.cause = f"datatype `{declared.name}` split"
        own = {variable.id for variable in model.variables if variable.sort.key == uid}
        moving = own & set(variables)
        if not moving or moving == own:
            raise RefusedError("choose some of its variables, but not all, for the new datatype.")
        check_symbol_name(name, "datatype")
        if Datatype.objects.filter(policy=edit.policy, name=name).exists():
            raise RefusedError(f"there is a datatype `{name}` already; choose another name.")
        concerned = []
        for rule in model.rules:
            spoken = ids_in(rule)
            if not spoken & moving or rule.kind is Kind.DEFAULT:
                continue
            if spoken & (own - moving):
                raise RefusedError(
                    f"`{rule.name}` speaks of variables that would have two datatypes; "
                    "let them go together, or edit that rule first."
                )
            concerned.append(rule.id)
        rows = _rules(edit, composition, concerned, frozenset(moving)) if concerned else []
        copy = Datatype.objects.create(
            policy=edit.policy, name=name, description=declared.description
        )
        ids = dict.fromkeys(_all_of(composition, uid), copy.uid)
        for position, value in enumerate(declared.values):
            made = DatatypeValue.objects.create(
                datatype=copy, name=value.name, phrase=value.phrase, position=position
            )
            ids |= dict.fromkeys(_all_of(composition, value.id), made.uid)
        # A merged variable keeps the sort of what it stands for, so that undoing still fits.
        members = {one for variable in moving for one in _all_of(composition, variable)}
        Variable.objects.filter(policy=edit.policy, uid__in=members).update(sort=copy.uid)
        _rewrite(edit, rows, ids)
        record(edit.policy, user, "split-datatype", f"datatype:{uid}")
    return copy


def split_rule(policy: Policy, user: User, rule: Rule, *, shown_hash: str) -> list[Rule]:
    """Rules that together say what one said, each with all its sources; that one retires.

    Raises RefusedError for a rule that has no parts, MovedError if it changed.
    """
    with editing(policy, user, cause=f"`{rule.name}` split") as edit:
        composition = compose(edit.policy)
        present = editable(edit.policy, rule)
        if composition.hashes.get(present.uid, "") != shown_hash:
            raise MovedError(
                "someone changed this rule after you opened the page; nothing was saved.",
                present=present.name,
                present_hash=composition.hashes.get(present.uid, ""),
            )
        term = composition.own_term(present.uid)
        parts = parts_of(term) if term is not None else ()
        if len(parts) < 2:
            raise RefusedError("this rule says one thing; there is nothing to take apart.")
        check_no_questions(edit, composition, [present])
        sources = list(present.sources.all())
        retire_rule(edit, present)
        made = []
        for number, part in enumerate(parts, start=1):
            added = Rule.objects.create(
                policy=edit.policy,
                name=_part_name(edit.policy, present.name, number),
                kind=present.kind,
                position=present.position,
                term=term_to_json(part),
                author=user,
            )
            copy_sources(sources, added)
            made.append(added)
        record(edit.policy, user, "split-rule", f"rule:{present.uid}")
    return made


def _part_name(policy: Policy, name: str, number: int) -> str:
    """`cost-rule-1`; the next free number where that is taken."""
    while True:
        try:
            return free_name(policy, f"{name}-{number}", "rule")
        except RefusedError:
            if number > 10_000:
                raise
            number += 1


def _rules(
    edit: Edit, composition: Composition, uids: Collection[str], speaking_of: frozenset[str]
) -> list[Rule]:
    """The chosen rules' rows; RefusedError where one does not speak of what is split."""
    model = composition.model
    chosen = [model.rule_by_id[uid] for uid in dict.fromkeys(uids) if uid in model.rule_by_id]
    if not chosen or len(chosen) != len(set(uids)):
        raise RefusedError("choose at least one rule of the draft that speaks of the new one.")
    for rule in chosen:
        if not speaking_of & ids_in(rule) or rule.kind is Kind.DEFAULT:
            raise RefusedError(f"`{rule.name}` does not speak of it; choose other rules.")
    rows = list(Rule.objects.filter(policy=edit.policy, uid__in=[rule.id for rule in chosen]))
    check_no_questions(edit, composition, rows)
    return rows


def check_no_questions(edit: Edit, composition: Composition, rows: Sequence[Rule]) -> None:
    asked = open_questions(edit.policy, composition, [row.uid for row in rows])
    if asked:
        named = next(row.name for row in rows if row.uid in asked[0].rules)
        raise RefusedError(f"`{named}` has an open question; answer it first, then split.")


def _rewrite(edit: Edit, rows: Sequence[Rule], ids: Mapping[str, str]) -> None:
    for row in rows:
        row.term, row.author = renamed(row.term, ids), edit.actor
        row.save(update_fields=["term", "author"])


def _all_of(composition: Composition, uid: str) -> list[str]:
    """The uid and those of all that is merged into it."""
    return [uid, *(one for one, end in composition.canonical_uid.items() if end == uid)]
