"""How many tokens a text is, estimated by its characters and rather too high.

Every model counts with a vocabulary of its own, and loading one takes seconds. English
prose has four to five characters a token, JSON and SMT-LIB three to four; other scripts
down to one. So an estimate is about a third above what is counted later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_ASCII_CHARACTERS_A_TOKEN = 3
# What stands around each message.
_A_MESSAGE = 8


def estimate_tokens(text: str) -> int:
    """At least 1 for a text that is not empty."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    others = len(text) - ascii_characters
    return -(-ascii_characters // _ASCII_CHARACTERS_A_TOKEN) + others


def estimate_prompt(messages: Iterable[Mapping[str, str]]) -> int:
    return sum(_A_MESSAGE + estimate_tokens(message["content"]) for message in messages)
