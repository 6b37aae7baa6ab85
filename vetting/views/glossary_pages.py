"""The words of a policy in pages, and those that a few letters are looked for in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from policywright.english import draft_phrases
from policywright.english.phrases import value_phrase
from policywright.model import Datatype, PolicyModel, Role, Variable

A_PAGE = 100
# In the order of the page; datatypes come behind them.
ROLES = (Role.OUTCOME, Role.FACT, Role.DERIVED)


@dataclass(frozen=True)
class Words:
    """One page of the variables and datatypes; `total` counts all of the policy."""

    page: Page[Variable | Datatype]
    total: int

    def variables(self, role: Role) -> list[Variable]:
        shown = (one for one in self.page.object_list if isinstance(one, Variable))
        return [one for one in shown if one.role is role]

    @property
    def datatypes(self) -> list[Datatype]:
        return [one for one in self.page.object_list if isinstance(one, Datatype)]

    @property
    def is_last(self) -> bool:
        return not self.page.has_next()


def words_of(model: PolicyModel, *, look_for: str = "", number: str = "") -> Words:
    """The words with all that `look_for` says, in pages; a number that is none gives the first."""
    wanted = look_for.casefold().split()
    variables = (one for role in ROLES for one in model.variables if one.role is role)
    every: Sequence[Variable | Datatype] = [*variables, *model.datatypes]
    found = [one for one in every if not wanted or _says(one, wanted)]
    return Words(Paginator(found, A_PAGE).get_page(number), len(every))


def _says(one: Variable | Datatype, wanted: Sequence[str]) -> bool:
    if isinstance(one, Variable):
        phrases = draft_phrases(one)
        parts = [one.name, phrases.text, phrases.negative, one.description, one.unit]
    else:
        parts = [one.name, one.description]
        parts += [f"{value.name} {value_phrase(value)}" for value in one.values]
    text = "\n".join(parts).casefold()
    return all(word in text for word in wanted)
