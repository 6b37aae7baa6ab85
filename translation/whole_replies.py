"""Asks a model for a reply that ended by itself, to a prompt that was read in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from translation.asking import Asker
from translation.connection import Connection
from translation.formalizers import Cancelled
from translation.llm_answers import Messages, Reply
from translation.llm_errors import LlmCutError, LlmTooLongError
from translation.models import Purpose
from translation.prompt import with_schema_in_words

# Text so long is counted against what the server says it read: a local server
# drops what does not fit its window, and answers as if it had read all.
_CHECKED_FROM = 20_000
_MOST_CHARACTERS_A_TOKEN = 10


def ask_whole(
    asker: Asker,
    connection: Connection,
    messages: Messages,
    schema: Mapping[str, Any],
    *,
    purpose: Purpose,
    sample: int = 0,
    temperature: float = 0,
    cancelled: Cancelled,
    shorter: str,
    note: Callable[[Reply, int], None] | None = None,
) -> Reply:
    """One reply; one that was cut is asked for once more, with twice the tokens.

    `note` is told of each reply and the tokens that it might have. `shorter` says what a
    person can do where the text is too long: `split the section`.

    Raises LlmCutError, LlmTooLongError, or what the asker raises.
    """
    without_schema = with_schema_in_words(messages, schema)
    for max_tokens in (connection.max_tokens, 2 * connection.max_tokens):
        reply = asker.ask(
            connection,
            messages,
            schema,
            without_schema=without_schema,
            max_tokens=max_tokens,
            purpose=purpose,
            sample=sample,
            temperature=temperature,
            cancelled=cancelled,
        )
        if note is not None:
            note(reply, max_tokens)
        _check_all_was_read(connection, messages, reply, shorter)
        if not reply.was_cut:
            return reply
    raise LlmCutError(
        f"the model's answer was cut at {max_tokens:,} tokens, and nothing of it was kept; "
        f"choose a model that may answer longer, or {shorter}"
    )


def _check_all_was_read(
    connection: Connection, messages: Messages, reply: Reply, shorter: str
) -> None:
    characters = sum(len(message["content"]) for message in messages)
    least = characters // _MOST_CHARACTERS_A_TOKEN
    if characters > _CHECKED_FROM and 0 < reply.prompt_tokens < least:
        raise LlmTooLongError(
            f"the server of `{connection.model}` read {reply.prompt_tokens:,} tokens of at least "
            f"{least:,}; give it a larger window, or {shorter}"
        )
