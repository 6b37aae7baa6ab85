"""Line ends, and characters that make a reviewer see another text than the machine."""

from __future__ import annotations

from documents import NoteKind
from documents.hidden import MAX_NOTES
from tests.documents.reference import quotes, read_shared, read_text


def test_fr_41_positions_count_from_the_text_without_its_mark_and_carriage_returns() -> None:
    own = read_text(
        "\ufeffVisitors sign in.\r\nThey wear a badge.\r\rVisitors\u00a0leave by 18:00.\r"
    )
    assert "\r" not in own.text
    for document in (own, read_shared("cases", "files", "fr-41-bom-crlf.txt")):
        assert document.sentences[0].start == 0
        assert quotes(document)[0] == "Visitors sign in."
        assert quotes(document)[-1] == "Visitors\u00a0leave by 18:00."
        assert not document.notes


def test_letters_with_separate_accents_are_composed() -> None:
    assert read_text("Nai\u0308ve users ask.").text == "Naïve users ask."


def test_fr_44_marks_you_cannot_see_are_named_with_their_place() -> None:
    document = read_shared("cases", "files", "fr-44-hidden-marks.txt")
    kinds = [note.kind for note in document.notes]
    assert kinds == [
        NoteKind.HIDDEN_CHARACTER,
        NoteKind.DIRECTION_OVERRIDE,
        NoteKind.DIRECTION_OVERRIDE,
        NoteKind.LOOK_ALIKE,
    ]
    assert [document.text[note.start : note.end] for note in document.notes] == [
        "\u200b",
        "\u202e",
        "\u202c",
        "\u043e",
    ]
    assert "ZERO WIDTH SPACE" in document.notes[0].message
    assert "CYRILLIC SMALL LETTER O" in document.notes[3].message


def test_hidden_characters_stay_in_the_text_and_a_run_is_one_note() -> None:
    document = read_text("Fees do\u200b\u200b\u200d not apply.")
    assert "\u200b\u200b\u200d" in document.text
    (note,) = document.notes
    assert (note.start, note.end) == (7, 10)
    assert note.message.startswith("A run of 3 characters")


def test_honest_letters_of_other_scripts_are_left_alone() -> None:
    assert not read_text("Naïve Ærøskøbing, 5 μg, Ω, Москва\u00a0— “ok”…").notes
    (note,) = read_text("Аррӏе pays.").notes
    assert note.kind is NoteKind.LOOK_ALIKE


def test_entities_of_markdown_hide_nothing() -> None:
    (note,) = read_text("Fees do&#8203; not apply.", "a.md").notes
    assert note.kind is NoteKind.HIDDEN_CHARACTER


def test_so_many_that_no_list_helps_are_covered_by_one_last_note() -> None:
    document = read_text("a\u200b b " * (MAX_NOTES + 50))
    assert len(document.notes) == MAX_NOTES + 1
    assert document.notes[-1].start == document.notes[-2].start + 5
    assert document.notes[-1].end == document.text.rindex("\u200b") + 1
