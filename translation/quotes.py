"""Where a quote stands: by exact position in the text that was sent, or nowhere.

A model makes quotes up. One that is not found has no source; it is never taken
for the sentence that it resembles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def find_quote(quote: str, sentences: Sequence[str], claimed: int) -> tuple[int, ...]:
    """The indexes of the sentences that hold the quote, word for word.

    Where the sentence that the model named (`claimed`) holds it, it is the one.
    Otherwise all that hold it are given, since which one is meant cannot be told.
    """
    words = quote.strip()
    if not re.search(r"\w", words):
        return ()
    found = tuple(index for index, text in enumerate(sentences) if words in text)
    return (claimed,) if claimed in found else found
