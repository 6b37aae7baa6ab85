"""The formalizer that asks a model, through `translation.llm`.

Everything in a reply is parsed and typed at once. What is refused goes back with
its cause and its place, for at most MAX_ROUNDS in all, or until a round ends with
the problems of one before it; what was right is kept, and what still fails is kept
as a failed statement with its cause. A reply that was cut, or is not of the shape
asked for, adds nothing, and takes nothing away.
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
from translation.llm_answers import Reply
from translation.llm_errors import (
    LlmBadAnswerError,
    LlmCutError,
    LlmDeclinedError,
    LlmEmptyError,
    LlmError,
    LlmTooLongError,
)
from translation.models import Purpose
from translation.prompt import (
    VERSION,
    accepted_schema,
    first_messages,
    repair_messages,
    schema,
)
from translation.replies import ReplyError, read_reply
from translation.whole_replies import ask_whole

MAX_ROUNDS = 3

# What a round may end with and the rounds before it still stand: what the model says, or
# does not, is no trouble on the way to it, which is over later.
NO_USE = (LlmCutError, LlmEmptyError, LlmDeclinedError, LlmTooLongError, LlmBadAnswerError)


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
        return f"litellm:{self.connection.name}"

    def formalize(self, span: SpanText, known: PolicyModel, *, cancelled: Cancelled) -> UnitDraft:
        """Raises LlmError or CancelledError: then nothing of the span is to be stored."""
        account, work = _Account(), Workpiece(span, known)
        messages, ends = first_messages(span, known), list[set[str]]()
        while True:
            try:
                reply, entry = self._ask(messages, account, cancelled)
            except NO_USE as error:
                if not work.has_statements:
                    raise
                account.log.append(_failed_entry(messages, error))
                break
            account.rounds += 1
            unread = ""
            try:
                read = read_reply(reply.text, accepted_schema())
                entry["stripped"] = read.stripped
                work.take(read.statements)
                found = work.problems()
                entry["problems"] = [str(one) for one in found]
                entry["wrong"] = wrong = [one.as_json() for one in found]
            except ReplyError as error:
                unread = str(error)
                entry["problems"], wrong = [unread], [{"problem": unread}]
            # INVARIANT: no two rounds but the last end alike, so none can go in a circle.
            end = set(entry["problems"])
            if not end or end in ends or account.rounds == MAX_ROUNDS:
                break
            ends.append(end)
            messages = [*messages, *repair_messages(reply.text, wrong, work.kept())]
        if unread and not work.has_statements:
            raise LlmBadAnswerError(
                f"`{self.connection.model}` did not answer as asked; {unread}; choose another model"
            )
        return work.finish(self._run(account))

    def _ask(
        self, messages: list[dict[str, str]], account: _Account, cancelled: Cancelled
    ) -> tuple[Reply, dict[str, Any]]:
        """One reply that ended by itself, and its entry of the log."""

        def note(reply: Reply, max_tokens: int) -> None:
            account.add(reply)
            account.log.append(_log_entry(messages, reply, max_tokens))

        reply = ask_whole(
            self.asker,
            self.connection,
            messages,
            schema(),
            purpose=Purpose.REPAIR if account.rounds else Purpose.DRAFT,
            cancelled=cancelled,
            note=note,
            shorter="split the section",
        )
        return reply, account.log[-1]

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


def _failed_entry(messages: list[dict[str, str]], error: LlmError) -> dict[str, Any]:
    """A round that brought no reply of use; what it took stands with its attempt."""
    return {
        "prompt": messages[-1]["content"],
        "reply": "",
        "was_cut": False,
        "prompt_tokens": error.prompt_tokens,
        "completion_tokens": error.completion_tokens,
        "stripped": "",
        "problems": [str(error)],
        "wrong": [],
    }


def _log_entry(messages: list[dict[str, str]], reply: Reply, max_tokens: int) -> dict[str, Any]:
    """What a round asked anew and got; the system prompt is known by its version.

    `problems` are sentences; `wrong` says the same piece by piece, as `Found.as_json`
    does, empty where the reply could not be read. `translation.histories` reads it back.
    """
    return {
        "prompt": messages[-1]["content"],
        "reply": reply.text,
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
        "wrong": [],
    }
