"""Prints terms and models as SMT-LIB 2.6: strictly well sorted, the same bytes each time.

Both Z3 and cvc5 accept the output as it is: names are quoted only where needed,
values that several datatypes share are qualified, Int and Real never meet, and
the logic named in the header fits the content. A rule's label is told apart from
every constant, since solvers hold both in one name space.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from policywright.model import Datatype, Definition, PolicyModel, Rule, Source, Value, Variable
from policywright.names import is_simple
from policywright.sorts import BOOL, Sort
from policywright.terms import Apply, Op, Symbol, Term, fold

WIDTH = 100

HEADER = "(set-option :produce-unsat-cores true)"
"""Without it solvers report which rules clash as an empty list."""


def print_model(model: PolicyModel, *, header: Sequence[str] = ()) -> str:
    """The whole model as a file, `header` lines first as comments; ends with a newline."""
    lines = [f"; {line}".rstrip() for line in header]
    lines += [HEADER, f"(set-logic {logic(model)})", ""]
    for datatype in model.datatypes:
        lines += [*_note("datatype", _datatype_note(datatype)), _datatype(datatype)]
    for variable in model.variables:
        lines += _note("variable", _variable_note(variable))
        sort = _sort(variable.sort, model)
        lines += [f"(declare-const {print_symbol(variable.name)} {sort})"]
    printer = TermPrinter.of(model)
    for definition in model.ordered_definitions:
        lines += _note("definition", _definition_note(definition))
        body = printer.lines(definition.term, "  ")
        head = f"(define-fun {print_symbol(definition.name)} () {_sort(definition.sort, model)}"
        lines += [*_joined(head, body, ")")]
    labels = rule_labels(model)
    for rule in model.rules:
        lines += ["", *_rule_notes(rule, labels[rule.id])]
        body = printer.lines(rule.term, "  ")
        lines += [*_joined("(assert (!", body, f" :named {print_symbol(labels[rule.id])}))")]
    return "\n".join(lines) + "\n"


def print_term(model: PolicyModel, term: Term) -> str:
    """One term over the names of a model, indented where it is longer than a line."""
    return "\n".join(TermPrinter.of(model).lines(term, ""))


def print_symbol(name: str) -> str:
    return name if is_simple(name) else f"|{name}|"


def logic(model: PolicyModel) -> str:
    """`ALL` where there are enumerations (no arithmetic logic has datatypes), else QF_NIRA."""
    return "ALL" if model.datatypes else "QF_NIRA"


def rule_labels(model: PolicyModel) -> Mapping[str, str]:
    """Each rule's label by id: its name, or its name with `-rule` where that is taken."""
    taken = {declared.name for declared in model.symbols}
    taken |= {value.name for datatype in model.datatypes for value in datatype.values}
    taken |= {datatype.name for datatype in model.datatypes}
    names = {rule.name for rule in model.rules}
    labels: dict[str, str] = {}
    for rule in model.rules:
        label = rule.name
        while label in taken or (label != rule.name and label in names):
            label += "-rule"
        taken.add(label)
        labels[rule.id] = label
    return labels


class TermPrinter:
    """Prints terms; `names` gives symbols by id, `values` by datatype id and value id."""

    def __init__(self, names: Mapping[str, str], values: Mapping[tuple[str, str], str]) -> None:
        self._names, self._values = names, values

    @classmethod
    def of(cls, model: PolicyModel) -> TermPrinter:
        """Under the model's own names; a value's name that datatypes share is qualified."""
        counts = Counter(value.name for datatype in model.datatypes for value in datatype.values)
        values = {}
        for datatype in model.datatypes:
            for value in datatype.values:
                name = print_symbol(value.name)
                if counts[value.name] > 1:
                    name = f"(as {name} {print_symbol(datatype.name)})"
                values[datatype.id, value.id] = name
        names = {declared.id: print_symbol(declared.name) for declared in model.symbols}
        return cls(names, values)

    def text(self, term: Term) -> str:
        return fold(term, self._flat)

    def lines(self, term: Term, indent: str) -> list[str]:
        """The term on one line if it fits, else its arguments on lines of their own."""
        flat = self.text(term)
        if len(indent) + len(flat) <= WIDTH or not isinstance(term, Apply):
            return [indent + flat]
        lines = [f"{indent}({_word(term.op)}"]
        for argument in term.args:
            lines += self.lines(argument, indent + "  ")
        lines[-1] += ")"
        return lines

    def _flat(self, node: Term, args: Sequence[str]) -> str:
        if isinstance(node, Symbol):
            return self._names[node.id]
        if isinstance(node, Apply):
            return f"({_word(node.op)} {' '.join(args)})"
        if isinstance(node.value, str):
            return self._values[node.sort.key, node.value]
        if isinstance(node.value, bool) and node.sort == BOOL:
            return "true" if node.value else "false"
        return print_number(node.value)


def print_number(value: Fraction | int) -> str:
    """An exact constant: `5`, `(- 5)`, `0.25`, `(/ 1.0 3.0)`; a Fraction is always Real."""
    if value < 0:
        return f"(- {print_number(-value)})"
    if isinstance(value, int):
        return str(value)
    decimal = exact_decimal(value)
    if decimal is not None:
        return decimal if "." in decimal else decimal + ".0"
    return f"(/ {value.numerator}.0 {value.denominator}.0)"


def exact_decimal(value: Fraction) -> str | None:
    """The finite decimal spelling of a fraction, None if it has none."""
    denominator, twos, fives = value.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return None
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _word(op: Op) -> str:
    return "-" if op is Op.NEG else op.value


def _joined(head: str, body: Sequence[str], tail: str) -> Iterator[str]:
    one_line = f"{head} {body[0].strip()}{tail}"
    if len(body) == 1 and len(one_line) <= WIDTH:
        yield one_line
        return
    yield head
    yield from body[:-1]
    yield body[-1] + tail


def _datatype(datatype: Datatype) -> str:
    values = " ".join(f"({print_symbol(value.name)})" for value in datatype.values)
    return f"(declare-datatype {print_symbol(datatype.name)} ({values}))"


def _sort(sort: Sort, model: PolicyModel) -> str:
    return print_symbol(model.datatype_by_id[sort.key].name) if sort.is_enumeration else sort.key


def _note(keyword: str, data: Mapping[str, Any]) -> list[str]:
    """A comment line if there is anything to say; what could end or hide in it is escaped."""
    if not data:
        return []
    text = json.dumps(data, ensure_ascii=False)
    visible = (c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
    return [f"; {keyword}: {''.join(visible)}"]


def _datatype_note(datatype: Datatype) -> dict[str, Any]:
    values = [
        _filled(name=value.name, id=_other_id(value), phrase=value.phrase)
        for value in datatype.values
        if value.phrase or _other_id(value)
    ]
    return _filled(id=_other_id(datatype), description=datatype.description, values=values)


def _variable_note(variable: Variable) -> dict[str, Any]:
    phrases = _filled(text=variable.phrases.text, negative=variable.phrases.negative)
    role = "" if variable.role_guessed else variable.role.value
    return _filled(
        id=_other_id(variable),
        role=role,
        unit=variable.unit,
        description=variable.description,
        phrases=phrases,
    )


def _definition_note(definition: Definition) -> dict[str, Any]:
    phrases = _filled(text=definition.phrases.text, negative=definition.phrases.negative)
    return _filled(id=_other_id(definition), description=definition.description, phrases=phrases)


def _rule_notes(rule: Rule, label: str) -> Iterator[str]:
    data = _filled(
        id=_other_id(rule),
        name=rule.name if rule.name != label else "",
        outcome=rule.outcome,
        choice=rule.choice.value if rule.choice else "",
        rests_on=list(rule.rests_on),
    )
    for source in rule.sources:
        yield from _note("source", _source_note(source))
    yield from _note("rule", data)
    yield f"; kind: {rule.kind.value}"


def _source_note(source: Source) -> dict[str, Any]:
    return _filled(
        document=source.document,
        revision=source.revision,
        offsets=[source.start, source.end],
        quote=source.quote,
        context=list(source.context),
    )


def _other_id(named: Datatype | Value | Variable | Definition | Rule) -> str:
    """The id where it is not the name itself."""
    return named.id if named.id != named.name else ""


def _filled(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value}
