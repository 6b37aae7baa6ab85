"""The words of the sentence templates: what `render` writes, and what owners write instead.

Each token has its spellings; letter case, contractions and line ends do not
matter. Phrases of a model stand between them.
"""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "IF": "if|when|whenever",
    "THEN": "then|, then",
    "OTHERWISE": "and otherwise|, and otherwise|otherwise|, otherwise|or else|, or else|else"
    "|, else",
    "ONLYIF": "only if|only when",
    "EXACTLYIF": "exactly if|exactly when|if and only if|when and only when",
    "UNLESS": "unless|, unless|except if|, except if|except when|, except when",
    "PROVIDED": "provided that|, provided that|provided|, provided|on condition that|as long as",
    "COMMA": ",",
    "AND": "and|, and|as well as|and also|, and also",
    "OR": "or|, or",
    "ANDOR": "and/or",
    "BOTH": "both",
    "EITHER": "either",
    "NEITHER": "neither",
    "NOR": "nor|, nor",
    "NOTBOTH": "but not both|, but not both",
    "ORBOTH": "or both|, or both",
    "UNTRUE": "it is not true that|it is not the case that",
    "ALWAYS": "this always holds",
    "NEVER": "this never holds",
    "ALLOF": "all of the following hold|all of the following apply|all of the following are true"
    "|all of the following|all of these hold|all of these apply|all of these|each of the following"
    "|each of the following holds|each of the following applies",
    "ANYOF": "any of the following holds|any of the following hold|any of the following applies"
    "|any of the following apply|any of the following is true|any of the following|any of these"
    "|at least one of the following holds|at least one of the following applies"
    "|at least one of the following",
    "NOTALLOF": "not all of the following hold|not all of the following apply"
    "|not all of the following",
    "NONEOF": "none of the following holds|none of the following hold|none of the following applies"
    "|none of the following apply|none of the following is true|none of the following",
    "ONEOF": "exactly one of the following holds|exactly one of the following applies"
    "|exactly one of the following",
    "SOMEONE": "one of the following holds|one of the following applies|one of the following",
    "HOLDS": "the following holds|the following applies",
    "HOLDSNOT": "the following does not hold|the following does not apply",
    "DIFFERENT": "are all different",
    "NOTDIFFERENT": "are not all different",
    "MORE": "is more than|is greater than|is over|is above|is higher than|is longer than"
    "|is older than|is after|is later than|is not at most|is not up to|exceeds",
    "ATLEAST": "is at least|is no less than|is not less than|is no fewer than|is not fewer than"
    "|is not below|is not under|is on or after|is not before|is not earlier than"
    "|is no earlier than",
    "LESS": "is less than|is fewer than|is under|is below|is lower than|is shorter than"
    "|is younger than|is before|is earlier than|is not at least",
    "ATMOST": "is at most|is no more than|is not more than|is no greater than|is not greater than"
    "|is up to|does not exceed|is not over|is not above|is on or before|is not after"
    "|is not later than|is no later than",
    "IS": "is|are|equals|is equal to|is exactly",
    "ISNOT": "is not|are not|is not equal to|does not equal",
    "BETWEEN": "is between",
    "ORMORE": "or more|or over|or above|or higher|or longer|or older|or later|or after",
    "ORLESS": "or less|or fewer|or under|or below|or lower|or shorter|or younger|or earlier"
    "|or before",
    "PLUS": "+|plus",
    "MINUS": "-|minus",
    "TIMES": "×|*|times",
    "DIVIDED": "÷|/|divided by",
    "OF": "of",
    "DOWN": "rounded down|rounded down to a whole number",
    "UP": "rounded up|rounded up to a whole number",
    "NEAREST": "rounded to the nearest whole number|rounded to the nearest",
    "LPAR": "(",
    "RPAR": ")",
    "WHOLE": "the number (",
}
RELATIONS = frozenset({"MORE", "ATLEAST", "LESS", "ATMOST", "IS", "ISNOT", "BETWEEN"})
HEADS = ("ALLOF", "ANYOF", "NOTALLOF", "NONEOF", "ONEOF", "SOMEONE", "HOLDS", "HOLDSNOT")


def spellings() -> list[tuple[str, str]]:
    """Every (token, spelling); what holds of one thing may be said of several ('are')."""
    found = []
    for token, listed in TEMPLATES.items():
        for spelling in listed.split("|"):
            found.append((token, spelling))
            if spelling.startswith("is ") and token in RELATIONS:
                found.append((token, f"are {spelling[3:]}"))
            if spelling == "exceeds":
                found.append((token, "exceed"))
            if spelling.startswith("does not "):
                found.append((token, f"do not {spelling[9:]}"))
    return found
