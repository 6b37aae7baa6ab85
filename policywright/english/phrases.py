"""How variables, definitions and values are said: given phrases, or drafted ones.

A missing phrase is drafted from the name, as in 'manager approved is true':
correct but plain, so that a reader sees that a better one is wanted.
"""

from __future__ import annotations

import re

from policywright.english.words import split_name, word_set
from policywright.model import Definition, Phrases, PolicyModel, Value, Variable
from policywright.sorts import BOOL

# The verbs after which `not` can be put: the clause then says the opposite.
AUXILIARIES = word_set(
    "is are was were has have had may must can will shall does do did should would could might"
)
AUXILIARY = re.compile(rf"(?<![\w-])({'|'.join(sorted(AUXILIARIES))})(?![\w-])", re.IGNORECASE)
_NEGATIVE = re.compile(r"(?<![\w-])(not|no|never|cannot|nobody|none)(?![\w-])", re.IGNORECASE)


def draft_phrases(symbol: Variable | Definition) -> Phrases:
    """Both phrases of a symbol, those given kept and the missing ones drafted."""
    text, negative = symbol.phrases.text.strip(), symbol.phrases.negative.strip()
    words = split_name(symbol.name) or symbol.name
    if symbol.sort != BOOL:
        return Phrases(text or f"the {words}", "")
    if not text:
        return Phrases(f"{words} is true", negative or f"{words} is not true")
    return Phrases(text, negative or negate_clause(text))


def negate_clause(clause: str) -> str:
    """The clause with `not` behind its only auxiliary, else 'it is not true that ...'."""
    found = list(AUXILIARY.finditer(clause))
    if len(found) != 1 or _NEGATIVE.search(clause) or found[0].start() == 0:
        return f"it is not true that {clause}"
    end = found[0].end()
    return f"{clause[:end]} not{clause[end:]}"


def phrases_of(model: PolicyModel, symbol_id: str) -> Phrases:
    return draft_phrases(model.declared(symbol_id))


def value_phrase(value: Value) -> str:
    return value.phrase.strip() or split_name(value.name) or value.name
