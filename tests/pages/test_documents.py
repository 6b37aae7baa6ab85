"""Adding a document: one clear sentence for bad input, and what was pasted stays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from policies.jobs.embedded import run_urgent
from policies.models import Blob, Document, DocumentRevision, Policy, Upload
from tests.word_files import inserted, word_file

NEW = "/policies/travel/documents/new/"


@pytest.fixture
def alices(client_of, alice, policy) -> Client:
    return client_of(alice)


def test_pasted_text_becomes_a_document(alices: Client, policy: Policy) -> None:
    text = "# Trips\n\n## Approval\n\nTrips above EUR 1,000 need approval.\n"
    page = alices.post(NEW, {"text": text}, follow=True).content.decode()
    assert "Trips above EUR 1,000 need approval." in page
    assert Document.objects.get().title == "Trips"


def test_a_file_becomes_a_document_and_its_name_is_kept_nowhere(
    alices: Client, policy: Policy
) -> None:
    file = SimpleUploadedFile("../<img src=x>.txt", b"Trips need approval.")
    page = alices.post(NEW, {"file": file, "title": "Trips"}, follow=True).content.decode()
    assert "Trips need approval." in page
    assert "img src" not in page
    assert "img" not in Document.objects.get().revisions.get().filename


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "picture"),
        (b"Trips need \x00 approval.", "NUL"),
        (b"# One heading\n\n# And another\n", "no sentence"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    alices: Client, policy: Policy, data: bytes, sentence: str
) -> None:
    response = alices.post(NEW, {"file": SimpleUploadedFile("policy.txt", data), "title": "Mine"})
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count('role="alert"') == 1
    assert sentence in page
    assert 'value="Mine"' in page
    assert not Document.objects.exists()


def test_nothing_is_refused_and_nothing_lost(alices: Client, policy: Policy) -> None:
    assert "Paste the text" in alices.post(NEW, {"text": " "}).content.decode()
    file = SimpleUploadedFile("a.txt", b"Trips need approval.")
    page = alices.post(NEW, {"text": "Hotels need none. <b>", "file": file}).content.decode()
    assert "not both" in page
    assert "Hotels need none. &lt;b&gt;" in page


def test_a_large_paste_is_named_by_its_size(alices: Client, policy: Policy) -> None:
    response = alices.post(NEW, {"text": "Trips need approval. " * 550_000})
    assert response.status_code == 422
    assert "must be smaller than 10 MB" in response.content.decode()


def test_hidden_characters_are_named_where_they_stand(alices: Client, policy: Policy) -> None:
    text = "Trips need app\u200broval. The limit is \u202e005\u202c euros."
    page = alices.post(NEW, {"text": text, "title": "Trips"}, follow=True).content.decode()
    assert "zero width space" in page
    assert "right-to-left override" in page
    assert "\u202e" not in page


def test_a_second_revision_is_a_document_of_the_same_name(alices: Client, policy: Policy) -> None:
    alices.post(NEW, {"text": "Trips need approval.", "title": "Trips"})
    document = Document.objects.get()
    address = f"/policies/travel/documents/{document.pk}/revise/"
    page = alices.post(address, {"text": "Trips need no approval."}, follow=True).content.decode()
    assert "Trips need <ins>no</ins> approval." in " ".join(page.split())
    assert document.revisions.count() == 2


TRACKED = word_file(
    "<w:p><w:r><w:t>Trips need </w:t></w:r>"
    f"{inserted('no ', author='Ann')}<w:r><w:t>approval.</w:t></w:r></w:p>"
)


@pytest.mark.parametrize(
    ("answer", "text"),
    [("accepted", "Trips need no approval."), ("refused", "Trips need approval.")],
)
def test_fr_35_an_owner_says_how_tracked_changes_are_read_and_the_answer_is_kept(
    alices: Client, policy: Policy, answer: str, text: str
) -> None:
    sent = alices.post(NEW, {"file": SimpleUploadedFile("t.docx", TRACKED), "title": "Trips"})
    assert not Document.objects.exists()
    asked = alices.get(sent["Location"]).content.decode()
    assert "tracked change" in asked
    assert "Ann" in asked
    assert alices.post(sent["Location"], {"choice": "neither"}, follow=True).status_code == 200
    assert not Document.objects.exists()
    alices.post(sent["Location"], {"choice": answer})
    revision = Document.objects.get().revisions.get()
    assert revision.sentences.get().text == text
    assert revision.choices == [["tracked_changes", answer]]
    page = alices.get(f"/policies/travel/documents/{revision.document_id}/revisions/")
    assert f"as if its tracked changes were {answer}" in page.content.decode()
    assert not Upload.objects.exclude(blob=None).exists()


def test_an_upload_that_asks_can_be_taken_back_and_nothing_stays(
    alices: Client, policy: Policy
) -> None:
    sent = alices.post(NEW, {"file": SimpleUploadedFile("t.docx", TRACKED)})
    alices.post(f"{sent['Location']}remove/")
    assert not Upload.objects.exists()
    assert not Blob.objects.exists()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("fr-38-scanned.pdf", "looks scanned"),
        ("fr-39-password.pdf", "password"),
        ("fr-40-expands-64-mib.docx", "unpacked"),
        ("fr-45-empty.pdf", "empty"),
        ("fr-45-picture-named-as.pdf", "picture"),
    ],
)
def test_fr_38_39_40_45_a_hostile_file_is_one_sentence_and_leaves_nothing(
    alices: Client, policy: Policy, name: str, sentence: str
) -> None:
    path = Path(project.BASE_DIR).parent / "shared" / "cases" / "files" / name
    if not path.exists():
        pytest.skip(f"{path} is not here: the field reports' files lie outside the project")
    file = SimpleUploadedFile(f"../../{name}", path.read_bytes())
    response = alices.post(NEW, {"file": file, "title": "Mine"})
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count('role="alert"') == 1
    assert sentence in page
    assert "Traceback" not in page
    for rows in (Blob, Document, DocumentRevision):
        assert not rows.objects.exists()


def test_a_refused_file_is_deleted_and_its_sentence_stays(alices: Client, policy: Policy) -> None:
    alices.post(
        NEW, {"file": SimpleUploadedFile("plan.pdf", b"PK\x03\x04 broken"), "title": "Mine"}
    )
    upload = Upload.objects.get()
    assert (upload.state, upload.blob_id) == ("refused", None)
    assert not Blob.objects.exists()
    page = alices.get("/policies/travel/documents/list/").content.decode()
    assert "Not read: " in page
    assert "Mine" in page
    again = alices.get(f"/policies/travel/uploads/{upload.uid}/").content.decode()
    assert 'role="alert"' in again
    assert 'value="Mine"' in again
    alices.post(f"/policies/travel/uploads/{upload.uid}/remove/")
    assert not Upload.objects.exists()


def test_where_no_runner_is_free_the_page_waits_and_then_leads_to_the_document(
    alices: Client, policy: Policy, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOAD_WAIT_S = 0
    sent = alices.post(NEW, {"text": "Trips need approval.", "title": "Trips"})
    address = sent["Location"]
    page = alices.get(address).content.decode()
    assert "waits for a runner" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    polled = alices.get(address, headers={"HX-Request": "true"})
    assert "waits for a runner" in polled.content.decode()
    run_urgent("a runner")
    document = Document.objects.get()
    home = f"/policies/travel/documents/{document.pk}/"
    assert alices.get(address, headers={"HX-Request": "true"})["HX-Redirect"] == home
    assert alices.get(address)["Location"] == home


def test_what_was_pasted_is_in_the_form_of_an_upload_that_was_refused_later(
    alices: Client, policy: Policy, settings: Any
) -> None:
    settings.UPLOAD_WAIT_S = 0
    text = "# One heading <b>\n\n# And another\n"
    sent = alices.post(NEW, {"text": text, "title": "Mine"})
    run_urgent("a runner")
    page = alices.get(sent["Location"]).content.decode()
    assert "no sentence" in page
    assert "# One heading &lt;b&gt;" in page
    alices.post(NEW, {"text": "Trips need approval."})
    run_urgent("a runner")
    assert not Upload.objects.exclude(text="").exists()


def test_a_limit_of_the_installation_is_named_with_its_remedy(
    alices: Client, policy: Policy, settings: Any
) -> None:
    settings.DOCUMENT_LIMITS = settings.DOCUMENT_LIMITS | {"sentences": 2}
    response = alices.post(NEW, {"text": "One is due. Two are due. Three are due."})
    assert response.status_code == 422
    assert "more than 2 sentences; split it into several" in response.content.decode()


def test_the_original_is_only_ever_saved_and_under_our_name(alices: Client, policy: Policy) -> None:
    page = b"<!doctype html><title>T</title><script>alert(1)</script><p>Trips need approval.</p>"
    alices.post(NEW, {"file": SimpleUploadedFile("evil.html", page), "title": "Trips"})
    document = Document.objects.get()
    response = alices.get(f"/policies/travel/documents/{document.pk}/revisions/1/original/")
    assert response.content == page
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="trips-1.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    missing = f"/policies/travel/documents/{document.pk}/revisions/99999999999/original/"
    assert alices.get(missing).status_code == 404


def test_documents_are_ranked_renamed_and_a_second_click_moves_nothing_further(
    alices: Client, policy: Policy
) -> None:
    for title in ("First", "Second", "Third"):
        alices.post(NEW, {"text": f"{title} is due.", "title": title})
    third = Document.objects.get(title="Third")
    for _ in range(2):
        alices.post(f"/policies/travel/documents/{third.pk}/move/", {"where": "up", "rank": "3"})
    assert list(Document.objects.values_list("title", flat=True)) == ["First", "Third", "Second"]
    alices.post(f"/policies/travel/documents/{third.pk}/rename/", {"title": "Annex \u202e A"})
    assert Document.objects.get(rank=2).title == "Annex A"
    page = alices.get("/policies/travel/documents/list/").content.decode()
    titles = re.findall(r'<a class="title"[^>]*>([^<]*)<', page)
    assert titles == ["First", "Annex A", "Second"]
    assert (
        alices.post(f"/policies/travel/documents/{third.pk}/rename/", {"title": " "}).status_code
        == 422
    )


def test_an_abbreviation_of_the_organisation_or_the_policy_ends_no_sentence(
    alices: Client, policy: Policy, settings: Any
) -> None:
    settings.DOCUMENT_ABBREVIATIONS = ["Mgr."]
    text = "The Line Mgr. Smith decides. The Gz. Must be named."
    alices.post("/policies/travel/documents/abbreviations/", {"abbreviations": "Gz.,\nRef., Gz."})
    policy.refresh_from_db()
    assert policy.abbreviations == ["Gz.", "Ref."]
    alices.post(NEW, {"text": text, "title": "Trips"})
    revision = Document.objects.get().revisions.get()
    assert [one.text for one in revision.sentences.all()] == [
        "The Line Mgr. Smith decides.",
        "The Gz. Must be named.",
    ]
    assert revision.abbreviations == ["Mgr.", "Gz.", "Ref."]
    refused = alices.post(
        "/policies/travel/documents/abbreviations/", {"abbreviations": "two words"}
    )
    assert refused.status_code == 422


def test_a_longer_list_of_documents_takes_no_more_queries(alices: Client, policy: Policy) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page = alices.get("/policies/travel/documents/list/").content.decode()
        assert page.count("Revision 1, ") == Document.objects.count()
        return len(captured)

    alices.post(NEW, {"text": "Trips need approval.", "title": "Trips"})
    few = queries()
    for number in range(3):
        alices.post(NEW, {"text": f"Claim {number} needs a receipt.", "title": f"Claims {number}"})
    assert Document.objects.count() == 4
    assert queries() == few
