"""What a formalizer is: a span's sentences in, a unit's draft out.

A draft is plain values. It names new datatypes and variables by ids of its own;
`translation.integration` gives them their place in the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from policies.models.draft import StatementState
from policywright.model import Datatype, Kind, PolicyModel, Variable
from policywright.terms import Term
from translation.models import QuestionKind
from translation.naming import BUILTIN

if TYPE_CHECKING:
    from translation.asking import Asker

Cancelled = Callable[[], bool]


class FormalizerError(Exception):
    """A span could not be formalized at all; the message is one sentence for its reader."""

    def as_sentence(self) -> str:
        """The message with a capital and a full stop, to stand by itself."""
        text = str(self)
        return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class CancelledError(FormalizerError):
    """Someone cancelled the job while the span was in work; so many requests were sent."""

    requests: int = 0

    def __init__(self, message: str = "cancelled before this part was finished") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class SentenceText:
    """A sentence with what is shown beside it.

    `context` is pairs of lead-in and connective for an item of a list, header cells for
    a row of a table. `pointed` are the sentences that it leans on: clauses it refers
    to, definitions of its terms, its footnotes. `page` is 0 where there are no pages.
    """

    text: str
    headings: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    number: str = ""
    page: int = 0
    pointed: tuple[str, ...] = ()

    @property
    def is_row(self) -> bool:
        """True for a row of a table: its cells stand between tabs, as no item's words do."""
        return bool(self.context) and ("\t" in self.text or len(self.context) % 2 == 1)


@dataclass(frozen=True)
class SpanText:
    """The sentences of a span that are to be formalized, in document order."""

    document: str
    sentences: tuple[SentenceText, ...]


@dataclass(frozen=True)
class Word:
    """`text[start:end)` of a sentence; a word of its lead-in has start = end = 0."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class StatementDraft:
    """What is said of one sentence, given by its index in the span.

    `sentence` is None where a quote stands in no sentence. `words` were not understood.
    """

    state: StatementState
    sentence: int | None
    quote: str
    reason: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True)
class RuleDraft:
    """A rule over known and drafted ids; `sentences` are the indexes it comes from."""

    name: str
    term: Term
    kind: Kind
    sentences: tuple[int, ...]


@dataclass(frozen=True)
class Told:
    """What is known of a reading that translators gave; see `translation.models.Question`.

    `retires` are the indexes of the draft's rules that go if it is chosen.
    """

    retires: tuple[int, ...]
    claim: Term | None
    says: str
    translations: int


@dataclass(frozen=True)
class Reading:
    label: str
    term: Term
    told: Told | None = None


@dataclass(frozen=True)
class QuestionDraft:
    """What a rule's words leave open; `rule` is an index, the drafted reading comes first.

    `boundary` maps a variable's id to the value at the edge.
    """

    rule: int
    kind: QuestionKind
    text: str
    boundary: Mapping[str, bool | int | Fraction | str]
    readings: tuple[Reading, ...]


@dataclass(frozen=True)
class Run:
    """What making a draft took; `cost_usd` is None where the price is unknown."""

    formalizer: str
    prompt_version: str = ""
    rounds: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = None
    log: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class UnitDraft:
    """Everything a formalizer made of one span; every sentence has a statement."""

    run: Run
    statements: tuple[StatementDraft, ...]
    datatypes: tuple[Datatype, ...] = ()
    variables: tuple[Variable, ...] = ()
    rules: tuple[RuleDraft, ...] = ()
    questions: tuple[QuestionDraft, ...] = field(default=())


class Formalizer(Protocol):
    """Makes a draft of a span.

    `name` is kept with each unit, and tells formalizers apart. `in_order` says that
    a span is to be begun only when those before it are done, since it builds on them.
    """

    @property
    def name(self) -> str: ...

    @property
    def in_order(self) -> bool: ...

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        """Draft a unit on the declarations `known` so far.

        Raises FormalizerError where nothing can be said of the span as a whole.
        """
        ...


def choose_formalizer(choice: str = "", asker: Asker | None = None) -> Formalizer:
    """The formalizer that a policy names, or the settings' where it names none.

    `asker` is how a model is asked; without one it is asked at once.

    `builtin`; `litellm` with the settings' model; `litellm:MODEL` with another.
    Raises FormalizerError for any other word, or where no model is named.
    """
    from django.conf import settings

    wanted = choice or settings.POLICYWRIGHT_FORMALIZER
    if wanted == BUILTIN:
        from translation.builtin import BuiltinFormalizer

        return BuiltinFormalizer()
    word, _, model = wanted.partition(":")
    if word != "litellm":
        raise FormalizerError(
            f"`{wanted[:80]}` is not a formalizer; choose builtin, litellm or litellm:MODEL"
        )
    from translation.connection import connection_named
    from translation.in_parts import InParts
    from translation.litellm_formalizer import LiteLlmFormalizer

    return InParts(LiteLlmFormalizer(connection_named(model), asker))
