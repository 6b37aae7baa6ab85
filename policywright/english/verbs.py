"""Forms of verbs: agreement, simple past, and the opposite of a clause."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import PERSONS
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.words import is_plural, third_person, word_set

_AGREEING = {
    "are": "is", "were": "was", "have": "has", "do": "does", "get": "gets", "receive": "receives",
    "qualify": "qualifies",
}  # fmt: skip
_PAST = {
    "be": "was", "have": "had", "go": "went", "fly": "flew", "pay": "paid", "leave": "left",
    "hold": "held", "drive": "drove", "make": "made", "give": "gave", "take": "took",
    "buy": "bought", "send": "sent", "tell": "told", "get": "got", "say": "said", "find": "found",
    "keep": "kept", "begin": "began", "bring": "brought", "choose": "chose", "sell": "sold",
    "understand": "understood", "withdraw": "withdrew", "become": "became", "arise": "arose",
    "fulfil": "fulfilled", "lose": "lost", "meet": "met", "wear": "wore", "know": "knew",
}  # fmt: skip
_PARTICIPLES = word_set(
    "been made paid left met sent held kept lost bought sold found told gone done begun become put "
    "read brought spent lent cut set built taught caught shut hung run won drunk worn sworn torn"
)
# After `may`, these say what can happen rather than what somebody is allowed to do.
_POSSIBLE = word_set(
    "need want get receive lose cost depend vary affect result change differ find qualify belong "
    "include contain mean become exist occur happen seem entitled required obliged needed affected "
    "asked expected interested concerned charged exempted changed delayed detained suspended fined "
    "penalised penalized prosecuted evicted arrested deported disqualified dismissed disciplined"
)
_GIVEN = word_set(
    "offered given paid provided granted informed notified reimbursed refunded compensated sent "
    "told allowed permitted treated assisted supplied shown"
)
_GRANTED = {"qualifies": "qualify", "gets": "get", "receives": "receive", "has": "have"}
_VERBS_IN_LY = word_set("apply reply supply rely comply fly")
# Verbs that make a run of words a clause where no auxiliary does. None of their
# forms is a common noun, so that no noun phrase is mistaken for a clause.
_BASES = word_set(
    "hold operate agree approve own contain include attend submit receive arrive depart earn "
    "resign retire consent travel cancel join pay belong exist occur comply die notify live "
    "refuse ask request inform carry smoke enrol reside accept arise become begin bring choose "
    "confirm continue deliver enter expire lose obtain occur perform provide reject remain remove "
    "replace reply select sell send suffer suspend understand withdraw terminate fulfil waive "
    "return sign drive keep lapse"
)


def agreeing(words: str, noun: Noun) -> str:
    """The words with their first verb in the number of the noun."""
    verb, space, rest = words.partition(" ")
    lower = verb.lower()
    keep = noun.is_speaker or noun.plural
    return (lower if keep else _AGREEING.get(lower, lower)) + space + rest


def past_of(verb: str) -> str:
    """`travel` becomes `travelled`, `carry` `carried`, `pay` `paid`."""
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ied"
    doubles = verb.endswith("l") and verb[-2:-1] in "aeiou" and verb[-3:-2] not in "aeiou"
    doubles = doubles or verb in ("submit", "occur")
    return verb + (verb[-1] if doubles else "") + "ed"


_FORMS = {third_person(base): (base, "does") for base in sorted(_BASES)}
_FORMS |= {past_of(base): (base, "did") for base in sorted(_BASES)}
_FORMS |= {base: (base, "do") for base in sorted(_BASES)}


def is_participle(word: str) -> bool:
    """Whether `has not` can stand before the word: `has not signed`."""
    lower = word.lower()
    return lower in _PARTICIPLES or (lower.endswith(("ed", "en", "own")) and len(lower) > 4)


def negative_clause(clause: str) -> str:
    """`the flight operated` becomes `the flight did not operate`.

    Empty if the clause has no known verb behind its first word, or several, or one
    that does not agree with the word before it: `the request of the tenant` is no clause.
    """
    words = clause.split()
    places = [i for i, word in enumerate(words) if i > 0 and word.lower() in _FORMS]
    if len(places) != 1:
        return ""
    base, auxiliary = _FORMS[words[places[0]].lower()]
    before = words[places[0] - 1].lower()
    many = before in ("you", "we", "they") or is_plural(before)
    if auxiliary != "did" and many is (auxiliary == "does"):
        return ""
    return " ".join([*words[: places[0]], auxiliary, "not", base, *words[places[0] + 1 :]])


def granted(words: str) -> str:
    """What is granted: of `shall be entitled to`, `will not be entitled to`: `are entitled to`."""
    said = re.sub(r"^(?:shall|will)\s+(?:not\s+)?|^(?:does|do)\s+not\s+", "", words.lower())
    return re.sub(r"\s+", " ", re.sub(r"^be\b", "are", said))


def base_of(word: str) -> str:
    """The base of a known verb in any form, empty for other words."""
    return _FORMS.get(word.lower(), ("", ""))[0]


def base_of_present(word: str) -> str:
    """The base of a verb in the third person behind `who`: `damages`; empty if it is none."""
    lower = word.lower()
    endings = (lower.removesuffix("s"), lower.removesuffix("es"), lower.removesuffix("ies") + "y")
    found = (base for base in endings if len(base) > 2 and third_person(base) == lower)
    return next(found, "") if lower.endswith("s") and not lower.endswith("ss") else ""


def is_past(word: str) -> bool:
    return _FORMS.get(word.lower(), ("", ""))[1] == "did"


def negative_grant(said: str) -> str:
    """`is entitled to` becomes `is not entitled to`, `gets` becomes `does not get`."""
    verb, _, rest = said.partition(" ")
    if verb in ("is", "are"):
        return f"{verb} not {rest}"
    auxiliary = "does" if verb in _GRANTED else "do"
    return f"{auxiliary} not {_GRANTED.get(verb, verb)} {rest}".rstrip()


def check_permission(action: str, words: Sequence[Lexeme]) -> None:
    """`may be eligible`, `may need`, `may have` say what is possible, not what is allowed.

    `action` is the grammar's rule: be, have or do; `words` are what follows `may`.
    """
    verb = words[1 if action == "be" else 0].text.lower()
    allows = action == "do" and verb not in _POSSIBLE
    if action == "be":
        allows = is_participle(verb) and verb not in _POSSIBLE
    if not allows:
        raise NotUnderstoodError(
            "whether `may` allows something here, or says that it is possible",
            [lexeme.word for lexeme in words],
        )


def check_doer(noun: Noun, words: Sequence[Lexeme]) -> None:
    """`Passengers must be offered a meal` is a duty of somebody who is not named."""
    if words[1].text.lower() in _GIVEN and (noun.head in PERSONS or noun.is_speaker):
        raise NotUnderstoodError("whose duty that is", [lexeme.word for lexeme in words])


def check_verb(words: Sequence[Lexeme]) -> None:
    """An action begins with its verb; an article or a word in `-ly` there is not understood."""
    first = words[0]
    in_ly = first.text.lower().endswith("ly") and first.text.lower() not in _VERBS_IN_LY
    if first.type != "WORD" or in_ly:
        raise NotUnderstoodError(f"`{first.text}` where a verb is expected", (first.word,))
