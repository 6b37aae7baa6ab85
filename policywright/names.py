"""Which names variables, values, datatypes, definitions and rules may have.

One published list: what is refused here can be spelled by no printer of ours,
so publishing never fails because of a name. Letter case does not matter for
reserved words, since readers fold it differently.

Source: SMT-LIB 2.6, section 3.1 (reserved words, commands) and the theories
Core, Reals_Ints, Strings, BitVectors and ArraysEx, whose words solvers keep.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from policywright.errors import NameNotAllowedError

MAX_LENGTH = 120

RESERVED = frozenset(
    word
    for line in (
        "_ ! as binary decimal exists hexadecimal forall let match numeral par string",
        "assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes",
        "declare-fun declare-sort declare-sort-parameter define-const define-fun define-fun-rec",
        "define-funs-rec define-sort echo exit get-assertions get-assignment get-info get-model",
        "get-option get-proof get-unsat-assumptions get-unsat-core get-value pop push reset",
        "reset-assertions set-info set-logic set-option include eval simplify minimize maximize",
        "true false not and or xor ite distinct => = < <= > >= + - * / div mod rem abs",
        "to_real to_int is_int divisible iff implies if select store array const is",
        "bool int real string reglan bitvec float16 float32 float64 roundingmode",
    )
    for word in line.split()
)

_PLAIN = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{MAX_LENGTH - 1}}}")
_PLAIN_LINES = re.compile(rf"(?:{_PLAIN.pattern}\n)*+")
_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
_FORBIDDEN = {"|": "a bar", "\\": "a backslash", '"': "a quotation mark", ";": "a semicolon"}


def check_name(name: str, what: str = "name") -> str:
    """Give the name back if it may be used; `what` says whose name it is.

    Raises NameNotAllowedError with a sentence and a free name to suggest.
    """
    problem = _problem(name)
    if problem:
        suggestion = suggest_name(name)
        raise NameNotAllowedError(
            f"{what} {_shown(name)} {problem}; `{suggestion}` would do", suggestion
        )
    return name


def is_plain(name: str) -> bool:
    """Whether a name may be used and has only plain letters, digits, `_` and `-`."""
    return bool(_PLAIN.fullmatch(name)) and name.lower() not in RESERVED


def are_plain(names: Iterable[str]) -> bool:
    """Whether all of many names are plain."""
    listed = list(names)
    lines = "".join(f"{name}\n" for name in listed)
    plain = lines.count("\n") == len(listed) and _PLAIN_LINES.fullmatch(lines)
    return bool(plain) and RESERVED.isdisjoint(map(str.lower, listed))


def is_simple(name: str) -> bool:
    """Whether SMT-LIB lets the name stand without bars."""
    return bool(_SIMPLE.fullmatch(name)) and name.lower() not in RESERVED


def suggest_name(text: str) -> str:
    """A name that may be used, made of the letters and digits of a text."""
    words = re.findall(r"[^\W_]+", text, flags=re.UNICODE)
    name = "".join(word if i == 0 else word[:1].upper() + word[1:] for i, word in enumerate(words))
    name = name[:40] or "unnamed"
    if not name[0].isalpha():
        name = "n" + name
    return name + "Value" if name.lower() in RESERVED else name


def _problem(name: str) -> str:
    if is_plain(name):
        return ""  # Nearly every name; the rest is looked at letter by letter.
    if not name.strip():
        return "is empty"
    if len(name) > MAX_LENGTH:
        return f"is {len(name)} characters long, and {MAX_LENGTH} are allowed"
    for character in name:
        if character in _FORBIDDEN:
            return f"holds {_FORBIDDEN[character]}, which a script cannot hold safely"
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            return f"holds an invisible character (U+{ord(character):04X})"
    if name != name.strip():
        return "starts or ends with a space"
    if name.lower() in RESERVED:
        return "is a word that the rule language keeps for itself"
    if name[0] in "@.":
        return f"starts with `{name[0]}`, which solvers keep for names of their own"
    return ""


def _shown(name: str) -> str:
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name[:40])
    return f"`{visible}{'...' if len(name) > 40 else ''}`"
