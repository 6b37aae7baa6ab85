"""The pieces of a span from round to round: what was wrong is replaced, what was right stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from policywright.model import PolicyModel
from translation.assembling import Assembled, assemble
from translation.doubts import doubts
from translation.pieces import Piece

_DECLARATIONS = ("datatype", "variable")


class Mended:
    """`pieces` are all that stand, `made` what came of them, `doubts` what is to be asked."""

    def __init__(self, known: PolicyModel) -> None:
        self._known = known
        self.pieces: list[Piece] = []
        self.made = Assembled(known)
        self.doubts: dict[Piece, str] = {}

    def put(self, new: Sequence[Piece], answered: set[int], given_up: set[int]) -> None:
        """Take the pieces of a reply; `answered` are the sentences that it speaks of.

        Of those that are `given_up` it says that nothing more can be done. A piece that
        is sent again takes the place of what it was, unless something would be refused
        that was right: then the declarations, and what was right, stay as they were.
        """
        old = [one for one in self.pieces if not self._is_settled(one, new, answered, given_up)]
        again = {one: _namesakes(one, new) for one in old if self._is_accepted(one)}
        kept = list(dict.fromkeys(p for one in old for p in _in_place(one, again.get(one))))
        rest = _without(kept, new)
        made = assemble(kept, self._known, rest)
        right = {one for one in again if one in kept}.union(*again.values())
        if not right.isdisjoint(made.refused):
            kept, rest = old, list(new)
            made = assemble(kept, self._known, rest)
        gone = self._replaced(kept, rest, made)
        kept, rest = _without(gone, kept), _without(gone, rest)
        self.pieces = [*kept, *rest]
        self.made = assemble(kept, self._known, rest)
        self.doubts = doubts(self.pieces, self.made)

    def is_right(self, piece: Piece) -> bool:
        return self._is_accepted(piece) and piece not in self.doubts

    def _is_accepted(self, piece: Piece) -> bool:
        return piece not in self.made.refused

    def _is_settled(
        self, piece: Piece, new: Iterable[Piece], answered: set[int], given_up: set[int]
    ) -> bool:
        """Whether a refused piece is off the table by what is said now.

        A declaration is: if it is still missed, it is missed by the rules that need it.
        """
        if self._is_accepted(piece) or answered.isdisjoint(piece.sentences):
            return False
        is_given_up = given_up.issuperset(answered.intersection(piece.sentences))
        return piece.kind in _DECLARATIONS or is_given_up or bool(_namesakes(piece, new))

    def _replaced(self, old: Sequence[Piece], new: Sequence[Piece], made: Assembled) -> set[Piece]:
        """Rules and questions of which another one stands for the same."""
        wrong = [one for one in old if not self.is_right(one)]
        gone = _answered_by_others(wrong, self.pieces, new, made)
        for piece in old:
            if piece.kind in _DECLARATIONS:
                continue
            taken = [one for one in _namesakes(piece, new) if one not in made.refused]
            if taken or (piece.kind == "question" and _has_rule(piece, new, made)):
                gone.add(piece)
            elif self.is_right(piece):
                gone.update(_namesakes(piece, new))
        return gone


def _answered_by_others(
    wrong: Sequence[Piece], before: Sequence[Piece], new: Sequence[Piece], made: Assembled
) -> set[Piece]:
    """Rules that were wrong, where as many came under other names as are wanting."""
    accepted = {rule.piece for rule in made.rules}
    fresh: Counter[int] = Counter()
    for piece in new:
        if piece in accepted and not _namesakes(piece, before):
            fresh.update(piece.sentences)
    wanting: dict[int, set[Piece]] = {}
    for piece in wrong:
        if piece.kind == "rule" and not _namesakes(piece, new):
            for index in piece.sentences:
                wanting.setdefault(index, set()).add(piece)
    enough = (pieces for index, pieces in wanting.items() if fresh[index] >= len(pieces))
    return set().union(*enough)


def _has_rule(question: Piece, new: Iterable[Piece], made: Assembled) -> bool:
    return any(
        one.key == ("rule", question.name)
        and one.shares_a_sentence(question)
        and one not in made.refused
        for one in new
    )


def _in_place(piece: Piece, again: Sequence[Piece] | None) -> Sequence[Piece]:
    """A piece, or the declaration that stands in its place: others may need it there."""
    if not again:
        return [piece]
    return again[:1] if piece.kind in _DECLARATIONS else []


def _namesakes(piece: Piece, others: Iterable[Piece]) -> list[Piece]:
    """Those that stand for the same: a declaration anywhere, a rule in its own sentence."""
    return [
        other
        for other in others
        if other.key == piece.key
        and (piece.kind in _DECLARATIONS or other.shares_a_sentence(piece))
    ]


def _without(gone: Collection[Piece], pieces: Iterable[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece not in gone]
