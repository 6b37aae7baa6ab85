"""Opens a zipped file (a Word file is one) without trusting what it says of itself.

The directory at its end announces sizes; they are checked first, since that is
cheap, and never believed: what is unpacked is counted as it comes.
"""

from __future__ import annotations

import io
import xml.parsers.expat
import zipfile
import zlib

from documents.errors import UnreadableError
from documents.limits import Limits, check_entries, check_ratio, check_unpacked, check_xml

_CHUNK = 65_536


class Zipped:
    """The files inside one zipped file; all that is read of it counts against `limits`."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        """Raises UnreadableError for a damaged archive, LimitError for one that announces much."""
        self._limits = limits
        self._unpacked = 0
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise _damaged() from error
        self._entries = {info.filename: info for info in self._archive.infolist()}
        check_entries(len(self._archive.infolist()), limits)
        announced = sum(info.file_size for info in self._archive.infolist())
        check_unpacked(announced, limits)
        check_ratio(len(data), announced, limits)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files inside, as the archive gives them."""
        return tuple(self._entries)

    def read(self, name: str) -> bytes:
        """Unpack one file. Raises KeyError where there is none, UnreadableError, LimitError."""
        info = self._entries[name]
        if info.flag_bits & 0x1:
            raise UnreadableError(
                "This file needs a password; remove the password and upload it again."
            )
        pieces: list[bytes] = []
        size = 0
        try:
            with self._archive.open(info) as member:
                while chunk := member.read(_CHUNK):
                    size += len(chunk)
                    check_ratio(info.compress_size, size, self._limits)
                    check_unpacked(self._unpacked + size, self._limits)
                    pieces.append(chunk)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError) as error:
            raise _damaged() from error
        self._unpacked += size
        return b"".join(pieces)

    def read_xml(self, name: str) -> bytes:
        """Unpack one file of XML that is safe to parse: see `check_safe_xml`."""
        data = self.read(name)
        check_safe_xml(data, self._limits)
        return data


def check_safe_xml(data: bytes, limits: Limits) -> None:
    """Refuse XML with a document type (entities live there), too deep, too large or broken.

    Raises UnreadableError and LimitError.
    """
    depth = 0
    nodes = 0

    def start(name: str, attributes: list[str]) -> None:
        nonlocal depth, nodes
        depth += 1
        nodes += 1
        if depth > limits.xml_depth or nodes > limits.xml_nodes:
            check_xml(depth, nodes, limits)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise UnreadableError(
            "This file declares entities or a document type inside, which no Word file needs; "
            "open it, save it again as .docx and upload that."
        )

    parser = xml.parsers.expat.ParserCreate()
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (xml.parsers.expat.ExpatError, ValueError, LookupError) as error:
        # The last two come from an encoding that the file names and no XML has.
        raise _damaged() from error


def _damaged() -> UnreadableError:
    return UnreadableError(
        "This file is damaged and cannot be unpacked; open it, save it again and upload that."
    )
