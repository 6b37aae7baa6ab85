"""Finds what became of the sentences of an old revision in a new one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from documents.structure import ReadDocument, Sentence

# How near two texts must be, of 100, for one to be the other's likely predecessor: at the
# same place, or anywhere in the document.
_NEAR_IN_PLACE = 50.0
_NEAR_ANYWHERE = 70.0
# Sentences before and after one's own place that are compared with it.
_WINDOW = 8
# A sentence is looked for elsewhere by its rarest words, among at most so many others.
_RARE_WORDS = 6
_CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Changed:
    """A sentence and its likely predecessor, by index; at least one of the two is true."""

    old: int
    new: int
    text: bool
    context: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """What a new revision did to the sentences, each in exactly one place, by index.

    `same` and `moved` are pairs of (old, new) with equal text and context; a moved
    one stands in another order than the others. All are ordered by `new`, but
    `removed` by old index.
    """

    same: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    changed: tuple[Changed, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WordChange:
    """A run of words: `kind` is 'same', 'removed' or 'added'."""

    kind: str
    words: str


def align(old: ReadDocument, new: ReadDocument) -> tuple[int | None, ...]:
    """For each sentence of `new` the index of the one of `old` it is, else None.

    The same means: text (blanks collapsed) and context are equal. One under the
    same headings is preferred, then one that moved; of equal ones the first
    goes with the first. No old sentence is used twice. Linear in both. Only the
    text and the sentences of the documents are looked at.
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


def changes(old: ReadDocument, new: ReadDocument) -> Changes:
    """What became of each sentence; see `Changes`. Close to linear in both.

    A sentence that is not the same has as its predecessor the one at the same place
    with a near text, or else one anywhere with a very near text. Only the text and
    the sentences of the documents are looked at.
    """
    aligned = align(old, new)
    exact = [(before, after) for after, before in enumerate(aligned) if before is not None]
    steady = _longest_in_order(exact)
    old_texts = _texts(old)
    new_texts = _texts(new)
    left_old = sorted(set(range(len(old_texts))) - {before for before, _ in exact})
    left_new = [after for after, before in enumerate(aligned) if before is None]
    pairs = _in_place(left_old, left_new, steady, old_texts, new_texts)
    paired = set(pairs.values())
    left_old = [before for before in left_old if before not in paired]
    left_new = [after for after in left_new if after not in pairs]
    pairs |= _anywhere(left_old, left_new, old_texts, new_texts)
    predecessors = set(pairs.values())
    return Changes(
        same=tuple(pair for pair in exact if pair in steady),
        moved=tuple(pair for pair in exact if pair not in steady),
        changed=tuple(
            Changed(
                before,
                after,
                text=old_texts[before] != new_texts[after],
                context=old.sentences[before].context != new.sentences[after].context,
            )
            for after, before in sorted(pairs.items())
        ),
        added=tuple(after for after in left_new if after not in pairs),
        removed=tuple(before for before in left_old if before not in predecessors),
    )


def word_diff(old: str, new: str) -> tuple[WordChange, ...]:
    """The words of both texts in order, with those that are the same once.

    Blanks are collapsed. What is removed stands before what is added in its place.
    """
    before, after = old.split(), new.split()
    pieces: list[tuple[str, list[str]]] = []
    for step in Indel.opcodes(before, after):
        if step.tag == "equal":
            pieces.append(("same", before[step.src_start : step.src_end]))
        else:
            pieces.append(("removed", before[step.src_start : step.src_end]))
            pieces.append(("added", after[step.dest_start : step.dest_end]))
    return tuple(_merged(pieces))


def _merged(pieces: Iterable[tuple[str, list[str]]]) -> Iterator[WordChange]:
    """Neighbouring removals and additions as one of each."""
    held: dict[str, list[str]] = {"removed": [], "added": []}
    for kind, words in [*pieces, ("same", [])]:
        if kind != "same":
            held[kind] += words
            continue
        for name in ("removed", "added"):
            if held[name]:
                yield WordChange(name, " ".join(held[name]))
                held[name] = []
        if words:
            yield WordChange("same", " ".join(words))


def _key(document: ReadDocument, sentence: Sentence, with_headings: bool) -> Hashable:
    text = " ".join(document.text[sentence.start : sentence.end].split())
    return text, sentence.context, sentence.headings if with_headings else ()


def _texts(document: ReadDocument) -> list[str]:
    return [" ".join(document.text[one.start : one.end].split()) for one in document.sentences]


def _longest_in_order(pairs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """The most pairs that stand in the same order in both revisions."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (old, _) in enumerate(pairs):
        place = bisect_left(ends, old)
        ends[place : place + 1] = [old]
        last[place : place + 1] = [at]
        before.append(last[place - 1] if place else -1)
    found: set[tuple[int, int]] = set()
    at = last[-1] if last else -1
    while at >= 0:
        found.add(pairs[at])
        at = before[at]
    return found


def _in_place(
    left_old: Sequence[int],
    left_new: Sequence[int],
    steady: set[tuple[int, int]],
    old_texts: Sequence[str],
    new_texts: Sequence[str],
) -> dict[int, int]:
    """New sentences with the nearest old one in the same gap between unchanged sentences."""
    pairs: dict[int, int] = {}
    borders = [(-1, -1), *sorted(steady), (len(old_texts), len(new_texts))]
    for (old_from, new_from), (old_to, new_to) in pairwise(borders):
        olds = left_old[bisect_left(left_old, old_from) : bisect_left(left_old, old_to)]
        news = left_new[bisect_left(left_new, new_from) : bisect_left(left_new, new_to)]
        scored: list[tuple[float, int, int]] = []
        for place, after in enumerate(news):
            # In a long gap the same share of the way is the same place.
            middle = place * len(olds) // max(len(news), 1)
            for before in olds[max(0, middle - _WINDOW) : middle + _WINDOW + 1]:
                score = _nearness(old_texts[before], new_texts[after], _NEAR_IN_PLACE)
                if score:
                    scored.append((-score, after, before))
        _take_best(scored, pairs)
    return pairs


def _anywhere(
    left_old: Sequence[int],
    left_new: Sequence[int],
    old_texts: Sequence[str],
    new_texts: Sequence[str],
) -> dict[int, int]:
    """New sentences with an old one that is very near, found by rare words that both have."""
    holders: dict[str, list[int]] = defaultdict(list)
    for before in left_old:
        for word in set(old_texts[before].lower().split()):
            holders[word].append(before)
    scored: list[tuple[float, int, int]] = []
    for after in left_new:
        words = [word for word in set(new_texts[after].lower().split()) if word in holders]
        rare = sorted(words, key=lambda word: (len(holders[word]), word))[:_RARE_WORDS]
        shared = Counter(before for word in rare for before in holders[word][:_CANDIDATES])
        for before, _ in shared.most_common(_CANDIDATES):
            score = _nearness(old_texts[before], new_texts[after], _NEAR_ANYWHERE)
            if score:
                scored.append((-score, after, before))
    pairs: dict[int, int] = {}
    _take_best(scored, pairs)
    return pairs


def _take_best(scored: list[tuple[float, int, int]], pairs: dict[int, int]) -> None:
    """Add pairs, the nearest first, with no sentence in two of them."""
    taken: set[int] = set()
    for _, after, before in sorted(scored):
        if after not in pairs and before not in taken:
            pairs[after] = before
            taken.add(before)


def _nearness(old: str, new: str, least: float) -> float:
    """How near two texts are, of 100; 0 below `least`. Very long ones by their beginnings."""
    return fuzz.ratio(old[:2000], new[:2000], score_cutoff=least)
