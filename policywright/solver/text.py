"""Terms as text for the solver, under names of our own.

Users' names never reach a solver: a variable is `s0`, a value `v0`, a datatype
`d0`, in the order of the model. So no name can break out of its bars, meet a
label, or be a word that the solver keeps for itself.
"""

from __future__ import annotations

from policywright.model import Datatype, Definition, PolicyModel, Value, Variable
from policywright.smtlib.printer import TermPrinter


class SolverNames:
    """The model under solver names, and the way back from a name to an id."""

    def __init__(self, model: PolicyModel) -> None:
        values = (value for datatype in model.datatypes for value in datatype.values)
        value_names = {id(value): f"v{i}" for i, value in enumerate(values)}
        self.model = PolicyModel(
            datatypes=tuple(
                Datatype(
                    datatype.id,
                    f"d{i}",
                    tuple(Value(value.id, value_names[id(value)]) for value in datatype.values),
                )
                for i, datatype in enumerate(model.datatypes)
            ),
            variables=tuple(
                Variable(variable.id, f"s{i}", variable.sort)
                for i, variable in enumerate(model.variables)
            ),
            definitions=tuple(
                Definition(definition.id, f"f{i}", definition.term)
                for i, definition in enumerate(model.definitions)
            ),
        )
        self.symbol_names = {symbol.id: symbol.name for symbol in self.model.symbols}
        self.value_ids = {
            value.name: value.id for datatype in self.model.datatypes for value in datatype.values
        }
        self.printer = TermPrinter(self.model)
