"""A model as a translator: asked once, and once more about what could not be used.

Nothing may be declared: a condition over a name that is not there is refused with its
cause, like one that is no condition. What is refused twice is kept as failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policywright.errors import ReadError, SortError
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.smtlib import read_term
from policywright.sorts import BOOL
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Term, symbols
from translation.asking import Asker, DirectAsker
from translation.connection import Connection
from translation.ensemble.translators import Translated
from translation.formalizers import Cancelled, SpanText
from translation.llm_answers import Messages
from translation.llm_errors import LlmBadAnswerError
from translation.models import Purpose, TranslationState
from translation.prompt import (
    messages_of,
    prompt_of,
    repair_messages,
    schema_of,
    sentence_data,
)
from translation.replies import ReplyError, read_json
from translation.whole_replies import ask_whole

VERSION = "translate-1"
MAX_ROUNDS = 2
MAX_CONDITIONS = 20
# At 0 a model asked again says the same again.
TEMPERATURE = 0.7

_NOTHING_SAID = "it said nothing about this sentence"


def system_prompt() -> str:
    return prompt_of(VERSION)


def schema() -> Mapping[str, Any]:
    return schema_of(VERSION)


class ModelTranslator:
    """`sample` is 0 for the first time that a model is asked, and counts up."""

    def __init__(
        self, name: str, connection: Connection, asker: Asker | None = None, sample: int = 0
    ) -> None:
        self.name, self.connection, self.sample = name, connection, sample
        self.asker = asker or DirectAsker()

    def translate(
        self, span: SpanText, wanted: Sequence[int], declared: PolicyModel, *, cancelled: Cancelled
    ) -> list[Translated]:
        """Raises LlmError or CancelledError, and LlmBadAnswerError if no reply can be read."""
        messages = messages_of(system_prompt(), declared, _lines(span, wanted))
        found: dict[int, Translated] = {}
        unread = ""
        for turn in range(MAX_ROUNDS):
            reply = self._ask(messages, cancelled)
            try:
                data, _ = read_json(reply, schema())
                unread = ""
            except ReplyError as error:
                unread = str(error)
                data = {"translations": []}
            open_still = [one for one in wanted if not _is_settled(found.get(one))]
            found |= read_entries(data["translations"], open_still, declared)
            wrong = [_wrong(found, one) for one in wanted if not _is_settled(found.get(one))]
            if turn + 1 == MAX_ROUNDS or not (wrong or unread):
                break
            told = [{"problem": unread}] if unread else wrong
            kept = [f"sentence {one + 1}" for one in wanted if _is_settled(found.get(one))]
            messages = [*messages, *repair_messages(reply, told, kept)]
        if unread and not found:
            raise LlmBadAnswerError(
                f"`{self.connection.name}` did not answer as asked; {unread}; choose another model"
            )
        nothing = {one: _failed(one, _NOTHING_SAID) for one in wanted}
        return [(nothing | found)[one] for one in wanted]

    def _ask(self, messages: Messages, cancelled: Cancelled) -> str:
        reply = ask_whole(
            self.asker,
            self.connection,
            messages,
            schema(),
            purpose=Purpose.TRANSLATE,
            sample=self.sample,
            temperature=TEMPERATURE if self.sample else 0,
            cancelled=cancelled,
            shorter="split the section",
        )
        return reply.text


def _lines(span: SpanText, wanted: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {"sentence": index + 1, "translate": index in wanted, **sentence_data(one)}
        for index, one in enumerate(span.sentences)
    ]


def _is_settled(said: Translated | None) -> bool:
    return said is not None and said.state is not TranslationState.FAILED


def _wrong(found: Mapping[int, Translated], sentence: int) -> dict[str, Any]:
    said = found.get(sentence)
    return {"sentence": sentence + 1, "problem": said.reason if said else _NOTHING_SAID}


def read_entries(
    entries: Sequence[Mapping[str, Any]], wanted: Sequence[int], declared: PolicyModel
) -> dict[int, Translated]:
    """What a reply says of the wanted sentences; of two entries for one neither counts."""
    found: dict[int, Translated] = {}
    for entry in entries:
        sentence = int(entry["sentence"]) - 1  # JSON's 1.0 is a whole number, too
        if sentence not in wanted:
            continue
        if sentence in found:
            found[sentence] = _failed(sentence, "it has two entries; send one for each sentence")
        else:
            found[sentence] = _translated(sentence, entry, declared)
    return found


def _translated(sentence: int, entry: Mapping[str, Any], declared: PolicyModel) -> Translated:
    conditions, reason = entry["conditions"], " ".join(entry["reason"].split())
    if entry["cannot"]:
        if conditions:
            return _failed(sentence, "it is said that it cannot be translated, but it is")
        why = reason or "it gave no reason"
        return Translated(sentence, TranslationState.ABSTAINED, reason=why)
    if not conditions:
        return _failed(sentence, "it is said that it can be translated, but it has no condition")
    if len(conditions) > MAX_CONDITIONS:
        return _failed(sentence, f"it has more than {MAX_CONDITIONS} conditions; join them")
    terms: list[Term] = []
    causes: list[str] = []
    for text in conditions:
        try:
            terms.append(_typed(text, declared))
        except (ReadError, SortError) as error:
            causes.append(f"`{_shortened(text)}`: {_cause(error)}")
    if causes:
        return _failed(sentence, "; ".join(causes))
    return Translated(sentence, TranslationState.TRANSLATED, tuple(terms))


def _typed(text: str, declared: PolicyModel) -> Term:
    term = read_term(text, declared)
    if term.sort != BOOL:
        raise SortError(f"it is {term.sort}, not a condition")
    if not symbols(normal_form(term)):
        raise SortError("it says the same whatever the case is")
    # What cannot be kept and read back is not kept.
    term_from_json(term_to_json(term), {one.id: one.sort for one in declared.symbols})
    return term


def _cause(error: ReadError | SortError) -> str:
    if isinstance(error, ReadError):
        return "; ".join(str(problem) for problem in error.problems[:5])
    return str(error)


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."


def _failed(sentence: int, reason: str) -> Translated:
    return Translated(sentence, TranslationState.FAILED, reason=reason)
