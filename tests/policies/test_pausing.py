"""Jobs that wait for a person: paused as a whole, resumed once, cancelled while they wait."""

from __future__ import annotations

import pytest

from policies.audit import first_broken_link
from policies.jobs import (
    PausedError,
    PutBackError,
    cancel_job,
    progress_of,
    registry,
    resume_job,
    retry_failed,
    start_job,
)
from policies.jobs.leases import claim
from policies.jobs.pausing import pause
from policies.jobs.running import run_item, tidy
from policies.models import AuditRow, Item, Job, Policy, User
from policies.models.jobs import ItemState, JobState

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "The run has used its 10 tokens; raise the limit to go on."


@pytest.fixture
def meter(monkeypatch) -> dict[str, int]:
    """Registers the kind `metered`: each item takes 4 of the job's `limit`."""
    monkeypatch.setattr(registry, "_kinds", {})
    used = {"units": 0, "finalized": 0}

    def handle(payload, context) -> None:
        settings = Job.objects.get(pk=context.job.pk).settings
        if used["units"] >= settings["limit"]:
            raise PausedError(SENTENCE, settings)
        used["units"] += 4

    def finalize(job) -> None:
        used["finalized"] += 1

    registry.register("metered", handle=handle, save=lambda c, r: None, finalize=finalize)
    return used


@pytest.fixture
def job(policy: Policy, alice: User, meter: dict[str, int]) -> Job:
    items = [(f"i{number}", {}) for number in range(5)]
    return start_job(policy, alice, "metered", items, key="k", settings={"limit": 10})


def run_all(job: Job) -> None:
    for pk in job.items.order_by("pk").values_list("pk", flat=True):
        run_item(pk, "test")
    job.refresh_from_db()


def states(job: Job) -> list[str]:
    return list(job.items.order_by("pk").values_list("state", flat=True))


def test_a_spent_limit_pauses_what_waits_and_keeps_what_is_done(job, meter, policy):
    run_all(job)
    assert (job.state, job.error, job.finished_at) == (JobState.PAUSED, SENTENCE, None)
    assert states(job) == ["done"] * 3 + ["paused"] * 2
    assert not job.items.exclude(error="").exists()
    assert set(job.items.filter(state="paused").values_list("attempts", flat=True)) == {0}
    tidy()
    job.refresh_from_db()
    assert (job.state, meter["finalized"]) == (JobState.PAUSED, 0)
    progress = progress_of(job)
    assert (progress.done, progress.paused, progress.finished) == (3, 2, True)
    assert AuditRow.objects.filter(action="pause-job").count() == 1
    assert first_broken_link(policy) is None


def test_a_resumed_job_goes_on_and_is_finalized_once(job, meter, alice):
    run_all(job)
    assert resume_job(job, alice, {"limit": 100})
    assert (job.state, job.error, job.settings["limit"]) == (JobState.OPEN, "", 100)
    run_all(job)
    assert (job.state, states(job), meter["finalized"]) == (JobState.DONE, ["done"] * 5, 1)
    assert AuditRow.objects.filter(action="resume-job", actor=alice).count() == 1


def test_a_job_is_resumed_once(job, alice):
    run_all(job)
    assert resume_job(job, alice, {"limit": 100})
    assert not resume_job(job, alice, {"limit": 1})
    assert job.settings["limit"] == 100
    assert AuditRow.objects.filter(action="resume-job").count() == 1


def test_a_job_that_was_never_paused_is_not_resumed(job, alice):
    assert not resume_job(job, alice, {"limit": 100})
    assert job.settings == {"limit": 10}


def test_a_paused_job_can_be_cancelled_and_stays_so(job, alice):
    run_all(job)
    assert cancel_job(job, alice)
    assert (job.state, states(job)) == (JobState.CANCELLED, ["done"] * 3 + ["cancelled"] * 2)
    assert not resume_job(job, alice, {"limit": 100})
    run_all(job)
    assert states(job) == ["done"] * 3 + ["cancelled"] * 2


def test_items_under_way_end_by_themselves_when_the_job_is_paused_beside_them(job):
    ids = [item.pk for item in job.items.order_by("pk")]
    one, other, _ = (claim(pk, f"w{pk}") for pk in ids[:3])
    pause(one, PausedError(SENTENCE, {"limit": 10}))
    assert states(job) == ["paused", "running", "running", "paused", "paused"]
    pause(other, PausedError(SENTENCE, {"limit": 10}))
    assert states(job) == ["paused", "paused", "running", "paused", "paused"]
    assert AuditRow.objects.filter(action="pause-job").count() == 1


def test_who_lost_the_item_pauses_nothing(job):
    item = job.items.first()
    late = claim(item.pk, "dead")
    Item.objects.filter(pk=item.pk).update(fence=item.fence + 7, holder="other")
    pause(late, PausedError(SENTENCE, {"limit": 10}))
    job.refresh_from_db()
    assert (job.state, states(job)[0]) == (JobState.OPEN, "running")


def test_a_pause_decided_before_a_resumption_does_not_undo_it(job, alice):
    first, second = job.items.order_by("pk")[:2]
    one, other = claim(first.pk, "a"), claim(second.pk, "b")
    seen = Job.objects.get(pk=job.pk).settings
    pause(one, PausedError(SENTENCE, seen))
    # The very same limit again: the pause was decided before, all the same.
    assert resume_job(job, alice, {"limit": 10})
    pause(other, PausedError(SENTENCE, seen))
    job.refresh_from_db()
    assert (job.state, set(states(job))) == (JobState.OPEN, {"waiting"})


def test_a_pause_after_a_cancel_changes_nothing(job, alice):
    context = claim(job.items.first().pk, "a")
    cancel_job(job, alice)
    pause(context, PausedError(SENTENCE, {"limit": 10}))
    job.refresh_from_db()
    assert (job.state, set(states(job))) == (JobState.CANCELLED, {"cancelled"})


def test_what_failed_waits_with_a_paused_job(job, alice):
    job.items.filter(pk=job.items.first().pk).update(state=ItemState.FAILED, error="why")
    run_all(job)
    assert states(job) == ["failed", "done", "done", "done", "paused"]
    assert retry_failed(job, alice) == 1
    assert (job.state, job.error) == (JobState.PAUSED, SENTENCE)
    assert states(job) == ["paused", "done", "done", "done", "paused"]
    resume_job(job, alice, {"limit": 100})
    run_all(job)
    assert job.state == JobState.DONE


def test_an_item_whose_turn_is_over_goes_back_in_line_and_on(policy, alice, monkeypatch):
    monkeypatch.setattr(registry, "_kinds", {})
    turns = []

    def handle(payload, context) -> None:
        turns.append(context.attempt)
        if len(turns) < 4:
            raise PutBackError

    registry.register("long", handle=handle, save=lambda c, r: None)
    job = start_job(policy, alice, "long", [("a", {})], key="k")
    for _ in range(4):
        run_all(job)
    # More turns than a killer has attempts: none of them counted.
    assert (turns, job.state) == ([1, 1, 1, 1], JobState.DONE)
