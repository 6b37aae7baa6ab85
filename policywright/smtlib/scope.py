"""The names that a term may use, and what each of them stands for."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping

from policywright.model import Datatype, Definition, PolicyModel
from policywright.per_model import PerModel
from policywright.smtlib.extent import Extent, extent
from policywright.sorts import BUILT_IN, Sort
from policywright.terms import Literal, Symbol

MAX_COMPARISONS = 30_000
"""Looking for near names costs by the thousand names; a file may hold very many wrong ones."""


class Scope:
    """Declared names while reading; `let` names are passed beside it."""

    def __init__(self) -> None:
        self.sorts: dict[str, Sort] = dict(BUILT_IN)
        self.symbols: MutableMapping[str, Symbol] = {}
        self.values: dict[str, dict[Sort, Literal]] = {}
        self.shown: dict[Sort, str] = {}
        self.extents: dict[str, Extent] = {}
        self.comparisons_left = MAX_COMPARISONS
        self._names: dict[Symbol, str] = {}

    @classmethod
    def of(cls, model: PolicyModel) -> Scope:
        """The names of a model, to which more may be added without touching the model's own."""
        base, scope = _scopes(model), cls()
        scope.sorts, scope.values = base.sorts, base.values
        scope.shown, scope.extents = base.shown, base.extents
        scope.symbols = ChainMap({}, base.symbols)
        return scope

    @classmethod
    def _read(cls, model: PolicyModel) -> Scope:
        scope = cls()
        for datatype in model.datatypes:
            scope.add_datatype(datatype)
        for declared in model.symbols:
            scope.symbols[declared.name] = declared.symbol
        for definition in model.ordered_definitions:
            scope.add_extent(definition)
        return scope

    def add_extent(self, definition: Definition) -> None:
        """Remember how large a definition is; those it uses come before it."""
        self.extents[definition.id] = extent(definition.term, self.extents)

    def add_datatype(self, datatype: Datatype) -> None:
        sort = datatype.sort
        self.sorts[datatype.name] = sort
        self.shown[sort] = datatype.name
        for value in datatype.values:
            self.values.setdefault(value.name, {})[sort] = Literal(value.id, sort)

    def sort_name(self, sort: Sort) -> str:
        return self.shown.get(sort, sort.key)

    def nearest(self, name: str) -> list[str]:
        """Up to three declared names that look like an unknown one; none once that got dear."""
        if self.comparisons_left <= 0:
            return []
        import difflib  # Only a wrong name needs it.

        self.comparisons_left -= len(self.symbols) + len(self.values)
        by_fold = {other.casefold(): other for other in (*self.symbols, *self.values)}
        found = difflib.get_close_matches(name.casefold(), list(by_fold), n=3, cutoff=0.6)
        return [by_fold[match] for match in found]

    def name_of(self, symbol: Symbol) -> str:
        """The name that stands for a symbol."""
        if symbol not in self._names:
            self._names = {other: name for name, other in self.symbols.items()}
        return self._names[symbol]


_scopes = PerModel(Scope._read)
