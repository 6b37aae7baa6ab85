"""`His or her` and `their`, where only the subject of the sentence can be meant.

`Employees must submit their receipts`: the receipts of the employee. Where another
person, or for `their` another plural, stands before, nothing is resolved.
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
