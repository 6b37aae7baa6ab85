"""What LiteLLM hands back, read as ours: the text, what it took, or why it is of no use.

Nothing is sent here, and LiteLLM is not imported; `translation.llm` asks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from translation.connection import Connection
from translation.llm_errors import LlmDeclinedError, LlmEmptyError, LlmError
from translation.llm_failures import not_a_model
from translation.price_list import price_of
from translation.tokens import estimate_prompt, estimate_tokens

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Reply:
    """An answer that ended by itself or at its limit (`was_cut`), and what it took.

    `text` can be stored anywhere: it holds no NUL and no half of a pair of surrogates.
    Tokens that the server did not count are estimated. `cost_usd` is None where the price
    is unknown.
    `left_out` names parameters that the provider does not take, so they were not sent:
    with `response_format` among them, the schema was asked for in the prompt only.
    """

    text: str
    was_cut: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal | None
    requests: int
    left_out: tuple[str, ...]


def read_answer(
    connection: Connection, asked: Messages, answer: Any, sent: int, left_out: tuple[str, ...]
) -> Reply:
    """What LiteLLM gave, as a reply.

    Raises LlmBadAnswerError for no answer, LlmDeclinedError for a refusal, LlmEmptyError for
    an answer without content.
    """
    if not getattr(answer, "choices", None):
        raise not_a_model(connection)
    choice = answer.choices[0]
    text = storable(choice.message.content or "")
    prompt_tokens, completion_tokens, cost_usd = _used(connection, asked, text, answer)
    error = _no_use(connection, choice, text, completion_tokens)
    if error is not None:
        error.prompt_tokens, error.completion_tokens = prompt_tokens, completion_tokens
        error.cost_usd = cost_usd
        raise error
    return Reply(
        text=text,
        was_cut=choice.finish_reason == "length",
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=cost_usd,
        requests=sent,
        left_out=left_out,
    )


def _no_use(
    connection: Connection, choice: Any, text: str, completion_tokens: int
) -> LlmError | None:
    """Why an answer that came says nothing; None if it says something."""
    if choice.finish_reason == "content_filter":
        return LlmDeclinedError(
            f"a filter of the provider of `{connection.model}` stopped the answer; "
            "read this section yourself, or choose another model"
        )
    if getattr(choice.message, "refusal", None):
        return LlmDeclinedError(
            f"`{connection.model}` would not answer; "
            "read this section yourself, or choose another model"
        )
    if not text.strip():
        return LlmEmptyError(
            f"the model sent no content (finish reason `{choice.finish_reason}`, "
            f"{completion_tokens} tokens used); try again, or choose another model"
        )
    return None


def storable(text: str) -> str:
    """The text as PostgreSQL takes it: what it refuses becomes U+FFFD."""
    return (
        text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _used(
    connection: Connection, asked: Messages, text: str, answer: Any
) -> tuple[int, int, Decimal | None]:
    """Tokens of prompt and answer, and what they cost.

    A server that counts nothing would never reach a limit, so what it does not count is
    estimated. Unknown is not zero: LiteLLM gives a cost of 0 for tokens that were not counted
    and for models whose price it does not know in full.
    """
    usage = getattr(answer, "usage", None)
    prompt = _count(getattr(usage, "prompt_tokens", 0))
    completion = _count(getattr(usage, "completion_tokens", 0))
    was_counted = prompt > 0
    prompt = prompt or estimate_prompt(asked)
    completion = completion or estimate_tokens(text)
    price = price_of(connection)
    if connection.input_usd is None and was_counted:
        said = getattr(answer, "_hidden_params", {}).get("response_cost")
        if said:
            return prompt, completion, Decimal(str(said)).quantize(Decimal("0.000001"))
    return prompt, completion, None if price is None else price.cost_usd(prompt, completion)


def _count(said: Any) -> int:
    """A count as the rows hold it, whatever a server says."""
    return min(max(int(said or 0), 0), 2**31 - 1)


def read_vectors(connection: Connection, answer: Any, wanted: int) -> list[list[float]]:
    """In the order of the texts; LlmBadAnswerError for anything but one vector of numbers each."""
    data = getattr(answer, "data", None)
    if not isinstance(data, list) or len(data) != wanted:
        raise not_a_model(connection)
    found: dict[Any, list[float]] = {}
    for item in data:
        vector = item.get("embedding") if isinstance(item, Mapping) else item.embedding
        index = item.get("index") if isinstance(item, Mapping) else item.index
        is_vector = isinstance(vector, list) and all(
            isinstance(one, (int, float)) and math.isfinite(one) for one in vector
        )
        if not is_vector or not vector:
            raise not_a_model(connection)
        found[index] = [float(one) for one in vector]
    ordered = [found[index] for index in range(wanted) if index in found]
    if len(ordered) != wanted or len({len(vector) for vector in ordered}) != 1:
        raise not_a_model(connection)
    return ordered
