"""Documents as rows: bytes in, sentences with lineages out; what is refused leaves nothing."""

from __future__ import annotations

import resource
import time

import pytest

from documents import UnreadableError
from policies.document_store import add_document, add_revision
from policies.editing import DraftMovedError
from policies.models import (
    AuditRow,
    Blob,
    Document,
    DocumentRevision,
    Policy,
    Sentence,
    Span,
)
from policies.present import present_sentences

TEXT = """# Travel

## Approval

Trips above EUR 1,000 need approval. A trip is booked by the office.

Leave is granted if:

- the form is signed; and
- the manager agrees.
"""


@pytest.fixture
def add(policy, alice):
    def store(text: str | bytes, **fields) -> DocumentRevision:
        data = text.encode() if isinstance(text, str) else text
        fields.setdefault("title", "Travel rules")
        return add_document(policy, alice, data=data, filename="travel.md", **fields)

    return store


@pytest.fixture
def revise(alice):
    def store(revision: DocumentRevision, text: str) -> DocumentRevision:
        return add_revision(revision.document, alice, data=text.encode(), filename="t.md")

    return store


def by_text(revision: DocumentRevision) -> dict[str, str]:
    return {sentence.text: sentence.lineage for sentence in revision.sentences.all()}


def test_a_document_is_kept_with_its_bytes_text_sentences_and_spans(add, policy, alice):
    revision = add(TEXT)
    revision.refresh_from_db()
    assert bytes(revision.blob.content) == TEXT.encode()
    assert (revision.number, revision.media_type) == (1, "text/markdown")
    for sentence in revision.sentences.all():
        assert revision.text[sentence.start : sentence.end] == sentence.text
    item = revision.sentences.get(text__startswith="the form")
    assert item.headings == ["Travel", "Approval"]
    assert item.context == ["Leave is granted if:", "and"]
    covered = [revision.text[span.start : span.end] for span in revision.spans.all()]
    assert all(any(s.text in part for part in covered) for s in revision.sentences.all())
    assert [heading["title"] for heading in revision.headings] == ["Travel", "Approval"]
    row = AuditRow.objects.get(policy=policy)
    assert (row.action, row.actor, row.new_hash) == ("add-document", alice, revision.blob_id)
    policy.refresh_from_db()
    assert policy.revision == 1


def test_a_document_without_a_title_gets_its_own(add):
    assert add(TEXT, title=" ").document.title == "Travel"
    assert add("One thing is due.", title="").document.title == "Untitled document"


def test_fr_45_the_name_of_an_upload_is_not_kept(policy, alice):
    revision = add_document(
        policy, alice, title="a/../b \x1b[31m\u202e", data=b"A is B.", filename="../../etc/passwd"
    )
    assert revision.filename == "ab-31m-1.txt"
    assert revision.document.title == "a/../b [31m"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + b"0" * 40, "picture"),
        (b"One thing\0is due.", "NUL"),
        (b"One thing \xff is due.", "UTF-8"),
        (b"# Only a heading\n", "no sentence"),
    ],
)
def test_a_refused_file_leaves_nothing_behind(add, policy, data, message):
    with pytest.raises(UnreadableError, match=message):
        add(data)
    for rows in (Blob, Document, DocumentRevision, Sentence, Span, AuditRow):
        assert not rows.objects.exists()
    policy.refresh_from_db()
    assert policy.revision == 0


def test_a_document_that_is_too_long_is_refused_in_one_sentence(add, settings):
    settings.DOCUMENT_LIMITS = settings.DOCUMENT_LIMITS | {"sentences": 3}
    with pytest.raises(UnreadableError, match="more than 3 sentences; split it"):
        add(TEXT)
    assert not Document.objects.exists()


def test_a_second_click_adds_nothing(add, revise, policy):
    first = add(TEXT)
    assert add(TEXT) == first
    assert revise(first, TEXT) == first
    assert Document.objects.count() == 1
    assert AuditRow.objects.count() == 1
    policy.refresh_from_db()
    assert policy.revision == 1


def test_documents_are_ranked_as_they_come_and_share_equal_bytes(add, policy):
    first, second = add(TEXT), add(TEXT, title="The same, under another name")
    assert [first.document.rank, second.document.rank] == [1, 2]
    assert Blob.objects.count() == 1
    texts = [sentence.text for sentence in present_sentences(policy)]
    assert texts == [s.text for s in first.sentences.all()] * 2


def test_a_form_that_shows_an_older_draft_is_refused_and_nothing_saved(add, policy):
    add(TEXT)
    with pytest.raises(DraftMovedError):
        add("Another is due.", title="Other", expected_revision=0)
    assert Document.objects.count() == 1


def test_a_sentence_that_stays_keeps_its_lineage(add, revise):
    first = add(TEXT)
    second = revise(first, TEXT.replace("1,000", "2,000").replace("# Travel", "# Journeys"))
    before, after = by_text(first), by_text(second)
    kept = set(before) & set(after)
    assert second.number == 2
    assert len(kept) == 4
    assert all(before[text] == after[text] for text in kept)
    changed = after["Trips above EUR 2,000 need approval."]
    assert changed not in before.values()


def test_a_change_undone_brings_back_the_lineages(add, revise, policy):
    first = add(TEXT)
    revise(first, TEXT.replace("1,000", "2,000"))
    revise(first, "Nothing of it is left.")
    last = revise(first, TEXT)
    assert by_text(last) == by_text(first)
    assert [sentence.revision_id for sentence in present_sentences(policy)] == [last.pk] * 5


def test_equal_sentences_keep_apart(add, revise):
    text = "It is so.\n\nIt is so.\n\nIt is so.\n"
    first = add(text)
    second = revise(first, "It is so.\n")
    third = revise(first, text)
    of_first = list(first.sentences.values_list("lineage", flat=True))
    assert [s.lineage for s in second.sentences.all()] == of_first[:1]
    assert [s.lineage for s in third.sentences.all()] == of_first


def group_rules(number: int) -> str:
    return "\n\n".join(f"Group {i} may claim up to EUR {i} a day." for i in range(number))


def test_a_long_document_is_stored_with_few_queries(add, django_assert_max_num_queries):
    # SQLite takes about a hundred sentences a query, PostgreSQL a thousand.
    with django_assert_max_num_queries(60):
        revision = add(group_rules(3000))
    assert revision.sentences.count() == 3000


@pytest.mark.slow
def test_the_longest_document_takes_seconds_and_little_memory(add, revise, settings):
    text = group_rules(settings.DOCUMENT_LIMITS["sentences"] - 1)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    revision = add(text)
    revise(revision, text + "\n\nMore is not paid.")
    assert time.monotonic() - began < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


@pytest.mark.slow
def test_ten_megabytes_are_refused_in_seconds_with_one_sentence(add):
    line = "A claim is due within a day of the trip that it is about, or it is not paid at all.\n\n"
    began = time.monotonic()
    with pytest.raises(UnreadableError, match="more than 20,000 sentences"):
        add(line * (9_900_000 // len(line)))
    assert time.monotonic() - began < 60


def test_documents_of_two_policies_do_not_meet(add, policy, alice):
    first = add(TEXT)
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    theirs = add_document(other, alice, title="Travel rules", data=TEXT.encode(), filename="t.md")
    assert theirs.document != first.document
    assert not set(by_text(first).values()) & set(by_text(theirs).values())
