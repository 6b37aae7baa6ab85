"""How a model is asked: through one door, so that what is asked is kept and paid for once.

Formalizers, translators and revisers are given an `Asker` and know no more. In a
job it looks in the table of replies first, keeps to the budget, and leaves a row
for each attempt; outside of one (`manage.py evaluate`) it asks at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from translation.connection import Connection
from translation.formalizers import Cancelled
from translation.llm import complete
from translation.llm_answers import Messages, Reply
from translation.models import Purpose


class Asker(Protocol):
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
        """One reply; see `translation.llm.complete`, whose errors it raises.

        The same question asked as another `sample` is another question, for which it has to
        have a temperature.
        """
        ...


class DirectAsker:
    """Asks at once, and keeps nothing."""

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
        return complete(
            connection,
            messages,
            schema,
            without_schema=without_schema,
            max_tokens=max_tokens,
            temperature=temperature,
            cancelled=cancelled,
        )
