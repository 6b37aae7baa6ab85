"""What was written for one sentence in each round, and why it was not taken: from a unit's log.

The log holds one entry a reply; `wrong` in it lists pieces as `drafting.Found.as_json`
gives them. A sentence goes by its number among the unit's statements, as in the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.models import Statement, Unit


@dataclass(frozen=True)
class Written:
    """What a piece said in a round (empty for a declaration), and what was wrong with it.

    `is_question` says that it was typed, and asked about: it may stand all the same.
    """

    round: int
    smtlib: str
    problem: str
    is_question: bool


@dataclass(frozen=True)
class PieceHistory:
    """A rule, variable, datatype or question by its name; a statement itself has none."""

    piece: str
    name: str
    written: tuple[Written, ...]


def histories_of(unit: Unit, statements: Sequence[Statement]) -> list[PieceHistory]:
    """Each piece of the statements' sentences that something was wrong with, first things first.

    The statements are some of the unit's. One query.
    """
    rows = Statement.objects.filter(unit=unit, sentence__isnull=False).order_by("pk")
    numbers = {pk: number for number, pk in enumerate(rows.values_list("pk", flat=True), start=1)}
    return [
        piece
        for one in statements
        if one.pk in numbers
        for piece in histories(unit.log, numbers[one.pk])
    ]


def histories(log: Iterable[Mapping[str, Any]], sentence: int) -> tuple[PieceHistory, ...]:
    """The same from a log, for the sentence of that number, counted from 1."""
    found: dict[tuple[str, str], list[Written]] = {}
    for number, entry in rounds_of(log).items():
        for one in entry.get("wrong", ()):
            if one["sentence"] == sentence:
                written = Written(number, one["smtlib"], one["problem"], one["is_question"])
                found.setdefault((one["piece"], one["name"]), []).append(written)
    return tuple(PieceHistory(*key, tuple(written)) for key, written in found.items())


def rounds_of(log: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """The entries by their round, counted from 1; a reply that was cut is no round of its own."""
    return dict(enumerate((entry for entry in log if not entry.get("was_cut")), start=1))
