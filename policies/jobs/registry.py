"""The kinds of jobs, registered by name by the rooms that do the work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from policies.models import Item, Job, Policy, User
from policies.models.jobs import ItemState


class JobError(Exception):
    """An item cannot be done; the message is the one sentence that people read.

    `kind` is the kind of error, as the room that does the work tells them apart.
    """

    def __init__(self, sentence: str, kind: str = "") -> None:
        super().__init__(sentence)
        self.kind = kind


class PausedError(Exception):
    """What the whole job needs has run out; the message is the sentence that people read.

    Not an error of the item, which is put back; `seen` are the job's settings by which it
    was decided. The job then waits until somebody resumes it.
    """

    def __init__(self, sentence: str, seen: dict[str, Any]) -> None:
        super().__init__(sentence)
        self.seen = seen


class PutBackError(Exception):
    """The item's turn is over before its work is: it goes back in line, and goes on later.

    Only for a handler that kept a part of its work, and so comes further each time.
    """


class Lost(threading.Event):
    """Set once. `is_watched` says that somebody looks when it is to be set."""

    def __init__(self) -> None:
        super().__init__()
        self.is_watched = False
        self._told: list[Callable[[], object]] = []

    def set(self) -> None:
        super().set()
        for tell in tuple(self._told):
            tell()

    @contextmanager
    def telling(self, tell: Callable[[], object]) -> Iterator[None]:
        """Call `tell` once it is set, or at once; for who waits for something else as well.

        It may be called twice, and from another thread.
        """
        self._told.append(tell)
        try:
            if self.is_set():
                tell()
            yield
        finally:
            self._told.remove(tell)


@dataclass(frozen=True)
class Context:
    """What a handler knows of the item it works on.

    `lost` is set soon after the item was cancelled or taken over: wait on it where
    polling is not possible.
    """

    item_id: int
    item_key: str
    holder: str
    fence: int
    attempt: int
    job: Job
    payload: dict[str, Any] = field(default_factory=dict)
    lost: Lost = field(default_factory=Lost)

    @property
    def policy(self) -> Policy:
        return self.job.policy

    @property
    def user(self) -> User | None:
        """Who started the job."""
        return self.job.created_by

    def cancelled(self) -> bool:
        """Whether the result would be dropped: then stop, and call no model any more.

        As it was half a second ago at most; a late result is dropped in any case.
        """
        if not self.lost.is_set() and not self.lost.is_watched and not self.is_held():
            self.lost.set()
        return self.lost.is_set()

    def is_held(self) -> bool:
        """Whether it is neither cancelled nor taken over, as the rows say at this moment."""
        held = Item.objects.filter(
            pk=self.item_id, holder=self.holder, fence=self.fence, state=ItemState.RUNNING
        )
        return held.exists()


Handle = Callable[[dict[str, Any], Context], Any]
Save = Callable[[Context, Any], None]
Finalize = Callable[[Job], None]


@dataclass(frozen=True)
class Kind:
    name: str
    handle: Handle
    save: Save
    finalize: Finalize | None


_kinds: dict[str, Kind] = {}


def register(kind: str, *, handle: Handle, save: Save, finalize: Finalize | None = None) -> None:
    """Name the functions that do a kind of job.

    `handle(payload, context) -> result` does the slow work, outside any
    transaction; it may run more than once. `save(context, result)` writes the
    result in one short transaction, only while the item is still held, so it takes
    effect once. `finalize(job)` runs once in a transaction, after the last item;
    it too writes rows and nothing else. Both may raise JobError.
    """
    if kind in _kinds:
        raise ValueError(f"the kind of job `{kind}` is registered twice")
    _kinds[kind] = Kind(kind, handle, save, finalize)


def kind_named(name: str) -> Kind:
    """Raises JobError for a kind that nobody registered: an older or a newer release did."""
    if name not in _kinds:
        raise JobError(f"This server does not know the kind of job `{name}`.")
    return _kinds[name]
