"""What can go wrong with a model, as one tree; every message is one plain sentence.

LlmError
    LlmNotConfiguredError   no model is named, or not so that it can be asked
    LlmForbiddenError       text would leave, and may not
    LlmConnectionError      nobody answers at the address             asked again
    LlmTimeoutError         no answer in time                         asked again
    LlmRateLimitError       too many requests                         asked again
    LlmServerError          the model's server failed                 asked again
    LlmQuotaError           the account is used up
    LlmKeyError             the key is missing or refused
    LlmUnknownModelError    no such model at the address
    LlmTooLongError         the text does not fit the model's window
    LlmRefusedError         the request itself was refused
    LlmDeclinedError        the model, or a filter of its provider, would not answer
    LlmBadAnswerError       not the answer that was asked for: words, another shape
        LlmNotAModelError   not an answer of a model at all: a login page
    LlmCutError             the answer ended at its token limit
    LlmEmptyError           an answer without content

Each is built from its one message, so each can be pickled and carried to where
the job's row is written; a provider's own exceptions cannot.
"""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from translation.formalizers import FormalizerError


class LlmError(FormalizerError):
    """`requests` were sent in all; `retry_after_s` is what the server asked to wait.

    `was_sent` is false where the last of them never left. The tokens and their cost are
    those of an answer that came and was of no use.
    """

    asked_again: ClassVar[bool] = False
    requests: int = 0
    retry_after_s: float | None = None
    was_sent: bool = True
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = None


class LlmNotConfiguredError(LlmError):
    pass


class LlmForbiddenError(LlmError):
    pass


class LlmConnectionError(LlmError):
    asked_again = True


class LlmTimeoutError(LlmError):
    asked_again = True


class LlmRateLimitError(LlmError):
    asked_again = True


class LlmServerError(LlmError):
    asked_again = True


class LlmQuotaError(LlmError):
    pass


class LlmKeyError(LlmError):
    pass


class LlmUnknownModelError(LlmError):
    pass


class LlmTooLongError(LlmError):
    pass


class LlmRefusedError(LlmError):
    pass


class LlmDeclinedError(LlmError):
    pass


class LlmBadAnswerError(LlmError):
    pass


class LlmNotAModelError(LlmBadAnswerError):
    pass


class LlmCutError(LlmError):
    pass


class LlmEmptyError(LlmError):
    pass
