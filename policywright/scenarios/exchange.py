"""Scenarios as CSV and as JSON, and back: to be read, written and kept elsewhere.

CSV has a column for each variable that a scenario fixes, then `claim` (SMT-LIB, empty for
'this case can occur') and `expected` (VALID, INVALID, SATISFIABLE, IMPOSSIBLE); an empty
cell fixes nothing. JSON is a list of `{"facts": {variable: value}, "claim", "expected"}`.
Values are exact. What comes from outside is read as a whole or not at all.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policywright.errors import Problem, ReadError, SortError
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.findings.finding import value_to_json
from policywright.model import PolicyModel, Variable
from policywright.per_model import PerModel
from policywright.scenarios.scenario import Scenario, value_of
from policywright.smtlib import print_term, read_term
from policywright.sorts import BOOL
from policywright.terms import Term, symbols

MAX_SCENARIOS, MAX_TEXT = 20_000, 20_000_000
MAX_DIGITS = 100
EXPECTED = {
    kind.value: kind
    for kind in (
        FindingKind.VALID,
        FindingKind.INVALID,
        FindingKind.SATISFIABLE,
        FindingKind.IMPOSSIBLE,
    )
}
_OF_A_CLAIM = (FindingKind.VALID.value, FindingKind.INVALID.value)
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}
_NUMBER = re.compile(r"-?[0-9]+([./][0-9]+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""A spreadsheet takes a cell that begins so for a formula; numbers are none."""


def scenarios_to_json(model: PolicyModel, scenarios: Sequence[Scenario]) -> list[dict[str, Any]]:
    return [
        {
            "facts": facts_to_json(model, one.facts),
            "claim": None if one.claim is None else print_term(model, one.claim),
            "expected": one.expected.value,
        }
        for one in scenarios
    ]


def facts_to_json(model: PolicyModel, facts: Mapping[str, Value]) -> dict[str, Any]:
    """Values by variable name, in the model's order."""
    order = _order(model)
    given = [model.variable_by_id[uid] for uid in sorted(facts, key=order.__getitem__)]
    return {v.name: value_to_json(model, v.sort.key, facts[v.id]) for v in given}


# One model says many scenarios.
_order = PerModel(lambda model: {v.id: place for place, v in enumerate(model.variables)})


def scenarios_from_json(model: PolicyModel, text: str) -> list[Scenario]:
    """Raises ReadError with every problem, each with the number of its scenario."""
    return [one.scenario for one in placed_from_json(model, text)]


def placed_from_json(model: PolicyModel, text: str) -> list[Placed]:
    """As `scenarios_from_json`, with where each stands."""
    _check_size(text)
    try:
        data = json.loads(text, object_pairs_hook=_each_once)
        # A half of a pair (\ud800) is no letter: it could be neither shown nor kept.
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = Problem(0, 0, "half of a character is escaped in it (as by \\ud800); write it whole")
        raise ReadError([half]) from error
    except (ValueError, RecursionError) as error:
        raise ReadError([Problem(0, 0, f"this is no JSON document: {error}")]) from error
    if not isinstance(data, list):
        raise ReadError([Problem(0, 0, "scenarios are a list of objects")])
    return _all(model, [(0, f"scenario {n}", _object(one)) for n, one in enumerate(data, 1)])


def scenarios_to_csv(model: PolicyModel, scenarios: Sequence[Scenario]) -> str:
    used = {uid for one in scenarios for uid in one.facts}
    columns = [v for v in model.variables if v.id in used]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(_cell(v.name) for v in columns), "claim", "expected"])
    for one in scenarios:
        facts = facts_to_json(model, one.facts)
        values = [_value_cell(facts.get(v.name)) for v in columns]
        claim = "" if one.claim is None else _cell(print_term(model, one.claim))
        writer.writerow([*values, claim, one.expected.value])
    return out.getvalue()


def scenarios_from_csv(model: PolicyModel, text: str) -> list[Scenario]:
    """Raises ReadError with every problem, by line."""
    return [one.scenario for one in placed_from_csv(model, text)]


def placed_from_csv(model: PolicyModel, text: str) -> list[Placed]:
    """As `scenarios_from_csv`, with where each stands.

    Cells are separated by commas, or by semicolons or tabs where the first line is.
    """
    _check_size(text)
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(row)]
    except csv.Error as error:
        place = Problem(reader.line_num, 0, f"this is no CSV table: {error}")
        raise ReadError([place]) from error
    head = [_uncell(cell.strip()) for cell in rows[0][1]] if rows else []
    if head[-2:] != ["claim", "expected"] or len(set(head)) < len(head):
        message = "the first line names variables, each once, then `claim` and `expected`"
        raise ReadError([Problem(1, 1, message)])
    made = []
    for line, row in rows[1:]:
        cells = [_uncell(cell.strip()) for cell in row]
        problem = "" if len(cells) == len(head) else f"{len(cells)} cells under {len(head)} names"
        facts = {name: cell for name, cell in zip(head[:-2], cells, strict=False) if cell}
        claim, expected = (*cells[-2:], "", "")[:2]
        made.append((line, "", (facts, claim or None, expected, problem)))
    return _all(model, made)


@dataclass(frozen=True)
class Placed:
    """A scenario and where it stands in its file: `line 3`, or `scenario 3`."""

    where: str
    scenario: Scenario


def _separator(text: str) -> str:
    """What stands between the last two names of the first line."""
    head = text.split("\n", 1)[0].rstrip().rstrip('"')
    before = head.removesuffix("expected").rstrip('"').rstrip(" ")[-1:]
    return before if before in (";", "\t") else ","


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which a name that stands twice would silently be the last one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        twice = twice.encode(errors="replace").decode()
        raise ValueError(f"`{twice}` stands twice in one object")
    return found


_Raw = tuple[Mapping[str, Any], Any, Any, str]


def _object(data: Any) -> _Raw:
    if not isinstance(data, dict) or not isinstance(data.get("facts"), dict):
        return {}, None, "", 'it is no object with "facts", "claim" and "expected"'
    return data["facts"], data.get("claim"), data.get("expected"), ""


def _all(model: PolicyModel, raw: Sequence[tuple[int, str, _Raw]]) -> list[Placed]:
    if len(raw) > MAX_SCENARIOS:
        raise ReadError([Problem(0, 0, f"more than {MAX_SCENARIOS:,} scenarios; split the file")])
    by_name = {variable.name: variable for variable in model.variables}
    found: list[Placed] = []
    problems: list[Problem] = []
    for line, where, one in raw:
        own: list[str] = []
        scenario = _scenario(model, by_name, one, own)
        prefix = f"{where}: " if where else ""
        problems += [Problem(line, 1 if line else 0, prefix + message) for message in own]
        if scenario is not None:
            found.append(Placed(where or f"line {line}", scenario))
    if problems:
        raise ReadError(problems)
    return found


def _scenario(
    model: PolicyModel, by_name: Mapping[str, Variable], raw: _Raw, problems: list[str]
) -> Scenario | None:
    named, claim, expected, problem = raw
    if problem:
        problems.append(problem)
        return None
    facts: dict[str, Value] = {}
    for name, data in named.items():
        variable = by_name.get(name)
        if variable is None:
            problems.append(f"`{name}` is not a variable of this policy")
            continue
        try:
            facts[variable.id] = _value(model, variable, data)
        except SortError as error:
            problems.append(f"`{name}`: {error}")
    term = None if claim is None else _claim(model, claim, problems)
    if not isinstance(expected, str) or expected.upper() not in EXPECTED:
        problems.append(f"`expected` is one of {', '.join(EXPECTED)}")
    if term is not None and any(symbol.id in facts for symbol in symbols(term)):
        problems.append("the claim is about a variable that the facts already fix")
    if term is not None and not symbols(term):
        problems.append("the claim is about no variable")
    if claim is None and not named:
        problems.append("it has neither facts nor a claim")
    elif claim is None and str(expected).upper() in _OF_A_CLAIM:
        problems.append(
            "without a claim `expected` is SATISFIABLE (the case can occur) or IMPOSSIBLE"
        )
    if problems:
        return None
    return Scenario(facts, term, EXPECTED[expected.upper()])


def _claim(model: PolicyModel, claim: Any, problems: list[str]) -> Term | None:
    if not isinstance(claim, str):
        problems.append("`claim` is a condition in SMT-LIB, or empty")
        return None
    try:
        return read_term(claim, model)
    except ReadError as error:
        problems += [f"`claim`: {problem.message}" for problem in error.problems]
        return None


def _value(model: PolicyModel, variable: Variable, data: Any) -> Value:
    """A value as JSON or a cell spells it; raises SortError where it spells none."""
    sort = variable.sort
    if sort == BOOL:
        value = data if isinstance(data, bool) else _YES_NO.get(str(data).lower())
        if value is None:
            raise SortError(f"`{data}` is neither true nor false")
        return value
    text = str(data)
    if isinstance(data, (bool, float)) or not isinstance(data, (str, int)):
        raise SortError("write it as text or as a whole number, so that it is exact")
    if len(text) > MAX_DIGITS:
        raise SortError("it is too long")
    if not sort.is_enumeration:
        return value_of(text, sort)
    values = {one.name: one.id for one in model.datatype_by_id[sort.key].values}
    if text not in values:
        raise SortError(f"`{text}` is none of {', '.join(f'`{name}`' for name in values)}")
    return values[text]


def _value_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) or _NUMBER.fullmatch(value) else _cell(value)


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _uncell(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _check_size(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise ReadError([Problem(0, 0, f"more than {MAX_TEXT:,} letters; split the file")])
