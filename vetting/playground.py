"""The playground of a draft: facts as an address holds them, and the question to a solver process.

A fact is written as a person types it: `yes`, `1000.50`, `14 March 2026`, or the id of a
value. What cannot be read is kept with a sentence, and is not among the facts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from django.core.cache import cache

from policies.composing import Composition
from policywright.english import draft_phrases
from policywright.english.dates import MONTHS, day_number, render_date
from policywright.english.values import has_decimals
from policywright.evaluate import Value
from policywright.model import PolicyModel, Role, Variable
from policywright.per_model import PerModel
from policywright.playground import Played, played_from_json, played_to_json
from policywright.smtlib import print_model
from policywright.solver_pool import POOL
from policywright.sorts import BOOL, INT
from vetting.refusals import RefusedError

MAX_FACTS = 40
MAX_TEXT = 100
MAX_FOUND = 12
KEPT_S = 3600

_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3}){1,9}(\.[0-9]{1,30})?")
_FRACTION = re.compile(r"[+-]?[0-9]{1,30}/[1-9][0-9]{0,29}")
_DAY = re.compile(r"([0-9]{1,2})\.? ([A-Za-z]{3,9}) ([0-9]{3,4})")
_DAY_NUMBER = re.compile(r"day (-?[0-9]{1,12})")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ROLES = (Role.FACT, Role.OUTCOME, Role.DERIVED)


@dataclass(frozen=True)
class Chosen:
    """A fact that is on the page; `value` is None while there is none, or `problem` says why."""

    variable: Variable
    text: str
    value: Value | None
    problem: str = ""


def read_chosen(composition: Composition, sent: Iterable[tuple[str, str]]) -> list[Chosen]:
    """The facts of pairs of a variable's uid and a text, in order, the last of each.

    What is no longer declared is left out, and what is beyond the most that a page takes.
    """
    model, found = composition.model, dict[str, Chosen]()
    for uid, text in sent:
        variable = model.variable_by_id.get(composition.canonical_uid.get(uid, uid))
        if variable is None or (len(found) >= MAX_FACTS and variable.id not in found):
            continue
        text = text.strip()[:MAX_TEXT]
        try:
            value = _read(composition, variable, text) if text else None
        except RefusedError as error:
            found[variable.id] = Chosen(variable, text, None, str(error))
        else:
            shown = text if value is None else write_value(variable, value)
            found[variable.id] = Chosen(variable, shown, value)
    return list(found.values())


def write_value(variable: Variable, value: Value) -> str:
    """A value as `read_chosen` reads it; a date as a calendar date, a share in percent."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if variable.unit == "date" and Fraction(value).denominator == 1:
        return render_date(int(value))
    exact = Fraction(value) * (100 if variable.unit == "share" else 1)
    if exact.denominator == 1 or not has_decimals(exact):
        return str(exact)
    places = next(n for n in range(1, 200) if (exact * 10**n).denominator == 1)
    digits = f"{abs(exact.numerator) * 10**places // exact.denominator:0{places + 1}d}"
    return f"{'-' if exact < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def variables_but(model: PolicyModel, but: Iterable[str]) -> list[Variable]:
    """Those that are not taken: facts, then outcomes, then derived ones."""
    taken = set(but)
    every = (one for role in _ROLES for one in model.variables if one.role is role)
    return [one for one in every if one.id not in taken]


def find_variables(model: PolicyModel, words: str, but: Iterable[str]) -> list[Variable]:
    """What a person may mean by a phrase: the one that is said so, else all with these words."""
    wanted = " ".join(words.casefold().removeprefix("whether ").rstrip(".").split())
    free = variables_but(model, but)
    said = {one.id: _said(one) for one in free}
    exact = [one for one in free if wanted in said[one.id]]
    if exact:
        return exact[:MAX_FOUND]
    parts = wanted.split()
    texts = {uid: "\n".join(phrases) for uid, phrases in said.items()}
    return [one for one in free if all(part in texts[one.id] for part in parts)][:MAX_FOUND]


def ask_playground(
    model: PolicyModel,
    given: Mapping[str, Value],
    *,
    asked: Sequence[str] | None = None,
    start: int = 0,
    derived: bool = False,
) -> Played | None:
    """See `policywright.playground.play`, in a solver process; None if there was no time.

    No transaction may be open. Raises SolverGoneError. What was found is kept a while by
    all that was asked.
    """
    text = _text(model)
    policy = hashlib.sha256(text.encode()).hexdigest()
    facts = {uid: str(value) for uid, value in given.items()}
    parts = [policy, facts, None if asked is None else list(asked), start, derived]
    key = f"playground-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"
    known: dict[str, Any] | None = cache.get(key)
    if known is not None:
        return played_from_json(model, known)
    with POOL.solver() as solver:
        played = solver.play(policy, text, model, given, asked=asked, start=start, derived=derived)
    if played is not None and not played.limits:
        cache.set(key, played_to_json(model, played), KEPT_S)
    return played


_text = PerModel(print_model)


def _said(variable: Variable) -> list[str]:
    phrases = draft_phrases(variable)
    return [one.casefold() for one in (phrases.text, phrases.negative, variable.name) if one]


def _read(composition: Composition, variable: Variable, text: str) -> Value:
    """The value that a text is; raises RefusedError with one sentence."""
    if variable.sort == BOOL:
        if text not in ("yes", "no"):
            raise RefusedError("choose yes or no.")
        return text == "yes"
    if variable.sort.is_enumeration:
        uid = composition.canonical_uid.get(text, text)
        if uid not in composition.model.value_ids[variable.sort.key]:
            raise RefusedError("this value is no longer in the list; choose another.")
        return uid
    if variable.unit == "date":
        return _read_date(variable, text)
    return _read_number(variable, text)


def _read_number(variable: Variable, text: str) -> Value:
    plain = text.removesuffix("%").strip() if variable.unit in ("share", "percent") else text
    if _GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    if not _NUMBER.fullmatch(plain) and not _FRACTION.fullmatch(plain):
        raise RefusedError(f"`{text[:40]}` is not a number; write it as 1000 or 1000.50.")
    value = Fraction(plain) / (100 if variable.unit == "share" else 1)
    if variable.sort != INT:
        return value
    if value.denominator != 1:
        raise RefusedError(
            f"`{text[:40]}` is not a whole number; only whole ones are counted here."
        )
    return int(value)


def _read_date(variable: Variable, text: str) -> Value:
    beyond = _DAY_NUMBER.fullmatch(text)
    try:
        number = int(beyond[1]) if beyond else day_number(_date(text))
    except ValueError as error:
        wanted = "write it as 14 March 2026 or 2026-03-14."
        raise RefusedError(f"`{text[:40]}` is not a date; {wanted}") from error
    return number if variable.sort == INT else Fraction(number)


def _date(text: str) -> date:
    """A calendar date; ValueError for any other text."""
    if _ISO.fullmatch(text):
        return date.fromisoformat(text)
    found = _DAY.fullmatch(text)
    months = [n for n, name in enumerate(MONTHS, 1) if found and _starts(name, found[2])]
    if found is None or len(months) != 1:
        raise ValueError(text)
    return date(int(found[3]), months[0], int(found[1]))


def _starts(name: str, text: str) -> bool:
    return name.casefold().startswith(text.casefold())
