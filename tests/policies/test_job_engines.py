"""What both engines promise, on real workers, with a database that all of them share."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from django.db import transaction

from policies.jobs import MAX_ATTEMPTS, cancel_job, progress_of, start_job
from policies.jobs.running import UNEXPECTED
from policies.jobs.sending import wake
from policies.models import AuditRow, Job, Policy, User
from policies.models.jobs import ItemState, JobState
from tests.policies.engines import Engine, wait_until
from tests.policies.job_handlers import KIND

# Workers are other processes: they see what is committed, and nothing else.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def begin(engine: Engine, policy: Policy, alice: User, tmp_path: Path):
    """`begin(number, **payload)` starts a job of that many items; `begin.log` notes their runs."""
    log = tmp_path / "runs.log"

    def start(number: int, *, key: str = "k", **payload) -> Job:
        items = [(f"i{n}", {"log": str(log), **payload}) for n in range(number)]
        return start_job(policy, alice, KIND, items, key=key)

    start.log = log
    return start


def runs(log: Path, what: str = "start") -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []
    return sorted(line.split()[1] for line in lines if line.startswith(what))


def effects(job: Job) -> list[str]:
    rows = AuditRow.objects.filter(action="effect", object__startswith=job.uid)
    return sorted(row.object.partition(":")[2] for row in rows)


def finished(job: Job):
    def holds() -> bool:
        return progress_of(job).finished

    return holds


def keys(number: int) -> list[str]:
    return sorted(f"i{n}" for n in range(number))


def finalized(job: Job) -> int:
    return AuditRow.objects.filter(action="finalized", object=job.uid).count()


def test_each_item_is_done_once_and_one_that_fails_keeps_its_reason(engine, begin, policy, alice):
    engine.start(slots=4)
    log = {"log": str(begin.log), "seconds": 0.02}
    items = [("refused", {"do": "fail"}), ("broken", {"do": "crash"})]
    items += [(f"i{n}", log) for n in range(20)]
    job = start_job(policy, alice, KIND, items, key="k")
    wait_until(finished(job), said=engine.logs)
    assert runs(begin.log) == effects(job) == keys(20)
    assert finalized(job) == 1
    failed = job.items.filter(state=ItemState.FAILED)
    errors = {item.key.partition(":")[2]: item.error for item in failed}
    assert errors == {"refused": "The model refused this span.", "broken": UNEXPECTED}
    assert "a secret detail" in engine.logs()


def test_two_workers_side_by_side_share_the_items(engine, begin):
    engine.start()
    engine.start()
    job = begin(30, seconds=0.05)
    wait_until(finished(job), said=engine.logs)
    assert runs(begin.log) == effects(job) == keys(30)
    assert finalized(job) == 1


def test_fr_60_after_a_kill_all_is_finished_and_nothing_is_done_twice(engine, begin):
    engine.start()
    job = begin(8, seconds=0.4)
    wait_until(lambda: len(runs(begin.log)) > 2, said=engine.logs)
    engine.kill()
    done_before = effects(job)
    assert not progress_of(job).finished
    engine.start()
    seconds = wait_until(finished(job), said=engine.logs)
    assert effects(job) == keys(8)
    assert finalized(job) == 1
    again = [key for key in keys(8) if runs(begin.log).count(key) == 2]
    assert 1 <= len(again) <= 2
    assert not set(again) & set(done_before)
    assert seconds < 15


def test_fr_60_an_item_that_kills_its_worker_twice_is_set_aside(engine, begin, policy, alice):
    engine.start()
    log = {"log": str(begin.log)}
    items = [("deadly", {**log, "do": "kill"}), *((f"i{n}", log) for n in range(3))]
    job = start_job(policy, alice, KIND, items, key="deadly")

    def done() -> bool:
        if all(worker.poll() is not None for worker in engine._workers):
            engine.start()
        return progress_of(job).finished

    wait_until(done, seconds=40, said=engine.logs)
    deadly = job.items.get(state=ItemState.FAILED)
    assert deadly.error == ("The worker stopped 2 times while it worked on this; it was set aside.")
    assert runs(begin.log).count("deadly") == MAX_ATTEMPTS
    assert effects(job) == keys(3)


def test_fr_63_after_a_cancel_nothing_begins_and_a_late_result_is_dropped(
    engine, begin, policy, alice
):
    engine.start()
    log = {"log": str(begin.log), "seconds": 0.8}
    items = [(f"i{n}", {**log, "polite": n % 2 == 0}) for n in range(10)]
    job = start_job(policy, alice, KIND, items, key="k")
    wait_until(lambda: len(runs(begin.log)) == 2, said=engine.logs)
    assert cancel_job(job, alice)
    assert progress_of(job).finished
    time.sleep(1.2)
    assert runs(begin.log) == ["i0", "i1"]
    assert runs(begin.log, "stopped") == ["i0"]
    assert runs(begin.log, "end") == ["i1"]
    assert effects(job) == []
    assert job.state == JobState.CANCELLED
    assert progress_of(job).cancelled == 10
    assert finalized(job) == 0


def test_fr_59_messages_that_come_again_and_again_do_nothing_more(celery, policy, alice, tmp_path):
    log = tmp_path / "runs.log"
    longer_than_a_lease = {"log": str(log), "seconds": 1.8}
    items = [(f"i{n}", longer_than_a_lease) for n in range(4)]
    job = start_job(policy, alice, KIND, items, key="k")
    ids = list(job.items.values_list("pk", flat=True))
    for _ in range(5):
        wake(ids)
    celery.start(slots=8)
    wait_until(finished(job), said=celery.logs)
    wake(ids)
    time.sleep(0.5)
    assert runs(log) == effects(job) == keys(4)
    assert finalized(job) == 1


def test_fr_60_a_killed_child_of_a_prefork_pool_is_made_up_for(celery, policy, alice, tmp_path):
    celery.pool = "prefork"
    log = tmp_path / "runs.log"
    items = [("deadly", {"log": str(log), "do": "kill"})]
    items += [(f"i{n}", {"log": str(log), "seconds": 0.1}) for n in range(4)]
    worker = celery.start()
    job = start_job(policy, alice, KIND, items, key="k")
    wait_until(finished(job), said=celery.logs)
    assert worker.poll() is None
    assert effects(job) == keys(4)
    assert runs(log).count("deadly") == MAX_ATTEMPTS
    assert progress_of(job).failed == 1


def test_fr_62_a_job_started_without_a_broker_waits_and_starts_by_itself(celery, policy, alice):
    celery.start()
    time.sleep(1.5)
    celery.redis.stop()
    items = [(f"i{n}", {}) for n in range(50)]
    began = time.monotonic()
    job = start_job(policy, alice, KIND, items, key="k")
    assert time.monotonic() - began < 5
    assert progress_of(job).not_started
    assert not job.items.exclude(sent_at=None).exists()
    celery.redis.start()
    wait_until(finished(job), said=celery.logs)
    assert effects(job) == keys(50)


def test_a_broker_that_loses_everything_delays_and_loses_nothing(celery, policy, alice):
    job = start_job(policy, alice, KIND, [(f"i{n}", {}) for n in range(5)], key="k")
    celery.redis.stop()
    celery.redis.start()
    celery.start()
    wait_until(finished(job), said=celery.logs)
    assert effects(job) == keys(5)


def test_fr_61_a_worker_never_hears_of_a_row_that_is_not_there(celery, policy, alice):
    celery.start(slots=4)
    jobs = []
    for number in range(10):
        with transaction.atomic():
            items = [(f"i{n}", {}) for n in range(5)]
            jobs.append(start_job(policy, alice, KIND, items, key=f"k{number}"))
            time.sleep(0.01)
        with pytest.raises(ZeroDivisionError):
            _start_and_fail(policy, alice, key=f"gone{number}")
    for job in jobs:
        wait_until(finished(job), said=celery.logs)
    assert Job.objects.count() == 10
    assert "DoesNotExist" not in celery.logs()


def _start_and_fail(policy: Policy, alice: User, key: str) -> None:
    with transaction.atomic():
        start_job(policy, alice, KIND, [("i", {})], key=key)
        raise ZeroDivisionError


def test_the_first_signal_lets_items_end_and_the_second_gives_them_back(
    embedded, policy, alice, tmp_path
):
    # The last two are long enough that the second signal comes while they are in work.
    log = {"log": str(tmp_path / "runs.log")}
    items = [(f"i{n}", {**log, "seconds": 0.6 if n < 2 else 2.5}) for n in range(4)]
    job = start_job(policy, alice, KIND, items, key="k")
    worker = embedded.start()
    wait_until(lambda: progress_of(job).running == 2, said=embedded.logs)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(10) == 0
    assert effects(job) == ["i0", "i1"]
    assert progress_of(job).waiting == 2

    worker = embedded.start()
    wait_until(lambda: progress_of(job).running == 2, said=embedded.logs)
    worker.send_signal(signal.SIGINT)
    time.sleep(0.4)
    worker.send_signal(signal.SIGINT)
    assert worker.wait(5) == 130
    assert progress_of(job).waiting == 2
    assert set(job.items.values_list("attempts", flat=True)) == {0, 1}
    embedded.start()
    assert wait_until(finished(job), said=embedded.logs) < 10
    assert effects(job) == keys(4)
