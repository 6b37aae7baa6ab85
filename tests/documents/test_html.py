"""Web pages: what a browser shows is read, with its lists, tables and footnotes."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from documents import BlockKind, NoteKind, ReadDocument, UnreadableError, view
from documents.assembly import assemble
from documents.html_elements import MAX_DEPTH
from documents.html_reading import read_html
from tests.documents.reference import quotes, shared_bytes


def page(body: str) -> ReadDocument:
    return assemble(read_html(body))


def hidden(document: ReadDocument) -> list[str]:
    return [note.message for note in document.notes if note.kind is NoteKind.HIDDEN_TEXT]


@pytest.mark.parametrize(
    "markup",
    [
        "<p hidden>{}</p>",
        '<div style="display: none"><p>{}</p></div>',
        '<p style="DISPLAY:NONE !important">{}</p>',
        '<p style="visibility:hidden">{}</p>',
        '<p style="opacity:0">{}</p>',
        '<p style="font-size:0px">{}</p>',
        '<p style="color:#fff">{}</p>',
        '<font color="white">{}</font>',
        '<div style="background:navy"><p style="color:#000080;background:#000080">{}</p></div>',
        '<p style="color:transparent">{}</p>',
        '<p style="position:absolute;left:-9999px">{}</p>',
        '<p style="width:1px;height:1px;overflow:hidden">{}</p>',
        "<dialog>{}</dialog>",
        "<template><p>{}</p></template>",
        "<noscript>{}</noscript>",
        "<pre>Staff wait.<b hidden>{}</b></pre>",
        "<pre><code>Staff wait.<!--{}--></code></pre>",
        '<style>.x > b { display:none }</style><p class="x"><b>{}</b></p>',
        '<style>@media screen{{.x{{color:white}}}}</style><p class="x">{}</p>',
        '<style>#y{{visibility:hidden}}</style><ul><li id="y">{}</li></ul>',
        "<!-- {} -->",
        "<p><del>{}</del></p>",
    ],
)
def test_what_a_browser_does_not_show_is_left_out_and_said(markup: str) -> None:
    if "{{" not in markup:
        markup = markup.replace("{ display:none }", "{{ display:none }}")
    document = page(f"<p>Guests sign in.</p>{markup.format('Guests pay nothing.')}")
    assert quotes(document) == ["Guests sign in.", "Staff wait."][: 1 + ("Staff" in markup)]
    (message,) = hidden(document)
    assert "Guests pay nothing." in message


@pytest.mark.parametrize(
    "markup",
    [
        '<p style="color:white;background:black">{}</p>',
        '<div style="background-color:#333"><p style="color:#fff">{}</p></div>',
        '<div style="visibility:hidden"><p style="visibility:visible">{}</p></div>',
        '<p hidden style="display:block">{}</p>',
        "<details><summary>{}</summary></details>",
        "<style>@media print{{p{{display:none}}}} p:hover{{color:white}}</style><p>{}</p>",
        '<style>p{{display:none}} .in{{display:block}}</style><p class="in">{}</p>',
        '<p aria-hidden="true">{}</p>',
    ],
)
def test_what_a_browser_shows_is_text(markup: str) -> None:
    document = page(markup.format("Guests sign in."))
    assert quotes(document) == ["Guests sign in."]
    assert not hidden(document)


def test_fr_42_text_nobody_sees() -> None:
    source = shared_bytes("cases", "files", "fr-42-hidden-text.html").decode()
    document = page(source)
    assert quotes(document) == [
        "The fee is 20 dollars.",
        "Exceptions",
        "Children pay 5 dollars.",
        "under 12\t5",
        "12 or over\t20",
    ]
    assert len(hidden(document)) == 5
    assert [note.kind for note in document.notes].count(NoteKind.LEFT_OUT) == 1
    table = list(view(document))[-1]
    assert [[c.pieces[0].text for c in row.cells] for row in table.rows[1:]] == [
        ["under 12", "5"],
        ["12 or over", "20"],
    ]
    assert document.sentences[3].context == ("Age", "Fee")


def test_text_that_only_screen_readers_miss_is_kept_and_said() -> None:
    document = page('<p>Guests <span aria-hidden="true">sign <b>in</b></span>.</p>')
    assert quotes(document) == ["Guests sign in."]
    (note,) = document.notes
    assert note.message == "Text that screen readers leave out was kept: `sign in`"


def test_navigation_pictures_and_scripts_are_left_out_and_said() -> None:
    document = page(
        "<nav><a href='/'>Home</a></nav><script>a()</script><script>b()</script>"
        "<p>Guests sign in.</p><img src='x.png' alt='a map of the lobby'>"
    )
    assert quotes(document) == ["Guests sign in."]
    said = [note.message for note in document.notes]
    assert said == [
        "2 scripts were left out; text that a script would write is not here.",
        "Navigation was left out: `Home`",
        "A picture was left out: `a map of the lobby`",
    ]


def test_lists_are_numbered_as_a_browser_does() -> None:
    document = page(
        "<ol start=3><li>Ask.<li>Wait:<ol type=a><li>a day, or<li>a week.</ol><li value=9>Go.</ol>"
        "<ol type=I reversed><li>Pay.</li><li>Leave.</li></ol><ul><li>Rest.</ul>"
    )
    markers = [block.marker for block in document.blocks]
    assert markers == ["3.", "4.", "a.", "b.", "9.", "II.", "I.", "•"]
    assert [s.number for s in document.sentences][2:5] == ["4.a", "4.b", "9"]
    assert document.sentences[2].context == ("Wait:", "or")


def test_clauses_that_no_markup_tells_apart_are_items_too() -> None:
    document = page("<h2>4 Leave</h2><p>Leave is due if:<br>(a) staff ask; and<br>(b) it is May.")
    assert [s.number for s in document.sentences] == ["4", "4(a)", "4(b)"]
    assert document.sentences[1].context == ("Leave is due if:", "and")


def test_a_definition_list_gives_its_term_as_lead_in() -> None:
    document = page("<dl><dt>Business day</dt><dd>A day when banks open.</dd></dl><p>Done.</p>")
    assert quotes(document) == ["Business day", "A day when banks open.", "Done."]
    assert document.sentences[1].context == ("Business day", "")
    assert document.sentences[2].context == ()


def test_a_table_with_merged_cells_carries_what_covers_a_row() -> None:
    document = page(
        "<table><caption>Daily rates</caption>"
        "<thead><tr><th rowspan=2>Region<th colspan=2>Rate</tr><tr><th>Food<th>Room</tr></thead>"
        "<tr><th rowspan=2 scope=row>Abroad<td>30<td>120</tr><tr><td>40<td>150</tr>"
        "<tr><th colspan=3>At home</tr><tr><th scope=row>North<td>20<td>90</tr></table>"
    )
    assert quotes(document) == ["Daily rates", "Abroad\t30\t120", "40\t150", "North\t20\t90"]
    heads = ("Region", "Rate / Food", "Rate / Room")
    assert document.sentences[1].context == heads
    assert document.sentences[2].context == ("Region: Abroad", *heads[1:])
    assert document.sentences[3].context == (*heads, "At home")
    table = list(view(document))[1]
    assert (table.rows[2].cells[0].header, table.rows[2].cells[0].rows) == (True, 2)


def test_a_table_that_lays_out_the_page_is_no_table() -> None:
    document = page("<table><tr><td><h2>Leave</h2><p>Ask. Wait.</td><td>Go.</td></tr></table>")
    assert quotes(document) == ["Ask.", "Wait.", "Go."]
    assert document.sentences[2].headings == ("Leave",)
    assert not [block for block in document.blocks if block.kind is BlockKind.TABLE_ROW]


def test_a_footnote_is_no_part_of_the_sentence_and_is_pointed_to() -> None:
    document = page(
        "<p>Guests sign in.<sup><a href='#f1'>1</a></sup> They wait.</p><p>The end.</p>"
        "<ol><li id=f1>Except at night. <a href='#r1'>↩</a></li></ol>"
    )
    assert quotes(document) == ["Guests sign in.", "They wait.", "The end.", "Except at night."]
    note = document.blocks[-1]
    assert (note.kind, note.marker) == (BlockKind.FOOTNOTE, "1")
    assert document.sentences[0].pointed == (3,)
    marks = [p for b in view(document) for p in b.pieces if p.mark]
    assert [(mark.text, mark.targets) for mark in marks] == [("1", (3,))]


@pytest.mark.parametrize("blanks", ["&nbsp;", "&nbsp;&nbsp;&nbsp; ", "<br>&nbsp;"])
def test_no_break_spaces_in_a_cell_do_not_move_the_links_in_it(blanks: str) -> None:
    document = page(
        f"<table><tr><td>{blanks}Fee{blanks}</td><td>Fees{blanks}and the "
        f"{blanks}<a href='#t'>table{blanks}below</a>{blanks}</td></tr></table>"
        "<p id=t>Everyone pays 5 EUR.</p>"
    )
    assert document.text.startswith("Fee\tFees and the table below\n")
    assert [document.text[link.start : link.end] for link in document.links] == ["table below"]


def test_a_link_inside_the_page_points_to_what_it_names() -> None:
    document = page(
        "<p>Staff ask as <a href='#ask'>described there</a>.</p>"
        "<h2 id=ask>Asking</h2><p>By mail.</p>"
    )
    (reference,) = document.references
    assert document.text[reference.start : reference.end] == "described there"
    assert reference.targets == (1,)
    assert document.sentences[0].pointed == (1,)


def test_raised_digits_do_not_join_the_number_before() -> None:
    assert quotes(page("<p>At most 10<sup>2</sup> guests.</p>")) == ["At most 10² guests."]


def test_a_page_nested_too_deep_is_refused_at_once() -> None:
    before = time.process_time()
    with pytest.raises(UnreadableError, match="nested deeper"):
        page("<div>" * 200_000 + "Guests sign in.")
    with pytest.raises(UnreadableError, match="nested deeper"):
        page("<div></b>" * 200_000 + "Guests sign in.")
    assert time.process_time() - before < 2
    assert quotes(page("<div>" * (MAX_DEPTH - 1) + "Guests sign in.")) == ["Guests sign in."]


@pytest.mark.parametrize(
    "unit", ["<p>", "<b><p>", "<a href=#x>", "<td>", "<table>", "<li>", "<ol>"]
)
def test_200_kb_of_tags_are_read_or_refused_quickly(unit: str) -> None:
    before = time.process_time()
    source = "<p>Guests sign in.</p>" + (unit + "a ") * (200_000 // (len(unit) + 2))
    with suppress(UnreadableError):
        page(source)
    assert time.process_time() - before < 10


def test_the_sick_leave_law_comes_out_as_a_lawyer_cites_it() -> None:
    source = shared_bytes("corpus", "policies", "dc-accrued-sick-and-safe-leave.html").decode()
    document = page(source)
    numbers = {s.number for s in document.sentences}
    assert {"32-131.01(a)(4)(A)(vii)", "32-131.02(b)(4)(F)"} <= numbers
    assert len(document.headings) == 21
    assert not hidden(document)
