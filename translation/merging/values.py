"""Pairs the values of two datatypes: a datatype is merged value by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from policywright.model import Datatype, Value
from translation.merging.words import stems, words

# This share of the smaller datatype's values must be found in the larger one.
ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class DatatypeCandidate:
    """Two datatypes that share values; `pairs` maps values of the second to the first's."""

    first: str
    second: str
    pairs: tuple[tuple[str, str], ...]
    share: float


def pair_values(first: Datatype, second: Datatype) -> dict[str, str]:
    """Values of the second with the one of the first that has the same name or phrase.

    A value without a partner is left out: merged, it stays a value of its own.
    """
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for same in (_same_name, _same_words):
        for value in second.values:
            if value.id in pairs:
                continue
            for other in first.values:
                if other.id not in taken and same(value, other):
                    pairs[value.id] = other.id
                    taken.add(other.id)
                    break
    return pairs


def datatype_candidates(datatypes: Sequence[Datatype]) -> Iterator[DatatypeCandidate]:
    """Datatypes that share at least half of the smaller one's values, in order.

    Two are compared only if some value of theirs has the same words.
    """
    holders: dict[frozenset[str], list[int]] = {}
    for index, datatype in enumerate(datatypes):
        for said in {said for value in datatype.values for said in _sayings(value)}:
            holders.setdefault(said, []).append(index)
    pairs = {
        (one, other)
        for indexes in holders.values()
        # `yes`, `other`: a value that everybody has is no sign of one datatype.
        if len(indexes) <= 20
        for position, one in enumerate(indexes)
        for other in indexes[position + 1 :]
    }
    for one, other in sorted(pairs):
        first, second = datatypes[one], datatypes[other]
        paired = pair_values(first, second)
        share = len(paired) / min(len(first.values), len(second.values))
        if share >= ENOUGH and len(paired) > 1:
            yield DatatypeCandidate(first.id, second.id, tuple(paired.items()), round(share, 4))


def _sayings(value: Value) -> tuple[frozenset[str], ...]:
    name, phrase = stems(value.name), stems(value.phrase)
    return tuple(dict.fromkeys(said for said in (name, phrase) if said))


def _same_name(one: Value, other: Value) -> bool:
    return words(one.name) == words(other.name) or bool(
        one.phrase and one.phrase.casefold() == other.phrase.casefold()
    )


def _same_words(one: Value, other: Value) -> bool:
    return bool(set(_sayings(one)) & set(_sayings(other)))
