"""PDFs: letters and places become headings, paragraphs, items, rows and footnotes."""

from __future__ import annotations

import textwrap
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import BlockKind, NoteKind, ReadDocument, UnreadableError, read
from documents.limits import Limits
from tests.documents.pdf_writer import PdfPage, PdfWriter
from tests.documents.reference import quotes, read_shared, shared_bytes

WIDTH = 56  # letters of Courier in a line of `prose`


def read_pdf(writer: PdfWriter) -> ReadDocument:
    return read(writer.data(), filename="policy.pdf")


def blocks(document: ReadDocument, *kinds: BlockKind) -> list[str]:
    return [
        document.text[one.start : one.end]
        for one in document.blocks
        if not kinds or one.kind in kinds
    ]


def said(document: ReadDocument, kind: NoteKind) -> list[str]:
    return [note.message for note in document.notes if note.kind is kind]


def prose(page: PdfPage, y: float, text: str, *, font: str = "Courier", x: float = 60) -> float:
    """A paragraph as a typewriter sets it; the place for the next one."""
    return page.lines(x, y, textwrap.wrap(text, WIDTH), font=font, size=10, pitch=13) - 9


FILLER = (
    "Visitors sign the book at the front desk before they enter the building. A host meets each "
    "visitor there and stays with them. At the end of the day the desk counts the badges and "
    "writes down which of them are missing."
)


def test_lines_of_a_paragraph_are_one_text_with_its_page() -> None:
    writer = PdfWriter()
    page = writer.page()
    prose(page, prose(page, 760, FILLER), "The desk keeps the book for one year.")
    document = read_pdf(writer)
    assert blocks(document) == [FILLER, "The desk keeps the book for one year."]
    assert {sentence.page for sentence in document.sentences} == {1}
    assert document.media_type == "application/pdf"


def test_a_sentence_goes_on_over_the_end_of_a_page() -> None:
    writer = PdfWriter()
    words = textwrap.wrap(FILLER, WIDTH)
    for lines in (words[:2], words[2:]):
        writer.page().lines(60, 760, lines, font="Courier", size=10)
    document = read_pdf(writer)
    assert blocks(document) == [FILLER]
    assert [sentence.page for sentence in document.sentences] == [1, 1, 2]
    (block,) = document.blocks
    assert document.text[block.breaks[0] :].startswith(words[2].split()[0])


def test_a_number_at_the_top_of_a_page_goes_on_with_the_line_before_it() -> None:
    writer = PdfWriter()
    prose(writer.page(), 760, "A guest tells the desk at least")
    prose(writer.page(), 760, "30 days in advance.")
    assert quotes(read_pdf(writer)) == ["A guest tells the desk at least 30 days in advance."]


def test_a_short_line_at_the_end_of_a_page_is_a_text_of_its_own() -> None:
    writer = PdfWriter()
    page = writer.page()
    prose(page, 740, "Ask the desk")
    prose(page, 760, "It keeps the book of all the visitors and of their hosts and")
    page = writer.page()
    prose(page, 760, "Guests of the board need no badge, and they need no host either.")
    assert blocks(read_pdf(writer))[-1].startswith("Guests of the board")


def test_headings_are_told_by_size_weight_and_number() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 790, "Visitor rules", size=20, font="Helvetica-Bold")
    page.text(60, 750, "1 Before the visit", size=14, font="Helvetica-Bold")
    y = prose(page, 725, FILLER)
    page.text(60, y - 6, "1.1 Lists of guests", size=11, font="Helvetica-Bold")
    y = prose(page, y - 24, "The host sends a list.")
    page.text(60, y - 6, "2 During the visit", size=14, font="Helvetica-Bold")
    prose(page, y - 30, "A badge must be worn at all times.")
    document = read_pdf(writer)
    assert [(one.level, one.title) for one in document.headings] == [
        (1, "Visitor rules"),
        (2, "1 Before the visit"),
        (3, "1.1 Lists of guests"),
        (2, "2 During the visit"),
    ]
    assert document.title == "Visitor rules"
    assert document.sentences[-1].headings == ("Visitor rules", "2 During the visit")
    assert document.sentences[-1].number == "2"


def test_a_bold_rule_is_a_sentence_and_no_heading() -> None:
    writer = PdfWriter()
    page = writer.page()
    y = prose(page, 760, FILLER)
    y = prose(page, y, "Badges must never be lent", font="Courier-Bold")
    prose(page, y, "The desk may ask for a badge.")
    document = read_pdf(writer)
    assert not document.headings
    assert "Badges must never be lent" in quotes(document)


def test_items_keep_their_markers_lead_in_and_connective() -> None:
    writer = PdfWriter()
    page = writer.page()
    style = {"font": "Courier", "size": 10}
    page.text(60, 760, "A visit is allowed if all of these hold:", **style)
    for at, (marker, text) in enumerate(
        [("(a)", "the host agrees;"), ("(b)", "the desk is open; and"), ("(c)", "a badge is free.")]
    ):
        page.text(78, 745 - 15 * at, marker, **style)
        page.text(102, 745 - 15 * at, text, **style)
    document = read_pdf(writer)
    assert blocks(document, BlockKind.ITEM) == [
        "(a) the host agrees;",
        "(b) the desk is open; and",
        "(c) a badge is free.",
    ]
    assert document.sentences[1].context == ("A visit is allowed if all of these hold:", "and")
    assert [one.number for one in document.sentences[1:]] == ["(a)", "(b)", "(c)"]


def test_a_bullet_goes_on_under_its_text() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 760, "Guests bring:")
    page.text(70, 745, "•")
    page.lines(84, 745, ["a letter of the firm that sends", "them to us, and"])
    page.text(70, 717, "•")
    page.text(84, 717, "a passport.")
    document = read_pdf(writer)
    assert blocks(document, BlockKind.ITEM) == [
        "• a letter of the firm that sends them to us, and",
        "• a passport.",
    ]


def test_bullets_that_are_drawn_are_bullets() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 760, "Guests bring:")
    for at, text in enumerate(["a letter; and", "a passport."]):
        page.box(70, 747 - 15 * at, 4, 4, "0 0 0")
        page.text(84, 745 - 15 * at, text)
    assert blocks(read_pdf(writer), BlockKind.ITEM) == ["• a letter; and", "• a passport."]


def test_a_table_with_lines_has_header_rows_and_cells() -> None:
    writer = PdfWriter()
    page = writer.page()
    y = prose(page, 760, FILLER)
    rows = [["Kind of guest", "Badge"], ["Supplier", "1 day"], ["Auditor", "30 days"]]
    page.grid(60, y, [150, 100], 20, rows)
    prose(page, y - 90, "Badges are blue.")
    document = read_pdf(writer)
    assert blocks(document, BlockKind.TABLE_ROW) == ["\t".join(row) for row in rows]
    assert document.sentences[3].context == ("Kind of guest", "Badge")
    header, row, _ = [one for one in document.blocks if one.kind is BlockKind.TABLE_ROW]
    assert (header.level, row.level) == (0, 1)
    assert [document.text[one.start : one.end] for one in row.cells] == rows[1]
    assert blocks(document)[-1] == "Badges are blue."


def test_a_table_goes_on_over_the_end_of_a_page_under_its_header() -> None:
    writer = PdfWriter()
    header = ["Country", "Days"]
    page = writer.page()
    y = prose(page, 760, FILLER)
    page.grid(60, y, [150, 100], 20, [header, ["France", "10"], ["Spain", "12"]])
    writer.page().grid(60, 780, [150, 100], 20, [header, ["Italy", "14"], ["Malta", "16"]])
    document = read_pdf(writer)
    rows = blocks(document, BlockKind.TABLE_ROW)
    assert rows == ["Country\tDays", "France\t10", "Spain\t12", "Italy\t14", "Malta\t16"]
    assert document.sentences[-1].context == ("Country", "Days")
    assert document.sentences[-1].page == 2


def test_cells_that_cover_several_columns_and_rows_say_so() -> None:
    writer = PdfWriter()
    page = writer.page()
    for x1, y1, x2, y2 in [
        (60, 700, 360, 700), (160, 680, 360, 680), (60, 660, 360, 660), (60, 640, 360, 640),
        (60, 640, 60, 700), (160, 660, 160, 700), (260, 660, 260, 700), (360, 640, 360, 700),
    ]:  # fmt: skip
        page.line(x1, y1, x2, y2)
    cells = [(64, 675, "Hall"), (164, 686, "open"), (264, 686, "8"), (164, 666, "shut"),
             (264, 666, "18"), (64, 646, "All others are closed.")]  # fmt: skip
    for x, y, text in cells:
        page.text(x, y, text)
    document = read_pdf(writer)
    assert blocks(document) == ["Hall\topen\t8", "shut\t18", "All others are closed."]
    first, second, third = document.blocks
    assert [(cell.columns, cell.rows) for cell in first.cells] == [(1, 2), (1, 1), (1, 1)]
    assert [(cell.columns, cell.rows) for cell in second.cells] == [(1, 1), (1, 1)]
    assert [(cell.columns, cell.rows) for cell in third.cells] == [(3, 1)]


def test_a_table_may_be_drawn_with_thin_boxes_and_white_ones() -> None:
    writer = PdfWriter()
    page = writer.page()
    y = prose(page, 760, FILLER)
    for number in range(4):
        page.box(60, y - 20 * number, 250, 0.5, "1 1 1" if number == 2 else "0.7 0.7 0.7")
    for edge in (60, 210, 310):
        page.box(edge, y - 60, 0.5, 60.5, "0.7 0.7 0.7")
    for number, row in enumerate(
        [["Guest", "Badge"], ["Supplier", "1 day"], ["Auditor", "2 days"]]
    ):
        for x, cell in zip((64, 214), row, strict=True):
            page.text(x, y - 14 - 20 * number, cell)
    rows = blocks(read_pdf(writer), BlockKind.TABLE_ROW)
    assert rows == ["Guest\tBadge", "Supplier\t1 day", "Auditor\t2 days"]


def test_a_frame_around_text_is_no_table() -> None:
    writer = PdfWriter()
    page = writer.page()
    for edge in (50, 560):
        page.line(edge, 600, edge, 800)
    for edge in (600, 800):
        page.line(50, edge, 560, edge)
    prose(page, 760, FILLER)
    assert blocks(read_pdf(writer)) == [FILLER]


def test_a_first_row_that_says_something_is_no_header() -> None:
    writer = PdfWriter()
    page = writer.page()
    y = prose(page, 760, FILLER)
    page.grid(60, y, [260, 100], 20, [["Guests wear a badge.", "Yes"], ["Staff wear one.", "No"]])
    document = read_pdf(writer)
    assert "Guests wear a badge.\tYes" in quotes(document)


def test_a_table_without_lines_is_read_by_its_rows_and_said() -> None:
    writer = PdfWriter()
    page = writer.page()
    y = prose(page, 760, FILLER)
    for at, row in enumerate([("City", "Night"), ("Oslo", "180 EUR"), ("Bonn", "120 EUR")]):
        for x, cell in zip((60, 220), row, strict=True):
            font = "Helvetica-Bold" if at == 0 else "Helvetica"
            page.text(x, y - 16 * at, cell, font=font)
    document = read_pdf(writer)
    assert blocks(document, BlockKind.TABLE_ROW) == [
        "City\tNight",
        "Oslo\t180 EUR",
        "Bonn\t120 EUR",
    ]
    assert document.sentences[-1].context == ("City", "Night")
    assert "check the rows and cells" in said(document, NoteKind.COLUMNS)[0]


def test_columns_are_read_one_after_the_other() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(200, 790, "Rules of the building", size=18)
    left = textwrap.wrap(FILLER, 30)
    right = textwrap.wrap("The cellar is closed to guests. " + FILLER, 30)
    page.lines(60, 750, left, font="Courier", size=9)
    page.lines(320, 746, right, font="Courier", size=9)
    document = read_pdf(writer)
    assert blocks(document, BlockKind.PARAGRAPH) == [
        FILLER,
        "The cellar is closed to guests. " + FILLER,
    ]
    assert "has columns" in said(document, NoteKind.COLUMNS)[0]


def test_fr_37_two_columns_are_not_mixed() -> None:
    document = read_shared("cases", "files", "fr-37-two-columns.pdf")
    assert quotes(document) == [
        "Refunds are paid only when the customer shows the receipt and the goods are unopened.",
        "Gift cards are never refunded.",
        "Sale items may be exchanged within 14 days of purchase.",
    ]


def test_running_lines_are_left_out_and_said() -> None:
    writer = PdfWriter()
    for number in range(1, 5):
        page = writer.page()
        page.text(60, 810, "Visitor rules, second edition", size=9)
        page.text(480, 30, f"Page {number} of 4", size=9)
        prose(page, 760, f"Room {number * 7} is for guests of house {number * 3}. {FILLER}")
    document = read_pdf(writer)
    assert "second edition" not in document.text
    assert "of 4" not in document.text
    assert "Room 28 is for guests of house 12." in quotes(document)
    left = said(document, NoteKind.LEFT_OUT)
    assert any("Visitor rules, second edition" in message for message in left)
    assert all("4 pages" in message for message in left)
    assert len(left) == 2


def test_running_lines_that_name_the_chapter_are_told_by_their_page_number() -> None:
    writer = PdfWriter()
    for number in range(1, 9):
        page = writer.page()
        chapter = "Guests" if number < 5 else "Badges" if number < 7 else "Doors"
        page.text(60, 810, f"{chapter} {number + 2}", size=9)
        prose(page, 690, FILLER)
    document = read_pdf(writer)
    assert "Doors" not in document.text
    assert document.text.count("Visitors sign the book") == 8
    (message,) = said(document, NoteKind.LEFT_OUT)
    assert "`Guests 3` stands at the same place of 8 pages" in message


def test_headings_that_count_like_pages_are_no_running_lines() -> None:
    writer = PdfWriter()
    for number in range(1, 5):
        page = writer.page()
        page.text(60, 790, f"{number} Rules of a house", size=14, font="Helvetica-Bold")
        prose(page, 690, FILLER)
    assert len(read_pdf(writer).headings) == 4


def test_a_table_of_contents_is_left_out_and_said() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 780, "Contents", size=16)
    for at, title in enumerate(["1 Guests", "2 Badges", "3 Doors"]):
        page.text(60, 750 - 16 * at, f"{title} {' .' * 40} {at + 2}", size=10)
    page = writer.page()
    page.text(60, 780, "1 Guests", size=16)
    prose(page, 750, FILLER)
    document = read_pdf(writer)
    assert [one.title for one in document.headings] == ["Contents", "1 Guests"]
    assert "Badges" not in document.text
    assert said(document, NoteKind.LEFT_OUT) == [
        "Page 1 of 2 holds a table of contents; its titles stand in the text, so it was left out."
    ]


def test_a_line_that_happens_to_stand_at_one_place_is_text() -> None:
    writer = PdfWriter()
    for number in range(1, 12):
        page = writer.page()
        words = "The desk is closed on Sundays." if number % 4 == 1 else f"Room {number**2}."
        page.text(60, 785, words)
        prose(page, 690, f"House {number} is open. {FILLER}")
    document = read_pdf(writer)
    assert quotes(document).count("The desk is closed on Sundays.") == 3
    assert not said(document, NoteKind.LEFT_OUT)


def test_articles_at_the_top_of_each_page_are_no_running_lines() -> None:
    writer = PdfWriter()
    for number in range(1, 5):
        page = writer.page()
        page.text(60, 800, f"Article {number}", size=14, font="Helvetica-Bold")
        prose(page, 760, FILLER)
    document = read_pdf(writer)
    assert [one.title for one in document.headings] == [f"Article {n}" for n in range(1, 5)]


def test_footnotes_are_pointed_to_and_stand_apart() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 760, "Guests of the board need no badge", size=11)
    page.text(236, 764, "1", size=6)
    page.text(242, 760, "if they are announced.", size=11)
    prose(page, 700, FILLER)
    page.text(60, 60, "1", size=6)
    page.text(66, 57, "The board lists them by name.", size=8)
    document = read_pdf(writer)
    (note,) = blocks(document, BlockKind.FOOTNOTE)
    assert note == "1 The board lists them by name."
    assert quotes(document)[0] == "Guests of the board need no badge if they are announced."
    (link,) = document.links
    assert (link.label, document.blocks[link.block].kind) == ("1", BlockKind.FOOTNOTE)


def test_a_mark_leads_to_the_only_note_of_its_number_on_another_page() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 760, "Guests need no badge", size=11)
    page.text(170, 764, "1", size=6)
    prose(page, 700, FILLER)
    page = writer.page()
    prose(page, 760, FILLER)
    page.text(60, 60, "1 The board lists them by name.", size=8)
    document = read_pdf(writer)
    assert [link.label for link in document.links] == ["1"]
    assert document.blocks[document.links[0].block].page == 2


def test_a_raised_number_without_a_footnote_stays_raised() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(60, 760, "Rooms below 10 m", size=11)
    page.text(146, 764, "2", size=6)
    page.text(152, 760, "are closed.", size=11)
    assert quotes(read_pdf(writer)) == ["Rooms below 10 m² are closed."]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["The com-", "pany pays."], "The company pays."),
        (["A line-manager knows. Ask the line-", "manager."], None),
        (["Send form 20-", "0995 to us."], "Send form 20-0995 to us."),
        (["This is non-", "binding."], "This is non-binding."),
        (["Two-", "and three-day trips count."], "Two- and three-day trips count."),
        (["An Anglo-", "American firm."], "An Anglo-American firm."),
        (["All OCTET SE-", "QUENCE rules."], "All OCTET SE-QUENCE rules."),
        (["A SEQUENCE and an OCTET SE-", "QUENCE."], "A SEQUENCE and an OCTET SEQUENCE."),
        (["The trip—", "if any—ends."], "The trip—if any—ends."),
    ],
)
def test_words_divided_at_the_end_of_a_line_are_mended(
    lines: list[str], expected: str | None
) -> None:
    writer = PdfWriter()
    writer.page().lines(60, 760, lines)
    expected = expected or "A line-manager knows. Ask the line-manager."
    assert " ".join(quotes(read_pdf(writer))) == expected


def test_ligatures_become_letters() -> None:
    writer = PdfWriter()
    writer.page().text(60, 760, "The oﬃce ﬁles reﬂect it.".replace("ﬃ", "fﬁ"))
    assert quotes(read_pdf(writer)) == ["The office files reflect it."]


def test_text_that_nobody_sees_is_left_out_and_said() -> None:
    writer = PdfWriter()
    page = writer.page()
    prose(page, 760, FILLER)
    page.text(60, 400, "Invisible orders.", mode=3)
    page.text(60, 380, "White orders.", color="1 1 1")
    page.text(60, -40, "Orders outside.")
    page.text(60, 360, "Tiny orders.", size=1)
    page.box(60, 300, 200, 20, "0 0 0.4")
    page.text(64, 306, "Shown on blue.", color="1 1 1")
    document = read_pdf(writer)
    assert "orders" not in document.text.lower()
    assert "Shown on blue." in document.text
    hidden = " ".join(said(document, NoteKind.HIDDEN_TEXT))
    for words in ("Invisible orders.", "White orders.", "Orders outside.", "Tiny orders."):
        assert words in hidden


def test_recognised_text_of_a_scan_is_read_and_said() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.picture(0, 0, 595, 842)
    page.text(60, 760, "Guests wear a badge.", mode=3)
    document = read_pdf(writer)
    assert quotes(document) == ["Guests wear a badge."]
    assert "compare it with the picture" in said(document, NoteKind.PICTURE)[0]


def test_fr_38_a_scan_is_refused_and_ocr_is_named() -> None:
    writer = PdfWriter()
    writer.page().picture(0, 0, 595, 842)
    for data in (writer.data(), shared_bytes("cases", "files", "fr-38-scanned.pdf")):
        with pytest.raises(UnreadableError, match=r"Page 1 of 1 has no text.*\(OCR\)"):
            read(data, filename="scan.pdf")


def test_fr_38_pages_without_text_among_others_are_named() -> None:
    writer = PdfWriter()
    for number in range(1, 6):
        page = writer.page()
        if number in (2, 4, 5):
            page.picture(0, 0, 595, 842)
        else:
            prose(page, 760, FILLER)
    document = read_pdf(writer)
    (message,) = said(document, NoteKind.PICTURE)
    assert message.startswith("Pages 2, 4 to 5 of 5 have no text and look scanned")
    assert "OCR" in message


def test_fr_38_scans_with_a_stamped_number_are_refused_too() -> None:
    writer = PdfWriter()
    for number in range(1, 4):
        page = writer.page()
        page.picture(0, 0, 595, 842)
        page.text(500, 20, f"{number}")
    with pytest.raises(UnreadableError, match=r"None of the 3 pages has text.*\(OCR\)"):
        read_pdf(writer)
    prose(writer.page(), 760, FILLER)
    document = read_pdf(writer)
    assert any(
        "Pages 1 to 3 of 4 are pictures with few" in m for m in said(document, NoteKind.PICTURE)
    )


def test_fr_39_a_password_is_named() -> None:
    writer = PdfWriter(password="open-me")
    writer.page().text(60, 760, "Guests wear a badge.")
    for data in (writer.data(), shared_bytes("cases", "files", "fr-39-password.pdf")):
        with pytest.raises(UnreadableError, match="needs a password") as caught:
            read(data, filename="locked.pdf")
        assert "open-me" not in str(caught.value)


def test_a_damaged_file_is_refused() -> None:
    writer = PdfWriter()
    prose(writer.page(), 760, FILLER)
    for data in (b"%PDF-1.7\n" + bytes(range(256)), writer.data()[:300]):
        with pytest.raises(UnreadableError, match="damaged"):
            read(data, filename="broken.pdf")


def test_too_many_pages_name_the_limit() -> None:
    writer = PdfWriter()
    for _ in range(3):
        prose(writer.page(), 760, FILLER)
    with pytest.raises(UnreadableError, match="has 3 pages, and a document may have at most 2"):
        read(writer.data(), filename="long.pdf", limits=Limits(pages=2))


def test_scripts_comments_and_form_fields_are_named() -> None:
    writer = PdfWriter(script="app.alert\\(1\\)")
    page = writer.page()
    prose(page, 760, FILLER)
    page.annotations.append("<</Type/Annot/Subtype/Text/Rect[9 9 20 20]/Contents(Delete this)>>")
    document = read_pdf(writer)
    assert "scripts; they were not run" in said(document, NoteKind.MACRO)[0]
    assert said(document, NoteKind.COMMENT) == [
        "Page 1 of 1 holds a comment, which is not part of the text."
    ]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_turned_page_reads_as_it_is_shown(rotate: int) -> None:
    turns = {0: "1 0 0 1", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0"}
    places = {0: (60, 700), 90: (200, 60), 180: (500, 200), 270: (300, 700)}
    steps = {0: (0, -14), 90: (14, 0), 180: (0, 14), 270: (-14, 0)}
    writer = PdfWriter()
    page = writer.page(rotate=rotate)
    x, y = places[rotate]
    for line in textwrap.wrap(FILLER, 40):
        page.text(x, y, line, font="Courier", size=10, matrix=turns[rotate])
        x, y = x + steps[rotate][0], y + steps[rotate][1]
    assert blocks(read_pdf(writer)) == [FILLER]


def test_sideways_text_is_read_last_and_said() -> None:
    writer = PdfWriter()
    page = writer.page()
    page.text(30, 300, "Valid in all houses.", matrix="0 1 -1 0")
    prose(page, 760, FILLER)
    document = read_pdf(writer)
    assert blocks(document) == [FILLER, "Valid in all houses."]
    assert "turned sideways" in said(document, NoteKind.COLUMNS)[0]


def test_the_real_example_keeps_its_questions_table_and_note() -> None:
    document = read_shared("corpus", "policies", "va-blue-water-navy-faq.pdf")
    assert len(document.headings) == 29
    assert [one.level for one in document.headings] == [1] + [2] * 28
    rows = blocks(document, BlockKind.TABLE_ROW)
    assert rows[0] == "Points Geographic Names\tLatitude North\tLongitude East"
    assert len(rows) == 12
    assert len(blocks(document, BlockKind.FOOTNOTE)) == 1
    assert len([b for b in document.blocks if b.kind is BlockKind.ITEM and b.marker == "•"]) == 21
    numbers = [one.page for one in document.sentences]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (1, 7)
    assert "Response 1" in said(document, NoteKind.LEFT_OUT)[0]
    assert "Response 2" not in document.text


WORDS = st.text("abcdefghijklmnopqrstuvwxyzäéß", min_size=1, max_size=11)
SENTENCES = st.lists(WORDS, min_size=3, max_size=30).map(
    lambda words: " ".join(words).capitalize() + "."
)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=12))
def test_every_word_is_read_in_order_and_every_sentence_is_in_its_place(texts: list[str]) -> None:
    writer = PdfWriter()
    page, y = writer.page(), 780.0
    for text in texts:
        for line in textwrap.wrap(text, WIDTH, break_on_hyphens=False):
            if y < 60:
                page, y = writer.page(), 780.0
            page.text(60, y, line, font="Courier", size=10)
            y -= 13
        y -= 9
    document = read_pdf(writer)
    assert document.text.split() == " ".join(texts).split()
    for sentence, after in pairwise(document.sentences):
        assert sentence.end <= after.start
        assert sentence.page <= after.page
    for quote in quotes(document):
        assert quote == quote.strip()
        assert quote in " ".join(texts)
    for block in document.blocks:
        assert all(block.start < at < block.end for at in block.breaks)
