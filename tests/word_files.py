"""Small Word files of our own, made where a test needs one."""

from __future__ import annotations

from html import escape
from io import BytesIO
from zipfile import ZipFile

_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def word_file(body: str) -> bytes:
    """A Word file with that XML as its body."""
    document = f'<w:document xmlns:w="{_SPACE}"><w:body>{body}</w:body></w:document>'
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{_KIND}"/></Types>'
    )
    relations = (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_MAIN}" Target="word/document.xml"/></Relationships>'
    )
    file = BytesIO()
    with ZipFile(file, "w") as zipped:
        zipped.writestr("[Content_Types].xml", types)
        zipped.writestr("_rels/.rels", relations)
        zipped.writestr("word/document.xml", document)
    return file.getvalue()


def paragraph(text: str, *, heading: int = 0) -> str:
    level = f'<w:pPr><w:outlineLvl w:val="{heading - 1}"/></w:pPr>' if heading else ""
    return f'<w:p>{level}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def table(*rows: tuple[str, ...]) -> str:
    """A table whose first row is its header."""
    header = "<w:trPr><w:tblHeader/></w:trPr>"
    made = [
        f"<w:tr>{'' if number else header}"
        + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row)
        + "</w:tr>"
        for number, row in enumerate(rows)
    ]
    return f"<w:tbl>{''.join(made)}</w:tbl>"


def inserted(text: str, *, author: str) -> str:
    """A tracked change that adds a run; to stand inside a paragraph."""
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    return f'<w:ins w:author="{escape(author)}" w:id="1">{run}</w:ins>'
