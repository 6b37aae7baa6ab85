"""What is declared and used nowhere, and rules that share nothing."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.english.words import split_name
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.saying import joined, names_of
from policywright.lint.scan import Scan
from policywright.terms import Literal, Symbol, Term, subterms

VARIABLE = "unused-variable"
DATATYPE = "unused-datatype"
VALUE = "unused-value"
SEPARATE = "separate-rules"

_SETS_NAMED = 5


def unused_variables(scan: Scan) -> Iterator[Diagnostic]:
    """A fact that no rule asks for changes nothing."""
    read = {uid for used in scan.prepared.rule_symbols for uid in used}
    for symbol in scan.model.symbols:
        if symbol.id not in read:
            message = f"No rule uses `{symbol.name}`. Leave it out, or see which rule is missing."
            yield Diagnostic(VARIABLE, Severity.NOTE, message, about=(symbol.id,))


def unused_datatypes(scan: Scan) -> Iterator[Diagnostic]:
    """A list of values that nothing has."""
    used = {symbol.sort for symbol in scan.model.symbols}
    for datatype in scan.model.datatypes:
        if datatype.sort not in used:
            message = f"No variable is a `{datatype.name}`. Leave the datatype out."
            yield Diagnostic(DATATYPE, Severity.NOTE, message, about=(datatype.id,))


def unused_values(scan: Scan) -> Iterator[Diagnostic]:
    """Values that no rule tells from the others; OTHER is there for just that."""
    named: set[tuple[str, str]] = set()
    compared: set[str] = set()
    for term in _terms(scan):
        for node in subterms(term):
            if isinstance(node, Literal) and isinstance(node.value, str):
                named.add((node.sort.key, node.value))
            elif isinstance(node, Symbol) and node.sort.is_enumeration:
                compared.add(node.sort.key)
    for datatype in scan.model.datatypes:
        if datatype.id not in compared:
            continue
        unused = [
            value.name
            for value in datatype.values
            if (datatype.id, value.id) not in named
            and "other" not in split_name(value.name).lower()
        ]
        if unused:
            names = joined([f"`{name}`" for name in unused])
            message = f"No rule names {names} of `{datatype.name}`."
            yield Diagnostic(VALUE, Severity.NOTE, message, about=(datatype.id,))


def separate_rules(scan: Scan) -> Iterator[Diagnostic]:
    """Rules that never touch: well where a policy has several subjects, odd where it has one."""
    sets = [c.rules for c in scan.components if scan.prepared.rule_symbols[c.rules[0]]]
    if len(sets) < 2:
        return
    sets.sort(key=len)
    shown = "; ".join(names_of(scan.model, scan.ids(rules)) for rules in sets[:_SETS_NAMED])
    rest = f"; and {len(sets) - _SETS_NAMED} larger ones" if len(sets) > _SETS_NAMED else ""
    message = (
        f"The rules fall into {len(sets)} sets that share no variable: {shown}{rest}. If two of "
        "them speak of one thing, merge its variables."
    )
    ids = scan.ids(number for rules in sets[:_SETS_NAMED] for number in rules)
    yield Diagnostic(SEPARATE, Severity.NOTE, message, ids)


def _terms(scan: Scan) -> Iterator[Term]:
    yield from scan.prepared.rule_terms
    yield from (definition.term for definition in scan.model.definitions)
