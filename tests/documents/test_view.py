"""The page shows a document as it is laid out, each sentence as an element."""

from __future__ import annotations

from documents import view
from tests.documents.reference import quotes, read_text

POLICY = (
    "# Fees\n\nStaff pay. Guests pay less.\n\n1. Trains\n2. Buses\n\n"
    "| Age | Fee |\n|---|---|\n| under 12 | 5 |\n| older | |\n\nThat is all.\n"
)


def test_each_block_comes_with_its_sentences_as_pieces() -> None:
    document = read_text(POLICY, "a.md")
    blocks = list(view(document))
    assert [block.kind for block in blocks] == [
        "heading",
        "paragraph",
        "item",
        "item",
        "table",
        "paragraph",
    ]
    assert [piece.text for piece in blocks[1].pieces] == ["Staff pay.", " ", "Guests pay less."]
    assert [piece.sentence for piece in blocks[1].pieces] == [0, None, 1]
    assert (blocks[2].marker, blocks[2].pieces[0].text, blocks[2].level) == ("1.", "Trains", 1)


def test_a_table_keeps_its_rows_and_cells() -> None:
    document = read_text(POLICY, "a.md")
    table = list(view(document))[4]
    assert [row.header for row in table.rows] == [True, False, False]
    words = [[[piece.text for piece in cell.pieces] for cell in row.cells] for row in table.rows]
    assert words == [[["Age"], ["Fee"]], [["under 12"], ["5"]], [["older"], []]]
    assert [row.sentence for row in table.rows] == [None, 4, 5]
    assert {piece.sentence for cell in table.rows[1].cells for piece in cell.pieces} == {4}


def test_the_pieces_of_a_document_are_its_text() -> None:
    document = read_text(POLICY, "a.md")
    shown: dict[int, str] = {}
    for block in view(document):
        cells = [cell.pieces for row in block.rows for cell in row.cells]
        for piece in [*block.pieces, *(piece for pieces in cells for piece in pieces)]:
            assert piece.text == document.text[piece.start : piece.end]
            if piece.sentence is not None:
                shown[piece.sentence] = f"{shown.get(piece.sentence, '')} {piece.text}".strip()
    assert [shown[index].split() for index in sorted(shown)] == [
        q.split() for q in quotes(document)
    ]


def test_a_range_of_blocks_can_be_shown_alone() -> None:
    document = read_text(POLICY, "a.md")
    (only,) = view(document, 1, 2)
    assert (only.first, only.last) == (0, 2)
