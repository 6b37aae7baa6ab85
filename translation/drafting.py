"""The statements of one span while the rounds with a model go on.

Kept are the pieces (declarations, rules, questions) and what is said of each sentence.
A later reply speaks only for the sentences that had problems. There it replaces what
was wrong, and adds; what was right stays, also where the reply spoils it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.models.draft import StatementState
from policywright.model import PolicyModel
from translation.assembling import TypedQuestion
from translation.formalizers import (
    QuestionDraft,
    Reading,
    RuleDraft,
    Run,
    SpanText,
    StatementDraft,
    UnitDraft,
)
from translation.mending import Mended
from translation.models import QuestionKind
from translation.pieces import Piece, PieceKind, shortened
from translation.quotes import find_quote

_NOTHING_SAID = "the model said nothing about this sentence"
_NO_SOURCE = "no source found: these words do not stand in the text"
_EMPTY = "it is said to be formalizable, but it has no declaration and no rule"
_NOT_EMPTY = "it is said not to be formalizable, but it has declarations or rules"
_SEVERAL = "these words stand in several sentences; say which is meant"

_PARTS: Mapping[str, PieceKind] = {
    "datatypes": "datatype",
    "variables": "variable",
    "rules": "rule",
    "open": "question",
}


@dataclass(frozen=True)
class Found:
    """Something wrong with what was said of a sentence, given by its index in the span.

    `piece` is None where it is wrong with the statement itself. `is_doubt` says that
    the piece was accepted: something is asked of it, once.
    """

    sentence: int
    cause: str
    piece: Piece | None = None
    is_doubt: bool = False

    def __str__(self) -> str:
        what = f"{self.piece.label}: " if self.piece else ""
        return f"sentence {self.sentence + 1}: {what}{self.cause}"

    def as_json(self) -> dict[str, Any]:
        """For the model, and for the log of the unit; the sentence is counted from 1.

        `piece` is what was written ("rule", "variable", "datatype", "question", or
        "statement"), `name` its name, `smtlib` what it said, empty for a declaration.
        """
        piece = self.piece
        return {
            "sentence": self.sentence + 1,
            "piece": piece.kind if piece else "statement",
            "name": piece.name[:120] if piece else "",
            "smtlib": shortened(piece.smtlib) if piece else "",
            "problem": self.cause,
            "is_question": self.is_doubt,
        }


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
        self._said: list[_Said] = []
        self._work = Mended(known)
        # What was asked of a piece is not asked again, however the answer looks.
        self._asked: set[tuple[str, str, tuple[int, ...]]] = set()
        self.has_statements = False

    def take(self, statements: Sequence[Mapping[str, Any]]) -> None:
        """Put a reply's statements in their places; the first reply speaks for all."""
        asked = {found.sentence for found in self.problems()}
        self._asked |= {_question_on(piece) for piece in self._work.doubts}
        said = [self._anchored(raw) for raw in statements]
        taken = [
            (one, _pieces(raw, one))
            for one, raw in zip(said, statements, strict=True)
            if not self.has_statements or one.places & asked
        ]
        new = [one for one, _ in taken]
        answered = {index for one in new for index in one.places}
        going_on = {index for one in new if one.formalizable for index in one.places}
        pieces = [piece for _, pieces in taken for piece in pieces]
        self._work.put(pieces, answered, answered - going_on)
        self._said = [*self._still_said(new), *new]
        self.has_statements = True

    def problems(self) -> list[Found]:
        """Everything wrong so far, and what is to be asked."""
        found = [*self._faults(), *self._refused()]
        found += [
            Found(piece.sentences[0], question, piece, is_doubt=True)
            for piece, question in self._work.doubts.items()
            if _question_on(piece) not in self._asked
        ]
        return found

    def kept(self) -> list[str]:
        """What is right in the sentences that have problems, by its label."""
        wrong = {found.sentence for found in self.problems()}
        return [
            piece.label
            for piece in self._work.pieces
            if wrong.intersection(piece.sentences) and self._work.is_right(piece)
        ]

    def finish(self, run: Run) -> UnitDraft:
        """The draft: one statement a sentence, and one for each quote without a source."""
        made = self._work.made
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
            questions=tuple(self._question(one) for one in made.questions),
        )

    def _anchored(self, raw: Mapping[str, Any]) -> _Said:
        claimed, quote, formalizable = int(raw["sentence"]) - 1, raw["quote"], raw["formalizable"]
        sentences = find_quote(quote, self._texts, claimed)
        if not formalizable and not sentences and 0 <= claimed < len(self._texts):
            # Nothing rests on the quote of a sentence that is left as it is.
            sentences = (claimed,)
        fault = ""
        if not sentences:
            rules = "; ".join(piece.text for piece in _parts(raw, ()) if piece.kind == "rule")
            fault = f"{_NO_SOURCE}; {rules}" if rules else _NO_SOURCE
        elif not formalizable and any(raw.get(name) for name in _PARTS):
            fault = _NOT_EMPTY
        return _Said(sentences, claimed, quote, formalizable, raw["reason"].strip(), fault)

    def _still_said(self, new: Sequence[_Said]) -> Iterator[_Said]:
        """What a new statement does not stand for.

        A sound statement stays, with the words that it quotes, where more is said of it.
        """
        for said in self._said:
            answers = [one for one in new if one.places & said.places]
            sound = said.formalizable and not said.fault
            if not answers or (sound and all(one.formalizable for one in answers)):
                yield said

    def _faults(self) -> Iterator[Found]:
        """What is wrong with the statements themselves."""
        stated = {index for said in self._said for index in said.places}
        for said in self._said:
            if fault := self._fault(said):
                yield Found(min(said.places), f"{fault} (`{said.quote[:200]}`)")
        for index in range(len(self._texts)):
            if index not in stated:
                yield Found(index, _NOTHING_SAID)

    def _refused(self) -> Iterator[Found]:
        for piece, cause in self._work.made.refused.items():
            yield Found(piece.sentences[0], cause, piece)

    def _fault(self, said: _Said) -> str:
        if said.fault or not said.formalizable:
            return said.fault
        has_some = any(said.places.intersection(piece.sentences) for piece in self._work.pieces)
        return "" if has_some else _EMPTY

    def _statement(self, index: int) -> StatementDraft:
        said = [one for one in self._said if index in one.sentences]
        causes = [fault for one in said if (fault := self._fault(one))]
        causes += [
            f"{piece.text}: {cause}"
            for piece, cause in self._work.made.refused.items()
            if index in piece.sentences
        ]
        left = [one.reason or "the model gave no reason" for one in said if not one.formalizable]
        has_rules = any(index in rule.sentences for rule in self._work.made.rules)
        if not said:
            causes.append(_NOTHING_SAID)
        elif left and has_rules:
            causes += left
        quote = said[0].quote.strip() if said else ""
        if causes:
            return StatementDraft(StatementState.FAILED, index, quote, "; ".join(causes))
        if left and not any(one.formalizable for one in said):
            return StatementDraft(StatementState.ABSTAINED, index, quote, "; ".join(left))
        remarks = [_SEVERAL] if any(len(one.sentences) > 1 for one in said) else []
        remarks += [
            f"{piece.text}: {question}"
            for piece, question in self._work.doubts.items()
            if index in piece.sentences
        ]
        return StatementDraft(StatementState.FORMALIZED, index, quote, "; ".join(remarks))

    def _question(self, asked: TypedQuestion) -> QuestionDraft:
        """The drafted reading comes first. The question's words are the model's, and it says so."""
        drafted = Reading(asked.as_written, asked.rule.term)
        other = Reading(asked.otherwise, asked.term)
        return QuestionDraft(
            rule=self._work.made.rules.index(asked.rule),
            kind=QuestionKind.READING,
            text=f"The model asks: {asked.text}",
            boundary={},
            readings=(drafted, other),
        )


def _pieces(raw: Mapping[str, Any], said: _Said) -> list[Piece]:
    """The pieces of a statement that has a source and says that it holds some."""
    return [] if said.fault or not said.formalizable else list(_parts(raw, said.sentences))


def _parts(raw: Mapping[str, Any], sentences: tuple[int, ...]) -> Iterator[Piece]:
    for name, kind in _PARTS.items():
        for data in raw.get(name, ()):
            yield Piece(kind, data, sentences)


def _question_on(piece: Piece) -> tuple[str, str, tuple[int, ...]]:
    return (*piece.key, piece.sentences)
