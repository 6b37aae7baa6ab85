"""Enumerations as facts: values that leave something out, or that may hold together."""

from __future__ import annotations

from collections.abc import Iterator

from policywright.english.words import split_name, word_set
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind, with_value
from policywright.lint.pieces import conjuncts, implications
from policywright.lint.saying import joined, rules_said
from policywright.lint.scan import Scan
from policywright.model import Role, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Apply, Literal, Op, Symbol, Term

NO_OTHER = "no-other"
TOGETHER = "values-together"

_OTHER_WORDS = word_set("other others else none unknown undetermined unspecified different rest")


def without_other(scan: Scan) -> Iterator[Diagnostic]:
    """Where a fact fits no value, the rules answer as if it were one of those listed."""
    by_datatype = _facts_by_datatype(scan)
    for datatype in scan.model.datatypes:
        if datatype.id in scan.complete or any(_is_other(v.name) for v in datatype.values):
            continue
        facts = by_datatype.get(datatype.id)
        if not facts:
            continue
        names = joined([f"`{value.name}`" for value in datatype.values])
        message = (
            f"`{datatype.name}` has the values {names} and none for anything else, so an answer "
            "about something else is forced into one of them. Add OTHER, or say that the list is "
            "complete."
        )
        more = with_value(scan.model, datatype, "OTHER")
        fixes = (
            Fix(FixKind.VALUE, "add the value OTHER", datatypes=(more,)),
            Fix(FixKind.DECLARATION, "the list is complete", needs="that the owner says so"),
        )
        yield Diagnostic(
            NO_OTHER, Severity.WARNING, message,
            about=(datatype.id, *(variable.id for variable in facts)), fixes=fixes,
        )  # fmt: skip


def values_together(scan: Scan) -> Iterator[Diagnostic]:
    """One value excludes the others; 'student' and 'veteran' do not."""
    told: set[tuple[str, str, str]] = set()
    for number, _ in scan.rules():
        term = normal_form(scan.prepared.rule_terms[number])
        for conditions, consequence in implications(term):
            for variable, one, other in _pairs(scan, (*conditions, *conjuncts(consequence))):
                key = variable.id, *sorted((one, other))
                if key not in told:
                    told.add(key)  # type: ignore[arg-type]
                    yield _asked_together(scan, number, variable, one, other)
    yield from _beside_variables(scan)


def _asked_together(
    scan: Scan, number: int, variable: Variable, one: str, other: str
) -> Diagnostic:
    model = scan.model
    datatype = model.datatype_by_id[variable.sort.key]
    ids = scan.ids([number])
    message = (
        f"{rules_said(model, ids)} asks that `{variable.name}` is both "
        f"`{datatype.value(one).name}` and `{datatype.value(other).name}`, which values of one "
        "list never are. Can two of them hold at once? Then each is a yes-or-no variable."
    )
    return _together(message, ids, (datatype.id, variable.id))


def _beside_variables(scan: Scan) -> Iterator[Diagnostic]:
    """A value that is a yes-or-no variable as well is no exclusive one."""
    by_words: dict[str, Variable] = {}
    for variable in scan.model.variables:
        if variable.sort == BOOL:
            words = split_name(variable.name)
            by_words.setdefault(words.removeprefix("is ").removeprefix("has "), variable)
    by_datatype = _facts_by_datatype(scan)
    for datatype in scan.model.datatypes:
        if datatype.id not in by_datatype:
            continue
        for value in datatype.values:
            beside = by_words.get(split_name(value.name))
            if beside is None:
                continue
            message = (
                f"`{value.name}` is a value of `{datatype.name}`, and `{beside.name}` a yes-or-no "
                "variable. Can it hold together with another of the values? Then each value is a "
                "yes-or-no variable; if not, one of the two is too many."
            )
            yield _together(message, (), (datatype.id, beside.id))


def _together(message: str, rules: tuple[str, ...], about: tuple[str, ...]) -> Diagnostic:
    fix = Fix(
        FixKind.DECLARATION,
        "make each value a yes-or-no variable",
        needs="that two of the values can hold at once",
    )
    return Diagnostic(TOGETHER, Severity.WARNING, message, rules, about=about, fixes=(fix,))


def _pairs(scan: Scan, parts: tuple[Term, ...]) -> Iterator[tuple[Variable, str, str]]:
    """Two values that are asked of one variable at once."""
    asked: dict[str, str] = {}
    for part in parts:
        if not isinstance(part, Apply) or part.op is not Op.EQ:
            continue
        for one, other in (part.args, part.args[::-1]):
            if isinstance(one, Symbol) and isinstance(other, Literal):
                variable = scan.model.variable_by_id.get(one.id)
                if variable is None or not isinstance(other.value, str):
                    continue
                before = asked.setdefault(one.id, other.value)
                if before != other.value:
                    yield variable, before, other.value


def _facts_by_datatype(scan: Scan) -> dict[str, list[Variable]]:
    found: dict[str, list[Variable]] = {}
    for variable in scan.variables:
        if variable.sort.is_enumeration and variable.role is Role.FACT:
            found.setdefault(variable.sort.key, []).append(variable)
    return found


def _is_other(name: str) -> bool:
    words = split_name(name).lower().split()
    return any(word in _OTHER_WORDS for word in words)
