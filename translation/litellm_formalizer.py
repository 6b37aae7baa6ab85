"""The formalizer that asks a model, through `translation.llm`.

Everything in a reply is parsed and typed at once. What is refused goes back with
its cause, for at most MAX_ROUNDS in all, or until nothing changes; what was right
is kept, and what still fails is kept as a failed statement with its cause. A
reply that was cut, or is not of the shape asked for, adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from policywright.model import PolicyModel
from translation.asking import Asker, DirectAsker
from translation.connection import Connection
from translation.drafting import Workpiece
from translation.formalizers import Cancelled, Run, SpanText, UnitDraft
from translation.llm import Reply
from translation.llm_errors import LlmBadAnswerError, LlmCutError, LlmTooLongError
from translation.models import Purpose
from translation.prompt import (
    VERSION,
    first_messages,
    repair_messages,
    schema,
    with_schema_in_words,
)
from translation.replies import ReplyError, read_reply

MAX_ROUNDS = 3

# Text so long is counted against what the server says it read: a local server
# drops what does not fit its window, and answers as if it had read all.
_CHECKED_FROM = 20_000
_MOST_CHARACTERS_A_TOKEN = 10


@dataclass
class _Account:
    """What the rounds took so far; one unknown price makes the sum unknown."""

    rounds: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)
    log: list[dict[str, Any]] = field(default_factory=list)

    def add(self, reply: Reply) -> None:
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        known = self.cost_usd is not None and reply.cost_usd is not None
        self.cost_usd = self.cost_usd + reply.cost_usd if known else None  # type: ignore[operator]


class LiteLlmFormalizer:
    # Spans are asked for side by side; what two of them declare alike is joined later.
    in_order = False

    def __init__(self, connection: Connection, asker: Asker | None = None) -> None:
        self.connection, self.asker = connection, asker or DirectAsker()

    @property
    def name(self) -> str:
        return f"litellm:{self.connection.model}"

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        """Raises LlmError or CancelledError: then nothing of the span is to be stored."""
        account, work = _Account(), Workpiece(span, known)
        messages = first_messages(span, known)
        unread = ""
        for _ in range(MAX_ROUNDS):
            before = work.problems() if account.rounds else None
            reply, entry = self._ask(messages, account, cancelled)
            account.rounds += 1
            try:
                read = read_reply(reply.text, schema())
                unread, entry["stripped"] = "", read.stripped
                work.take(read.statements)
                problems = work.problems()
            except ReplyError as error:
                unread = str(error)
                problems = [unread]
            entry["problems"] = problems
            if not problems or problems == before:
                break
            messages = [*messages, *repair_messages(reply.text, problems)]
        if unread and not work.has_statements:
            raise LlmBadAnswerError(
                f"`{self.connection.model}` did not answer as asked; {unread}; choose another model"
            )
        return work.finish(self._run(account))

    def _ask(
        self, messages: list[dict[str, str]], account: _Account, cancelled: Cancelled
    ) -> tuple[Reply, dict[str, Any]]:
        """One reply that ended by itself; one that was cut is asked for once more, longer."""
        for max_tokens in (self.connection.max_tokens, 2 * self.connection.max_tokens):
            reply = self.asker.ask(
                self.connection,
                messages,
                schema(),
                without_schema=with_schema_in_words(messages),
                max_tokens=max_tokens,
                purpose=Purpose.REPAIR if account.rounds else Purpose.DRAFT,
                cancelled=cancelled,
            )
            account.add(reply)
            entry = _log_entry(messages, reply, max_tokens)
            account.log.append(entry)
            _check_all_was_read(self.connection, messages, reply)
            if not reply.was_cut:
                return reply, entry
        raise LlmCutError(
            f"the model's answer was cut at {max_tokens:,} tokens, and nothing of it was kept; "
            "choose a model that may answer longer, or split the section"
        )

    def _run(self, account: _Account) -> Run:
        return Run(
            formalizer=self.name,
            prompt_version=VERSION,
            rounds=account.rounds,
            prompt_tokens=account.prompt_tokens,
            completion_tokens=account.completion_tokens,
            cost_usd=account.cost_usd,
            log=tuple(account.log),
        )


def _log_entry(messages: list[dict[str, str]], reply: Reply, max_tokens: int) -> dict[str, Any]:
    """What a round asked anew and got; the system prompt is known by its version."""
    return {
        "prompt": messages[-1]["content"],
        "reply": reply.text.replace("\0", "\ufffd"),
        "was_cut": reply.was_cut,
        "max_tokens": max_tokens,
        "requests": reply.requests,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost_usd": None if reply.cost_usd is None else str(reply.cost_usd),
        "schema_sent": "response_format" not in reply.left_out,
        "left_out": list(reply.left_out),
        "stripped": "",
        "problems": [],
    }


def _check_all_was_read(
    connection: Connection, messages: list[dict[str, str]], reply: Reply
) -> None:
    characters = sum(len(message["content"]) for message in messages)
    least = characters // _MOST_CHARACTERS_A_TOKEN
    if characters > _CHECKED_FROM and 0 < reply.prompt_tokens < least:
        raise LlmTooLongError(
            f"the server of `{connection.model}` read {reply.prompt_tokens:,} tokens of at least "
            f"{least:,}; give it a larger window, or split the section"
        )
