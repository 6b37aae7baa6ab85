"""Uploads: read once by an urgent item, kept or refused in one transaction, nothing left over."""

from __future__ import annotations

from typing import Any

import pytest

from policies import intake
from policies.blobs import drop_bytes, keep_bytes, sha256_of
from policies.document_store import add_document
from policies.intake import BROKEN_OFF, answer_upload, remove_upload, start_upload
from policies.jobs import start_job
from policies.jobs.embedded import run_next, run_urgent
from policies.jobs.leases import claim, due
from policies.jobs.running import run_item
from policies.models import AuditRow, Blob, Document, DocumentRevision, Item, Upload
from policies.models.documents import UploadState
from tests.policies.job_handlers import KIND

TEXT = b"Trips above EUR 1,000 need approval. A trip is booked by the office."


@pytest.fixture
def send(policy, alice):
    def start(data: bytes = TEXT, **fields: Any) -> Upload:
        fields.setdefault("title", "Travel")
        return start_upload(policy, alice, data=data, filename="travel.txt", **fields)

    return start


def test_an_upload_is_read_before_all_that_waits_already(policy, alice, send):
    start_job(policy, alice, KIND, [(f"i{n}", {}) for n in range(3)], key="k")
    upload = send()
    item = Item.objects.get(job=upload.job)
    assert due(10)[0] == item.pk
    assert run_next("anyone")
    upload.refresh_from_db()
    assert upload.state == UploadState.STORED
    assert Item.objects.filter(state="waiting").count() == 3


def test_what_is_not_urgent_is_left_to_the_others(policy, alice):
    start_job(policy, alice, KIND, [("i", {})], key="k")
    assert not run_urgent("the urgent thread")


def test_a_stored_upload_keeps_its_revision_and_forgets_name_bytes_and_text(send):
    upload = send(text=TEXT.decode())
    run_urgent("a runner")
    upload.refresh_from_db()
    revision = DocumentRevision.objects.get()
    assert upload.revision == revision
    assert (upload.blob_id, upload.filename, upload.text) == (None, "", "")
    assert upload.ended_at is not None
    assert bytes(revision.blob.content) == TEXT
    actions = list(AuditRow.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["start-job", "add-document", "finish-job"]


def test_a_late_result_of_a_runner_that_lost_its_item_is_dropped(send, monkeypatch):
    upload = send()
    item = Item.objects.get(job=upload.job)
    read = intake.read_bounded

    def slowly(*args: Any, **fields: Any) -> Any:
        # Meanwhile another runner takes the item over and ends it.
        Item.objects.filter(pk=item.pk).update(holder="", lease_until=None, state="waiting")
        monkeypatch.setattr(intake, "read_bounded", read)
        assert run_item(item.pk, "another")
        return read(*args, **fields)

    monkeypatch.setattr(intake, "read_bounded", slowly)
    run_item(item.pk, "the first")
    assert DocumentRevision.objects.count() == 1
    assert AuditRow.objects.filter(action="add-document").count() == 1


def test_a_fault_of_ours_refuses_the_upload_and_is_logged(send, monkeypatch, caplog):
    def broken(*args: Any, **fields: Any) -> Any:
        raise RuntimeError("a reader of ours failed")

    monkeypatch.setattr(intake, "read_bounded", broken)
    upload = send()
    run_urgent("a runner")
    upload.refresh_from_db()
    assert (upload.state, upload.problem, upload.blob_id) == (
        UploadState.REFUSED,
        BROKEN_OFF,
        None,
    )
    assert not Blob.objects.exists()
    assert "a reader of ours failed" in caplog.text


def test_bytes_that_another_document_has_too_outlive_a_refusal(policy, alice, send):
    revision = add_document(policy, alice, title="T", data=TEXT, filename="t.txt")
    upload = send(document=revision.document, after=1)
    drop_bytes(sha256_of(TEXT))
    run_urgent("a runner")
    upload.refresh_from_db()
    assert upload.revision == revision
    assert Blob.objects.count() == 1


def test_bytes_that_nobody_refers_to_are_gone(db):
    sha256 = keep_bytes(b"a")
    drop_bytes(sha256)
    drop_bytes(sha256)
    assert not Blob.objects.exists()


def test_fr_46_a_revision_of_a_document_that_moved_is_refused_with_what_to_do(policy, alice, send):
    document = add_document(policy, alice, title="T", data=TEXT, filename="t.txt").document
    first = send(TEXT + b" One more.", document=document, after=1)
    second = send(TEXT + b" Another one.", document=document, after=1)
    while run_urgent("a runner"):
        pass
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.state == UploadState.STORED
    assert second.state == UploadState.REFUSED
    assert "Revision 2 of this document was added" in second.problem
    assert document.revisions.count() == 2
    assert Blob.objects.count() == 2


def test_an_answer_counts_once_and_only_where_it_was_asked(send, alice):
    upload = send()
    assert not answer_upload(upload, alice, "accepted")
    assert not remove_upload(upload, alice)
    run_urgent("a runner")
    upload.refresh_from_db()
    assert not remove_upload(upload, alice)
    assert Document.objects.count() == 1


def test_the_same_upload_twice_gives_one_document(send):
    uploads = [send(), send()]
    while run_urgent("a runner"):
        pass
    for upload in uploads:
        upload.refresh_from_db()
    assert uploads[0].revision == uploads[1].revision
    assert DocumentRevision.objects.count() == 1


def test_an_item_whose_upload_has_ended_does_nothing(send):
    upload = send()
    run_urgent("a runner")
    Item.objects.filter(job=upload.job).update(state="waiting", attempts=0)
    context = claim(Item.objects.get(job=upload.job).pk, "late")
    assert context is not None
    outcome = intake._read({"upload": upload.pk}, context)
    intake._keep(context, outcome)
    assert DocumentRevision.objects.count() == 1
