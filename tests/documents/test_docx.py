"""Word files: what the page shows is read, with the numbers that Word makes."""

from __future__ import annotations

import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable

import pytest

from documents import (
    BlockKind,
    ChoiceNeededError,
    LimitError,
    NoteKind,
    ReadDocument,
    UnreadableError,
    read,
    view,
)
from tests.documents.docx_files import (
    HEADING,
    cell,
    docx,
    item,
    p,
    read_body,
    row,
    run,
    table,
)
from tests.documents.reference import quotes, shared_bytes


def said(document: ReadDocument, kind: NoteKind) -> list[str]:
    return [note.message for note in document.notes if note.kind is kind]


def shared(name: str, choice: str = "") -> ReadDocument:
    choices = {"tracked_changes": choice} if choice else None
    return read(shared_bytes("cases", "files", name), filename=name, choices=choices)


def test_headings_are_known_by_style_in_every_language_and_by_outline_level() -> None:
    document = read_body(
        p("Reisen", HEADING)
        + p("Staff book.")
        + p("Abroad", '<w:pPr><w:pStyle w:val="Unter"/></w:pPr>')
        + p("Staff ask.")
        + p("Costs", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
        + p("Staff pay.")
    )
    assert [(h.level, h.title) for h in document.headings] == [
        (1, "Reisen"),
        (2, "Abroad"),
        (1, "Costs"),
    ]
    assert document.sentences[1].headings == ("Reisen", "Abroad")
    assert document.title == "Reisen"


def test_without_styles_a_bold_line_that_says_nothing_is_a_heading() -> None:
    bold = f"<w:p>{run('Travel costs', '<w:b/>')}</w:p>"
    shout = f"<w:p>{run('Staff must ask', '<w:b/>')}</w:p>"
    document = read_body(bold + p("Staff pay.") + shout)
    assert [heading.title for heading in document.headings] == ["Travel costs"]
    assert quotes(document) == ["Staff pay.", "Staff must ask"]


def test_numbers_are_made_as_word_makes_them() -> None:
    document = read_body(
        item("Leave is granted if:")
        + item("the form is signed; and", 1)
        + item("one of these holds:", 1)
        + item("it is late, or", 2)
        + item("it is May.", 2)
        + item("Managers answer.")
        + item("They write.", 1)
        + item("A new count.", 0, 3)
        + item("Pens", 0, 2)
    )
    assert [block.marker for block in document.blocks] == [
        "1.", "1.1", "1.2", "(a)", "(b)", "2.", "2.1", "1.", "•",
    ]  # fmt: skip
    assert [s.number for s in document.sentences] == [
        "1", "1.1", "1.2", "1.2(a)", "1.2(b)", "2", "2.1", "1", "",
    ]  # fmt: skip
    outer = ("Leave is granted if:", "and")
    assert document.sentences[4].context == (*outer, "one of these holds:", "or")
    assert document.sentences[6].context == ()


def test_a_heading_may_be_numbered_and_its_clauses_go_on_with_it() -> None:
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    heading = HEADING.replace("</w:pPr>", numbered)
    document = read_body(
        p("Scope", heading) + item("Staff book.", 1) + p("Cost", heading) + item("Staff pay.", 1)
    )
    assert [heading.title for heading in document.headings] == ["1. Scope", "2. Cost"]
    assert [s.number for s in document.sentences] == ["1.1", "2.1"]
    assert [block.level for block in document.blocks] == [1, 1, 1, 1]


def test_a_list_goes_on_after_a_paragraph_between() -> None:
    document = read_body(
        item("Ask.") + item("by mail", 2) + p("Forms are online.") + item("by phone", 2)
    )
    assert [s.number for s in document.sentences] == ["1", "1(a)", "", "1(b)"]


def test_clauses_typed_by_hand_are_items_too() -> None:
    document = read_body(p("Leave is due if:") + p("(a)\tstaff ask; and") + p("(b) it is May."))
    assert document.sentences[2].context == ("Leave is due if:", "and")
    assert document.sentences[2].number == "(b)"


def test_fr_35_tracked_changes_are_read_as_the_owner_chooses() -> None:
    with pytest.raises(ChoiceNeededError) as caught:
        shared("fr-35-tracked-changes.docx")
    choice = caught.value.choice
    assert "4 tracked changes by A. Editor" in choice.question
    assert [value for value, _ in choice.options] == ["accepted", "refused"]
    accepted = shared("fr-35-tracked-changes.docx", "accepted")
    assert quotes(accepted) == [
        "A supervisor must approve refunds over 250 dollars.",
        "Refunds by gift card need no approval.",
    ]
    refused = shared("fr-35-tracked-changes.docx", "refused")
    assert quotes(refused) == [
        "A supervisor must approve refunds over 500 dollars.",
        "Refunds in cash are not allowed.",
    ]
    assert refused.choices == (("tracked_changes", "refused"),)
    assert said(refused, NoteKind.TRACKED_CHANGE) == [
        "The text is read as if the 4 tracked changes by A. Editor were refused."
    ]


def test_a_paragraph_end_that_was_taken_away_joins_two_paragraphs() -> None:
    ends = '<w:pPr><w:rPr><w:del w:author="Ann"/></w:rPr></w:pPr>'
    body = p("Staff pay", ends) + p(" on Monday.")
    assert quotes(read_body(body, {"tracked_changes": "accepted"})) == ["Staff pay on Monday."]
    assert quotes(read_body(body, {"tracked_changes": "refused"})) == ["Staff pay", "on Monday."]


def test_rows_and_moves_follow_the_choice_too() -> None:
    moved = f'<w:moveFrom w:author="Bo">{run("Here. ")}</w:moveFrom>'
    arrived = f'<w:moveTo w:author="Bo">{run("Here.")}</w:moveTo>'
    body = f"<w:p>{moved}{run('Staff ask.')}{arrived}</w:p>" + table(
        row(cell("Age"), cell("Fee")),
        row(cell("old"), cell("5"), properties='<w:del w:author="Ann"/>'),
        row(cell("new"), cell("6"), properties='<w:ins w:author="Ann"/>'),
    )
    assert quotes(read_body(body, {"tracked_changes": "accepted"}))[-2:] == ["Age\tFee", "new\t6"]
    refused = read_body(body, {"tracked_changes": "refused"})
    assert quotes(refused) == ["Here.", "Staff ask.", "Age\tFee", "old\t5"]
    (note,) = said(refused, NoteKind.TRACKED_CHANGE)
    assert "4 tracked changes by Bo and Ann" in note or "by Ann and Bo" in note


def test_fr_36_numbers_that_word_makes_are_shown_and_referred_to() -> None:
    document = shared("fr-36-automatic-numbers.docx")
    assert [block.marker for block in document.blocks[1:]] == ["1.", "2.", "3."]
    (reference,) = document.references
    assert document.text[reference.start : reference.end] == "item 2"
    assert [quotes(document)[target] for target in reference.targets] == [
        "Choose the cheapest fare."
    ]
    assert document.sentences[2].pointed == reference.targets


def test_a_table_keeps_merged_cells_and_its_header() -> None:
    document = read_body(
        p("Rates", HEADING)
        + table(
            row(
                cell("Region"), cell("Rate", '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>"
            ),
            row(cell("Abroad", '<w:vMerge w:val="restart"/>'), cell("food"), cell("30")),
            row(cell("", "<w:vMerge/>"), cell("room"), cell("120")),
        )
    )
    assert quotes(document) == ["Abroad\tfood\t30", "room\t120"]
    assert document.sentences[0].context == ("Region", "Rate", "Rate")
    assert document.sentences[1].context == ("Region: Abroad", "Rate", "Rate")
    shown = list(view(document))[1]
    assert [[(c.columns, c.rows) for c in r.cells] for r in shown.rows] == [
        [(1, 1), (2, 1)],
        [(1, 2), (1, 1), (1, 1)],
        [(1, 1), (1, 1)],
    ]


def test_a_first_row_in_bold_is_a_header_and_a_box_is_no_table() -> None:
    bold = "<w:b/>"
    document = read_body(
        table(row(cell("Age", "", bold), cell("Fee", "", bold)), row(cell("old"), cell("5")))
        + table(row(cell("Staff ask. They wait.")))
    )
    assert quotes(document) == ["old\t5", "Staff ask.", "They wait."]
    assert document.sentences[0].context == ("Age", "Fee")


def test_footnotes_stand_at_the_end_of_their_section_and_are_pointed_to() -> None:
    mark = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    notes = (
        '<w:footnote w:type="separator" w:id="0"/>'
        f'<w:footnote w:id="4">{p("Except at night.")}</w:footnote>'
    )
    document = read_body(
        p("Costs", HEADING)
        + p("Guests sign in.", inside=mark.format(4) + run(" They wait."))
        + p("They leave.", inside=mark.format(9))
        + p("More", HEADING)
        + p("Done."),
        extra={"footnotes": notes},
    )
    assert quotes(document) == [
        "Guests sign in.", "They wait.", "They leave.", "Except at night.", "Done.",
    ]  # fmt: skip
    assert document.sentences[0].pointed == (3,)
    assert document.sentences[3].pointed == (0,)
    assert document.sentences[3].headings == ("Costs",)
    assert [b.marker for b in document.blocks if b.kind is BlockKind.FOOTNOTE] == ["1"]


def test_a_field_hides_no_text_behind_it() -> None:
    char = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    toc = char.format("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>"
    never_ends = read_body(p(inside=toc + char.format("separate")) + p("Guests sign in."))
    assert quotes(never_ends) == ["Guests sign in."]
    body = p(inside=toc + char.format("separate")) + p("Scope 3") + p("Guests sign in.")
    around_all = read_body(body + p(inside=char.format("end")))
    assert quotes(around_all) == ["Guests sign in."]
    assert said(around_all, NoteKind.LEFT_OUT) == ["The table of contents was left out."]
    instruction = char.format("begin") + run("Or not.") + char.format("end")
    inside = read_body(p("Guests sign in.", inside=instruction))
    assert quotes(inside) == ["Guests sign in."]
    (note,) = inside.notes
    assert "Or not." in note.message


@pytest.mark.parametrize(
    "properties",
    ["<w:vanish/>", '<w:rStyle w:val="Weg"/>', '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'],
)
def test_hidden_text_is_left_out_and_said(properties: str) -> None:
    document = read_body(f"<w:p>{run('Guests sign in.')}{run(' Or not.', properties)}</w:p>")
    assert quotes(document) == ["Guests sign in."]
    assert said(document, NoteKind.HIDDEN_TEXT) == ["Hidden text was left out: `Or not.`"]


def test_a_hidden_row_is_left_out_and_said() -> None:
    hidden = row(cell("old"), cell("5"), properties="<w:hidden/>")
    document = read_body(table(row(cell("new"), cell("6")), hidden))
    assert quotes(document) == ["new\t6"]
    assert said(document, NoteKind.HIDDEN_TEXT) == ["A hidden row was left out: `old 5`"]


def test_white_text_on_a_ground_of_its_own_is_shown() -> None:
    white, blue = '<w:color w:val="FFFFFF"/>', '<w:shd w:fill="1F3864"/>'
    assert quotes(read_body(f"<w:p>{run('Guests pay.', white + blue)}</w:p>")) == ["Guests pay."]
    document = read_body(table(row(cell("Fee", blue, white), cell("5"), cell("or 6", "", white))))
    assert quotes(document) == ["Fee\t5"]
    assert said(document, NoteKind.HIDDEN_TEXT) == ["Hidden text was left out: `or 6`"]


def test_the_style_of_a_table_names_its_rows_and_columns() -> None:
    look = '<w:tblLook w:val="00A0"/>'
    parts = "".join(f'<w:tblStylePr w:type="{part}"/>' for part in ("firstRow", "firstCol"))
    style = f'<w:style w:type="table" w:styleId="Grid"><w:name w:val="Grid"/>{parts}</w:style>'
    rows = row(cell("Age"), cell("Fee")) + row(cell("old"), cell("5"))
    document = read_body(
        f'<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/>{look}</w:tblPr>{rows}</w:tbl>',
        extra={"styles": style},
    )
    assert document.sentences[0].context == ("Age", "Fee")
    assert [one.header for one in document.blocks[1].cells] == [True, False]


def test_comments_headers_and_macros_are_no_text_and_are_said() -> None:
    mark = '<w:r><w:commentReference w:id="1"/></w:r>'
    comments = f'<w:comment w:id="1" w:author="Bo">{p("Is this so?")}</w:comment>'
    data = docx(
        p("Guests sign in.", inside=mark),
        extra={"comments": comments, "header": p("Draft 3"), "footer": p("Page 1")},
    )
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/vbaProject.bin", b"\xd0\xcf\x11\xe0")
    for content in (data, buffer.getvalue()):
        document = read(content, filename="policy.docx")
        assert quotes(document) == ["Guests sign in."]
        assert said(document, NoteKind.COMMENT) == ["A comment by Bo was left out: `Is this so?`"]
        assert said(document, NoteKind.LEFT_OUT) == [
            "The page header was left out: `Draft 3`",
            "The page footer was left out: `Page 1`",
        ]
        assert len(said(document, NoteKind.MACRO)) == (content is not data)


def test_fields_links_boxes_and_signs_show_what_the_page_shows() -> None:
    char = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    field = (
        char.format("begin")
        + "<w:r><w:instrText> REF ask \\h </w:instrText></w:r>"
        + char.format("separate")
        + run("the part on asking")
        + char.format("end")
    )
    box = "<w:r><w:drawing><w:txbxContent>" + p("A box.") + "</w:txbxContent></w:drawing></w:r>"
    sign = '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'
    document = read_body(
        f"<w:p>{run('See ')}{field}{run('. ')}{sign}{run(' Yes.')}{box}</w:p>"
        + p("Asking", HEADING, inside='<w:bookmarkStart w:name="ask"/>')
        + p("By mail.")
    )
    assert quotes(document) == ["See the part on asking.", "✓ Yes.", "A box.", "By mail."]
    assert document.sentences[0].pointed == (3,)


def test_a_table_of_contents_is_left_out_and_said() -> None:
    entry = p("Scope 3", '<w:pPr><w:pStyle w:val="V1"/></w:pPr>')
    style = '<w:style w:type="paragraph" w:styleId="V1"><w:name w:val="toc 1"/></w:style>'
    document = read_body(entry + p("Guests sign in."), extra={"styles": style})
    assert quotes(document) == ["Guests sign in."]
    assert said(document, NoteKind.LEFT_OUT) == ["The table of contents was left out."]


def test_fr_40_a_small_file_that_grows_is_refused_quickly_and_cheaply() -> None:
    data = shared_bytes("cases", "files", "fr-40-expands-64-mib.docx")
    tracemalloc.start()
    before = time.process_time()
    with pytest.raises(LimitError):
        read(data, filename="policy.docx")
    assert time.process_time() - before < 2
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def replaced(change: Callable[[bytes], bytes], text: str = "Guests sign in.") -> bytes:
    """A Word file whose main part went through `change`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx(p(text)))) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == "word/document.xml" else content)
    return buffer.getvalue()


def test_fr_40_entities_are_refused() -> None:
    data = replaced(lambda content: b'<!DOCTYPE d [<!ENTITY a "aaa">]>' + content)
    with pytest.raises(UnreadableError, match="entities"):
        read(data, filename="policy.docx")


@pytest.mark.parametrize("encoding", ["shift_jis", "utf-7", "idna", "rot13", "hex", "cp037"])
def test_an_encoding_that_no_word_file_has_is_refused(encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    with pytest.raises(UnreadableError, match="damaged"):
        read(replaced(lambda content: head + content), filename="policy.docx")


@pytest.mark.parametrize("part", [b"", b"<a/>", b"<w:document", b"\0"])
def test_a_damaged_word_file_is_refused_in_one_sentence(part: bytes) -> None:
    with pytest.raises(UnreadableError) as caught:
        read(replaced(lambda _: part), filename="policy.docx")
    assert str(caught.value).endswith(".")


def test_accents_are_composed_as_in_plain_text() -> None:
    data = replaced(lambda content: content, "Cafe\u0301s are free.")
    assert quotes(read(data, filename="policy.docx")) == ["Cafés are free."]


def test_the_bylaws_of_the_corpus_come_out_whole() -> None:
    name = "ronin-institute-bylaws.docx"
    document = read(shared_bytes("corpus", "policies", name), filename=name)
    assert len(document.headings) > 90
    assert any(title.startswith("ARTICLE VI ") for s in document.sentences for title in s.headings)
    assert [n.message for n in document.notes if "contents" in n.message]
