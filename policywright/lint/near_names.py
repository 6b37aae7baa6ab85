"""Variables whose names or phrases are so alike that they may mean one thing.

By words and letters alone: the same words in another order or number, or one letter more,
less or other. Numbers and words that turn the meaning must agree. What means the same in
other words is looked for elsewhere, by the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from policywright.english.words import ARTICLES, singular, split_name
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.fixes import Fix, FixKind
from policywright.lint.saying import noun_of
from policywright.lint.scan import Scan
from policywright.model import PolicyModel, Variable

CODE = "near-duplicate"
_SMALL = ARTICLES | {"of", "is", "has", "was", "in", "for", "by", "been", "be"}
_WORD = re.compile(r"[^\W_]+")
_MIN_LETTERS = 8
"""Shorter names differ in one letter by chance."""

Key = tuple[object, ...]


def near_duplicates(scan: Scan) -> Iterator[Diagnostic]:
    """Two variables of one sort and unit: rules about the one say nothing of the other."""
    model = scan.model
    order = {variable.id: place for place, variable in enumerate(model.variables)}
    found: dict[tuple[str, str], str] = {}
    for why, groups in (("words", _by_words(model)), ("letters", _by_letters(model))):
        for group in groups.values():
            listed = sorted(dict.fromkeys(group), key=order.__getitem__)
            for one, other in pairwise(listed):
                found.setdefault((one, other), why)
    for (one, other), why in sorted(found.items(), key=lambda item: [order[i] for i in item[0]]):
        pair = model.variable_by_id[one], model.variable_by_id[other]
        if why == "letters" and not _one_letter_apart(*pair):
            continue
        yield _diagnostic(model, *pair)


def _diagnostic(model: PolicyModel, one: Variable, other: Variable) -> Diagnostic:
    message = (
        f"`{one.name}` and `{other.name}` look like one thing: {noun_of(model, one)}, and "
        f"{noun_of(model, other)}. Merge them, or give one of them other words."
    )
    fix = Fix(FixKind.DECLARATION, "merge them", needs="which of the two stays")
    return Diagnostic(CODE, Severity.WARNING, message, about=(one.id, other.id), fixes=(fix,))


def _by_words(model: PolicyModel) -> dict[Key, list[str]]:
    groups: dict[Key, list[str]] = {}
    for variable in model.variables:
        texts = {split_name(variable.name), variable.phrases.text}
        for text in texts:
            words = _words(text)
            if len(words) > 1:
                key = (variable.sort, variable.unit, *sorted(words))
                groups.setdefault(key, []).append(variable.id)
    return groups


def _by_letters(model: PolicyModel) -> dict[Key, list[str]]:
    """Names that agree once one letter is left out of either."""
    groups: dict[Key, list[str]] = {}
    for variable in model.variables:
        letters = "".join(_words(split_name(variable.name)))
        if len(letters) < _MIN_LETTERS or len(letters) > 80:
            continue
        digits = "".join(c for c in letters if c.isdigit())
        for i in range(len(letters) + 1):
            key = (variable.sort, variable.unit, digits, letters[:i] + letters[i + 1 :])
            groups.setdefault(key, []).append(variable.id)
    return groups


def _one_letter_apart(one: Variable, other: Variable) -> bool:
    """Not where the letter makes another word that turns the meaning: `prepaid`, `unpaid`."""
    left, right = (_words(split_name(variable.name)) for variable in (one, other))
    if len(left) != len(right):
        return False
    apart = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    return len(apart) == 1 and all(len(word) >= 6 for word in apart[0])


def _words(text: str) -> list[str]:
    words = [singular(word.lower()) for word in _WORD.findall(text)]
    return [word for word in words if word not in _SMALL]
