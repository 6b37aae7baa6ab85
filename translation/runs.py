"""What people do with runs: plan one, start it within a budget, resume it, see what it took."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from policies.jobs import Progress


@dataclass(frozen=True)
class AskedModel:
    """Who is asked in a run, and what that may take.

    `name` is as a policy names it (`builtin`, `litellm:NAME`); `host` is where text goes,
    empty for the built-in. `cost_usd` is None where the price is unknown.
    """

    name: str
    drafts: bool
    host: str = ""
    is_external: bool = False
    price_known: bool = True
    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = Decimal(0)


@dataclass(frozen=True)
class RunPlan:
    """What a run would do: the formalizer first in `models`, then the translators.

    `refusal` is the sentence that says why it cannot start, empty if it can; `cost_usd` is
    None where a price is unknown, and `unknown_prices` then names the models.
    """

    spans: int
    sentences: int
    models: tuple[AskedModel, ...]
    refusal: str = ""

    @property
    def tokens(self) -> int:
        return sum(one.prompt_tokens + one.completion_tokens for one in self.models)

    @property
    def unknown_prices(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.models if not one.price_known)

    @property
    def cost_usd(self) -> Decimal | None:
        if self.unknown_prices:
            return None
        return sum((one.cost_usd or Decimal(0) for one in self.models), Decimal(0))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where text goes, each host once."""
        return tuple(dict.fromkeys(one.host for one in self.models if one.host))


@dataclass(frozen=True)
class Spent:
    """What the job's attempts sum to.

    `cost_usd` is None where any of it has no known price; `known_usd` is then the part that
    is known, and `unknown_models` are the others.
    """

    tokens: int
    prompt_tokens: int
    completion_tokens: int
    requests: int
    known_usd: Decimal
    unknown_models: tuple[str, ...]

    @property
    def cost_usd(self) -> Decimal | None:
        return None if self.unknown_models else self.known_usd


@dataclass(frozen=True)
class RunProgress:
    """`left_s` comes from the pace of the items done last; None before there is one."""

    progress: Progress
    spent: Spent
    tokens_limit: int | None
    usd_limit: Decimal | None
    left_s: float | None
