"""Keeps documents: what was read in, a revision with its sentences and spans out.

Reading happens before any row is touched, so a file that is refused leaves
nothing behind. What follows from a new revision follows by itself: rules are
hashed with the sentences of the latest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.text import slugify

from documents import Edit as SentenceEdit
from documents import ReadDocument, UnreadableError, carry_edits, divide, read, spans
from policies.audit import record
from policies.blobs import keep_bytes, sha256_of
from policies.editing import Edit, editing
from policies.following import follow_changes, follow_edits, lineages_for
from policies.models import Document, DocumentRevision, Policy, Sentence, Span, User
from policies.reading import abbreviations_for, document_limits
from policies.sections import store_sections
from policies.sources import LONG_FIELDS
from policies.structures import from_json, read_document, to_json

_BATCH = 1000
_SUFFIX = {
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/html": ".html",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}


class RevisionMovedError(Exception):
    """The document has a later revision than the one its form showed; nothing was saved."""


@dataclass(frozen=True)
class NewText:
    """A file as read, on its way to be a revision; its bytes are kept or about to be."""

    found: ReadDocument
    sha256: str
    abbreviations: tuple[str, ...] = ()


def add_document(
    policy: Policy,
    user: User,
    *,
    title: str,
    data: bytes,
    filename: str,
    expected_revision: int | None = None,
) -> DocumentRevision:
    """Read one of our own files and add it below the documents that are there.

    A second call adds nothing. It is read in this process: what somebody uploads goes
    through `policies.intake`. Raises UnreadableError, with one sentence for the page,
    and DraftMovedError.
    """
    new = _read(policy, data, filename)
    with transaction.atomic():
        keep_bytes(data)
        with editing(
            policy, user, cause="a document was added", expected_revision=expected_revision
        ) as edit:
            return store_document(edit, user, new, title=title)


def add_revision(
    document: Document,
    user: User,
    *,
    data: bytes,
    filename: str,
) -> DocumentRevision:
    """Read one of our own files and add it as a revision; the latest one again adds nothing.

    Sentences that stay keep their lineage; so does one that comes back after it
    was gone. Raises UnreadableError.
    """
    new = _read(document.policy, data, filename)
    with transaction.atomic():
        keep_bytes(data)
        with editing(document.policy, user, cause="a document has a new revision") as edit:
            return store_revision(edit, document, user, new)


def store_document(edit: Edit, user: User, new: NewText, *, title: str) -> DocumentRevision:
    """Keep a new document, under the policy's lock; the same under the same title once only.

    Without a title it gets the one that it gives itself.
    """
    edit.is_authored = False
    check_text(new.found)
    title = clean_title(title) or clean_title(new.found.title) or "Untitled document"
    documents = Document.objects.filter(policy=edit.policy)
    for document in documents.filter(title=title):
        latest = latest_revision(document)
        if latest is not None and _is_same(latest, new):
            edit.unchanged = True
            return latest
    rank = (documents.aggregate(last=Max("rank"))["last"] or 0) + 1
    document = Document.objects.create(policy=edit.policy, title=title, rank=rank)
    return _store(edit, document, user, new)


def store_revision(
    edit: Edit, document: Document, user: User, new: NewText, *, after: int | None = None
) -> DocumentRevision:
    """Keep a new revision, under the policy's lock; rules follow their sentences.

    `after` is the number of the latest revision that the form showed. Raises
    RevisionMovedError if there is a later one.
    """
    edit.is_authored = False
    check_text(new.found)
    latest = latest_revision(document)
    if latest is not None and _is_same(latest, new):
        edit.unchanged = True
        return latest
    if after is not None and latest is not None and latest.number != after:
        raise RevisionMovedError(
            f"Revision {latest.number} of this document was added while you had the page open. "
            "Look at it, then upload yours again if it is still needed."
        )
    return _store(edit, document, user, new)


def edit_sentences(
    document: Document, user: User, change: SentenceEdit, *, shown: int
) -> DocumentRevision:
    """Join two sentences or split one, by hand: a revision with the same text.

    A join undoes a split at the same place, and a split a join. Rules follow: that of
    a joined sentence comes from the whole, that of a split one from its parts. `shown`
    is the revision's number on the page. Raises RevisionMovedError, and
    `documents.EditError` for what fits nowhere.
    """
    cause = f"sentences were {'joined' if change.kind == 'join' else 'split'} by hand"
    with editing(document.policy, user, cause=cause) as edit:
        latest = document.revisions.order_by("number").last()
        if latest is None or latest.number != shown:
            raise RevisionMovedError(
                "This document has a later revision than the one you were shown; nothing was saved."
            )
        edits = from_json(SentenceEdit, latest.edits)
        kept = tuple(one for one in edits if one.start != change.start)
        if not any(one.start == change.start and one.kind != change.kind for one in edits):
            kept += (change,)
        if set(kept) == set(edits):
            edit.unchanged = True
            return latest
        text = read_document(latest)
        new = NewText(text, latest.blob_id, tuple(latest.abbreviations))
        return _store(edit, document, user, new, edits=kept, based_on=latest)


def latest_revision(document: Document) -> DocumentRevision | None:
    """The latest revision, without its text and structure."""
    return without_text(document.revisions.order_by("number")).last()


def without_text(revisions: QuerySet[DocumentRevision]) -> QuerySet[DocumentRevision]:
    """Revisions without what is long: for lists, and for pages of one sentence."""
    return revisions.defer(*LONG_FIELDS)


def clean_title(title: str) -> str:
    """A title in one line, with nothing that cannot be printed."""
    printable = "".join(character if character.isprintable() else " " for character in title)
    return " ".join(printable.split())[:200]


def check_text(found: ReadDocument) -> None:
    """Raises UnreadableError where there is nothing to account for."""
    if not found.sentences:
        raise UnreadableError("This document holds no sentence; choose one that has text.")


def _read(policy: Policy, data: bytes, filename: str) -> NewText:
    abbreviations = abbreviations_for(policy)
    found = read(
        data,
        filename=filename,
        abbreviations=abbreviations,
        limits=document_limits(),
    )
    check_text(found)
    return NewText(found, sha256_of(data), abbreviations)


def _is_same(latest: DocumentRevision, new: NewText) -> bool:
    choices = [[name, value] for name, value in new.found.choices]
    known = latest.abbreviations == list(new.abbreviations)
    return latest.blob_id == new.sha256 and latest.choices == choices and known


def _store(
    edit: Edit,
    document: Document,
    user: User,
    new: NewText,
    *,
    edits: Sequence[SentenceEdit] | None = None,
    based_on: DocumentRevision | None = None,
) -> DocumentRevision:
    """The revision's rows; `edits` are those of `based_on` with one more, or carried over."""
    former = document.revisions.order_by("number").last()
    if edits is None:
        edits = _carried(former, new.found)
    found = divide(new.found, edits, new.abbreviations) if edits or based_on else new.found
    number = former.number + 1 if former else 1
    # The name that the file came with is not kept: it may say anything.
    stem = slugify(document.title)[:100] or "document"
    revision = DocumentRevision.objects.create(
        document=document,
        number=number,
        blob_id=new.sha256,
        filename=f"{stem}-{number}{_SUFFIX.get(found.media_type, '')}",
        media_type=found.media_type,
        text=found.text,
        headings=to_json(found.headings),
        # As they were read: joins by hand are applied to them whenever they are shown.
        blocks=to_json(new.found.blocks),
        links=to_json(new.found.links),
        notes=to_json(found.notes),
        definitions=to_json(found.definitions),
        references=to_json(found.references),
        choices=[[name, value] for name, value in found.choices],
        abbreviations=list(new.abbreviations),
        edits=to_json(edits),
        based_on=based_on,
        created_by=user,
    )
    rows = _sentences(revision, found, lineages_for(document, former, found))
    Sentence.objects.bulk_create(rows, batch_size=_BATCH)
    store_sections(revision, found, rows)
    Span.objects.bulk_create(
        (
            Span(revision=revision, ordinal=ordinal, start=span.start, end=span.end)
            for ordinal, span in enumerate(spans(found), start=1)
        ),
        batch_size=_BATCH,
    )
    if based_on is not None:
        follow_edits(edit.policy, based_on, rows)
    elif former is not None:
        follow_changes(edit.policy, former, found, revision, rows)
    record(
        edit.policy,
        user,
        "add-document" if number == 1 else "edit-sentences" if based_on else "add-revision",
        f"document:{document.pk}:{number}",
        new_hash=new.sha256,
    )
    return revision


def _sentences(
    revision: DocumentRevision, found: ReadDocument, lineages: Sequence[str]
) -> list[Sentence]:
    return [
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
            page=sentence.page,
            pointed=[index + 1 for index in sentence.pointed],
        )
        for ordinal, (sentence, lineage) in enumerate(
            zip(found.sentences, lineages, strict=True), start=1
        )
    ]


def _carried(former: DocumentRevision | None, found: ReadDocument) -> tuple[SentenceEdit, ...]:
    """The joins and splits of the former revision that fit the new text."""
    if former is None or not former.edits:
        return ()
    edits = from_json(SentenceEdit, former.edits)
    return carry_edits(read_document(former), found, edits)
