"""What a model costs and how much it reads: the models file's word, else LiteLLM's list.

LiteLLM ships its price list as a file. It is read without importing LiteLLM, which takes
seconds, so that a page can say what a run may cost. A model that stands in neither has an
unknown price, which is not a price of zero.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from translation.connection import Connection

_FILE = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000

# A column of the rows holds so many digits; nothing costs a fraction of these.
_EXACT = Decimal("0.000001")


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens."""

    input_usd: Decimal
    output_usd: Decimal

    def cost_usd(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        cost = prompt_tokens * self.input_usd + completion_tokens * self.output_usd
        return (cost / _MILLION).quantize(_EXACT)


FREE = Price(Decimal(0), Decimal(0))


def price_of(connection: Connection) -> Price | None:
    if connection.input_usd is not None and connection.output_usd is not None:
        return Price(connection.input_usd, connection.output_usd)
    return _listed(connection.model)[0]


def window_of(connection: Connection) -> int | None:
    """How many tokens of prompt and answer it takes together; None where unknown."""
    return connection.window or _listed(connection.model)[1]


@lru_cache(maxsize=256)
def _listed(model: str) -> tuple[Price | None, int | None]:
    """By its full name, or by its name alone where the provider before it is the list's."""
    provider, _, name = model.partition("/")
    entry = _entry_of(model)
    if entry is None and name:
        entry = _entry_of(name)
        entry = entry if entry is not None and entry[0] == provider else None
    return (None, None) if entry is None else entry[1:]


def _entry_of(name: str) -> tuple[str, Price | None, int | None] | None:
    """Provider, price and window."""
    listed = _price_list().get(name)
    return None if listed is None else _entry(listed)


@cache
def _price_list() -> dict[str, dict[str, Any]]:
    """As LiteLLM lists it, by name; empty where LiteLLM is not installed."""
    litellm = find_spec("litellm")
    if litellm is None or litellm.origin is None:
        return {}
    text = (Path(litellm.origin).parent / _FILE).read_text(encoding="utf-8")
    prices: dict[str, dict[str, Any]] = json.loads(text)
    return prices


def _entry(listed: dict[str, Any]) -> tuple[str, Price | None, int | None]:
    prices = [listed.get(f"{side}_cost_per_token") for side in ("input", "output")]
    known = [Decimal(str(one)) * _MILLION for one in prices if isinstance(one, (int, float))]
    window = listed.get("max_input_tokens")
    return (
        str(listed.get("litellm_provider", "")),
        Price(*known) if len(known) == 2 else None,
        window if isinstance(window, int) and window > 0 else None,
    )
