"""Where a quote stands: by exact position in the text that was sent, or nowhere.

A model makes quotes up. One that is not found has no source; it is never taken
for the sentence that it resembles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Characters side by side that belong to one word or one number (`1,000`, `1\u202f000`).
_ONE_WORD = r"\w\w|\d[.,'\u2019\xa0\u2009\u202f]\d"

# A quote that begins or ends within words so often is none; looking on would take too long.
_MOST_PLACES = 1_000


def find_quote(quote: str, sentences: Sequence[str], claimed: int) -> tuple[int, ...]:
    """The indexes of the sentences that hold the quote, word for word.

    It begins and ends where words do: `12 days` does not stand in `112 days`. Where the
    sentence that the model named (`claimed`) holds it, it is the one. Otherwise all that
    hold it are given, since which one is meant cannot be told.
    """
    words = quote.strip()
    if not re.search(r"\w", words):
        return ()
    found = tuple(index for index, text in enumerate(sentences) if _stands_in(words, text))
    return (claimed,) if claimed in found else found


def _stands_in(words: str, text: str) -> bool:
    place = text.find(words)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return False
        end = place + len(words)
        begins, ends = text[max(place - 2, 0) : place + 1], text[end - 1 : end + 2]
        if not re.search(rf"(?:{_ONE_WORD})\Z", begins) and not re.match(_ONE_WORD, ends):
            return True
        place = text.find(words, place + 1)
    return False
