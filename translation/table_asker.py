"""Asks a model through the table of replies: each question is sent once, and kept.

In a run it also keeps to the budget and to the hosts that were named before it started,
and leaves a row for each attempt. A reply is stored before anything is made of it, so
whoever takes up a span after a kill finds it, and asks only for what was in flight.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.conf import settings as django_settings
from django.db import IntegrityError

from policies.jobs import Context, PausedError, PutBackError
from policies.jobs.leases import held
from policies.jobs.registry import Lost
from policies.models import Policy
from policies.writing import written
from translation.budgets import limits_of, sentence_if_spent
from translation.connection import Connection
from translation.formalizers import Cancelled, CancelledError
from translation.llm import complete
from translation.llm_answers import Messages, Reply, storable
from translation.llm_errors import (
    LlmError,
    LlmForbiddenError,
    LlmTimeoutError,
    LlmTooLongError,
)
from translation.models import Attempt, ModelReply, Purpose
from translation.price_list import window_of
from translation.tokens import estimate_prompt

# How often the rows are asked whether the work was cancelled, while a model is waited for
# and nobody else tells.
_ASKED_EACH_S = 0.5

# The most that a column holds.
_DEAREST = Decimal("999999.999999")


class TableAsker:
    """Bound to a policy, and to the item of a job where the work is done in one.

    Made anew for each turn of an item. A turn ends in time, so that no worker is ended with
    it: a question is begun only if it can end within the turn, else the item goes back in
    line, and finds in the table what it asked so far.
    """

    def __init__(self, policy: Policy, context: Context | None = None) -> None:
        self.policy, self.context = policy, context
        self._began = time.monotonic()
        self._has_gained = False

    def ask(
        self,
        connection: Connection,
        messages: Messages,
        schema: Mapping[str, Any],
        *,
        without_schema: Messages,
        max_tokens: int,
        purpose: Purpose,
        sample: int = 0,
        temperature: float = 0,
        cancelled: Cancelled,
    ) -> Reply:
        """One reply, out of the table or from the model; see `translation.asking.Asker`.

        Raises an LlmError or CancelledError, of which a row is kept, too. PausedError and
        PutBackError are for the job: nobody else is to catch them.
        """
        if cancelled():
            raise CancelledError
        told = {
            "temperature": temperature,
            "max_tokens": max_tokens,
            "schema": _sha256(schema),
            "without_schema": _sha256(list(without_schema)),
        }
        question = _Question(connection, messages, told, sample)
        kept = ModelReply.objects.filter(policy=self.policy, key=question.key).first()
        if kept is not None:
            self._attempt(connection, purpose, reply=kept, was_kept=True)
            return _as_reply(kept, requests=0)
        _check_fits(connection, messages, max_tokens)
        self._may_be_sent(connection)
        connection = replace(connection, deadline_s=self._seconds_for(connection))
        began = time.monotonic()
        try:
            reply = complete(
                connection,
                messages,
                schema,
                without_schema=without_schema,
                max_tokens=max_tokens,
                temperature=temperature,
                cancelled=_seldom(cancelled),
                lost=self._lost(),
            )
        except (LlmError, CancelledError) as error:
            self._attempt(
                connection, purpose, failed=question, error=error, seconds=time.monotonic() - began
            )
            raise
        row = self._keep(question, reply, purpose, time.monotonic() - began)
        self._has_gained = True
        # Of two workers that asked the same at once, both go on with the same reply.
        return _as_reply(row, requests=reply.requests)

    def _keep(
        self, question: _Question, reply: Reply, purpose: Purpose, seconds: float
    ) -> ModelReply:
        """The reply's row, and one of the attempt. Of two that asked at once the first's counts."""
        connection = question.connection
        row = ModelReply(
            policy=self.policy,
            key=question.key,
            model=connection.model,
            place=connection.address[:200],
            messages=question.storable_messages(),
            settings=question.told,
            sample=question.sample,
            text=reply.text,
            was_cut=reply.was_cut,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=_within(reply.cost_usd),
            left_out=list(reply.left_out),
        )
        try:
            with written():
                row.save()
                self._attempt(connection, purpose, reply=row, asked=reply, seconds=seconds)
        except IntegrityError:
            row = ModelReply.objects.get(policy=self.policy, key=question.key)
            self._attempt(connection, purpose, reply=row, asked=reply, seconds=seconds)
        return row

    def _attempt(
        self,
        connection: Connection,
        purpose: Purpose,
        *,
        reply: ModelReply | None = None,
        asked: Reply | None = None,
        failed: _Question | None = None,
        error: LlmError | CancelledError | None = None,
        was_kept: bool = False,
        seconds: float = 0,
    ) -> None:
        """`asked` or `error` say what was used; of a reply that was kept, nothing.

        `failed` is a question without a reply: else what was asked stands with that.
        """
        used = asked or (error if isinstance(error, LlmError) else None)
        Attempt.objects.create(
            policy=self.policy,
            job=self.context.job if self.context else None,
            item_id=self.context.item_id if self.context else None,
            purpose=purpose,
            model=connection.name,
            place=connection.place.removeprefix(" at ")[:200],
            reply=reply,
            messages=failed.storable_messages() if failed else [],
            was_kept=was_kept,
            requests=asked.requests if asked else error.requests if error else 0,
            prompt_tokens=used.prompt_tokens if used else 0,
            completion_tokens=used.completion_tokens if used else 0,
            cost_usd=_within(used.cost_usd) if used else None,
            seconds=round(seconds, 3),
            error_kind=type(error).__name__ if error else "",
            error=error.as_sentence() if error else "",
        )

    def _may_be_sent(self, connection: Connection) -> None:
        """Raises LlmForbiddenError, or PausedError where the whole run may go no further.

        CancelledError where the item is no longer held: asked anew, so that nothing is sent.
        """
        forbids, settings = self._as_it_is()
        is_forbidden = connection.is_external and forbids
        sentence = f"{connection.forbidden}; choose another model"
        if self.context is None or "hosts" not in settings:
            if is_forbidden:
                raise LlmForbiddenError(sentence)
            return
        if is_forbidden:
            sentence = (
                f"{sentence[0].upper()}{sentence[1:]} and start anew, or allow them and resume."
            )
        elif connection.host not in settings["hosts"]:
            sentence = (
                f"`{connection.name}` is now asked at {connection.host}, which was not named when "
                "the run was started; resume it if the text may go there."
            )
        else:
            sentence = sentence_if_spent(self.context.job, limits_of(settings))
        if sentence:
            raise PausedError(sentence, settings)

    def _as_it_is(self) -> tuple[bool, dict[str, Any]]:
        """Whether the policy forbids external models, and the job's settings; one query."""
        if self.context is None:
            policies = Policy.objects.filter(pk=self.policy.pk)
            return policies.values_list("forbids_external_models", flat=True).get(), {}
        held_item = held(self.context).order_by()
        rows = list(held_item.values_list("job__policy__forbids_external_models", "job__settings"))
        if not rows:
            self.context.lost.set()
            raise CancelledError
        return rows[0]

    def _lost(self) -> Lost | None:
        """What tells at once that the item was taken away, if somebody looks."""
        lost = self.context.lost if self.context else None
        return lost if lost is not None and lost.is_watched else None

    def _seconds_for(self, connection: Connection) -> float:
        """How long a question may take, so that the turn ends in time."""
        if self.context is None:
            return connection.deadline_s
        left_s = turn_s() - (time.monotonic() - self._began)
        if left_s < connection.deadline_s and self._has_gained:
            raise PutBackError
        if left_s <= 1:
            raise LlmTimeoutError(
                f"`{connection.name}` left no time for this part to be finished in; try it "
                "again, or choose a faster model"
            )
        return min(connection.deadline_s, left_s)


class _Question:
    """All that a reply depends on, and the key that it is kept under."""

    def __init__(
        self, connection: Connection, messages: Messages, told: Mapping[str, Any], sample: int
    ) -> None:
        self.connection, self.messages, self.told, self.sample = connection, messages, told, sample
        parts = [connection.address, connection.model, list(messages), told, sample]
        self.key = _sha256(parts)

    def storable_messages(self) -> list[dict[str, str]]:
        return [
            {name: storable(text) for name, text in message.items()} for message in self.messages
        ]


def _check_fits(connection: Connection, messages: Messages, max_tokens: int) -> None:
    """A server may drop what does not fit and answer as if it had read all: then do not ask."""
    window, size = window_of(connection), estimate_prompt(messages)
    if window is not None and size + min(max_tokens, connection.max_tokens) > window:
        raise LlmTooLongError(
            f"the prompt is about {size:,} tokens long, and `{connection.name}` has a window of "
            f"{window:,} with its answer; choose a model with a larger window, or split the section"
        )


def turn_s() -> float:
    """How long an item may be worked on before it goes back in line."""
    return 2.0 * django_settings.POLICYWRIGHT_LLM_SECONDS


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _as_reply(row: ModelReply, requests: int) -> Reply:
    return Reply(
        text=row.text,
        was_cut=row.was_cut,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        cost_usd=row.cost_usd,
        requests=requests,
        left_out=tuple(row.left_out),
    )


def _seldom(cancelled: Cancelled) -> Cancelled:
    """The same question, put to the rows a few times a second at most."""
    last_s, said = time.monotonic(), False

    def asked() -> bool:
        nonlocal last_s, said
        if not said and time.monotonic() - last_s >= _ASKED_EACH_S:
            said, last_s = cancelled(), time.monotonic()
        return said

    return asked


def _within(cost_usd: Decimal | None) -> Decimal | None:
    return None if cost_usd is None else min(cost_usd, _DEAREST)
