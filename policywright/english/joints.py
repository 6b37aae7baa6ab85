"""Rows of conditions joined by `and`, `or` and commas: every way to read one.

`A, B and C` is one list. Where `and` and `or` meet without a list, both ways to
group them are given; so are both of `either A or B`, and of 'it is not true that
A and B'. `and/or` is the `or` that allows both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from policywright.english.places import Word
from policywright.errors import PolicywrightError
from policywright.terms import Term, and_, eq, not_, or_

MAX_READINGS = 16
Readings = tuple[Term, ...]


class RuleNotReadError(PolicywrightError):
    """A text that is no rule of the model; `words` are those that were not understood.

    `near` holds, for each of the first of them, known phrases that resemble it.
    """

    def __init__(
        self, reason: str, words: Sequence[Word] = (), near: Sequence[tuple[str, ...]] = ()
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = tuple(words)
        self.near = tuple(near)


@dataclass(frozen=True, slots=True)
class Part:
    """A condition of a row with its readings and the markers before it: EITHER, UNTRUE, ..."""

    readings: Readings
    markers: tuple[str, ...]
    word: Word


def combine(build: Callable[..., Term], *parts: Readings) -> Readings:
    """The term for each choice of readings, without repeats.

    Raises RuleNotReadError for more than `MAX_READINGS`.
    """
    if all(len(readings) == 1 for readings in parts):
        return (build(*(readings[0] for readings in parts)),)
    found: dict[Term, None] = {}
    for chosen in product(*parts):
        found[build(*chosen)] = None
        if len(found) > MAX_READINGS:
            raise RuleNotReadError("this can be read in very many ways; write it as a list")
    return tuple(found)


def joined(parts: Sequence[Part], joints: Sequence[str], tail: str) -> Readings:
    """The readings of a whole row; `tail` is NOTBOTH, ORBOTH or empty."""
    joints = ["OR" if joint == "ANDOR" else joint for joint in joints]
    grouped, joints, tail = _grouped(list(parts), joints, tail)
    if tail:
        return _with_tail(grouped, joints, tail)
    if len(grouped) == 1:
        return _negated(grouped[0])
    words = {joint for joint in joints if joint != "COMMA"}
    if "COMMA" in joints and (set(joints[:-1]) != {"COMMA"} or joints[-1] == "COMMA"):
        raise RuleNotReadError(
            "a comma joins conditions only in `A, B and C`; write a list, or `then`",
            [grouped[joints.index("COMMA")].word],
        )
    if words <= {"AND"} or words <= {"OR"}:
        return _scoped(grouped, and_ if words <= {"AND"} else or_)
    found = [_tight(grouped, joints, tight) for tight in ("AND", "OR")]
    return tuple(dict.fromkeys(term for readings in found for term in readings))


def _grouped(parts: list[Part], joints: list[str], tail: str) -> tuple[list[Part], list[str], str]:
    """`either`, `both` and `neither` take the conditions that they join into one."""
    kept: list[Part] = []
    between: list[str] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        marker = next((m for m in part.markers if m != "UNTRUE"), "")
        last = index
        if marker:
            joint = {"BOTH": "AND", "EITHER": "OR", "NEITHER": "NOR"}[marker]
            while last < len(joints) and joints[last] == joint and not parts[last + 1].markers:
                last += 1
                if marker == "BOTH":
                    break
            if last == index or part.markers[-1] != marker:
                raise RuleNotReadError(
                    f"`{marker.lower()}` needs `{joint.lower()}` and a condition behind it",
                    [part.word],
                )
            ends_row = last == len(parts) - 1
            readings = _marked(marker, parts[index : last + 1], tail if ends_row else "")
            tail = "" if ends_row and marker == "EITHER" else tail
            part = Part(readings, part.markers[:-1], part.word)
        kept.append(part)
        if last < len(joints):
            between.append(joints[last])
        index = last + 1
    if "NOR" in between:
        raise RuleNotReadError("`nor` needs `neither` before it", [kept[between.index("NOR")].word])
    return kept, between, tail


def _marked(marker: str, parts: Sequence[Part], tail: str) -> Readings:
    readings = [part.readings for part in parts]
    if marker == "BOTH":
        return combine(and_, *readings)
    inclusive = combine(or_, *readings)
    if marker == "NEITHER":
        return tuple(not_(term) for term in inclusive)
    if tail == "ORBOTH" or len(parts) > 2:
        return inclusive
    exclusive = combine(_either, *readings)
    return exclusive if tail == "NOTBOTH" else (*inclusive, *exclusive)


def _with_tail(parts: Sequence[Part], joints: Sequence[str], tail: str) -> Readings:
    if len(parts) != 2 or list(joints) != ["OR"] or any(part.markers for part in parts):
        words = "but not both" if tail == "NOTBOTH" else "or both"
        raise RuleNotReadError(f"`{words}` is said of two conditions", [parts[-1].word])
    return combine(_either if tail == "NOTBOTH" else or_, *(part.readings for part in parts))


def _either(one: Term, other: Term) -> Term:
    return not_(eq(one, other))


def _scoped(parts: Sequence[Part], join: Callable[..., Term]) -> Readings:
    """A row of one word; a 'not' before its first condition may mean the whole row."""
    found = list(combine(join, *(_negated(part) for part in parts)))
    if parts[0].markers:
        first = Part(parts[0].readings, parts[0].markers[1:], parts[0].word)
        whole = combine(join, _negated(first), *(_negated(part) for part in parts[1:]))
        found += [not_(term) for term in whole]
    return tuple(dict.fromkeys(found))


def _negated(part: Part) -> Readings:
    readings: Iterable[Term] = part.readings
    for _ in part.markers:
        readings = [not_(term) for term in readings]
    return tuple(readings)


def _tight(parts: Sequence[Part], joints: Sequence[str], tight: str) -> Readings:
    """The row with one of the two words read as binding more closely."""
    groups: list[list[Part]] = [[parts[0]]]
    for joint, part in zip(joints, parts[1:], strict=True):
        if joint == tight:
            groups[-1].append(part)
        else:
            groups.append([part])
    inner, outer = (and_, or_) if tight == "AND" else (or_, and_)
    terms = [combine(inner, *(_negated(part) for part in group)) for group in groups]
    return combine(outer, *terms)
