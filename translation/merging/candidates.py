"""Finds the variables of a policy that look alike: candidates for a merge, each with its evidence.

Only variables of one sort and one unit are compared. Within such a group two are
compared if they share a word that few others have, or if their descriptions lie
near each other; each variable keeps its nearest few. So the work grows with the
number of variables, not with the number of pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from policywright.unit_algebra import parse_unit
from translation.merging.contrasts import Contrast, contrasts, single_swap
from translation.merging.embedding import Embedder
from translation.merging.words import stems, words

if TYPE_CHECKING:
    from translation.merging.embedding import Vectors

# A word that more variables of a group have is no sign that two of them are one.
MAX_SHARED = 40
# How many neighbours of a variable are looked at more closely, and how many are kept.
NEAREST = 8
KEPT = 5
# A group larger than this is compared by its words alone.
MAX_BLOCK = 4_000
# Of a hundred: how alike two names, and two texts, are written.
NEAR_NAME = 86.0
NEAR_WORDS = 0.6


@dataclass(frozen=True, slots=True)
class Described:
    """A variable as it is compared; `sort` is a key, with merged datatypes as one."""

    id: str
    name: str
    sort: str
    unit: str = ""
    role: str = "fact"
    phrase: str = ""
    description: str = ""

    @property
    def text(self) -> str:
        """What is embedded: the name in words, how it is said, what it means."""
        parts = (" ".join(words(self.name)), self.phrase, self.description)
        return ". ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two variables that look alike; the first was declared first.

    `nearness` is that of their descriptions (at most 1), `names` that of their names.
    `apart` is what the contrast guard found: with it, this is no proposal, only shown.
    """

    first: str
    second: str
    nearness: float
    names: float
    apart: tuple[Contrast, ...] = ()

    @property
    def is_proposal(self) -> bool:
        return not self.apart

    @property
    def rank(self) -> float:
        return max(self.nearness, self.names)


def find_candidates(variables: Sequence[Described], embedder: Embedder) -> list[Candidate]:
    """Every candidate, the likeliest first; equal input gives equal output."""
    texts = [variable.text for variable in variables]
    vectors = embedder.embed(texts)
    found: dict[tuple[int, int], Candidate] = {}
    for group in _groups(variables):
        for one, other in _pairs(group, variables, vectors):
            nearness = float(vectors[one] @ vectors[other])
            candidate = compare(variables[one], variables[other], nearness, embedder.near)
            if candidate is not None:
                found[one, other] = candidate
    return _nearest(found, variables)


def compare(first: Described, second: Described, nearness: float, near: float) -> Candidate | None:
    """Two variables of one sort and unit; None where they do not look alike."""
    names = fuzz.token_sort_ratio(" ".join(words(first.name)), " ".join(words(second.name)))
    alike = _overlap(stems(first.text), stems(second.text))
    if nearness < near and names < NEAR_NAME and alike < NEAR_WORDS:
        return None
    apart = contrasts(first.text, second.text)
    swap = single_swap(first.name, second.name)
    if not apart and swap is not None and not _explained(swap, first, second):
        apart = (swap,)
    # What a case supplies and what the policy decides are one only if they are called so.
    if not apart and first.role != second.role and names < NEAR_NAME:
        apart = (Contrast(first.role, second.role),)
    return Candidate(first.id, second.id, round(nearness, 4), round(names / 100, 4), apart)


def _explained(swap: Contrast, first: Described, second: Described) -> bool:
    """Whether the other text uses the word, too: then the two names are two words for one."""
    return bool(stems(swap.first) & stems(second.text) or stems(swap.second) & stems(first.text))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _groups(variables: Sequence[Described]) -> Iterator[list[int]]:
    """Of one sort and unit; one without a unit may be any number, so it is in every group."""
    by_sort: dict[str, list[int]] = defaultdict(list)
    for index, variable in enumerate(variables):
        by_sort[variable.sort].append(index)
    for members in by_sort.values():
        by_unit: dict[str, list[int]] = defaultdict(list)
        for index in members:
            by_unit[unit_key(variables[index].unit)].append(index)
        unknown = by_unit.pop("", [])
        if not by_unit:
            yield unknown
        for known in by_unit.values():
            yield sorted([*known, *unknown])


def unit_key(unit: str) -> str:
    """Equal for two ways to write one unit: `%` and `percent`."""
    measure = parse_unit(unit) if unit else None
    return str(measure) if measure is not None else ""


def _pairs(
    group: list[int], variables: Sequence[Described], vectors: Vectors
) -> Iterator[tuple[int, int]]:
    pairs = set(_by_words(group, variables))
    if len(group) <= MAX_BLOCK:
        pairs.update(_by_nearness(group, vectors))
    yield from sorted(pairs)


def _by_words(group: list[int], variables: Sequence[Described]) -> Iterator[tuple[int, int]]:
    """Those that share the most words, each word counting the more the fewer have it."""
    holders: dict[str, list[int]] = defaultdict(list)
    own = {index: stems(f"{variables[index].name} {variables[index].phrase}") for index in group}
    for index in group:
        for word in own[index]:
            holders[word].append(index)
    for index in group:
        shared: Counter[int] = Counter()
        for word in own[index]:
            if len(holders[word]) <= MAX_SHARED:
                for other in holders[word]:
                    if other != index:
                        shared[other] += 60 // len(holders[word])
        nearest = sorted(shared, key=lambda other: (-shared[other], other))[:NEAREST]
        yield from ((min(index, other), max(index, other)) for other in nearest)


def _by_nearness(group: list[int], vectors: Vectors) -> Iterator[tuple[int, int]]:
    import numpy

    if len(group) < 2:
        return
    own = vectors[group]
    count = min(NEAREST, len(group) - 1)
    for start in range(0, len(group), 256):
        block = own[start : start + 256] @ own.T
        rows = numpy.arange(len(block))
        block[rows, rows + start] = -1.0
        # A stable order, so that equal texts give equal pairs on every machine.
        nearest = numpy.argsort(-block, axis=1, kind="stable")[:, :count]
        for row, others in zip(rows, nearest, strict=True):
            one = group[start + int(row)]
            for other in others:
                yield min(one, group[int(other)]), max(one, group[int(other)])


def _nearest(
    found: Mapping[tuple[int, int], Candidate], variables: Sequence[Described]
) -> list[Candidate]:
    """Each variable's likeliest few; proposals and those kept apart are counted by themselves."""
    counts: Counter[tuple[int, bool]] = Counter()
    kept: list[Candidate] = []
    order = sorted(found.items(), key=lambda item: (-item[1].rank, item[0]))
    for (one, other), candidate in order:
        keys = [(one, candidate.is_proposal), (other, candidate.is_proposal)]
        if all(counts[key] < KEPT for key in keys):
            counts.update(keys)
            kept.append(candidate)
    return kept


def differences(first: Described, second: Described) -> Iterable[tuple[str, str, str]]:
    """Each part in which two variables differ, with both texts: for a person to compare."""
    for part in ("name", "phrase", "description", "unit", "role"):
        one, other = getattr(first, part), getattr(second, part)
        if one != other:
            yield part, one, other
