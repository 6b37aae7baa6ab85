"""Adding a document: one clear sentence for bad input, and what was pasted stays."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from policies.models import Document, Policy

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
    assert "the limit is 10 MB" in response.content.decode()


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
    assert "Trips need no approval." in page
    assert document.revisions.count() == 2
