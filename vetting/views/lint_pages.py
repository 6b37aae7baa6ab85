"""What lint found in pages, of one code or of all: errors first, what is silenced last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from policywright.lint import Severity
from vetting.lint import Found, LintNow

A_PAGE = 60


@dataclass(frozen=True)
class FoundPage:
    """One page; `codes` are all that was found with their counts, `code` the one shown or ''."""

    page: Page[Found]
    code: str
    codes: Sequence[tuple[str, int]]

    @property
    def query(self) -> str:
        """What leads back to this page; nothing for the first of all."""
        told = {"page": self.page.number} if self.page.number > 1 else {}
        return f"?{urlencode(told | ({'code': self.code} if self.code else {}))}".rstrip("?")

    def of(self, severity: Severity) -> list[Found]:
        shown = self.page.object_list
        return [one for one in shown if one.severity is severity and not one.silenced]

    @property
    def silenced(self) -> list[Found]:
        return [one for one in self.page.object_list if one.silenced]


def found_page(now: LintNow, *, code: str = "", number: str = "", key: str = "") -> FoundPage:
    """The page of that number, or the one that holds `key`; a number that is none gives the first.

    A code that was not found shows all.
    """
    every = [one for severity in Severity for one in now.of(severity)] + now.silenced
    codes = Counter(one.code for one in every)
    code = code if code in codes else ""
    found = [one for one in every if not code or one.code == code]
    place = next((i for i, one in enumerate(found) if key and one.key == key), None)
    if place is not None:
        number = str(place // A_PAGE + 1)
    return FoundPage(Paginator(found, A_PAGE).get_page(number), code, list(codes.items()))
