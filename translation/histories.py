"""What was written for one sentence in each round, and why it was not taken: from a unit's log.

The log holds one entry a reply; `wrong` in it lists pieces as `drafting.Found.as_json`
gives them. A sentence goes by its number among the unit's statements, as in the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policies.models import Statement


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


def histories_of(statement: Statement) -> tuple[PieceHistory, ...]:
    """Each piece of the statement's sentence that something was wrong with, first things first."""
    if statement.sentence_id is None:
        return ()
    rows = Statement.objects.filter(unit=statement.unit_id, sentence__isnull=False)
    number = rows.filter(pk__lte=statement.pk).count()
    return histories(statement.unit.log, number)


def histories(log: Iterable[Mapping[str, Any]], sentence: int) -> tuple[PieceHistory, ...]:
    """The same from a log, for the sentence of that number, counted from 1."""
    found: dict[tuple[str, str], list[Written]] = {}
    whole = (entry for entry in log if not entry.get("was_cut"))
    for number, entry in enumerate(whole, start=1):
        for one in entry.get("wrong", ()):
            if one["sentence"] == sentence:
                written = Written(number, one["smtlib"], one["problem"], one["is_question"])
                found.setdefault((one["piece"], one["name"]), []).append(written)
    return tuple(PieceHistory(*key, tuple(written)) for key, written in found.items())
