"""Finds the sentences of a new revision that the old one already had."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable

from documents.structure import ReadDocument, Sentence


def align(old: ReadDocument, new: ReadDocument) -> tuple[int | None, ...]:
    """For each sentence of `new` the index of the one of `old` it is, else None.

    The same means: text (blanks collapsed) and context are equal. One under the
    same headings is preferred, then one that moved; of equal ones the first
    goes with the first. No old sentence is used twice. Linear in both.
    """
    found: list[int | None] = [None] * len(new.sentences)
    taken = [False] * len(old.sentences)
    for with_headings in (True, False):
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for at, sentence in enumerate(old.sentences):
            if not taken[at]:
                waiting[_key(old, sentence, with_headings)].append(at)
        for at, sentence in enumerate(new.sentences):
            if found[at] is not None:
                continue
            same = waiting.get(_key(new, sentence, with_headings))
            if same:
                found[at] = index = same.popleft()
                taken[index] = True
    return tuple(found)


def _key(document: ReadDocument, sentence: Sentence, with_headings: bool) -> Hashable:
    text = " ".join(document.text[sentence.start : sentence.end].split())
    return text, sentence.context, sentence.headings if with_headings else ()
