"""A page printed by Chromium reads as the page itself: the PDF loses nothing of its structure."""

from __future__ import annotations

from playwright.sync_api import Browser

from documents import BlockKind, NoteKind, ReadDocument, read

STYLE = """<style>
body { font: 13pt/1.4 serif } td, th { border: 1px solid #444; padding: 3px 8px }
table { border-collapse: collapse } thead th { background: #224; color: #fff }
</style>"""
POLICY = """<!doctype html><html lang="en"><head><title>Tool loans</title>{style}</head><body>
<h1>Tool loans</h1>
<p>The workshop lends tools to members. A loan begins when a member signs the sheet at the counter,
and ends when the keeper has checked the tool and has struck the entry from the sheet.</p>
<h2>1. Who may borrow</h2>
<p>A member may borrow a tool if:</p>
<ol type="a"><li>the member has had the safety course for that kind of tool within the last two
years, or has used one for work in that time; and</li><li>no other tool is overdue.</li></ol>
<h2>2. How long</h2>
<table><thead><tr><th>Kind of tool</th><th>Days</th><th>Deposit</th></tr></thead><tbody>
<tr><td rowspan="2">Hand tools</td><td>14</td><td>None, if the tool is worth less than
EUR 50</td></tr>
<tr><td>7</td><td>EUR 20 for all others</td></tr>
<tr><td>Power tools</td><td>3</td><td>EUR 100</td></tr></tbody></table>
<p>The keeper may lengthen a loan once.</p>
<h3>2.1 Late returns</h3>
<ul><li>Each day costs EUR 2.</li><li>After ten days the deposit is kept, unless the member was ill
and has told the keeper so before the loan was over.</li></ul>
<p>A tool that comes back broken is paid for by its borrower, if it was used in another way than
the course teaches.</p>
</body></html>"""


def print_page(browser: Browser, html: str, **options: object) -> ReadDocument:
    page = browser.new_page()
    try:
        page.set_content(html)
        data = page.pdf(format="A5", **options)  # type: ignore[arg-type]
    finally:
        page.close()
    return read(data, filename="printed.pdf")


def shape(document: ReadDocument) -> list[tuple[BlockKind, str]]:
    """Kind and words of each block; numbers and bullets are as each format writes them."""
    return [
        (one.kind, " ".join(document.text[one.start : one.end].split()).lstrip("•-* "))
        for one in document.blocks
    ]


def test_a_printed_page_has_the_blocks_of_the_page(browser: Browser) -> None:
    html = POLICY.replace("{style}", STYLE)
    printed = print_page(
        browser,
        html,
        display_header_footer=True,
        header_template='<p style="font-size:8px;margin-left:1cm">Workshop, all rules</p>',
        footer_template='<p style="font-size:8px;margin-left:1cm" class="pageNumber"></p>',
        margin={"top": "2cm", "bottom": "2cm", "left": "2cm", "right": "2cm"},
    )
    source = read(html.encode(), filename="page.html")
    assert shape(printed) == shape(source)
    assert [one.level for one in printed.headings] == [one.level for one in source.headings]
    assert [one.context for one in printed.sentences] == [one.context for one in source.sentences]
    assert [one.number for one in printed.sentences] == [one.number for one in source.sentences]
    assert printed.title == "Tool loans"
    assert printed.sentences[-1].page > 1


def test_printed_columns_are_read_one_after_the_other(browser: Browser) -> None:
    sentence = "The keeper counts the tools each evening and writes down which are missing."
    words = f"<p>{sentence}</p>" * 4
    html = (
        "<style>div { columns: 2; text-align: justify; font: 9pt serif }</style><h1>Evenings</h1>"
        f"<div>{words}<p>Then the workshop is closed until nine the next morning.</p></div>"
    )
    printed = print_page(browser, html)
    assert shape(printed)[1:-1] == [(BlockKind.PARAGRAPH, sentence)] * 4
    assert any(note.kind is NoteKind.COLUMNS for note in printed.notes)


def test_right_to_left_text_keeps_its_order_of_letters_and_words(browser: Browser) -> None:
    text = "يجب على الزوار التوقيع عند الوصول. رقم 12 هنا."
    printed = print_page(browser, f'<p dir="rtl" lang="ar">{text}</p><p>Guests sign in.</p>')
    assert shape(printed) == [
        (BlockKind.PARAGRAPH, text),
        (BlockKind.PARAGRAPH, "Guests sign in."),
    ]
