"""All that a text may mean as a rule of a model."""

from __future__ import annotations

import re

from policywright.english.joints import RuleNotReadError
from policywright.english.lattice import Lattice
from policywright.english.phrasebook import phrasebook
from policywright.english.read_default import read_default
from policywright.english.rule_parser import parse_lattice
from policywright.english.rule_terms import RuleTerms
from policywright.errors import SortError
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.terms import Term

MAX_LENGTH = 250_000
_DUTY = re.compile(r"\b(?:must|shall|has to|have to)\b", re.IGNORECASE)


def meanings(text: str, model: PolicyModel) -> list[Term]:
    """The readings of a text in normal form, without repeats; at least one.

    Raises RuleNotReadError with the words that were not understood.
    """
    if len(text) > MAX_LENGTH:
        raise RuleNotReadError(f"the text is longer than {MAX_LENGTH:,} characters; split it")
    default = read_default(text, model)
    if default is not None:
        return [normal_form(default)]
    lattice = Lattice(text, phrasebook(model))
    if not lattice.words:
        raise RuleNotReadError("the text is empty")
    if not lattice.useful:
        raise unknown_words(lattice)
    return meanings_of(lattice, model)


def meanings_of(lattice: Lattice, model: PolicyModel) -> list[Term]:
    """As `meanings`, of a text that can be taken apart."""
    found: dict[Term, None] = {}
    problems: list[RuleNotReadError] = []
    for tree, tokens in parse_lattice(lattice):
        try:
            terms = RuleTerms(model, tokens).read(tree)
        except RuleNotReadError as error:
            problems.append(error)
            continue
        except SortError as error:
            words = [token.word for token in tokens if token.text]
            problems.append(RuleNotReadError(str(error), words[:1]))
            continue
        found.update(dict.fromkeys(normal_form(term) for term in terms))
    if not found:
        raise problems[0]
    return list(found)


class UnknownWordsError(RuleNotReadError):
    """Words of a text are no phrases of the model; other refusals are of words that are known."""


def unknown_words(lattice: Lattice) -> RuleNotReadError:
    """Names the words of a text that are no phrase of its model."""
    misspelled = lattice.misspelled_word()
    if misspelled:
        word, reason = misspelled
        return RuleNotReadError(reason, [word])
    words = lattice.unknown()
    names = ", ".join(f"`{_short(word.text)}`" for word in words[:6])
    verb = "is no phrase" if len(words) == 1 else "are no phrases"
    reason = f"{names} {verb} of this policy"
    if any(_DUTY.search(word.text) for word in words):
        reason += "; a duty needs an outcome: say what follows where it is not met"
    return UnknownWordsError(reason, words)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
