"""Uploads on real workers of both engines: read once whoever is killed, and before what waits."""

from __future__ import annotations

from threading import Thread

import pytest
from django.db import connection

from policies.intake import start_upload
from policies.jobs import start_job
from policies.jobs.embedded import run_urgent
from policies.models import AuditRow, Blob, DocumentRevision, Item, Policy, Upload, User
from policies.models.documents import UploadState
from policies.models.jobs import ItemState
from tests.policies.engines import Engine, wait_until
from tests.policies.job_handlers import KIND

# Workers are other processes: they see what is committed, and nothing else.
pytestmark = pytest.mark.django_db(transaction=True)

# Some seconds of reading.
LONG = "\n\n".join(
    f"Group {number} may claim up to EUR {number} a day, see section {number % 7}."
    for number in range(12_000)
).encode()


def stands(upload: Upload, state: UploadState):
    return lambda: Upload.objects.filter(pk=upload.pk, state=state).exists()


def test_a_worker_killed_while_it_reads_costs_time_and_no_document(
    engine: Engine, policy: Policy, alice: User
) -> None:
    upload = start_upload(policy, alice, data=LONG, filename="long.txt", title="Long")
    engine.start()
    wait_until(stands(upload, UploadState.READING), said=engine.logs)
    engine.kill()
    assert not DocumentRevision.objects.exists()
    engine.start()
    wait_until(stands(upload, UploadState.STORED), seconds=60, said=engine.logs)
    assert DocumentRevision.objects.get().sentences.count() == 12_000
    assert AuditRow.objects.filter(action="add-document").count() == 1


def test_an_upload_does_not_wait_behind_a_long_job(
    engine: Engine, policy: Policy, alice: User
) -> None:
    engine.start(slots=1)
    slow = [(f"i{n}", {"seconds": 1.5}) for n in range(8)]
    job = start_job(policy, alice, KIND, slow, key="k")
    wait_until(Item.objects.filter(job=job, state=ItemState.RUNNING).exists, said=engine.logs)
    upload = start_upload(policy, alice, data=b"Trips need approval.", filename="t.txt")
    wait_until(stands(upload, UploadState.STORED), said=engine.logs)
    assert Item.objects.filter(job=job, state=ItemState.WAITING).count() >= 4


def test_equal_bytes_refused_here_and_sent_there_at_once_are_lost_by_nobody(
    policy: Policy, alice: User
) -> None:
    """Each round one upload is refused while the same bytes come again."""

    def read_all() -> None:
        try:
            while run_urgent("a runner"):
                pass
        finally:
            connection.close()

    for _ in range(4):
        start_upload(policy, alice, data=b"# Only\n\n# Headings\n", filename="t.md")
        runner = Thread(target=read_all)
        runner.start()
        start_upload(policy, alice, data=b"# Only\n\n# Headings\n", filename="t.md")
        runner.join()
    while run_urgent("a runner"):
        pass
    ((state, problem),) = set(Upload.objects.values_list("state", "problem"))
    assert state == UploadState.REFUSED
    assert "holds no sentence" in problem
    assert not Blob.objects.exists()
