"""One message a day: what is new, to whom, and never twice; also over a real socket."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from policies.append_only import create_statements, drop_statements
from policies.models import Membership, Policy, User
from policies.roles import Role
from tests.policies.engines import Engine, wait_until
from tests.smtp_server import Server, mail_server
from tests.vetting.conftest import Draft
from vetting.assigning import assign
from vetting.digests import (
    MailAwayError,
    send_digests,
    send_if_wanted,
    set_mail,
    stop_token,
    user_of_token,
)
from vetting.models import Comment, Thread
from vetting.seen import saw
from vetting.thread_models import About, Digest, DigestState
from vetting.threads import answer_in, start_thread


@pytest.fixture
def later() -> datetime:
    """Noon of tomorrow, so that all days of a test are whole; what is written now is settled."""
    return (timezone.now() + timedelta(days=1)).replace(hour=12)


@pytest.fixture
def asked(draft: Draft) -> Thread:
    """Bob asks Alice."""
    text = "@Alice, is SECRET-WORD net or gross?"
    return start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text=text).comment.thread


def to(index: int = -1) -> list[str]:
    return mail.outbox[index].to


def test_a_message_has_counts_and_links_and_no_text(
    draft: Draft, asked: Thread, later: datetime, settings: Any
) -> None:
    settings.POLICYWRIGHT_URL = "https://rules.example.org"
    assign(draft.policy, draft.bob, About.RULE, draft.rule("service").uid, draft.alice)
    assert send_digests(later).sent == 1
    (message,) = mail.outbox
    assert to() == ["alice@example.org"]
    assert message.subject == "What is new for you on Policywright"
    base = f"https://rules.example.org/policies/{draft.policy.slug}/threads/"
    assert "Travel policy: 1 thread that names you, 1 thing assigned to you\n" in message.body
    assert f"{base}{asked.uid}/\n" in message.body
    assert f"{base}on/{draft.rule('service').uid}/\n" in message.body
    for word in ("SECRET-WORD", "cost", "EUR", "Trips", "Bob"):
        assert word not in message.body


def test_nobody_gets_two_of_one_day_and_nothing_is_told_twice(
    draft: Draft, asked: Thread, later: datetime
) -> None:
    assert [send_digests(later).sent for _ in range(3)] == [1, 0, 0]
    # Nothing new: nothing is sent the next day, though it is still unread.
    assert send_digests(later + timedelta(days=1)).sent == 0
    answer_in(draft.policy, draft.bob, asked, text="Anybody?")
    assert send_digests(later).sent == 0
    assert send_digests(later + timedelta(days=1)).sent == 1
    assert "1 other thread with new comments" in mail.outbox[-1].body


def test_what_was_read_is_not_told(draft: Draft, asked: Thread, later: datetime) -> None:
    saw(draft.alice, {asked.pk: Comment.objects.latest("pk").pk})
    assert send_digests(later).sent == 0


def test_what_was_written_this_moment_is_told_the_next_day(draft: Draft, asked: Thread) -> None:
    now = timezone.now()
    assert send_digests(now).sent == 0
    assert not Digest.objects.exists()
    assert send_digests(now + timedelta(minutes=2)).sent == 1


def test_who_left_was_closed_out_or_said_no_gets_none(
    draft: Draft, asked: Thread, later: datetime
) -> None:
    set_mail(draft.alice, False)
    assert send_digests(later).sent == 0
    set_mail(draft.alice, True)
    User.objects.filter(pk=draft.alice.pk).update(is_active=False)
    assert send_digests(later).sent == 0
    User.objects.filter(pk=draft.alice.pk).update(is_active=True)
    Membership.objects.filter(policy=draft.policy, user=draft.alice).delete()
    other = Policy.objects.create(slug="other", name="Other", created_by=draft.alice)
    Membership.objects.create(policy=other, user=draft.alice, role=Role.OWNER)
    assert send_digests(later).sent == 0
    assert mail.outbox == []


def test_a_run_that_was_killed_midway_sends_nobody_two(
    draft: Draft, asked: Thread, later: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed once as the message leaves and once right after it has left."""

    def leave(self: EmailBackend, messages: Any) -> int:
        mail.outbox.extend(messages)
        raise SystemExit("killed")

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", leave)
        with pytest.raises(SystemExit):
            send_digests(later)
    assert len(mail.outbox) == 1
    assert Digest.objects.get().state == DigestState.SENDING
    assert send_digests(later).sent == 0
    # Whether it arrived nobody knows: the next one tells it again.
    assert send_digests(later + timedelta(days=1)).sent == 1
    assert asked.uid in mail.outbox[-1].body


def test_of_two_runs_at_once_one_writes_to_each(
    draft: Draft, asked: Thread, later: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run is whole between this one's look and its row."""
    from vetting import digests

    begin = digests._begin

    def late(user: User, now: datetime, news: Any) -> Any:
        monkeypatch.setattr(digests, "_begin", begin)
        assert send_digests(now).sent == 1
        return begin(user, now, news)

    monkeypatch.setattr(digests, "_begin", late)
    assert send_digests(later).sent == 0
    assert len(mail.outbox) == 1


def test_a_link_stops_the_messages_of_who_it_was_sent_to_alone(
    draft: Draft, asked: Thread, later: datetime
) -> None:
    send_digests(later)
    headers = mail.outbox[0].extra_headers
    stop = headers["List-Unsubscribe"].strip("<>")
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert stop in mail.outbox[0].body
    token = stop.rstrip("/").rsplit("/", 1)[1]
    assert user_of_token(token) == draft.alice
    assert user_of_token(stop_token(draft.bob)) == draft.bob
    for other in (token[:-1], f"{draft.alice.pk}", "x:y:z", "\x00", token + "x"):
        assert user_of_token(other) is None


# Over a real socket


def settle() -> None:
    """The command takes the present time: what was written is an hour old."""
    with connection.cursor() as cursor:
        for statement in drop_statements(Comment._meta.db_table, connection.vendor):
            cursor.execute(statement)
        Comment.objects.update(at=timezone.now() - timedelta(hours=1))
        for statement in create_statements(Comment, connection.vendor):
            cursor.execute(statement)


@pytest.fixture
def server(settings: Any) -> Any:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.EMAIL_TIMEOUT = 5
        yield server


@pytest.fixture
def three(draft: Draft) -> list[User]:
    """Three more people whom Bob asks something."""
    people = [User.objects.create_user(f"p{n}@example.org", name=f"P{n}") for n in range(3)]
    for user in people:
        Membership.objects.create(policy=draft.policy, user=user, role=Role.VIEWER)
    start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="@P0 @P1 @P2?")
    return people


def test_messages_leave_over_a_socket_in_one_connection(
    server: Server, three: list[User], later: datetime
) -> None:
    assert send_digests(later).sent == 3
    assert [to for to, _ in server.taken] == [one.email for one in three]
    message = server.taken[0][1]
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "thread that names you" in message.get_content()


def test_a_message_that_failed_is_tried_again_and_logged(
    server: Server, three: list[User], later: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuses.add("p1@example.org")
    count = send_digests(later)
    assert (count.sent, count.failed) == (2, 1)
    assert f"to user {three[1].pk} failed at try 1" in caplog.text
    assert "p1@example.org" not in caplog.text
    assert Digest.objects.get(user=three[1]).state == DigestState.FAILED
    server.refuses.clear()
    count = send_digests(later)
    assert (count.sent, count.failed) == (1, 0)
    assert [to for to, _ in server.taken] == [three[n].email for n in (0, 2, 1)]
    assert Digest.objects.get(user=three[1]).tries == 2
    assert send_digests(later).sent == 0


def test_a_server_that_hangs_up_midway_loses_nobody(
    server: Server, three: list[User], later: datetime
) -> None:
    server.dies_after = 1
    count = send_digests(later)
    assert (count.sent, count.failed) == (1, 2)
    server.dies_after = None
    assert send_digests(later).sent == 2
    assert sorted(to for to, _ in server.taken) == [one.email for one in three]


def test_without_a_server_nobody_is_marked(
    server: Server, three: list[User], later: datetime, settings: Any
) -> None:
    settings.EMAIL_PORT = 1
    with pytest.raises(MailAwayError):
        send_digests(later)
    assert not Digest.objects.exists()
    settle()
    with pytest.raises(CommandError, match=r"cannot be reached .*; nobody was written to"):
        call_command("send_digests")


def test_the_command_says_what_it_did(
    server: Server, three: list[User], capsys: pytest.CaptureFixture[str]
) -> None:
    settle()
    server.refuses.add("p1@example.org")
    with pytest.raises(CommandError, match="tried again by the next run"):
        call_command("send_digests")
    assert capsys.readouterr().out == "2 sent, 1 failed.\n"
    server.refuses.clear()
    call_command("send_digests")
    assert capsys.readouterr().out == "1 sent, 0 failed.\n"


# By the workers


def test_workers_send_them_where_the_settings_say_so(
    draft: Draft, asked: Thread, settings: Any
) -> None:
    settle()
    send_if_wanted()
    assert mail.outbox == []
    settings.POLICYWRIGHT_DIGESTS = True
    send_if_wanted()
    send_if_wanted()
    assert len(mail.outbox) == 1


def test_celery_beat_has_a_task_for_them(draft: Draft, asked: Thread) -> None:
    from vetting.tasks import send_digests as task

    settle()
    assert task.name == "vetting.send_digests"
    task.apply()
    task.apply()
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_the_embedded_runner_sends_them(
    draft: Draft, asked: Thread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real worker process; its messages are files."""
    settle()
    monkeypatch.setenv("POLICYWRIGHT_DIGESTS", "1")
    monkeypatch.setenv("POLICYWRIGHT_MAIL", "")
    monkeypatch.setenv("POLICYWRIGHT_VAR", str(tmp_path))
    engine = Engine("embedded", tmp_path, None)
    engine.start()
    try:
        wait_until(lambda: list(tmp_path.glob("mail/*.log")) != [], said=engine.logs)
        wait_until(lambda: Digest.objects.filter(state=DigestState.SENT).exists())
    finally:
        engine.kill()
    (path,) = tmp_path.glob("mail/*.log")
    assert "To: alice@example.org" in path.read_text()


def test_a_worker_whose_mail_server_is_away_lives_on(
    server: Server, three: list[User], settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settle()
    settings.POLICYWRIGHT_DIGESTS, settings.EMAIL_PORT = True, 1
    send_if_wanted()
    assert "the mail server cannot be reached" in caplog.text
    assert not Digest.objects.exists()
