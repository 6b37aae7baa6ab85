"""Uploads: hostile bytes in, a revision or one sentence out.

The web process keeps an upload as a row with its bytes and starts a job with one
urgent item. Whatever runner takes it reads the file in a process of its own, within
limits, and keeps the revision in the transaction that ends the item: so it is read
and kept once, whoever is killed. What is refused is deleted; its sentence stays.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from documents import Choice, ChoiceNeededError, UnreadableError, read_bounded
from policies.audit import record
from policies.blobs import drop_bytes, hold_bytes, keep_bytes
from policies.document_store import (
    NewText,
    RevisionMovedError,
    check_text,
    clean_title,
    store_document,
    store_revision,
)
from policies.editing import editing
from policies.jobs import Context, register, start_job
from policies.models import Document, DocumentRevision, Job, Policy, Upload, User
from policies.models.documents import UploadState
from policies.models.jobs import ItemState
from policies.reading import abbreviations_for, document_limits

KIND = "read"

OPEN = (UploadState.PENDING, UploadState.READING)
BROKEN_OFF = (
    "Reading this file was broken off on our side, and nothing of it was kept; upload it again. "
    "If that happens again, save its text as a new document and upload that."
)

_POLL_S = 0.05


@dataclass(frozen=True)
class _Outcome:
    """What reading came to: a text, a question, or a sentence why not."""

    upload: int
    new: NewText | None = None
    question: Choice | None = None
    problem: str = ""


def register_jobs() -> None:
    register(KIND, handle=_read, save=_keep, finalize=_finalize)


@transaction.atomic
def start_upload(
    policy: Policy,
    user: User,
    *,
    data: bytes,
    filename: str,
    title: str = "",
    text: str = "",
    document: Document | None = None,
    after: int = 0,
    choices: Mapping[str, str] | None = None,
) -> Upload:
    """Keep what was sent, and have it read soon; as a new document, or a revision of one.

    `text` is what was pasted, for its form; `after` is the number of the latest
    revision that the form showed.
    """
    forget_pasted(policy, user)
    upload = Upload.objects.create(
        policy=policy,
        document=document,
        after=after,
        title=clean_title(title),
        filename=clean_title(filename),
        text=text,
        choices=dict(choices or {}),
        blob_id=keep_bytes(data),
        created_by=user,
    )
    _start_reading(upload, user)
    return upload


@transaction.atomic
def answer_upload(upload: Upload, user: User, value: str) -> bool:
    """Read an upload again with the owner's choice; False if nobody was asked, or not for that."""
    locked = Upload.objects.select_for_update().get(pk=upload.pk)
    if locked.state != UploadState.ASKED or value not in [option for option, _ in locked.options]:
        return False
    locked.choices[locked.asks] = value
    locked.state, locked.problem, locked.asks, locked.options = UploadState.PENDING, "", "", []
    locked.save()
    _start_reading(locked, user)
    return True


@transaction.atomic
def remove_upload(upload: Upload, user: User) -> bool:
    """Forget an upload that was refused or asked about; False for any other."""
    locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
    if locked is None or locked.state not in (UploadState.ASKED, UploadState.REFUSED):
        return False
    sha256 = locked.blob_id
    locked.delete()
    if sha256:
        drop_bytes(sha256)
    record(upload.policy, user, "remove-upload", f"upload:{upload.uid}")
    return True


def forget_pasted(policy: Policy, user: User) -> None:
    """Keep the text of a refused upload no longer than its owner needs it."""
    refused = Upload.objects.filter(policy=policy, created_by=user, state=UploadState.REFUSED)
    refused.exclude(text="").update(text="")


def wait_for(upload: Upload) -> Upload:
    """The upload as it stands when it has ended or asks, or after two seconds."""
    until = time.monotonic() + settings.UPLOAD_WAIT_S
    while upload.state in OPEN and time.monotonic() < until:
        pause()
        upload.refresh_from_db()
    return upload


def pause() -> None:
    """Let a runner work for a moment."""
    time.sleep(_POLL_S)


def _start_reading(upload: Upload, user: User) -> None:
    answers = ",".join(f"{name}={value}" for name, value in sorted(upload.choices.items()))
    items = [("read", {"upload": upload.pk})]
    key = f"{upload.uid}|{answers}"
    job = start_job(upload.policy, user, KIND, items, key=key, urgent=True)
    Upload.objects.filter(pk=upload.pk).update(job=job)
    upload.job = job


def _read(payload: dict[str, Any], context: Context) -> _Outcome:
    """Read the file, outside any transaction."""
    rows = Upload.objects.filter(pk=payload["upload"], policy=context.policy)
    rows.filter(state=UploadState.PENDING).update(state=UploadState.READING)
    upload = rows.select_related("blob").get()
    if upload.blob is None:
        return _Outcome(upload.pk)
    abbreviations = abbreviations_for(context.policy)
    try:
        found = read_bounded(
            bytes(upload.blob.content),
            filename=upload.filename,
            abbreviations=abbreviations,
            choices=upload.choices,
            limits=document_limits(),
        )
        check_text(found)
    except ChoiceNeededError as error:
        return _Outcome(upload.pk, question=error.choice)
    except UnreadableError as error:
        return _Outcome(upload.pk, problem=str(error))
    return _Outcome(upload.pk, NewText(found, upload.blob.sha256, abbreviations))


def _keep(context: Context, outcome: _Outcome) -> None:
    """Write what reading came to; the item is held, so this takes effect once."""
    upload = Upload.objects.select_for_update().get(pk=outcome.upload)
    if upload.state not in OPEN or upload.blob_id is None:
        return
    hold_bytes(upload.blob_id)
    if outcome.question is not None:
        _ask(upload, outcome.question)
    elif outcome.new is None:
        _refuse(upload, outcome.problem)
    else:
        try:
            revision = _store(upload, outcome.new)
        except (UnreadableError, RevisionMovedError) as error:
            _refuse(upload, str(error))
        else:
            _end(upload, UploadState.STORED, revision=revision)


def _store(upload: Upload, new: NewText) -> DocumentRevision:
    user, document = upload.created_by, upload.document
    cause = "a document was added" if document is None else "a document has a new revision"
    with editing(upload.policy, user, cause=cause) as edit:
        if document is None:
            return store_document(edit, user, new, title=upload.title)
        return store_revision(edit, document, user, new, after=upload.after)


def _ask(upload: Upload, choice: Choice) -> None:
    upload.state, upload.problem, upload.asks = UploadState.ASKED, choice.question, choice.name
    upload.options = [list(option) for option in choice.options]
    upload.save()


def _refuse(upload: Upload, problem: str) -> None:
    _end(upload, UploadState.REFUSED, problem=problem)
    record(upload.policy, upload.created_by, "refuse-upload", f"upload:{upload.uid}")


def _end(
    upload: Upload,
    state: UploadState,
    *,
    problem: str = "",
    revision: DocumentRevision | None = None,
) -> None:
    sha256 = upload.blob_id
    upload.state, upload.problem, upload.revision, upload.blob = state, problem, revision, None
    if state is UploadState.STORED:
        upload.filename = upload.text = ""
    upload.save()
    Upload.objects.filter(pk=upload.pk).update(ended_at=Now())
    if sha256 and state is UploadState.REFUSED:
        drop_bytes(sha256)


def _finalize(job: Job) -> None:
    """An item that failed, since its worker died or we were at fault, refuses its upload."""
    if not job.items.filter(state=ItemState.FAILED).exists():
        return
    for upload in Upload.objects.select_for_update().filter(job=job, state__in=OPEN):
        _refuse(upload, BROKEN_OFF)
