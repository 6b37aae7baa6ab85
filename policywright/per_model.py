"""Things made once for each policy model and kept for as long as the model lives.

Found by identity: comparing two large models by content costs more than most of
what is made of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from policywright.model import PolicyModel

Made = TypeVar("Made")


class PerModel(Generic[Made]):
    """`per_model(model)` gives what `make(model)` gave the first time.

    What is made must hold the model weakly or not at all, or both live for ever.
    """

    def __init__(self, make: Callable[[PolicyModel], Made]) -> None:
        self._make = make
        self._made: dict[int, tuple[weakref.ref[PolicyModel], Made]] = {}

    def __call__(self, model: PolicyModel) -> Made:
        known = self._made.get(id(model))
        if known is not None and known[0]() is model:
            return known[1]
        key, made = id(model), self._make(model)
        self._made[key] = (weakref.ref(model, lambda _: self._made.pop(key, None)), made)
        return made
