"""The names that a term may use, and what each of them stands for."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

from policywright.model import Datatype, PolicyModel
from policywright.sorts import BUILT_IN, Sort
from policywright.terms import Literal, Symbol, member


@dataclass
class Scope:
    """Declared names while reading; `let` names are passed beside it."""

    sorts: dict[str, Sort] = field(default_factory=lambda: dict(BUILT_IN))
    symbols: dict[str, Symbol] = field(default_factory=dict)
    values: dict[str, list[Literal]] = field(default_factory=dict)
    shown: dict[Sort, str] = field(default_factory=dict)

    @classmethod
    def of(cls, model: PolicyModel) -> Scope:
        scope = cls()
        for datatype in model.datatypes:
            scope.add_datatype(datatype)
        for declared in model.symbols:
            scope.symbols[declared.name] = declared.symbol
        return scope

    def add_datatype(self, datatype: Datatype) -> None:
        self.sorts[datatype.name] = datatype.sort
        self.shown[datatype.sort] = datatype.name
        for value in datatype.values:
            self.values.setdefault(value.name, []).append(member(datatype.id, value.id))

    def value_of(self, name: str, sort: Sort) -> Literal | None:
        return next((v for v in self.values.get(name, ()) if v.sort == sort), None)

    def sort_name(self, sort: Sort) -> str:
        return self.shown.get(sort, sort.key)

    def nearest(self, name: str) -> list[str]:
        """Up to three declared names that look like an unknown one."""
        known = [*self.symbols, *self.values]
        by_fold = {other.casefold(): other for other in known}
        found = difflib.get_close_matches(name.casefold(), list(by_fold), n=3, cutoff=0.6)
        return [by_fold[match] for match in found]
