"""What people write to each other about a sentence, a rule or a scenario.

Rows are written once. A thread is closed by a row, and opened again by a later comment.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from policies.audit import record
from policies.models import Policy, Rule, User
from vetting.lock import locked
from vetting.models import Comment, Scenario, Thread, ThreadClosing
from vetting.refusals import RefusedError
from vetting.texts import check_text


@dataclass(frozen=True)
class ThreadNow:
    """A thread with its comments, the oldest first."""

    thread: Thread
    comments: tuple[Comment, ...]
    is_closed: bool


def comment_on(
    policy: Policy,
    user: User,
    *,
    lineage: str,
    rule: Rule | None = None,
    scenario: Scenario | None = None,
    text: str,
) -> Comment:
    """Write a comment on a sentence, in the thread of this very rule and scenario.

    The same person's same words at a thread's end are written once. Raises RefusedError for
    no text, or where nothing is named that the comment is about.
    """
    text = check_text(text, "the comment", required=True)
    if not lineage and rule is None and scenario is None:
        raise RefusedError("choose what the comment is about.")
    with locked(policy) as row:
        _check_own(row, rule, scenario)
        threads = Thread.objects.filter(policy=row, lineage=lineage, rule=rule, scenario=scenario)
        thread = threads.first()
        if thread is None:
            thread = Thread.objects.create(
                policy=row, lineage=lineage, rule=rule, scenario=scenario, by=user
            )
            record(row, user, "open-thread", f"thread:{thread.uid}")
        last = thread.comments.last()
        if last is not None and (last.by_id, last.text) == (user.pk, text):
            return last
        comment = Comment.objects.create(thread=thread, text=text, by=user)
        record(row, user, "comment", f"thread:{thread.uid}")
    return comment


def close_thread(policy: Policy, user: User, thread: Thread) -> ThreadClosing | None:
    """Say that a thread is done with; None where it is closed already."""
    with locked(policy) as row:
        now = _now(Thread.objects.get(policy=row, pk=thread.pk))
        if now.is_closed:
            return None
        closing = ThreadClosing.objects.create(thread=thread, by=user)
        record(row, user, "close-thread", f"thread:{thread.uid}")
    return closing


def threads_of(
    policy: Policy,
    *,
    lineages: Collection[str] = (),
    rules: Collection[str] = (),
    scenarios: Collection[str] = (),
) -> list[ThreadNow]:
    """The threads on any of these sentences, rules or scenarios (uids), in order; three queries."""
    rows = Thread.objects.filter(policy=policy).select_related("by", "rule", "scenario")
    about = (
        rows.filter(lineage__in=[one for one in lineages if one])
        | rows.filter(rule__uid__in=rules)
        | rows.filter(scenario__uid__in=scenarios)
    )
    found = about.distinct().prefetch_related("comments__by", "closings")
    return [_now(thread) for thread in found]


def _now(thread: Thread) -> ThreadNow:
    comments, closings = tuple(thread.comments.all()), tuple(thread.closings.all())
    last = comments[-1].at if comments else thread.at
    return ThreadNow(thread, comments, any(one.at >= last for one in closings))


def _check_own(policy: Policy, rule: Rule | None, scenario: Scenario | None) -> None:
    for one in (rule, scenario):
        if one is not None and one.policy_id != policy.pk:
            raise RefusedError("this is of another policy.")
