"""Forms of verbs: agreement with a singular subject, third person, simple past."""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.tokens import Lexeme
from policywright.english.words import word_set

_AGREEING = {
    "are": "is", "were": "was", "have": "has", "do": "does", "get": "gets", "receive": "receives",
    "qualify": "qualifies",
}  # fmt: skip
_PAST = {
    "be": "was", "have": "had", "go": "went", "fly": "flew", "pay": "paid", "leave": "left",
    "hold": "held", "drive": "drove", "make": "made", "give": "gave", "take": "took",
    "buy": "bought", "send": "sent", "sign": "signed", "tell": "told", "get": "got",
    "say": "said", "find": "found", "keep": "kept", "lose": "lost", "meet": "met", "wear": "wore",
}  # fmt: skip

_GRANTED = {"qualifies": "qualify", "gets": "get", "receives": "receive"}
_VERBS_IN_LY = word_set("apply reply supply rely comply fly")


def agreeing(words: str, noun: Noun) -> str:
    """The words with their first verb in the number of the noun."""
    verb, space, rest = words.partition(" ")
    lower = verb.lower()
    return (lower if noun.is_speaker or noun.plural else _AGREEING.get(lower, lower)) + space + rest


def past_of(verb: str) -> str:
    """`travel` becomes `travelled`, `carry` `carried`, `pay` `paid`."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    if verb.endswith("l") and verb[-2:-1] in "aeiou" and verb[-3:-2] not in "aeiou":
        return verb + "led"
    return verb + "ed"


def negative_grant(said: str) -> str:
    """`is entitled to` becomes `is not entitled to`, `gets` becomes `does not get`."""
    verb, _, rest = said.partition(" ")
    if verb in ("is", "are"):
        return f"{verb} not {rest}"
    auxiliary = "does" if verb in _GRANTED else "do"
    return f"{auxiliary} not {_GRANTED.get(verb, verb)} {rest}".rstrip()


def check_verb(words: Sequence[Lexeme]) -> None:
    """An action begins with its verb; an article or a word in `-ly` there is not understood."""
    first = words[0]
    in_ly = first.text.lower().endswith("ly") and first.text.lower() not in _VERBS_IN_LY
    if first.type != "WORD" or in_ly:
        raise NotUnderstoodError(f"`{first.text}` where a verb is expected", (first.word,))
