"""Phrases of a model that a sentence cannot tell apart, for the people who word them.

Rules still read exactly: such phrases stand in quotation marks. Better words
make better sentences, so each problem says what clashes with what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from policywright.english.folding import loose_key
from policywright.english.lattice import Lattice
from policywright.english.phrasebook import Entry, Phrasebook, phrasebook
from policywright.english.sayings import is_sayable
from policywright.model import PolicyModel
from policywright.terms import Apply, Literal, Term


class PhraseProblemKind(StrEnum):
    """How a phrase fails to stand for one thing."""

    SAME = "the same as another"
    ALIKE = "differs from another in its articles alone"
    TEMPLATE = "a number, or words that rules are made of"
    COMPOSED = "can be taken apart"
    NOT_SAYABLE = "cannot stand in a sentence"


@dataclass(frozen=True, slots=True)
class PhraseProblem:
    """`phrase` as it is given, the ids of the variables and values involved, a sentence."""

    kind: PhraseProblemKind
    phrase: str
    ids: tuple[str, ...]
    message: str


def phrase_problems(model: PolicyModel) -> tuple[PhraseProblem, ...]:
    """What is wrong with the phrases of a model, in the model's order; none where all is well.

    Values of different lists may be said alike: what they are compared with tells them apart.
    """
    book = phrasebook(model)
    entries = [entry for entry in book.entries if entry.shown]
    problems = [*_clashes(model, entries), *_single(model, book, entries)]
    return tuple(dict.fromkeys(problems))


def _clashes(model: PolicyModel, entries: list[Entry]) -> Iterator[PhraseProblem]:
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(loose_key(entry.key), []).append(entry)
    seen: set[tuple[str, str]] = set()
    for group in groups.values():
        for number, one in enumerate(group[1:], start=1):
            other = next((e for e in group[:number] if _clash(e, one)), None)
            if other is None or (_id(other), _id(one)) in seen:
                continue
            seen.add((_id(other), _id(one)))
            same = one.key == other.key
            kind = PhraseProblemKind.SAME if same else PhraseProblemKind.ALIKE
            how = "are both said" if same else "are told apart by an article alone:"
            yield PhraseProblem(
                kind,
                one.text,
                (_id(other), _id(one)),
                f"{_name(model, other)} and {_name(model, one)} {how} `{one.text}`; give one of "
                "them other words",
            )


def _clash(one: Entry, other: Entry) -> bool:
    values = one.type == other.type == "VALUE"
    return one.terms != other.terms and not (values and one.terms[0].sort != other.terms[0].sort)


def _single(model: PolicyModel, book: Phrasebook, entries: list[Entry]) -> Iterator[PhraseProblem]:
    for entry in entries:
        name, ids = _name(model, entry), (_id(entry),)
        if not is_sayable(" ".join(entry.text.split())):
            yield PhraseProblem(
                PhraseProblemKind.NOT_SAYABLE,
                entry.text,
                ids,
                f"{name} is said `{entry.text}`, which does not begin with a letter or a digit, "
                "or holds invisible characters",
            )
        elif book.is_reserved(entry):
            yield PhraseProblem(
                PhraseProblemKind.TEMPLATE,
                entry.text,
                ids,
                f"{name} is said `{entry.text}`, which rules use for something else",
            )
        elif pieces := _pieces(book, entry):
            shown = "`, `".join(pieces)
            yield PhraseProblem(
                PhraseProblemKind.COMPOSED,
                entry.text,
                ids,
                f"{name} is said `{entry.text}`, which can also be read as `{shown}`",
            )


def _pieces(book: Phrasebook, entry: Entry) -> list[str]:
    """Another way to take the phrase apart; empty if it is one piece alone."""
    if len(entry.key) < 2:
        return []
    lattice = Lattice(entry.text, book)
    place, pieces = 0, []
    while place < lattice.last:
        whole = [edge for edge in lattice.useful.get(place, ()) if edge[1] < lattice.last or place]
        if not whole:
            return []
        token, place = max(whole, key=lambda edge: edge[1])
        pieces += [token.text] if token else []
    return pieces if len(pieces) > 1 else []


def _id(entry: Entry) -> str:
    term = _said(entry.terms[0])
    return str(term.value) if isinstance(term, Literal) else getattr(term, "id", "")


def _name(model: PolicyModel, entry: Entry) -> str:
    term = _said(entry.terms[0])
    if isinstance(term, Literal):
        datatype = model.datatype_by_id[term.sort.key]
        return f"the value `{datatype.value(str(term.value)).name}` of `{datatype.name}`"
    name = f"`{model.name_of(_id(entry))}`"
    return f"that {name} does not hold" if isinstance(entry.terms[0], Apply) else name


def _said(term: Term) -> Term:
    return term.args[0] if isinstance(term, Apply) else term
