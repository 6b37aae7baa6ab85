"""Keeps documents: bytes in, a revision with its sentences and spans out.

Reading happens before any row is touched, so a file that is refused leaves
nothing behind. What follows from a new revision follows by itself: rules are
hashed with the sentences of the latest one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Max
from django.utils.text import slugify

from documents import ReadDocument, UnreadableError, align, read, spans
from documents import Sentence as ReadSentence
from documents import Span as ReadSpan
from policies.audit import record
from policies.editing import Edit, editing
from policies.models import Blob, Document, DocumentRevision, Policy, Sentence, Span, User
from policies.models.people import new_uid

# A policy of some hundred pages has a few thousand.
MAX_SENTENCES = 20_000
_BATCH = 1000
_SUFFIX = {"text/markdown": ".md", "text/plain": ".txt"}


def add_document(
    policy: Policy,
    user: User,
    *,
    title: str,
    data: bytes,
    filename: str,
    expected_revision: int | None = None,
) -> DocumentRevision:
    """Add a document below those that are there; a second click adds nothing.

    Without a title it gets the one that it gives itself. Raises UnreadableError,
    with one sentence for the page, and DraftMovedError.
    """
    upload = _read(data, filename)
    title = _clean(title) or _clean(upload.found.title) or "Untitled document"
    with editing(
        policy, user, cause="a document was added", expected_revision=expected_revision
    ) as edit:
        documents = Document.objects.filter(policy=policy)
        for document in documents.filter(title=title):
            latest = _latest(document)
            if latest is not None and latest.blob_id == upload.sha256:
                edit.unchanged = True
                return latest
        rank = (documents.aggregate(last=Max("rank"))["last"] or 0) + 1
        document = Document.objects.create(policy=policy, title=title, rank=rank)
        return _store(edit, document, user, upload)


def add_revision(
    document: Document,
    user: User,
    *,
    data: bytes,
    filename: str,
    expected_revision: int | None = None,
) -> DocumentRevision:
    """Add a revision; the same bytes as the latest one add nothing.

    Sentences that stay keep their lineage; so does one that comes back after it
    was gone. Raises UnreadableError and DraftMovedError.
    """
    upload = _read(data, filename)
    with editing(
        document.policy,
        user,
        cause="a document has a new revision",
        expected_revision=expected_revision,
    ) as edit:
        latest = _latest(document)
        if latest is not None and latest.blob_id == upload.sha256:
            edit.unchanged = True
            return latest
        return _store(edit, document, user, upload)


@dataclass(frozen=True)
class _Upload:
    data: bytes
    sha256: str
    found: ReadDocument
    spans: tuple[ReadSpan, ...]


def _read(data: bytes, filename: str) -> _Upload:
    found = read(data, filename=filename)
    count = len(found.sentences)
    if not count:
        raise UnreadableError("This document holds no sentence; choose one that has text.")
    if count > MAX_SENTENCES:
        raise UnreadableError(
            f"This document has {count:,} sentences, and {MAX_SENTENCES:,} are the most that "
            "one document may have; cut it into several documents."
        )
    return _Upload(data, hashlib.sha256(data).hexdigest(), found, spans(found))


def _clean(title: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in title)
    return " ".join(printable.split())[:200]


def _latest(document: Document) -> DocumentRevision | None:
    return document.revisions.defer("text", "headings", "blocks", "notes").last()


def _store(edit: Edit, document: Document, user: User, upload: _Upload) -> DocumentRevision:
    found = upload.found
    blob = Blob(sha256=upload.sha256, content=upload.data)
    Blob.objects.bulk_create([blob], ignore_conflicts=True)
    number = (document.revisions.aggregate(last=Max("number"))["last"] or 0) + 1
    # The name that the file came with is not kept: it may say anything.
    stem = slugify(document.title)[:100] or "document"
    lineages = _lineages(document, found)
    revision = DocumentRevision.objects.create(
        document=document,
        number=number,
        blob_id=upload.sha256,
        filename=f"{stem}-{number}{_SUFFIX.get(found.media_type, '')}",
        media_type=found.media_type,
        text=found.text,
        headings=_plain(found.headings),
        blocks=_plain(found.blocks),
        notes=_plain(found.notes),
        created_by=user,
    )
    Sentence.objects.bulk_create(
        (
            Sentence(
                revision=revision,
                lineage=lineage,
                ordinal=ordinal,
                start=sentence.start,
                end=sentence.end,
                text=found.text[sentence.start : sentence.end],
                headings=list(sentence.headings),
                context=list(sentence.context),
                number=sentence.number[:40],
            )
            for ordinal, (sentence, lineage) in enumerate(
                zip(found.sentences, lineages, strict=True), start=1
            )
        ),
        batch_size=_BATCH,
    )
    Span.objects.bulk_create(
        (
            Span(revision=revision, ordinal=ordinal, start=span.start, end=span.end)
            for ordinal, span in enumerate(upload.spans, start=1)
        ),
        batch_size=_BATCH,
    )
    record(
        edit.policy,
        user,
        "add-document" if number == 1 else "add-revision",
        f"document:{document.pk}:{number}",
        new_hash=upload.sha256,
    )
    return revision


def _plain(parts: Iterable[Any]) -> list[dict[str, Any]]:
    return [asdict(part) for part in parts]


def _lineages(document: Document, found: ReadDocument) -> list[str]:
    """A lineage for each sentence: that of the same sentence in a former revision, else a new one.

    The latest revision is asked first, then the older ones, so that undoing a
    change brings back the lineages, and with them what people said of them.
    """
    lineages = [""] * len(found.sentences)
    for revision in document.revisions.order_by("-number").only("text"):
        if all(lineages):
            break
        rows = list(revision.sentences.order_by("ordinal"))
        taken = set(lineages)
        for place, match in enumerate(align(_as_read(revision, rows), found)):
            if match is not None and not lineages[place] and rows[match].lineage not in taken:
                lineages[place] = rows[match].lineage
    return [lineage or new_uid() for lineage in lineages]


def _as_read(revision: DocumentRevision, rows: list[Sentence]) -> ReadDocument:
    """The parts of a stored revision that alignment looks at; blocks are not among them."""
    sentences = tuple(
        ReadSentence(
            row.start, row.end, tuple(row.headings), tuple(row.context), row.number, block=0
        )
        for row in rows
    )
    return ReadDocument(revision.text, "", "", (), (), sentences, ())
