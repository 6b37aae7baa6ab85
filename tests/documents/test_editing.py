"""A person joins and splits sentences; everything else follows."""

from __future__ import annotations

import pytest

from documents import Edit, EditError, EditKind, ReadDocument, divide
from tests.documents.reference import quotes, read_text

JOIN, SPLIT = EditKind.JOIN, EditKind.SPLIT


def edited(document: ReadDocument, *edits: tuple[EditKind, str]) -> ReadDocument:
    return divide(document, [Edit(kind, document.text.index(words)) for kind, words in edits])


def test_without_an_edit_a_document_is_divided_as_it_was_read() -> None:
    document = read_text(
        "# Fees\n\nStaff pay if:\n\n- it is May; or\n- June.\n\nSee clause 2.", "a.md"
    )
    assert divide(document) == document


def test_a_sentence_is_split_and_joined_where_a_person_says() -> None:
    document = read_text("Ask Ann. Staff pay; guests wait. They leave.")
    assert quotes(document) == ["Ask Ann.", "Staff pay; guests wait.", "They leave."]
    changed = edited(document, (JOIN, "Staff"), (SPLIT, "guests"))
    assert quotes(changed) == ["Ask Ann. Staff pay;", "guests wait.", "They leave."]
    assert changed.text == document.text
    assert quotes(divide(document)) == quotes(document)


def test_a_split_lead_in_changes_the_context_of_its_items() -> None:
    document = read_text("Forms are online; leave is granted if:\n- staff ask; and\n- it is May.")
    changed = edited(document, (SPLIT, "leave"))
    assert changed.sentences[2].context == ("leave is granted if:", "and")


def test_a_paragraph_that_was_torn_apart_is_joined_across_the_gap() -> None:
    document = read_text("The fee is due\n\non the first day. Staff pay.")
    changed = edited(document, (JOIN, "on the"))
    assert [one.split() for one in quotes(changed)] == [
        ["The", "fee", "is", "due", "on", "the", "first", "day."],
        ["Staff", "pay."],
    ]
    assert len(changed.blocks) == 1
    assert len(changed.links) == len(document.links)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (JOIN, "Staff"),
        (JOIN, "pay."),
        (JOIN, "Age"),
        (SPLIT, " pay"),
        (SPLIT, "5"),
        (SPLIT, "Fees"),
        (JOIN, "1. Ask"),
    ],
)
def test_an_edit_that_fits_nowhere_is_refused(kind: EditKind, words: str) -> None:
    document = read_text(
        "# Fees\n\nStaff pay.\n\n| Age | Fee |\n|---|---|\n| old | 5 |\n\n1. Ask", "a.md"
    )
    with pytest.raises(EditError) as caught:
        edited(document, (kind, words))
    assert str(caught.value).endswith(".")


def test_one_place_is_not_joined_and_split_at_once() -> None:
    document = read_text("Staff pay. Guests wait.")
    with pytest.raises(EditError):
        edited(document, (JOIN, "Guests"), (SPLIT, "Guests"))
