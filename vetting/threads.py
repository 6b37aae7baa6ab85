"""What people write to each other about a sentence, a rule or a scenario.

Rows are written once. A thread is closed and opened by rows, and opened by a later comment.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import BooleanField, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from policies.audit import Change, record_all
from policies.models import Policy, Rule, User
from vetting.lock import locked
from vetting.mentions import Names, members_of, names_in
from vetting.models import Comment, Scenario, Thread, ThreadClosing
from vetting.refusals import RefusedError
from vetting.seen import saw
from vetting.texts import check_text
from vetting.thread_models import Mention

# A page that shows a thread beside other things shows its latest comments.
LATEST = 4


@dataclass(frozen=True)
class Said:
    """A comment that is kept, and who is named in it."""

    comment: Comment
    names: Names = field(default_factory=Names)


@dataclass(frozen=True)
class ThreadNow:
    """A thread with its latest comments, the oldest first, which may not be all."""

    thread: Thread
    comments: tuple[Comment, ...]
    is_closed: bool
    closing: ThreadClosing | None = None
    has_earlier: bool = False


def start_thread(
    policy: Policy, user: User, *, lineage: str = "", rule: Rule | None = None, text: str
) -> Said:
    """A thread of its own on a sentence or a rule, with its first comment.

    The same person's same words at the end of an open thread on it are written once. Raises
    RefusedError for no text, too much of it, or where nothing is named that it is about.
    """
    text = _checked(text)
    with locked(policy) as row:
        _check_own(row, rule, None)
        same = open_threads(row).filter(lineage=lineage, rule=rule, scenario=None, by=user)
        for thread in same:
            if (said := _at_its_end(thread, user, text)) is not None:
                return said
        return _say(row, user, _open(row, user, lineage, rule, None), text, is_new=True)


def comment_on(
    policy: Policy,
    user: User,
    *,
    lineage: str,
    rule: Rule | None = None,
    scenario: Scenario | None = None,
    text: str,
) -> Said:
    """Write a comment on a case, in the thread of this very sentence, rule and scenario."""
    text = _checked(text)
    with locked(policy) as row:
        _check_own(row, rule, scenario)
        if not lineage and rule is None and scenario is None:
            raise RefusedError("choose what the comment is about.")
        threads = Thread.objects.filter(policy=row, lineage=lineage, rule=rule, scenario=scenario)
        thread = threads.first()
        if thread is None:
            return _say(row, user, _open(row, user, lineage, rule, scenario), text, is_new=True)
        return _say(row, user, thread, text)


def answer_in(policy: Policy, user: User, thread: Thread, *, text: str) -> Said:
    """Write a comment in a thread, which opens it; the same words twice are written once."""
    text = _checked(text)
    with locked(policy) as row:
        return _say(row, user, Thread.objects.get(policy=row, pk=thread.pk), text)


def close_thread(policy: Policy, user: User, thread: Thread) -> ThreadClosing | None:
    """Say that a thread is done with; None where it is closed already."""
    return _close(policy, user, thread, closes=True)


def open_thread(policy: Policy, user: User, thread: Thread) -> ThreadClosing | None:
    """Say that a thread is not done with after all; None where it is open."""
    return _close(policy, user, thread, closes=False)


def threads_of(
    policy: Policy,
    *,
    lineages: Collection[str] = (),
    rules: Collection[str] = (),
    scenarios: Collection[str] = (),
) -> QuerySet[Any]:
    """The threads on any of these sentences, rules or scenarios (uids), in order, with state."""
    rows = with_state(Thread.objects.filter(policy=policy))
    on = Q(rule__uid__in=rules) | Q(scenario__uid__in=scenarios)
    return rows.filter(on | Q(lineage__in=[one for one in lineages if one]))


def open_threads(policy: Policy) -> QuerySet[Any]:
    """Those that are not closed, with their state."""
    return with_state(Thread.objects.filter(policy=policy)).filter(is_closed=False)


def with_state(threads: QuerySet[Thread]) -> QuerySet[Any]:
    """Annotated with `is_closed` and `last_at`, the time of the last comment."""
    said = Comment.objects.filter(thread=OuterRef("pk")).order_by("-pk")
    closing = ThreadClosing.objects.filter(thread=OuterRef("pk")).order_by("-pk")
    after = closing.filter(at__gte=OuterRef("last_at")).values("closes")[:1]
    return threads.annotate(last_at=Coalesce(Subquery(said.values("at")[:1]), F("at"))).annotate(
        is_closed=Coalesce(Subquery(after), False, output_field=BooleanField())
    )


def read_threads(
    threads: QuerySet[Any], latest: int = LATEST, before: int | None = None
) -> list[ThreadNow]:
    """Threads that have their state, with their latest comments; four queries.

    `before` is the id of a comment: then with those just before it.
    """
    comments = Comment.objects.select_related("by").order_by("-pk")
    if before is not None:
        comments = comments.filter(pk__lt=before)
    named = Mention.objects.select_related("user")
    rows = threads.select_related("by", "rule", "scenario", "policy").prefetch_related(
        Prefetch("comments", comments[: latest + 1], to_attr="said"),
        Prefetch("said__mentions", named, to_attr="named"),
        Prefetch("closings", ThreadClosing.objects.select_related("by")),
    )
    return [_now(thread, latest) for thread in rows]


def _now(thread: Thread, latest: int) -> ThreadNow:
    said: Sequence[Comment] = thread.said  # type: ignore[attr-defined]
    shown = said[:latest]
    closings = list(thread.closings.all())
    return ThreadNow(
        thread,
        tuple(reversed(shown)),
        thread.is_closed,  # type: ignore[attr-defined]
        closings[-1] if closings and thread.is_closed else None,  # type: ignore[attr-defined]
        len(said) > len(shown),
    )


def _checked(text: str) -> str:
    """One letter is one character, so that a name fits however it was typed."""
    return check_text(unicodedata.normalize("NFC", text), "the comment", required=True)


def _open(
    policy: Policy, user: User, lineage: str, rule: Rule | None, scenario: Scenario | None
) -> Thread:
    if not lineage and rule is None and scenario is None:
        raise RefusedError("choose what the comment is about.")
    return Thread.objects.create(
        policy=policy, lineage=lineage, rule=rule, scenario=scenario, by=user
    )


def _at_its_end(thread: Thread, user: User, text: str) -> Said | None:
    last = thread.comments.last()
    same = last is not None and (last.by_id, last.text) == (user.pk, text)
    return Said(last) if same and last is not None else None


def _say(policy: Policy, user: User, thread: Thread, text: str, *, is_new: bool = False) -> Said:
    """Within the policy's lock."""
    state = with_state(Thread.objects.filter(pk=thread.pk)).get()
    said = None if is_new or state.is_closed else _at_its_end(thread, user, text)
    if said is not None:
        return said
    comment = Comment.objects.create(thread=thread, text=text, by=user)
    names = names_in(text, members_of(policy)) if "@" in text else Names()
    Mention.objects.bulk_create(
        Mention(comment=comment, user=one.user, start=one.start, end=one.end) for one in names.named
    )
    about = f"thread:{thread.uid}"
    changes = [Change("open-thread", about)] if is_new else []
    changes.append(Change("comment", about))
    people = dict.fromkeys(one.user.pk for one in names.named)
    changes += [Change("mention", f"{about}:{pk}") for pk in people]
    record_all(policy, user, changes, is_locked=True)
    saw(user, {thread.pk: comment.pk})
    return Said(comment, names)


def _close(policy: Policy, user: User, thread: Thread, *, closes: bool) -> ThreadClosing | None:
    with locked(policy) as row:
        now = with_state(Thread.objects.filter(policy=row)).get(pk=thread.pk)
        if now.is_closed is closes:
            return None
        closing = ThreadClosing.objects.create(thread=thread, by=user, closes=closes)
        act = "close-thread" if closes else "reopen-thread"
        record_all(row, user, [Change(act, f"thread:{thread.uid}")], is_locked=True)
    return closing


def _check_own(policy: Policy, rule: Rule | None, scenario: Scenario | None) -> None:
    for one in (rule, scenario):
        if one is not None and one.policy_id != policy.pk:
            raise RefusedError("this is of another policy.")
