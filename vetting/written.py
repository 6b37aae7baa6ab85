"""What a person wrote for a rule, structured English or SMT-LIB, as one condition.

English is read by the grammar alone. What it does not understand is named by the
exact words, and what has two readings is never read silently: both are refused,
with what the page needs to help.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from policywright.errors import ReadError, SortError
from policywright.hashing import content_hash
from policywright.model import PolicyModel
from policywright.normal import canonical, normal_form
from policywright.smtlib import read_term
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Term, symbols
from vetting.english import read_english
from vetting.refusals import NotReadableError, NotSeenError, RefusedError
from vetting.texts import check_text

MAX_ENGLISH = 20_000


class Language(StrEnum):
    ENGLISH = "english"
    SMTLIB = "smtlib"


@dataclass(frozen=True)
class Written:
    """A text for a rule in one of the two languages."""

    language: Language
    text: str

    @property
    def english(self) -> str:
        return self.text if self.language is Language.ENGLISH else ""

    @property
    def smtlib(self) -> str:
        return self.text if self.language is Language.SMTLIB else ""

    @property
    def called(self) -> str:
        """For causes in the log: `edited in English`."""
        return "English" if self.language is Language.ENGLISH else "SMT-LIB"


def written(*, english: str = "", smtlib: str = "") -> Written:
    """The one text that was given; an empty one counts as English."""
    if smtlib:
        return Written(Language.SMTLIB, smtlib)
    return Written(Language.ENGLISH, tidy(english))


def tidy(english: str) -> str:
    """The text as it is read and marked: one kind of line end, nothing around it."""
    return check_text(english, "the rule", limit=MAX_ENGLISH)


def read_written(text: Written, model: PolicyModel, read_as: str = "") -> Term:
    """The condition that a text holds; it must speak of at least one variable.

    `read_as` is the `reading_hash` that the form showed; empty skips that check.
    Raises a ReadingError, or RefusedError for what can be read but not kept.
    """
    if not text.text.strip():
        raise RefusedError("there is no text yet; write the rule, then read it.")
    is_english = text.language is Language.ENGLISH
    term = read_english(text.text, model) if is_english else _read_smtlib(text.text, model)
    if not symbols(term):
        raise RefusedError(
            "this condition speaks of no variable, so it says nothing; write what it depends on."
        )
    if read_as and reading_hash(term) != read_as:
        raise NotSeenError("the text changed since it was read; this is how it is read now.")
    return term


def reading_hash(term: Term) -> str:
    """What a form carries of the reading that it showed."""
    return content_hash({"term": canonical(normal_form(term))})


def _read_smtlib(text: str, model: PolicyModel) -> Term:
    try:
        term = read_term(text, model)
        sorts = {variable.id: variable.sort for variable in model.variables}
        term_from_json(term_to_json(term), sorts)
    except ReadError as error:
        raise NotReadableError.of(error) from error
    except SortError as error:
        raise RefusedError(f"this rule cannot be kept: {error}; write it simpler.") from error
    return term
