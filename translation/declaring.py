"""Declares the datatypes and variables of a reply, each on its own, or says why not.

Nothing is declared twice: what exists already may be repeated as it is, and is
then used; with another meaning it is refused, and stays as it was.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping
from dataclasses import dataclass, field

from policies.models.people import new_uid
from policywright.model import Datatype, Definition, Phrases, PolicyModel, Role, Value, Variable
from policywright.names import check_name
from policywright.sorts import BUILT_IN, Sort
from translation.pieces import Piece, RefusedError, checked_text

# What the rows hold; see policies.models.draft.
_MAX_UNIT, _MAX_PHRASE, _MAX_VALUE_PHRASE = 40, 300, 200

# More than a model needs in one reply, and than anyone would read.
_MAX_VALUES, _MAX_DESCRIPTION = 200, 2000


@dataclass
class Declared:
    """What is new, by name and in order, over what the policy declares already."""

    known: PolicyModel
    datatypes: dict[str, Datatype] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._datatypes: MutableMapping[str, Datatype] = ChainMap(
            self.datatypes, {one.name: one for one in self.known.datatypes}
        )
        self._symbols: MutableMapping[str, Variable | Definition] = ChainMap(
            {}, {one.name: one for one in self.known.symbols}
        )
        self._owners = {
            value.name: one.name for one in self.known.datatypes for value in one.values
        }
        self._names = {one.id: one.name for one in self.known.datatypes}

    @property
    def model(self) -> PolicyModel:
        return PolicyModel(
            datatypes=(*self.known.datatypes, *self.datatypes.values()),
            variables=(*self.known.variables, *self.variables.values()),
            definitions=self.known.definitions,
        )

    def add_datatype(self, piece: Piece) -> None:
        """Raises RefusedError or NameNotAllowedError."""
        name, values = piece.name, piece.data["values"]
        names = [value["name"] for value in values]
        if not names:
            raise RefusedError("it has no values; list them, the last one `OTHER`")
        if len(names) > _MAX_VALUES:
            raise RefusedError(f"it has {len(names):,} values; use at most {_MAX_VALUES}")
        declared = self._datatypes.get(name)
        if declared is not None:
            if [value.name for value in declared.values] != names:
                shown = ", ".join(f"`{value.name}`" for value in declared.values)
                raise RefusedError(
                    f"it is declared already, with the values {shown}; "
                    "use it so, or take another name"
                )
            return
        phrases = [checked_text("phrase", one["phrase"], _MAX_VALUE_PHRASE) for one in values]
        for value in values:
            check_name(value["name"], "value")
            if value["name"] in self._symbols:
                raise RefusedError(f"its value `{value['name']}` is the name of a variable")
        if len(set(names)) < len(names):
            raise RefusedError("it has the same value twice")
        datatype = Datatype(
            new_uid(),
            name,
            tuple(
                Value(new_uid(), one["name"], phrase)
                for one, phrase in zip(values, phrases, strict=True)
            ),
            checked_text("description", piece.data["description"], _MAX_DESCRIPTION),
        )
        self.datatypes[name] = datatype
        self._names[datatype.id] = name
        self._owners |= dict.fromkeys(names, name)

    def add_variable(self, piece: Piece) -> None:
        """Raises RefusedError."""
        data = piece.data
        drafted = Variable(
            new_uid(),
            piece.name,
            self._sort(data["sort"]),
            Role(data["role"]),
            checked_text("unit", data["unit"], _MAX_UNIT),
            checked_text("description", data["description"], _MAX_DESCRIPTION),
            Phrases(
                checked_text("phrase", data["phrase"], _MAX_PHRASE),
                checked_text("negative phrase", data["negative"], _MAX_PHRASE),
            ),
        )
        declared = self._symbols.get(drafted.name)
        if declared is None:
            if drafted.name in self._owners:
                owner = self._owners[drafted.name]
                raise RefusedError(f"its name is a value of `{owner}`; take another name")
            self.variables[drafted.name] = self._symbols[drafted.name] = drafted
        elif not isinstance(declared, Variable) or _meaning(declared) != _meaning(drafted):
            raise RefusedError(
                f"it is declared already, as {self._shown(declared)}; "
                "use it so, or take another name"
            )

    def _sort(self, name: str) -> Sort:
        if name in self._datatypes:
            return self._datatypes[name].sort
        if name in BUILT_IN:
            return BUILT_IN[name]
        raise RefusedError(f"its sort `{name[:80]}` is not Bool, Int, Real or a declared datatype")

    def _shown(self, declared: Variable | Definition) -> str:
        if isinstance(declared, Definition):
            return "a definition"
        sort = self._names.get(declared.sort.key, declared.sort.key)
        unit = f", unit `{declared.unit}`" if declared.unit else ""
        return f"{sort}{unit}, {declared.role}"


def _meaning(variable: Variable) -> tuple[Sort, str, Role]:
    return variable.sort, variable.unit, variable.role
