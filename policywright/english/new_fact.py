"""A new fact from words that were not understood, for a person to look over and declare."""

from __future__ import annotations

from policywright.english.phrases import AUXILIARIES, negate_clause
from policywright.model import Phrases, PolicyModel, Role, Variable
from policywright.names import suggest_name
from policywright.sorts import BOOL, REAL

_NOUN_STARTS = ("the ", "a ", "an ", "number of ", "amount of ")
_NOT_IN_NAME = frozenset(
    ["a", "an", "the", "is", "are", "was", "were", "has", "have", "been", "of"]
)
MAX_NAME_WORDS = 6


def new_fact(words: str, model: PolicyModel | None = None) -> Variable:
    """A variable that is said in these words: a condition, or an amount for a noun phrase.

    Its id and name are free in `model`. Words with a verb such as `is`, `has` or
    `may` are a condition; so are all others but those that begin like a noun.
    """
    text = " ".join(words.split()).strip(" .,;:\"'")
    lower = text.lower()
    has_verb = bool(AUXILIARIES & set(lower.split()))
    is_amount = not has_verb and lower.startswith(_NOUN_STARTS)
    name = _free_name(text, model or PolicyModel())
    if is_amount:
        return Variable(f"new-{name}", name, REAL, Role.FACT, phrases=Phrases(text))
    phrases = Phrases(text, negate_clause(text)) if text else Phrases()
    return Variable(f"new-{name}", name, BOOL, Role.FACT, phrases=phrases)


def _free_name(text: str, model: PolicyModel) -> str:
    telling = [word for word in text.split() if word.lower() not in _NOT_IN_NAME]
    name = suggest_name(" ".join(telling[:MAX_NAME_WORDS]))
    taken = {symbol.name for symbol in model.symbols} | {symbol.id for symbol in model.symbols}
    taken |= {value.name for datatype in model.datatypes for value in datatype.values}
    free, number = name, 2
    while free in taken or f"new-{free}" in taken:
        free, number = f"{name}{number}", number + 1
    return free
