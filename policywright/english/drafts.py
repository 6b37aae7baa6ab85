"""What drafting takes and gives: a sentence in, rules with their questions or an abstention out.

Plain data, so that callers can import it without loading the grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from policywright.english.places import Word
from policywright.model import Datatype, Kind, Variable
from policywright.terms import Term


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence with what stands around it.

    `headings` are the titles above it, outermost first. For an item of a list,
    `context` is its lead-in and the list's connective (`and`, `or` or empty), pairs
    from the outermost list to the innermost. `before` is the sentence before it in
    the same paragraph, which it may lean on (`In that case`).
    """

    text: str
    headings: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    before: str = ""


class AbstentionKind(StrEnum):
    """Why a sentence gave no rule."""

    NOT_A_RULE = "not a rule"
    NOT_UNDERSTOOD = "not understood"
    NEEDS_JUDGEMENT = "needs judgement"
    AMBIGUOUS = "ambiguous"
    TOO_LONG = "too long"


@dataclass(frozen=True, slots=True)
class Abstention:
    """No rule was drafted: a sentence that says why, and the words that stood in the way."""

    kind: AbstentionKind
    reason: str
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftedRule:
    name: str
    term: Term
    kind: Kind = Kind.RULE


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer to a question: its words, and the term that the rule then has."""

    label: str
    term: Term


class QuestionKind(StrEnum):
    """What a sentence leaves open."""

    BOUNDARY = "boundary"
    DIRECTION = "direction"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class DraftedQuestion:
    """What the words of a rule leave open; the rule waits until somebody picks a reading.

    A rule has at most one question. Where several things are open, `kind` is the
    first of them and the readings are all combinations, each a whole term, so
    that one answer settles the rule. `boundary` is the case at the edge, by
    variable id, empty where the question is not about an edge.
    """

    rule_index: int
    kind: QuestionKind
    text: str
    readings: tuple[Reading, ...]
    boundary: Mapping[str, bool | int | Fraction | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """Rules drafted from one sentence, every word of it accounted for.

    `variables` and `datatypes` are new ones only; a rule also uses known ones.
    """

    rules: tuple[DraftedRule, ...]
    variables: tuple[Variable, ...] = ()
    datatypes: tuple[Datatype, ...] = ()
    questions: tuple[DraftedQuestion, ...] = ()
