"""What is new for a person: what others wrote since they last looked, and what they were given.

A person hears of a thread that names them, is given to them, or that they wrote in, as long
as they are a member of its policy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from policies.access import policies_of
from policies.models import Rule, User
from policies.writing import written
from vetting.assigning import latest
from vetting.models import Comment, Thread
from vetting.thread_models import About, Assignment, Attention, Mention, ThreadSeen


def threads_for(user: User) -> QuerySet[Thread]:
    """The threads that a person hears of, annotated with `upto`, the last comment they saw."""
    given = latest().filter(to=user, about=About.THREAD)
    mine = (
        Q(by=user)
        | Q(pk__in=Comment.objects.filter(by=user).values("thread"))
        | Q(pk__in=Mention.objects.filter(user=user).values("comment__thread"))
        | Q(uid__in=given.values("key"))
    )
    seen = ThreadSeen.objects.filter(user=user, thread=OuterRef("pk")).values("upto")[:1]
    upto = Coalesce(Subquery(seen), Value(0), output_field=BigIntegerField())
    rows = Thread.objects.filter(mine, policy__in=policies_of(user).values("pk"))
    return rows.annotate(upto=upto)


def new_comments(user: User) -> QuerySet[Comment]:
    """Of the thread `OuterRef('pk')`, what others wrote behind `OuterRef('upto')`."""
    rows = Comment.objects.filter(thread=OuterRef("pk"), pk__gt=OuterRef("upto"))
    return rows.exclude(by=user)


def assignments_of(user: User) -> QuerySet[Assignment]:
    """What is given to a person now; a rule that left the draft is nobody's work any more."""
    gone = Rule.objects.filter(uid=OuterRef("key"), retired_at__isnull=False)
    rows = latest().filter(to=user, policy__in=policies_of(user).values("pk"))
    return rows.exclude(Exists(gone))


def new_assignments(user: User) -> QuerySet[Assignment]:
    """Those to themselves are no news."""
    seen = Attention.objects.filter(user=user).values("assignments_upto")[:1]
    upto = Coalesce(Subquery(seen), Value(0), output_field=BigIntegerField())
    return assignments_of(user).exclude(by=user).annotate(seen=upto).filter(pk__gt=upto)


def news_count(user: User) -> int:
    """How many threads and assignments are new for a person; one query."""
    threads = threads_for(user).filter(Exists(new_comments(user)))
    given = new_assignments(user)
    both = threads.order_by().values("pk").union(given.order_by().values("pk"), all=True)
    return both.count()


def upto_of(user: User, threads: Collection[int]) -> dict[int, int]:
    """Up to which comment a person saw each of these threads; one query."""
    rows = ThreadSeen.objects.filter(user=user, thread__in=threads)
    return dict(rows.values_list("thread", "upto"))


def saw(user: User, upto: Mapping[int, int]) -> None:
    """Keep that a person saw these threads up to these comments; one query."""
    if not upto:
        return
    rows = [ThreadSeen(user=user, thread_id=pk, upto=last) for pk, last in upto.items()]
    with written():
        ThreadSeen.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["user", "thread"], update_fields=["upto"]
        )


def saw_assignments(user: User, upto: int) -> None:
    """Keep that a person saw their assignments up to this one."""
    with written():
        Attention.objects.update_or_create(user=user, defaults={"assignments_upto": upto})
