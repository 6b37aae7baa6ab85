"""Makes small Word files for tests: only the XML that a case is about, written by hand."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

from documents import ReadDocument, read

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)

HEADING = '<w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>'
STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="Unter"><w:name w:val="Unterpunkt"/>'
    '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="character" w:styleId="Weg"><w:name w:val="weg"/><w:rPr><w:vanish/></w:rPr>'
    "</w:style>"
)


def level(at: int, style: str, text: str, *, left: int | None = None) -> str:
    """One level of a list, for `numbering`."""
    indent = 720 * (at + 1) if left is None else left
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{style}"/>'
        f'<w:lvlText w:val="{text}"/><w:pPr><w:ind w:left="{indent}" w:hanging="360"/></w:pPr>'
        "</w:lvl>"
    )


LEGAL = "".join(
    [
        level(0, "decimal", "%1."),
        level(1, "decimal", "%1.%2"),
        level(2, "lowerLetter", "(%3)"),
        level(3, "lowerRoman", "(%4)"),
    ]
)


def run(text: str, properties: str = "") -> str:
    props = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{props}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(text: str = "", properties: str = "", *, inside: str = "") -> str:
    """A paragraph of one run, with `inside` after it."""
    return f"<w:p>{properties}{run(text) if text else ''}{inside}</w:p>"


def item(text: str, at: int = 0, numbering: int = 1) -> str:
    return p(
        text,
        f'<w:pPr><w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{numbering}"/></w:numPr></w:pPr>',
    )


def cell(text: str, properties: str = "", run_properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{run(text, run_properties)}</w:p></w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def docx(body: str, *, numbering: str = "", extra: dict[str, str] | None = None) -> bytes:
    """The bytes of a Word file. `extra` are further parts, by kind ('footnotes', 'header')."""
    lists = (
        f'<w:abstractNum w:abstractNumId="7">{numbering or LEGAL}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="8">{level(0, "bullet", "o")}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
        '<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )
    parts = {"styles": STYLES, "numbering": lists, **(extra or {})}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _relations({"officeDocument": "word/document.xml"}))
        archive.writestr(
            "word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>"
        )
        archive.writestr(
            "word/_rels/document.xml.rels", _relations({kind: f"{kind}.xml" for kind in parts})
        )
        for kind, content in parts.items():
            archive.writestr(f"word/{kind}.xml", f"<w:{kind} {_W}>{content}</w:{kind}>")
    return buffer.getvalue()


def read_body(body: str, choices: dict[str, str] | None = None, **parts: object) -> ReadDocument:
    return read(docx(body, **parts), filename="policy.docx", choices=choices)  # type: ignore[arg-type]


def _relations(targets: dict[str, str]) -> str:
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items())
    )
    return f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'
