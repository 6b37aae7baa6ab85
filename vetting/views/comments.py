"""What people wrote about a sentence, a rule or a case, for the pages that show one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from policies.access import MemberRequest
from policies.models import Policy, User
from policies.roles import MATRIX, Action
from vetting.assigning import keys_of, present_of
from vetting.models import Comment
from vetting.seen import saw, upto_of
from vetting.thread_models import Assignment
from vetting.threads import ThreadNow, open_threads, read_threads, threads_of

# So many open threads stand on a card; the rest is a page away.
MOST = 5


def threads_shown(policy: Policy, user: User, **on: Sequence[str]) -> list[dict[str, Any]]:
    """The open threads about these, the latest first; whoever reads them has seen them."""
    found: list[dict[str, Any]] = talk_shown(policy, user, on)["threads"]
    return found


def talk_shown(
    policy: Policy,
    user: User,
    on: Mapping[str, Sequence[str]],
    *,
    key: str = "",
    back: str = "",
    is_empty: bool = False,
) -> dict[str, Any]:
    """The open threads of a card, and whom it is given to by its `key`, for `_talk.html`.

    `on` is as for `threads_of`. `back` is the page to come back to; `is_empty` says that
    there is no thread on it, which the caller may know already.
    """
    rows = threads_of(policy, **on).filter(is_closed=False).order_by("-last_at", "-pk")
    threads = [] if is_empty else read_threads(rows[: MOST + 1])
    given = present_of(policy, [key, *(one.thread.uid for one in threads)])
    return {
        "key": key,
        "back": back,
        "threads": shown_to(user, threads[:MOST], given),
        "has_more": len(threads) > MOST,
        "assigned": given[key].to if key in given else None,
    }


def may_comment(request: MemberRequest, policy: Policy) -> bool:
    return policy.archived_at is None and bool(request.roles & MATRIX[Action.COMMENT])


def standing_shown(policy: Policy, user: User, cards: Collection[str]) -> dict[str, int]:
    """For a policy's front page: how many threads are open, and what is given to the person.

    `cards` are the keys that have a card; two queries.
    """
    uids = set(open_threads(policy).values_list("uid", flat=True))
    own = keys_of(policy, user)
    return {
        "open": len(uids),
        "threads": len(own & uids),
        "cards": sum(key in cards for key in own),
    }


def shown_to(
    user: User, threads: Sequence[ThreadNow], given: Mapping[str, Assignment]
) -> list[dict[str, Any]]:
    """For `_thread.html`, with what is new marked, which is then seen; two queries at most."""
    if not threads:
        return []
    upto = upto_of(user, [one.thread.pk for one in threads])
    saw(user, _newer(threads, upto))
    return [
        thread_shown(one, user, upto.get(one.thread.pk, 0), given.get(one.thread.uid))
        for one in threads
    ]


def thread_shown(
    now: ThreadNow, user: User, upto: int, assignment: Assignment | None
) -> dict[str, Any]:
    """`upto` is the last comment that the person saw; nothing is new of what they wrote."""
    return {
        "thread": now.thread,
        "uid": now.thread.uid,
        "case": now.thread.scenario.english if now.thread.scenario else "",
        "rule": now.thread.rule,
        "is_closed": now.is_closed,
        "closing": now.closing,
        "has_earlier": now.has_earlier,
        "first": now.comments[0].pk if now.comments else 0,
        "assigned": assignment.to if assignment else None,
        "comments": [
            {
                "by": one.by,
                "at": one.at,
                "pieces": list(pieces_of(one)),
                "is_new": one.pk > upto and one.by_id != user.pk,
            }
            for one in now.comments
        ],
    }


def pieces_of(comment: Comment) -> Iterator[dict[str, Any]]:
    """The text in order, people in it as they are called now; links are not made."""
    at = 0
    for one in comment.named:  # type: ignore[attr-defined]
        yield {"text": comment.text[at : one.start]}
        yield {"user": one.user}
        at = one.end
    yield {"text": comment.text[at:]}


def _newer(threads: Sequence[ThreadNow], upto: Mapping[int, int]) -> dict[int, int]:
    """The last comment of each thread that was not seen yet."""
    last = {one.thread.pk: one.comments[-1].pk for one in threads if one.comments}
    return {pk: comment for pk, comment in last.items() if comment > upto.get(pk, 0)}
