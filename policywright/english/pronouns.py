"""`His or her`, `their` and `it`, where only one noun of the sentence can be meant.

`Employees must submit their receipts`: the receipts of the employee. Where another
person, or for `their` another plural, stands before, nothing is resolved. `If a
parcel is damaged, it must be returned`: the parcel, the only noun before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import PERSONS
from policywright.english.words import is_plural, singular, word_set

_MODALS = word_set("MUST MUSTNOT MAY MAYNOT")
_MAX_SUBJECT = 4
_MAY_BE_PERSON = re.compile(r"\w*(?:er|or|ee|ist|ian|ant|man|men|woman|person|people)s?$")


def resolve(lexemes: Sequence[Lexeme]) -> tuple[list[Lexeme], list[Lexeme]]:
    """The tokens with owners in place of their pronouns, and the pronouns that stay open."""
    resolved: list[Lexeme] = []
    unknown: list[Lexeme] = []
    for position, lexeme in enumerate(lexemes):
        if lexeme.type == "IT":
            meant = _one_thing(lexemes[:position]) or _one_subject(lexemes[:position])
            if not meant:
                unknown.append(lexeme)
                continue
            said = replace(lexeme, written=lexeme.text)
            resolved += [replace(said, type="DET", text="the"),
                         replace(said, type="WORD", text=meant)]  # fmt: skip
            continue
        if lexeme.type != "OWNER":
            resolved.append(lexeme)
            continue
        owner = _owner(lexemes[:position], is_plural_word=lexeme.text.lower() == "their")
        if not owner:
            unknown.append(lexeme)
            continue
        said = replace(lexeme, written=lexeme.text)
        resolved += [replace(said, type="DET", text="the"),
                     replace(said, type="WORD", text=f"{owner}'s")]  # fmt: skip
    return resolved, unknown


def _one_subject(before: Sequence[Lexeme]) -> str:
    """The subject of `A supplier is excluded if`, where no other noun stands before."""
    if len(before) < 4 or before[-1].type not in ("IF", "UNLESS", "ONLYIF"):
        return ""
    inner = [x for x in before[:-1] if x.type not in ("COMMA", "NOT")]
    if len(inner) < 3 or inner[-2].type != "BE" or inner[-1].type not in ("WORD", "DUE"):
        return ""
    subject = inner[:-2]
    words = subject[1:] if subject[0].type == "DET" else subject
    if not 0 < len(words) < _MAX_SUBJECT or any(x.type != "WORD" for x in words):
        return ""
    name = " ".join(x.text for x in words)
    return "" if is_plural(words[-1].text) or singular(words[-1].text.lower()) in PERSONS else name


def _one_thing(before: Sequence[Lexeme]) -> str:
    """The subject of `If a parcel is damaged,`, where no other noun stands in it."""
    if len(before) < 5 or before[0].type != "IF" or before[-1].type not in ("COMMA", "THEN"):
        return ""
    inner = [x for x in before[1:] if x.type not in ("COMMA", "THEN", "NOT")]
    verb = next((i for i, x in enumerate(inner) if x.type == "BE"), 0)
    subject, rest = inner[:verb], inner[verb + 1 :]
    words = subject[1:] if subject and subject[0].type == "DET" else subject
    if not 0 < len(words) < _MAX_SUBJECT or any(x.type != "WORD" for x in words):
        return ""
    if len(rest) != 1 or rest[0].type not in ("WORD", "DUE"):
        return ""
    name = " ".join(x.text for x in words)
    return "" if is_plural(words[-1].text) or singular(words[-1].text.lower()) in PERSONS else name


def _owner(before: Sequence[Lexeme], *, is_plural_word: bool) -> str:
    """The subject in the singular, if nothing else before the pronoun can be meant."""
    end = next((i for i, lexeme in enumerate(before) if lexeme.type in _MODALS), 0)
    subject = [x for x in before[:end] if x.type not in ("DET", "ALL")]
    if not 0 < len(subject) < _MAX_SUBJECT or any(x.type != "WORD" for x in subject):
        return ""
    head = subject[-1].text.lower()
    one = singular(head)
    others = [x.text.lower() for x in before[end:] if x.type in ("WORD", "PART")]
    if is_plural_word:
        sure = is_plural(head) and not any(is_plural(word) for word in others)
    else:
        sure = one == head and one in PERSONS
        sure = sure and not any(_MAY_BE_PERSON.fullmatch(word) for word in others)
    return one if sure and one in PERSONS else ""
