"""What a proposed rule needs declared: kept as JSON beside it, rows only once it is accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from policies.audit import record
from policies.composing import Composition, compose_declarations, free_name
from policies.editing import Edit
from policies.models import Datatype as DatatypeRow
from policies.models import DatatypeValue
from policies.models import Variable as VariableRow
from policywright.model import Datatype, Phrases, PolicyModel, Role, Value, Variable
from policywright.termjson import parse_sort
from policywright.terms import Term, symbols

Declares = Mapping[str, Any]


def needed_by(term: Term, datatypes: Iterable[Datatype], variables: Iterable[Variable]) -> Declares:
    """The drafted declarations that a term uses, as JSON."""
    used = {symbol.id for symbol in symbols(term)}
    own = [variable for variable in variables if variable.id in used]
    sorts = {variable.sort.key for variable in own}
    return {
        "datatypes": [_datatype_data(one) for one in datatypes if one.id in sorts],
        "variables": [_variable_data(one) for one in own],
    }


def drafted(declares: Iterable[Declares]) -> tuple[list[Datatype], list[Variable]]:
    """The declarations of several proposals, each once."""
    datatypes: dict[str, Datatype] = {}
    variables: dict[str, Variable] = {}
    for one in declares:
        for data in one.get("datatypes", ()):
            datatypes[data["uid"]] = _datatype(data)
        for data in one.get("variables", ()):
            variables[data["uid"]] = _variable(data)
    return list(datatypes.values()), list(variables.values())


def with_drafted(composition: Composition, declares: Iterable[Declares]) -> Composition:
    """The composition as it would be with these declared; names are told apart."""
    model = composition.model
    datatypes, variables = drafted(declares)
    # What was declared since may have been merged, and then stands for another.
    there = {*model.datatype_by_id, *model.variable_by_id, *composition.canonical_uid}
    datatypes = [one for one in datatypes if one.id not in there]
    variables = [one for one in variables if one.id not in there]
    if not datatypes and not variables:
        return composition
    names = _Names(model)
    extended = PolicyModel(
        (*model.datatypes, *(names.of_datatype(one) for one in datatypes)),
        (*model.variables, *(names.of_variable(one) for one in variables)),
        model.definitions,
        model.rules,
    )
    return replace(composition, model=extended)


def declare(edit: Edit, declares: Iterable[Declares]) -> None:
    """Write rows under the drafts' own uids, inside an `editing` block; what is there stays.

    A name that was taken meanwhile is told apart, as that of any draft.
    """
    datatypes, variables = drafted(declares)
    names = _Names(compose_declarations(edit.policy))
    known = DatatypeRow.objects.filter(uid__in=[one.id for one in datatypes])
    there = set(known.values_list("uid", flat=True))
    for datatype in datatypes:
        if datatype.id not in there:
            _add_datatype(edit, names.of_datatype(datatype))
    declared = VariableRow.objects.filter(uid__in=[one.id for one in variables])
    there = set(declared.values_list("uid", flat=True))
    for variable in variables:
        if variable.id not in there:
            _add_variable(edit, names.of_variable(variable))


def _add_datatype(edit: Edit, datatype: Datatype) -> None:
    row = DatatypeRow.objects.create(
        policy=edit.policy, uid=datatype.id, name=datatype.name, description=datatype.description
    )
    DatatypeValue.objects.bulk_create(
        DatatypeValue(
            datatype=row, uid=value.id, name=value.name, phrase=value.phrase, position=position
        )
        for position, value in enumerate(datatype.values, start=1)
    )
    record(edit.policy, edit.actor, "declare-datatype", f"datatype:{row.uid}")


def _add_variable(edit: Edit, variable: Variable) -> None:
    row = VariableRow.objects.create(
        policy=edit.policy,
        uid=variable.id,
        name=variable.name,
        sort=variable.sort.key,
        role=variable.role.value,
        unit=variable.unit,
        description=variable.description,
        phrase=variable.phrases.text,
        negative_phrase=variable.phrases.negative,
    )
    record(edit.policy, edit.actor, "declare-variable", f"variable:{row.uid}")


class _Names:
    """The names that a model holds, and free ones for what is added to it."""

    def __init__(self, model: PolicyModel) -> None:
        self.datatypes = {one.name for one in model.datatypes}
        self.values = {value.name for one in model.datatypes for value in one.values}
        self.symbols = {one.name for one in model.symbols}

    def of_datatype(self, datatype: Datatype) -> Datatype:
        values = []
        for value in datatype.values:
            # Told apart from variables only: two datatypes may have a value of one name.
            values.append(replace(value, name=free_name(value.name, set(self.symbols))))
        self.values.update(value.name for value in values)
        name = free_name(datatype.name, self.datatypes)
        return replace(datatype, name=name, values=tuple(values))

    def of_variable(self, variable: Variable) -> Variable:
        # Told apart from variables and values: a script has one name space for both.
        name = free_name(variable.name, self.symbols | self.values)
        self.symbols.add(name)
        return replace(variable, name=name)


def _datatype_data(datatype: Datatype) -> dict[str, Any]:
    values = [{"uid": one.id, "name": one.name, "phrase": one.phrase} for one in datatype.values]
    return {
        "uid": datatype.id,
        "name": datatype.name,
        "description": datatype.description,
        "values": values,
    }


def _datatype(data: Mapping[str, Any]) -> Datatype:
    values = tuple(Value(one["uid"], one["name"], one["phrase"]) for one in data["values"])
    return Datatype(data["uid"], data["name"], values, data["description"])


def _variable_data(variable: Variable) -> dict[str, Any]:
    return {
        "uid": variable.id,
        "name": variable.name,
        "sort": variable.sort.key,
        "role": variable.role.value,
        "unit": variable.unit,
        "description": variable.description,
        "phrase": variable.phrases.text,
        "negative": variable.phrases.negative,
    }


def _variable(data: Mapping[str, Any]) -> Variable:
    return Variable(
        data["uid"],
        data["name"],
        parse_sort(data["sort"]),
        Role(data["role"]),
        data["unit"],
        data["description"],
        Phrases(data["phrase"], data["negative"]),
    )
