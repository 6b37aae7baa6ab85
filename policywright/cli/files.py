"""Reads the files that commands are given, their names in front of every problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from policywright.errors import ReadError
from policywright.model import PolicyModel

Result = TypeVar("Result")


def reading(path: str, read: Callable[[], Result]) -> Result:
    """Call `read`; a ReadError on the way says which file it is about."""
    try:
        return read()
    except ReadError as error:
        error.path = path
        raise


def policy_model(path: str, roles: str | None) -> PolicyModel:
    """The model of a policy file, roles overridden where a roles file is given."""
    from policywright.files import read_text, with_roles
    from policywright.smtlib import read

    model = reading(path, lambda: read(read_text(path)))
    return model if roles is None else reading(roles, lambda: with_roles(model, roles))
