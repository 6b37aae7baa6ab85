"""Puts what was found in the parts of a policy together to one report.

A report as JSON holds its parts' tallies by key, and each diagnostic the place of its part,
so that whoever keeps it has all that the next one takes over:

    {"checks": [codes], "diagnostics": [{..., "part": 0}], "limits": [...], "parts": [[key, tally]]}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from policywright.lint.diagnostic import Severity
from policywright.lint.table import LINTS
from policywright.lint.tally import limits_said, tally_from_json

_Found = TypeVar("_Found")

CODES = tuple(check.code for check in LINTS)
_PLACE = {code: place for place, code in enumerate(CODES)}
_ORDER = {severity: place for place, severity in enumerate(Severity)}


def in_order(
    found: Iterable[_Found], kind: Callable[[_Found], tuple[Severity, str]]
) -> list[_Found]:
    """Errors first, then by check; within one as they come. `kind` gives severity and code."""

    def place(one: _Found) -> tuple[int, int]:
        severity, code = kind(one)
        return _ORDER[severity], _PLACE[code]

    return sorted(found, key=place)


def known_keys(report: Mapping[str, Any]) -> list[str]:
    """The keys of the parts that may be taken over from a report; none of one of other checks."""
    return [key for key, _ in report["parts"]] if report.get("checks") == list(CODES) else []


def joined(answer: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """The report of an answer of `python -m policywright.lint`, with what was kept of another.

    Only the parts that the answer leaves out are taken over.
    """
    keys = known_keys(kept)
    before: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
    tallies = dict(kept["parts"]) if keys else {}
    for one in kept["diagnostics"] if keys else ():
        if one["part"] is not None:
            before[keys[one["part"]]].append(one)
    found: list[dict[str, Any]] = []
    parts: list[list[Any]] = []
    for place, (key, made) in enumerate(answer["parts"]):
        tally, diagnostics = (tallies[key], before[key]) if made is None else made
        parts.append([key, tally])
        found += [{**one, "part": place} for one in diagnostics]
    found += [{**one, "part": None} for one in answer["whole"]]
    return {
        "checks": list(CODES),
        "diagnostics": in_order(found, lambda one: (Severity(one["severity"]), one["code"])),
        "limits": list(limits_said((tally_from_json(tally) for _, tally in parts), CODES)),
        "parts": parts,
    }
