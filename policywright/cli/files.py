"""What commands share: files read, their names in front of every problem; lines to print."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def no_collecting() -> Iterator[None]:
    """For a short process: what it makes lives until its end, so no garbage is looked for.

    What is there by then is kept out of collections afterwards, too: at exit all of it
    would be walked through once more.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def policy_model(path: str, roles: str | None) -> PolicyModel:
    """The model of a policy file, roles overridden where a roles file is given."""
    from policywright.files import read_text, with_roles
    from policywright.smtlib import read

    model = reading(path, lambda: read(read_text(path)))
    return model if roles is None else reading(roles, lambda: with_roles(model, roles))


def printable(line: str) -> str:
    """The line without what a terminal would obey: phrases, names and quotes may hold anything."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
