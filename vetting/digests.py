"""At most one message a day that says what is new for a person: counts and links.

No text of a policy and no comment leaves the server with it. A message is marked as being
sent before the mail server is asked, so that a run that is killed midway sends nobody a
second one of that day; what it would have told is told by the next. A message that failed
is tried again by the next run, under the same Message-ID. The day is that of UTC.
"""

from __future__ import annotations

import logging
import smtplib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max
from django.urls import reverse
from django.utils import timezone

from policies.mail import link, message
from policies.models import Policy, User
from policies.writing import written
from vetting.models import Comment
from vetting.seen import new_assignments, new_comments, threads_for
from vetting.thread_models import About, Assignment, Attention, Digest, DigestState, Mention

logger = logging.getLogger(__name__)

SALT = "digests"
# What is younger is told the next day: its transaction may overtake an earlier one.
SETTLED = timedelta(minutes=1)
# A message with more links than this is read by nobody; the page has them all.
MOST_LINKS = 20


@dataclass(frozen=True)
class Line:
    """What is new in one policy, with links to it."""

    policy: Policy
    said: tuple[str, ...]
    links: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class News:
    """What a message tells, and up to where."""

    lines: tuple[Line, ...]
    comments_upto: int
    assignments_upto: int


@dataclass
class Count:
    """What a run did."""

    sent: int = 0
    failed: int = 0


class MailAwayError(Exception):
    """The mail server is not to be reached; nobody was written to."""


def send_digests(now: datetime | None = None) -> Count:
    """Send what is due; any number of runs, also at once, send each person one a day.

    Raises MailAwayError where the server cannot be reached when the run begins.
    """
    now = now or timezone.now()
    people = User.objects.filter(is_active=True, memberships__isnull=False).distinct()
    unwilling = Attention.objects.filter(wants_mail=False).values("user")
    done = Digest.objects.filter(day=now.date()).exclude(state=DigestState.FAILED).values("user")
    due = people.exclude(pk__in=unwilling).exclude(pk__in=done).order_by("pk")
    settled = _settled(now - SETTLED)
    count = Count()
    connection: BaseEmailBackend | None = None
    try:
        for pk in list(due.values_list("pk", flat=True)):
            user = User.objects.get(pk=pk)
            news = news_for(user, *settled)
            if not news.lines:
                continue
            if connection is None:
                connection = _connected()
            digest = _begin(user, now, news)
            if digest is not None:
                _send(user, digest, news, connection, count)
    finally:
        if connection is not None:
            _hang_up(connection)
    return count


def send_if_wanted() -> None:
    """For the workers, once an hour; what failed an hour ago is tried again."""
    if settings.POLICYWRIGHT_DIGESTS:
        send_and_log()


def send_and_log() -> None:
    try:
        send_digests()
    except MailAwayError as error:
        logger.warning("the mail server cannot be reached, nobody was written to: %s", error)


def _settled(until: datetime) -> tuple[int, int]:
    """The last comment and the last assignment that may be told."""
    comments = Comment.objects.filter(at__lte=until).aggregate(last=Max("pk"))["last"]
    given = Assignment.objects.filter(at__lte=until).aggregate(last=Max("pk"))["last"]
    return comments or 0, given or 0


def news_for(user: User, comments_upto: int, assignments_upto: int) -> News:
    """What is new for a person and no message told yet, up to these ids."""
    told = Digest.objects.filter(user=user, state=DigestState.SENT).aggregate(
        comments=Max("comments_upto"), assignments=Max("assignments_upto")
    )
    after = {"comments": told["comments"] or 0, "assignments": told["assignments"] or 0}
    fresh = new_comments(user).filter(pk__gt=after["comments"], pk__lte=comments_upto)
    threads = threads_for(user).filter(Exists(fresh)).select_related("policy").order_by("-pk")
    given = new_assignments(user).filter(pk__gt=after["assignments"], pk__lte=assignments_upto)
    found: dict[int, tuple[Policy, list[Any], list[Assignment]]] = {}
    for thread in threads:
        found.setdefault(thread.policy_id, (thread.policy, [], []))[1].append(thread)
    for one in given.select_related("policy"):
        found.setdefault(one.policy_id, (one.policy, [], []))[2].append(one)
    named = Mention.objects.filter(user=user, comment__pk__gt=after["comments"])
    naming = set(named.values_list("comment__thread", flat=True))
    lines = sorted(
        (_line(policy, rows, own, naming) for policy, rows, own in found.values()),
        key=lambda line: (line.policy.name, line.policy.pk),
    )
    return News(tuple(lines), comments_upto, assignments_upto)


def _line(policy: Policy, threads: list[Any], given: list[Assignment], naming: set[int]) -> Line:
    names = sum(one.pk in naming for one in threads)
    said = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in (
            (names, "thread that names you", "threads that name you"),
            (len(threads) - names, "other thread with new comments", "other threads with new ones"),
            (len(given), "thing assigned to you", "things assigned to you"),
        )
        if count
    ]
    paths = [reverse("thread", args=[policy.slug, one.uid]) for one in threads]
    paths += [_path_of(policy, one) for one in given]
    paths = list(dict.fromkeys(paths))
    links = tuple(link(path) for path in paths[:MOST_LINKS])
    return Line(policy, tuple(said), links, max(0, len(paths) - MOST_LINKS))


def _path_of(policy: Policy, one: Assignment) -> str:
    name = "thread" if one.about == About.THREAD else "threads-about"
    return reverse(name, args=[policy.slug, one.key])


def _begin(user: User, now: datetime, news: News) -> Digest | None:
    """The row of this day, marked as being sent; None where another run has it."""
    upto = {"comments_upto": news.comments_upto, "assignments_upto": news.assignments_upto}
    with written():
        # The person may have said no, or been closed out, since the list was made.
        wanted = User.objects.filter(pk=user.pk, is_active=True)
        if not wanted.exists() or not wants_mail(user):
            return None
        again = Digest.objects.filter(user=user, day=now.date(), state=DigestState.FAILED)
        if again.update(state=DigestState.SENDING, tries=F("tries") + 1, **upto):
            return Digest.objects.get(user=user, day=now.date())
        try:
            with transaction.atomic():
                return Digest.objects.create(
                    user=user, day=now.date(), state=DigestState.SENDING, **upto
                )
        except IntegrityError:
            return None


def _send(
    user: User, digest: Digest, news: News, connection: BaseEmailBackend, count: Count
) -> None:
    try:
        _message(user, digest, news, connection).send()
    # A hostile address ends as a ValueError of the message's own (header injection).
    except (OSError, smtplib.SMTPException, ValueError) as error:
        logger.warning(
            "digest %s to user %s failed at try %s, and is tried again: %s",
            digest.day,
            user.pk,
            digest.tries,
            type(error).__name__,
        )
        count.failed += 1
        state = DigestState.FAILED
        # A server that hung up is asked anew for the next person.
        _hang_up(connection)
    else:
        count.sent += 1
        state = DigestState.SENT
    with written():
        Digest.objects.filter(pk=digest.pk).update(state=state)


def _message(user: User, digest: Digest, news: News, connection: BaseEmailBackend) -> EmailMessage:
    stop = link(reverse("mail-stop", args=[stop_token(user)]))
    context = {"lines": news.lines, "page": link(reverse("for-you")), "stop": stop}
    host = urlsplit(settings.POLICYWRIGHT_URL).hostname or "localhost"
    headers = {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
        # One a day: a mail system that saw it may drop a second copy.
        "Message-ID": f"<digest-{digest.day:%Y%m%d}-{digest.pk}@{host}>",
    }
    return message(user.email, "digest", context, headers=headers, connection=connection)


def _connected() -> BaseEmailBackend:
    connection = get_connection()
    try:
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        raise MailAwayError(type(error).__name__) from error
    return connection


def _hang_up(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("the mail server was left without a word: %s", type(error).__name__)


def wants_mail(user: User) -> bool:
    return not Attention.objects.filter(user=user, wants_mail=False).exists()


def set_mail(user: User, wants: bool) -> None:
    with written():
        Attention.objects.update_or_create(user=user, defaults={"wants_mail": wants})


def stop_token(user: User) -> str:
    """For the link at the end of a message; it ends with the account only."""
    return signing.dumps(user.pk, salt=SALT)


def user_of_token(token: str) -> User | None:
    """Whose messages a link stops; None for one that we did not sign."""
    try:
        pk = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=pk).first()
