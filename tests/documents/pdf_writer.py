"""Writes small PDFs for tests: text where it is told to stand, lines, boxes and pictures."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field

FONTS = (
    "Helvetica",
    "Helvetica-Bold",
    "Times-Roman",
    "Times-Bold",
    "Courier",
    "Courier-Bold",
)
_LIGATURES = {"ﬁ": "\x01", "ﬂ": "\x02"}


@dataclass
class PdfPage:
    """One page; places are in points from its lower left corner."""

    width: float = 595
    height: float = 842
    rotate: int = 0
    content: list[str] = field(default_factory=list)
    annotations: list[str] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 11,
        font: str = "Helvetica",
        mode: int = 0,
        color: str = "0 0 0",
        matrix: str = "1 0 0 1",
    ) -> None:
        """Write `text` with its baseline at `y`; `mode` 3 is invisible."""
        for letter, code in _LIGATURES.items():
            text = text.replace(letter, code)
        shown = text.encode("cp1252").hex()
        number = FONTS.index(font)
        self.content.append(
            f"BT /F{number} {size} Tf {color} rg {mode} Tr {matrix} {x} {y} Tm <{shown}> Tj ET"
        )

    def lines(self, x: float, y: float, lines: list[str], *, pitch: float = 14, **style: object):
        """Write lines below each other; the baseline below the last one."""
        for line in lines:
            self.text(x, y, line, **style)  # type: ignore[arg-type]
            y -= pitch
        return y

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.content.append(f"0 G 0.8 w {x1} {y1} m {x2} {y2} l S")

    def box(self, x: float, y: float, width: float, height: float, color: str) -> None:
        self.content.append(f"{color} rg {x} {y} {width} {height} re f")

    def picture(self, x: float, y: float, width: float, height: float) -> None:
        self.content.append(f"q {width} 0 0 {height} {x} {y} cm /Im Do Q")

    def grid(self, x: float, y: float, widths: list[float], height: float, rows: list[list[str]]):
        """A table with all its lines drawn, its upper left corner at `x`, `y`."""
        right = x + sum(widths)
        for number in range(len(rows) + 1):
            self.line(x, y - number * height, right, y - number * height)
        edges = [x + sum(widths[:at]) for at in range(len(widths) + 1)]
        for edge in edges:
            self.line(edge, y, edge, y - height * len(rows))
        for number, row in enumerate(rows):
            for edge, cell in zip(edges, row, strict=False):
                self.text(edge + 4, y - number * height - height + 6, cell)


@dataclass
class PdfWriter:
    """A PDF of pages. `password` locks it, `script` is JavaScript inside."""

    title: str = ""
    password: str = ""
    script: str = ""
    pages: list[PdfPage] = field(default_factory=list)

    def page(self, **shape: float) -> PdfPage:
        page = PdfPage(**shape)  # type: ignore[arg-type]
        self.pages.append(page)
        return page

    def data(self) -> bytes:
        """The bytes of the file."""
        objects: list[bytes] = []

        def add(text: str, stream: bytes | None = None) -> int:
            body = text.encode("latin-1")
            if stream is not None:
                body += b"\nstream\n" + stream + b"\nendstream"
            objects.append(body)
            return len(objects)

        action = add(f"<</S/JavaScript/JS({self.script})>>") if self.script else 0
        fonts = "".join(f"/F{at} {add(_font(name))} 0 R" for at, name in enumerate(FONTS))
        image = add(
            "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray"
            "/BitsPerComponent 8/Length 1>>",
            b"\x80",
        )
        tree = len(objects) + 1 + sum(2 + len(page.annotations) for page in self.pages)
        kids: list[int] = []
        for page in self.pages:
            stream = zlib.compress("\n".join(page.content).encode("latin-1"))
            content = add(f"<</Filter/FlateDecode/Length {len(stream)}>>", stream)
            notes = [add(one) for one in page.annotations]
            kids.append(
                add(
                    f"<</Type/Page/Parent {tree} 0 R/MediaBox[0 0 {page.width} {page.height}]"
                    f"/Rotate {page.rotate}/Contents {content} 0 R"
                    f"/Annots[{' '.join(f'{one} 0 R' for one in notes)}]"
                    f"/Resources<</Font<<{fonts}>>/XObject<</Im {image} 0 R>>>>>>"
                )
            )
        shown = " ".join(f"{kid} 0 R" for kid in kids)
        assert add(f"<</Type/Pages/Count {len(kids)}/Kids[{shown}]>>") == tree
        script = f"/Names<</JavaScript<</Names[(a) {action} 0 R]>>>>" if action else ""
        root = add(f"<</Type/Catalog/Pages {tree} 0 R{script}>>")
        info = add(f"<</Title({self.title})>>")
        extra = f"/Encrypt {add(_lock(self.password))} 0 R" if self.password else ""
        return _file(objects, f"/Root {root} 0 R/Info {info} 0 R{extra}")


def _font(name: str) -> str:
    return (
        f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding<</Type/Encoding"
        "/BaseEncoding/WinAnsiEncoding/Differences[1/fi/fl]>>>>"
    )


def _file(objects: list[bytes], trailer: str) -> bytes:
    data = b"%PDF-1.5\n"
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = f"trailer\n<</Size {len(objects) + 1}/ID[<{_ID.hex()}><{_ID.hex()}>]{trailer}>>\n"
    return data + tail.encode("latin-1") + b"startxref\n%d\n%%%%EOF\n" % start


_ID = bytes(range(16))
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def _lock(password: str) -> str:
    """The dictionary of a password; nothing else is encrypted, since nobody gets that far."""
    user = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5(user).digest()[:5], user)
    key = hashlib.md5(user + owner + b"\xfc\xff\xff\xff" + _ID).digest()[:5]
    shown = _rc4(key, _PADDING).hex()
    return f"<</Filter/Standard/V 1/R 2/P -4/O<{owner.hex()}>/U<{shown}>>>"


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    result = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        result.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(result)
