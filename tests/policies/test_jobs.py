"""Jobs as rows: starting, claiming, writing, ending. The engines have tests of their own."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections, transaction
from django.utils import timezone

from policies.editing import editing
from policies.jobs import MAX_ATTEMPTS, JobError, progress_of, registry, retry_failed, start_job
from policies.jobs.checks import (
    a_document_is_read_within_the_hard_limit,
    visibility_outlasts_the_hard_limit,
)
from policies.jobs.keeping import kept
from policies.jobs.leases import (
    claim,
    due,
    held,
    release,
    release_all,
    set_aside_killers,
    suspects,
)
from policies.jobs.registry import Context
from policies.jobs.running import DATABASE_AWAY, UNEXPECTED, finalize_if_done, run_item, tidy
from policies.jobs.sending import send_again, wake
from policies.jobs.starting import cancel_job
from policies.models import AuditRow, Item, Job, Policy, RuleRevision, User
from policies.models.jobs import ItemState, JobState
from policies.retiring import retire_rule
from policies.tasks import refuse_without_engine
from tests.policies.job_handlers import KIND
from tests.policies.making import make_rule


@pytest.fixture
def job(policy: Policy, alice: User) -> Job:
    return start_job(policy, alice, KIND, [("a", {}), ("b", {})], key="k")


@pytest.fixture
def kinds(monkeypatch):
    """A registry of its own: `kinds("name", handle=...)` registers for one test."""
    monkeypatch.setattr(registry, "_kinds", {})

    def register(name: str, **functions) -> None:
        functions.setdefault("handle", lambda payload, context: None)
        functions.setdefault("save", lambda context, result: None)
        registry.register(name, **functions)

    return register


def first(job: Job) -> Item:
    return job.items.order_by("ordinal")[0]


def expire(item: Item) -> None:
    Item.objects.filter(pk=item.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def actions(policy: Policy) -> list[str]:
    return list(AuditRow.objects.filter(policy=policy).values_list("action", flat=True))


def test_fr_55_a_second_click_gives_the_same_job(policy, alice, job):
    again = start_job(policy, alice, KIND, [("a", {}), ("b", {})], key="k")
    assert again == job
    assert Item.objects.count() == 2
    assert actions(policy) == ["start-job"]


@pytest.mark.django_db(transaction=True)
def test_fr_55_two_clicks_at_once_give_one_job(policy, alice):
    found = _at_once(4, lambda n: start_job(policy, alice, KIND, [("a", {})], key="k").pk)
    assert len(set(found)) == 1
    assert Item.objects.count() == 1
    assert actions(policy) == ["start-job"]


def test_a_key_never_meets_the_job_of_another_policy(policy, alice, job):
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    theirs = start_job(other, alice, KIND, [("a", {})], key="k")
    assert theirs != job
    assert start_job(policy, alice, KIND, [], key="x" * 5000).policy == policy


def test_a_kind_that_nobody_registered_does_not_start(policy, alice):
    with pytest.raises(JobError, match="does not know the kind of job `cook`"):
        start_job(policy, alice, "cook", [], key="k")
    assert not Job.objects.exists()


def test_a_kind_is_registered_once():
    with pytest.raises(ValueError, match="registered twice"):
        registry.register(KIND, handle=None, save=None)


@pytest.mark.django_db(transaction=True)
def test_a_job_without_items_ends_at_once(policy, alice):
    job = start_job(policy, alice, KIND, [], key="k")
    assert progress_of(job).finished
    assert actions(policy) == ["start-job", "finalized", "finish-job"]


@pytest.mark.django_db(transaction=True)
def test_of_many_claims_one_wins(policy, alice):
    job = start_job(policy, alice, KIND, [("a", {})], key="k")
    item = first(job)
    won = _at_once(6, lambda n: claim(item.pk, f"holder {n}") is not None)
    assert sorted(won) == [False] * 5 + [True]
    item.refresh_from_db()
    assert (item.fence, item.attempts) == (1, 1)
    expire(item)
    won = _at_once(6, lambda n: claim(item.pk, f"other {n}") is not None)
    assert sorted(won) == [False] * 5 + [True]


def test_a_held_item_is_not_to_be_had(job):
    item = first(job)
    assert claim(item.pk, "one") is not None
    assert claim(item.pk, "two") is None
    assert item.pk not in due(10)
    expire(item)
    assert due(10)[0] == item.pk
    taken = claim(item.pk, "two")
    assert taken is not None
    assert taken.fence == 2


def test_who_lost_the_lease_writes_nothing(job, policy, kinds):
    taken: list[Context | None] = []

    def slow(payload, context):
        assert not context.cancelled()
        expire(first(job))
        taken.append(claim(context.item_id, "another"))
        assert context.cancelled()

    kinds(KIND, handle=slow, save=lambda context, result: pytest.fail("a late result was saved"))
    item = first(job)
    assert run_item(item.pk, "one")
    item.refresh_from_db()
    assert (item.state, item.holder) == (ItemState.RUNNING, "another")


def test_an_item_is_worked_on_outside_any_transaction_and_saved_inside_one(policy, alice, kinds):
    depths = []

    def look(*args):
        depths.append(len(connection.savepoint_ids))

    kinds(KIND, handle=look, save=look, finalize=look)
    job = start_job(policy, alice, KIND, [("a", {})], key="k")
    run_item(first(job).pk, "me")
    work, save, finalize = depths
    assert save == finalize == work + 1


def test_what_save_wrote_before_it_failed_is_gone(policy, alice, kinds):
    def save(context, result):
        Policy.objects.filter(pk=policy.pk).update(name="half")
        raise JobError("This cannot be kept.")

    kinds(KIND, save=save)
    job = start_job(policy, alice, KIND, [("a", {})], key="k")
    run_item(first(job).pk, "me")
    policy.refresh_from_db()
    assert policy.name == "Travel policy"
    assert first(job).error == "This cannot be kept."


def test_a_database_that_is_away_for_a_moment_costs_an_attempt_and_no_item(policy, alice, kinds):
    def away(payload, context):
        raise OperationalError("the server closed the connection")

    kinds(KIND, handle=away)
    job = start_job(policy, alice, KIND, [("a", {})], key="k")
    run_item(first(job).pk, "me")
    assert first(job).state == ItemState.WAITING
    run_item(first(job).pk, "me")
    assert (first(job).state, first(job).error) == (ItemState.FAILED, DATABASE_AWAY)
    assert first(job).attempts == MAX_ATTEMPTS


def test_a_finalizer_that_fails_closes_the_job_with_a_reason(policy, alice):
    job = start_job(policy, alice, "test-bad-end", [("a", {})], key="k")
    run_item(first(job).pk, "me")
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, UNEXPECTED)
    assert actions(policy) == ["start-job", "effect", "finish-job"]


def test_a_job_whose_last_worker_died_before_the_end_is_finalized_by_the_sweep(job):
    job.items.update(state=ItemState.DONE)
    tidy()
    tidy()
    finalize_if_done(job.pk)
    assert actions(job.policy) == ["start-job", "finalized", "finish-job"]


def test_an_item_whose_workers_died_is_set_aside_only_once_its_lease_ran_out(job):
    item = first(job)
    for holder in ("one", "two"):
        claim(item.pk, holder)
        assert set_aside_killers() == []
        expire(item)
    assert claim(item.pk, "three") is None
    assert set_aside_killers() == [job.pk]
    item.refresh_from_db()
    assert item.state == ItemState.FAILED
    assert "stopped 2 times" in item.error


def test_failed_items_can_be_tried_again(policy, alice, kinds):
    healthy = []

    def handle(payload, context):
        if not healthy:
            raise JobError("The model is away.")

    ends = []
    kinds(KIND, handle=handle, finalize=ends.append)
    job = start_job(policy, alice, KIND, [("a", {}), ("b", {})], key="k")
    for item in job.items.all():
        run_item(item.pk, "me")
    assert progress_of(job).failed == 2
    healthy.append(True)
    assert retry_failed(job, alice) == 2
    assert progress_of(job).waiting == 2
    for item in job.items.all():
        run_item(item.pk, "me")
    assert progress_of(job).done == 2
    assert len(ends) == 2
    assert retry_failed(job, alice) == 0
    assert actions(policy) == ["start-job", "finish-job", "retry-job", "finish-job"]


def test_cancelling_is_logged_once_and_stays(job, alice):
    assert cancel_job(job, alice)
    assert not cancel_job(job, alice)
    assert retry_failed(job, alice) == 0
    assert actions(job.policy) == ["start-job", "cancel-job"]
    assert not run_item(first(job).pk, "me")


def test_an_item_given_back_at_once_costs_no_attempt(job):
    context = claim(first(job).pk, "host:1:abc:0")
    assert release_all("host:1:abc") == 1
    assert first(job).attempts == 0
    assert not held(context).exists()
    assert not release(context)


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_while_work_goes_on(job, monkeypatch):
    for module in ("leases", "keeping"):
        monkeypatch.setattr(f"policies.jobs.{module}.LEASE_S", 0.6)
    context = claim(first(job).pk, "me")
    with kept(context):
        time.sleep(1.2)
        assert claim(context.item_id, "another") is None
        assert not context.cancelled()
        cancel_job(job, job.created_by)
        assert context.lost.wait(2)


def test_progress_counts_rows(job):
    assert progress_of(job).not_started
    claim(first(job).pk, "me")
    seen = progress_of(job)
    assert (seen.total, seen.waiting, seen.running, seen.ended) == (2, 1, 1, 0)
    assert not seen.not_started
    assert not seen.finished


def test_fr_62_a_broker_that_is_away_is_no_error(job, settings):
    from config.celery import app

    settings.POLICYWRIGHT_JOBS = "celery"
    app.conf.broker_url = "redis://127.0.0.1:1/0"
    began = time.monotonic()
    assert not wake([item.pk for item in job.items.all()])
    assert not send_again(queue_is_empty=True)
    assert time.monotonic() - began < 5
    assert progress_of(job).not_started


def test_a_worker_of_the_engine_that_is_not_in_use_says_so(settings):
    with pytest.raises(SystemExit, match="POLICYWRIGHT_JOBS is `embedded`: set it to `celery`"):
        refuse_without_engine()
    with pytest.raises(CommandError, match="at least 1"):
        call_command("work", threads=0)
    settings.POLICYWRIGHT_JOBS = "celery"
    refuse_without_engine()
    with pytest.raises(CommandError, match="start `celery -A config worker` instead"):
        call_command("work")


def test_fr_59_a_hard_limit_above_the_visibility_time_is_found_at_the_start(settings):
    assert visibility_outlasts_the_hard_limit() == []
    settings.POLICYWRIGHT_JOBS = "celery"
    assert visibility_outlasts_the_hard_limit() == []
    visible_again_s = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    for limit in (visible_again_s, visible_again_s + 1, None):
        settings.CELERY_TASK_TIME_LIMIT = limit
        (found,) = visibility_outlasts_the_hard_limit()
        assert found.id == "policies.E001"
        assert f"after {visible_again_s} s" in found.msg


def test_a_reader_that_may_outlast_its_worker_is_found_at_the_start(settings):
    settings.POLICYWRIGHT_JOBS = "celery"
    assert a_document_is_read_within_the_hard_limit() == []
    settings.DOCUMENT_LIMITS = settings.DOCUMENT_LIMITS | {
        "seconds": settings.CELERY_TASK_TIME_LIMIT
    }
    (found,) = a_document_is_read_within_the_hard_limit()
    assert f"{settings.CELERY_TASK_TIME_LIMIT} s" in found.msg
    settings.POLICYWRIGHT_JOBS = "embedded"
    assert a_document_is_read_within_the_hard_limit() == []


def test_a_wake_up_that_may_still_lie_in_the_queue_is_not_sent_again(job):
    def sent(*, seconds_ago: float, **fields) -> None:
        then = timezone.now() - timedelta(seconds=seconds_ago)
        job.items.update(sent_at=then, **fields)

    assert send_again(queue_is_empty=False) == 2
    assert send_again(queue_is_empty=True) == 0
    sent(seconds_ago=3600)
    assert send_again(queue_is_empty=False) == 0
    assert send_again(queue_is_empty=True) == 2
    # A second, since SQLite's own clock tells no more than thousandths.
    over = timezone.now() - timedelta(seconds=1)
    sent(seconds_ago=3600, state=ItemState.RUNNING, lease_until=over)
    assert send_again(queue_is_empty=False) == 2
    sent(seconds_ago=3600, state=ItemState.DONE)
    assert send_again(queue_is_empty=True) == 0


@pytest.mark.django_db(transaction=True)
def test_fr_64_a_run_that_writes_200_rules_and_three_people_meet_no_locked_database(policy, alice):
    def write(number: int) -> int:
        if number == 0:
            for span in range(50):
                with editing(policy, None, cause="formalized"):
                    for n in range(4):
                        make_rule(policy, f"rule{span}-{n}")
            return 50
        for n in range(15):
            with editing(policy, alice, cause="added by hand") as edit:
                retire_rule(edit, make_rule(policy, f"person{number}-{n}"))
        return 15

    assert _at_once(4, write) == [50, 15, 15, 15]
    policy.refresh_from_db()
    assert policy.revision == 95
    assert policy.rules.filter(retired_at=None).count() == 200
    assert RuleRevision.objects.count() == 200


def _at_once(number: int, do) -> list:
    """What `do(n)` gives in each of several threads that begin together."""
    barrier, results, errors = threading.Barrier(number), [None] * number, []

    def run(n: int) -> None:
        try:
            barrier.wait()
            results[n] = do(n)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    return results


def test_a_start_that_is_rolled_back_leaves_no_job(policy, alice):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        start_job(policy, alice, KIND, [], key="k").policy.pk / 0
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_items_whose_worker_died_a_process_tries_one_at_a_time(policy, alice, kinds):
    busy, most = [], []

    def handle(payload, context):
        busy.append(1)
        most.append(len(busy))
        time.sleep(0.05)
        busy.pop()

    kinds(KIND, handle=handle)
    job = start_job(policy, alice, KIND, [(f"i{n}", {}) for n in range(4)], key="k")
    ids = list(job.items.values_list("pk", flat=True))
    for pk in ids:
        claim(pk, "dead")
    for item in job.items.all():
        expire(item)
    assert suspects() == ids
    while not progress_of(job).finished:
        _at_once(4, lambda n: run_item(ids[n], f"holder {n}"))
    assert most == [1, 1, 1, 1]
    assert progress_of(job).done == 4
