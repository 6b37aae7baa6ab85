"""The variables of a draft: known ones are reused, missing ones made.

A variable is the same when its phrase (but for articles, plural and letter
case), sort and unit are the same, and its role fits: a condition may be any
known variable, but what the policy decides is never one that a case supplies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from policywright.english.nouns import NotUnderstoodError
from policywright.english.phrases import draft_phrases
from policywright.english.values import is_currency
from policywright.english.words import capitalise, singular, word_set
from policywright.model import Definition, Phrases, PolicyModel, Role, Variable
from policywright.names import suggest_name
from policywright.sorts import BOOL, REAL, Sort
from policywright.terms import Symbol

MAX_NAME_WORDS = 6
_SAME = {"are": "is", "have": "has", "were": "was", "do": "does"}
_NOT_IN_KEY = word_set("a an the any every each all")
_NOT_IN_NAME = word_set(
    "a an the is are was were has have been does there this with policy it your our"
)


@lru_cache(maxsize=20_000)
def phrase_key(phrase: str) -> str:
    """What two spellings of one phrase share."""
    words = re.findall(r"[\w'’-]+", phrase.lower())
    return " ".join(_SAME.get(w, singular(w)) for w in words if w not in _NOT_IN_KEY)


class Vocabulary:
    """Looks variables up by phrase and makes those that are missing."""

    def __init__(self, known: PolicyModel) -> None:
        self._known = known
        self._by_key: dict[str, list[Variable]] = {}
        self._made: dict[str, Variable] = {}
        for variable in known.variables:
            self._by_key.setdefault(phrase_key(draft_phrases(variable).text), []).append(variable)
        symbols: list[Variable | Definition] = [*known.variables, *known.definitions]
        self._taken = {symbol.name for symbol in symbols} | {symbol.id for symbol in symbols}
        self._taken |= {value.name for datatype in known.datatypes for value in datatype.values}

    def made(self, used: Iterable[Symbol]) -> tuple[Variable, ...]:
        """The new variables among some symbols, in order."""
        return tuple(self._made[s.id] for s in used if s.id in self._made)

    def variable(self, symbol: Symbol) -> Variable:
        return self._made.get(symbol.id) or self._known.variable_by_id[symbol.id]

    def known_outcomes(self) -> tuple[Variable, ...]:
        return tuple(v for v in self._known.variables if v.role is Role.OUTCOME and v.sort == BOOL)

    def fact(self, text: str, negative: str) -> Symbol:
        """A clause as a condition: a known variable of any role, or a new fact."""
        roles = (Role.OUTCOME, Role.DERIVED, Role.FACT)
        return self._find(text, BOOL, "", roles) or self._make(text, BOOL, "", Role.FACT, negative)

    def outcome(self, text: str, negative: str) -> Symbol:
        """A clause that the policy decides.

        Raises NotUnderstoodError if it is known as a fact of the case.
        """
        found = self._find(text, BOOL, "", (Role.OUTCOME, Role.DERIVED))
        if found is None and self._find(text, BOOL, "", (Role.FACT,)):
            raise NotUnderstoodError(f"`{text}` is known as a fact, but here the policy decides it")
        return found or self._make(text, BOOL, "", Role.OUTCOME, negative)

    def number(self, text: str, sort: Sort, unit: str, role: Role = Role.FACT) -> Symbol:
        """An amount of a known unit, as a condition.

        Where the phrase is taken by a number of another unit, the unit is said too.
        """
        roles = (Role.OUTCOME, Role.DERIVED, Role.FACT)
        named = text
        if self._by_key.get(phrase_key(text)) and not self._find(text, sort, unit, roles):
            named = f"{text} in {unit or 'numbers'}"
        return self._find(named, sort, unit, roles) or self._make(named, sort, unit, role)

    def decided_number(self, text: str, unit: str) -> Symbol:
        """A Real amount that the policy fixes.

        Raises NotUnderstoodError if it is known in another unit or as a fact of the case.
        """
        found = self._find(text, REAL, unit, (Role.OUTCOME, Role.DERIVED))
        if found is None and self._by_key.get(phrase_key(text)):
            raise NotUnderstoodError(f"`{text}` is known already, in another unit or as a fact")
        return found or self._make(text, REAL, unit, Role.DERIVED)

    def derived(self, text: str, negative: str) -> Symbol:
        """A clause that one definition decides and other rules use.

        Raises NotUnderstoodError if it is known already.
        """
        found = self._find(text, BOOL, "", (Role.DERIVED,))
        if found is not None and found.id in self._made:
            return found
        if self.knows(text):
            raise NotUnderstoodError(f"`{text}` is known already")
        return self._make(text, BOOL, "", Role.DERIVED, negative)

    def knows(self, text: str) -> bool:
        return bool(self._by_key.get(phrase_key(text)))

    def only_currency(self) -> str:
        """The currency of the policy, if all its amounts so far are in one; else empty."""
        found = {v.unit for v in self._known.variables if is_currency(v.unit)}
        return found.pop() if len(found) == 1 else ""

    def known_number(self, text: str) -> Symbol | None:
        """A number by phrase alone, whatever its unit; None if there is not exactly one."""
        found = [v for v in self._by_key.get(phrase_key(text), []) if v.sort.is_number]
        return found[0].symbol if len(found) == 1 else None

    def _find(self, text: str, sort: Sort, unit: str, roles: tuple[Role, ...]) -> Symbol | None:
        candidates = self._by_key.get(phrase_key(text), [])
        for role in roles:
            for variable in candidates:
                if variable.sort == sort and variable.unit == unit and variable.role is role:
                    return variable.symbol
        return None

    def _make(self, text: str, sort: Sort, unit: str, role: Role, negative: str = "") -> Symbol:
        name = self._free_name(text)
        description = (
            f"whether {text}" if sort == BOOL else f"{text}{f', in {unit}' if unit else ''}"
        )
        variable = Variable(
            id=f"new-{name}", name=name, sort=sort, role=role, unit=unit,
            description=capitalise(description), phrases=Phrases(text, negative),
        )  # fmt: skip
        self._made[variable.id] = variable
        self._by_key.setdefault(phrase_key(text), []).append(variable)
        self._taken |= {name, variable.id}
        return variable.symbol

    def _free_name(self, text: str) -> str:
        words = [w for w in re.findall(r"\w+", text.lower()) if w not in _NOT_IN_NAME]
        base = suggest_name(" ".join([word for word in words if word != "s"][:MAX_NAME_WORDS]))
        name, number = base, 2
        while name in self._taken or f"new-{name}" in self._taken:
            name, number = f"{base}{number}", number + 1
        return name
