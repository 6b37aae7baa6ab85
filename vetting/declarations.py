"""Declares variables and datatypes by hand, and edits what is said of them.

Names pass `policywright.names` and must be free among variables and values, so
that no draft holds a name that a published file could not. A variable's sort,
unit, role, description and phrases are part of what approvals are bound to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from policies.audit import record
from policies.editing import Edit, editing
from policies.models import Datatype, DatatypeValue, Merge, Policy, User, Variable
from policywright.errors import NameNotAllowedError
from policywright.hashing import content_hash
from policywright.model import Role
from policywright.names import check_name
from policywright.sorts import BOOL, BUILT_IN
from vetting.refusals import MovedError, RefusedError
from vetting.texts import check_text


@dataclass(frozen=True)
class NewVariable:
    """A declaration as a form sends it; `sort` is Bool, Int, Real or a datatype's uid or name."""

    name: str
    sort: str
    role: str = Role.FACT.value
    unit: str = ""
    description: str = ""
    phrase: str = ""
    negative_phrase: str = ""


@dataclass(frozen=True)
class NewValue:
    name: str
    phrase: str = ""


def variable_hash(variable: Variable) -> str:
    """What a form that edits a variable shows: all its parts."""
    return content_hash({"variable": asdict(_parts(variable))})


def declare_variable(policy: Policy, user: User, new: NewVariable) -> Variable:
    """Add a variable; the same declaration again gives the one that is there."""
    with editing(policy, user, cause="declared a variable") as edit:
        before = Variable.objects.filter(policy=edit.policy).count()
        variable = add_variable(edit, new)
        edit.unchanged = Variable.objects.filter(policy=edit.policy).count() == before
    return variable


def add_variable(edit: Edit, new: NewVariable) -> Variable:
    """Declare a variable inside an `editing` block."""
    checked = _checked(edit.policy, new)
    same = Variable.objects.filter(policy=edit.policy, **asdict(checked)).first()
    if same is not None:
        return same
    check_free_variable(edit.policy, checked.name)
    variable = Variable.objects.create(policy=edit.policy, **asdict(checked))
    record(
        edit.policy,
        edit.actor,
        "declare-variable",
        f"variable:{variable.uid}",
        new_hash=variable_hash(variable),
    )
    return variable


def edit_variable(
    policy: Policy, user: User, variable: Variable, new: NewVariable, *, shown_hash: str
) -> Variable:
    """Change any part of a variable; `shown_hash` is `variable_hash` as the form showed it.

    Every rule that uses it is asked again. A rule that the new sort does not fit
    is kept as broken. Raises MovedError with both texts if someone was faster.
    """
    with editing(policy, user, cause=f"variable `{variable.name}` edited") as edit:
        present = Variable.objects.get(pk=variable.pk, policy=edit.policy)
        checked = _checked(edit.policy, new)
        before = variable_hash(present)
        if _parts(present) == checked:
            edit.unchanged = True
            return present
        if before != shown_hash:
            raise MovedError(
                f"someone changed `{present.name}` after you opened the page; nothing was "
                "saved. Your text is below, beside the variable as it is now.",
                present=_as_text(_parts(present)),
                present_hash=before,
                sent=_as_text(checked),
            )
        if checked.name != present.name:
            check_free_variable(edit.policy, checked.name)
        for part, value in asdict(checked).items():
            setattr(present, part, value)
        present.save()
        record(
            edit.policy,
            user,
            "edit-variable",
            f"variable:{present.uid}",
            old_hash=before,
            new_hash=variable_hash(present),
        )
    return present


def declare_datatype(
    policy: Policy,
    user: User,
    *,
    name: str,
    values: Sequence[NewValue],
    description: str = "",
) -> Datatype:
    """Add a list of values; the same declaration again gives the one that is there."""
    with editing(policy, user, cause="declared a datatype") as edit:
        check_symbol_name(name, "datatype")
        description = check_text(description, "the description")
        phrases = [check_text(v.phrase, "the phrase", limit=200, lines=False) for v in values]
        same = _same_datatype(edit.policy, name, values)
        if same is not None:
            edit.unchanged = True
            return same
        if not values:
            raise RefusedError("a datatype needs at least one value.")
        if Datatype.objects.filter(policy=edit.policy, name=name).exists():
            raise RefusedError(f"there is a datatype `{name}` already; choose another name.")
        names = [value.name for value in values]
        for one in names:
            check_free_value(edit.policy, one)
            if names.count(one) > 1:
                raise RefusedError(f"the value `{one}` stands twice; remove one of them.")
        datatype = Datatype.objects.create(policy=edit.policy, name=name, description=description)
        for position, (value, phrase) in enumerate(zip(values, phrases, strict=True)):
            DatatypeValue.objects.create(
                datatype=datatype, name=value.name, phrase=phrase, position=position
            )
        record(edit.policy, user, "declare-datatype", f"datatype:{datatype.uid}")
    return datatype


def _parts(variable: Variable) -> NewVariable:
    return NewVariable(**{part.name: getattr(variable, part.name) for part in fields(NewVariable)})


def _as_text(parts: NewVariable) -> str:
    return "\n".join(f"{part.replace('_', ' ')}: {value}" for part, value in asdict(parts).items())


def _checked(policy: Policy, new: NewVariable) -> NewVariable:
    """The declaration with its datatype by uid; RefusedError for the first thing wrong."""
    check_symbol_name(new.name, "variable")
    if new.role not in [role.value for role in Role]:
        raise RefusedError("choose a role: fact, outcome or derived.")
    unit = check_text(new.unit, "the unit", limit=40, lines=False)
    if unit and new.sort in (BOOL.key,):
        raise RefusedError("a yes-or-no variable has no unit; leave the unit empty.")
    phrase = check_text(new.phrase, "the phrase", limit=300, lines=False)
    negative = check_text(new.negative_phrase, "the negative phrase", limit=300, lines=False)
    if negative and new.sort != BOOL.key:
        raise RefusedError("only a yes-or-no variable has a negative phrase; leave it empty.")
    if phrase and phrase == negative:
        raise RefusedError("the phrase and its negative are the same; write how the two differ.")
    return NewVariable(
        new.name,
        _sort_key(policy, new.sort),
        new.role,
        unit,
        check_text(new.description, "the description"),
        phrase,
        negative,
    )


def _sort_key(policy: Policy, sort: str) -> str:
    if sort in BUILT_IN:
        return sort
    sort = check_text(sort, "the sort", limit=120, lines=False)
    datatypes = Datatype.objects.filter(policy=policy)
    found = datatypes.filter(uid=sort).first() or datatypes.filter(name=sort).first()
    if found is None:
        raise RefusedError("choose a sort: Bool, Int, Real, or one of the policy's datatypes.")
    return found.uid


def _same_datatype(policy: Policy, name: str, values: Sequence[NewValue]) -> Datatype | None:
    for datatype in Datatype.objects.filter(policy=policy, name=name):
        if [value.name for value in datatype.values.all()] == [value.name for value in values]:
            return datatype
    return None


def check_symbol_name(name: str, what: str) -> None:
    try:
        check_name(name, what)
    except NameNotAllowedError as error:
        raise RefusedError(f"{error}.") from error


def check_free_variable(policy: Policy, name: str) -> None:
    """A variable's name must be no other variable's and no value's."""
    merged = Merge.objects.filter(policy=policy, undone_at=None).values("from_uid")
    variables = Variable.objects.filter(policy=policy, name=name).exclude(uid__in=merged)
    if variables.exists():
        raise RefusedError(f"there is a variable `{name}` already; choose another name.")
    if DatatypeValue.objects.filter(datatype__policy=policy, name=name).exists():
        raise RefusedError(f"`{name}` is a value of a datatype; choose another name.")


def check_free_value(policy: Policy, name: str) -> None:
    check_symbol_name(name, "value")
    if Variable.objects.filter(policy=policy, name=name).exists():
        raise RefusedError(f"there is a variable `{name}` already; choose another name.")
