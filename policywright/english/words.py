"""Small English: splitting names, articles, singular and plural, capitals, lists.

Only what templates and phrase matching need. Regular endings are handled by
rule and the common irregular words by table; nothing here decides meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for tables that are easier to read as prose."""
    return frozenset(text.split())


ARTICLES = word_set("a an the")
_IRREGULAR = {
    "children": "child", "people": "person", "persons": "person", "men": "man",
    "women": "woman", "lives": "life", "wives": "wife", "criteria": "criterion",
}  # fmt: skip
_ALWAYS_SINGULAR = word_set(
    """
    news business process address access class loss pass bus gas basis analysis thesis always
    is was has this us yes less plus status previous across unless
    """
)
_MASS = word_set(
    "alcohol travel overtime leave equipment software information work approval data money "
    "training advice luggage baggage smoking access food insurance"
)
_POSTMODIFIERS = word_set(
    "made paid met sent held kept lost bought sold found done begun brought spent lent built "
    "taught caught won given taken written driven stolen chosen borne"
)
_NOUNS_IN_ED = word_set("speed seed need feed bed shed weed breed deed red wed led fed sled")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+|[^\W_]+")


def split_name(name: str) -> str:
    """A name as words: `managerApproved` and `manager_approved` are `manager approved`."""
    parts = _PARTS.findall(name)
    return " ".join(part if part.isupper() and len(part) > 1 else part.lower() for part in parts)


def singular(word: str) -> str:
    """The singular of a noun; a word that looks singular comes back as it is."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if word.endswith("s") and len(word) > 2 and word[:-1].isupper():
        return word[:-1]
    if lower in _ALWAYS_SINGULAR or len(lower) < 4 or not lower.endswith("s"):
        return word
    if lower.endswith(("ss", "us", "is")):
        return word
    if lower.endswith("ies") and len(lower) > 4:
        return word[:-3] + "y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def is_plural(word: str) -> bool:
    return singular(word) != word


def is_postmodifier(word: str) -> bool:
    """Whether a word behind a noun can say which one is meant: `tickets bought online`."""
    return word in _POSTMODIFIERS or (word.endswith("ed") and word not in _NOUNS_IN_ED)


def third_person(verb: str) -> str:
    """`hold` becomes `holds`, `have` becomes `has`, `be` becomes `is`."""
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}
    if verb in irregular:
        return irregular[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def indefinite(noun: str) -> str:
    """The noun with `a` or `an`, by its first letter; a mass noun stays bare."""
    if noun.split()[-1] in _MASS:
        return noun
    sounds_like_consonant = noun.lower().startswith(("uni", "use", "usu", "eu", "one"))
    vowel = noun[:1].lower() in "aeiou" and not sounds_like_consonant
    return f"{'an' if vowel else 'a'} {noun}"


def capitalise(text: str) -> str:
    """The text with its first letter as a capital, the rest untouched."""
    return text[:1].upper() + text[1:]


def join_words(items: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"
