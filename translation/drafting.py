"""The statements of one span while the rounds with a model go on.

Kept are the pieces (declarations and rules) and what is said of each sentence.
A later reply speaks only for the sentences that had problems: there it replaces
what was refused, and adds; everything else stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.models.draft import StatementState
from policywright.model import PolicyModel
from translation.assembling import Assembled, Piece, assemble
from translation.formalizers import RuleDraft, Run, SpanText, StatementDraft, UnitDraft
from translation.quotes import find_quote

_NOTHING_SAID = "the model said nothing about this sentence"
_NO_SOURCE = "no source found: these words do not stand in the text"
_EMPTY = "it is said to be formalizable, but it has no declaration and no rule"
_NOT_EMPTY = "it is said not to be formalizable, but it has declarations or rules"


@dataclass(frozen=True)
class _Said:
    """A statement without its pieces; `sentences` is empty where its quote has no source.

    `claimed` is the index that the model named. `fault` is what is wrong with the
    statement itself.
    """

    sentences: tuple[int, ...]
    claimed: int
    quote: str
    formalizable: bool
    reason: str
    fault: str

    @property
    def places(self) -> frozenset[int]:
        """The sentences that a better statement would be about."""
        return frozenset(self.sentences or (self.claimed,))


class Workpiece:
    """Filled by `take` in each round; `finish` gives the draft."""

    def __init__(self, span: SpanText, known: PolicyModel) -> None:
        self._texts = [sentence.text for sentence in span.sentences]
        self._known = known
        self._said: list[_Said] = []
        self._pieces: list[Piece] = []
        self._made: Assembled | None = None

    @property
    def has_statements(self) -> bool:
        return self._made is not None

    def take(self, statements: Sequence[Mapping[str, Any]]) -> None:
        """Put a reply's statements in their places; the first reply speaks for all."""
        said = [self._anchored(raw) for raw in statements]
        asked = {index for index, _ in self._problems()} if self._made is not None else None
        new = [
            (one, _pieces(raw, one))
            for one, raw in zip(said, statements, strict=True)
            if asked is None or one.places & asked
        ]
        self._forget({index for one, _ in new for index in one.places}, [p for _, p in new])
        self._said += [one for one, _ in new]
        self._pieces += [piece for _, pieces in new for piece in pieces]
        self._made = assemble(self._pieces, self._known)

    def problems(self) -> list[str]:
        """Everything wrong so far, as sentences for the model."""
        return [f"sentence {index + 1}: {problem}" for index, problem in self._problems()]

    def finish(self, run: Run) -> UnitDraft:
        """The draft: one statement a sentence, and one for each quote without a source."""
        made = self._made or Assembled()
        statements = [self._statement(index) for index in range(len(self._texts))]
        statements += [
            StatementDraft(StatementState.FAILED, None, said.quote, said.fault)
            for said in self._said
            if not said.sentences
        ]
        return UnitDraft(
            run=run,
            statements=tuple(statements),
            datatypes=tuple(made.datatypes.values()),
            variables=tuple(made.variables.values()),
            rules=tuple(RuleDraft(r.name, r.term, r.kind, r.sentences) for r in made.rules),
        )

    def _anchored(self, raw: Mapping[str, Any]) -> _Said:
        claimed, quote, formalizable = int(raw["sentence"]) - 1, raw["quote"], raw["formalizable"]
        sentences = find_quote(quote, self._texts, claimed)
        if not formalizable and not sentences and 0 <= claimed < len(self._texts):
            # Nothing rests on the quote of a sentence that is left as it is.
            sentences = (claimed,)
        has_pieces = bool(raw["datatypes"] or raw["variables"] or raw["rules"])
        if not sentences:
            rules = "; ".join(piece.text for piece in _rules(raw))
            fault = f"{_NO_SOURCE}; {rules}" if rules else _NO_SOURCE
        elif formalizable is has_pieces:
            fault = ""
        else:
            fault = _EMPTY if formalizable else _NOT_EMPTY
        return _Said(sentences, claimed, quote, formalizable, raw["reason"].strip(), fault)

    def _forget(self, answered: set[int], new: Sequence[Sequence[Piece]]) -> None:
        """Drop what the new statements stand for: what was said, refused, or is said anew."""
        keys = {piece.key for pieces in new for piece in pieces}
        refused = self._made.refused if self._made is not None else {}
        self._said = [said for said in self._said if not said.places & answered]
        self._pieces = [
            piece
            for piece in self._pieces
            if not answered.intersection(piece.sentences)
            or (piece not in refused and piece.key not in keys)
        ]

    def _problems(self) -> Iterator[tuple[int, str]]:
        """Each problem with the index of the sentence it is about."""
        stated = {index for said in self._said for index in said.places}
        for said in self._said:
            if said.fault:
                place = min(said.places)
                yield place, f"{said.fault} (`{said.quote[:200]}`)"
        for piece, cause in (self._made.refused if self._made is not None else {}).items():
            yield piece.sentences[0], f"{piece.label}: {cause}"
        for index in range(len(self._texts)):
            if index not in stated:
                yield index, _NOTHING_SAID

    def _statement(self, index: int) -> StatementDraft:
        made = self._made or Assembled()
        said = [one for one in self._said if index in one.sentences]
        causes = [one.fault for one in said if one.fault]
        causes += [
            f"{piece.text}: {cause}"
            for piece, cause in made.refused.items()
            if index in piece.sentences
        ]
        left = [one.reason or "the model gave no reason" for one in said if not one.formalizable]
        has_rules = any(index in rule.sentences for rule in made.rules)
        if not said:
            causes.append(_NOTHING_SAID)
        elif left and has_rules:
            causes += left
        quote = said[0].quote.strip() if said else ""
        if causes:
            return StatementDraft(StatementState.FAILED, index, quote, "; ".join(causes))
        if left and not any(one.formalizable for one in said):
            return StatementDraft(StatementState.ABSTAINED, index, quote, "; ".join(left))
        shared = any(len(one.sentences) > 1 for one in said)
        reason = "these words stand in several sentences; say which is meant" if shared else ""
        return StatementDraft(StatementState.FORMALIZED, index, quote, reason)


def _pieces(raw: Mapping[str, Any], said: _Said) -> list[Piece]:
    """The pieces of a statement that has a source and says that it holds some."""
    if said.fault or not said.formalizable:
        return []
    return [
        *(Piece("datatype", data, said.sentences) for data in raw["datatypes"]),
        *(Piece("variable", data, said.sentences) for data in raw["variables"]),
        *_rules(raw, said.sentences),
    ]


def _rules(raw: Mapping[str, Any], sentences: tuple[int, ...] = ()) -> list[Piece]:
    return [Piece("rule", data, sentences) for data in raw["rules"]]
