"""How much of everything one file may take; the check functions name the limit that it passes.

The numbers are settings: whoever calls `documents.read` may hand over others.
Each refusal is one sentence that says how much there is, how much there may be,
and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass

from documents.errors import LimitError

_SPLIT = "split it into several documents"
_SAVE_AGAIN = "open it, save its text as a new document and upload that"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may take at most. Sizes are in bytes, times in seconds.

    `unpacked` is the sum of what is unpacked of a zipped file (a Word file is
    one), `ratio` how many times larger it may become, `entries` the number of
    files in it. `xml_depth` and `xml_nodes` count the elements of one XML file.
    `memory` and `seconds` are what the reading process may take; `seconds` is
    counted by the clock.
    """

    bytes: int = 10_000_000
    lines: int = 500_000
    pages: int = 2_000
    sentences: int = 250_000
    unpacked: int = 50_000_000
    ratio: int = 200
    entries: int = 5_000
    xml_depth: int = 200
    xml_nodes: int = 2_000_000
    seconds: float = 120.0
    memory: int = 1_500_000_000


DEFAULT_LIMITS = Limits()


def check_bytes(count: int, limits: Limits) -> None:
    """Refuse a file of `count` bytes or more than there may be. Raises LimitError."""
    if count >= limits.bytes:
        megabytes = f"{limits.bytes / 1_000_000:,.0f} MB ({limits.bytes:,} bytes)"
        raise LimitError(
            "bytes",
            f"This file has {count:,} bytes, and a document must be smaller than {megabytes}; "
            f"{_SPLIT}.",
        )


def check_lines(count: int, limits: Limits) -> None:
    """Refuse a text of too many lines. Raises LimitError."""
    if count > limits.lines:
        raise LimitError(
            "lines",
            f"This file has {count:,} lines, and a document may have at most {limits.lines:,}; "
            f"{_SPLIT}.",
        )


def check_pages(count: int, limits: Limits) -> None:
    """Refuse a file of too many pages. Raises LimitError."""
    if count > limits.pages:
        raise LimitError(
            "pages",
            f"This file has {count:,} pages, and a document may have at most {limits.pages:,}; "
            f"{_SPLIT}.",
        )


def check_sentences(count: int, limits: Limits) -> None:
    """Refuse a document of too many sentences. Raises LimitError."""
    if count > limits.sentences:
        raise LimitError(
            "sentences", f"This file holds more than {limits.sentences:,} sentences; {_SPLIT}."
        )


def check_entries(count: int, limits: Limits) -> None:
    """Refuse a zipped file of too many files. Raises LimitError."""
    if count > limits.entries:
        raise LimitError(
            "entries",
            f"This file is packed from {count:,} files, and {limits.entries:,} are the most that "
            f"are unpacked; {_SAVE_AGAIN}.",
        )


def check_unpacked(count: int, limits: Limits) -> None:
    """Refuse a zipped file that becomes too large. Raises LimitError."""
    if count > limits.unpacked:
        raise LimitError(
            "unpacked",
            f"This file grows to more than {limits.unpacked:,} bytes when it is unpacked, the most "
            f"that a document may have inside; {_SAVE_AGAIN}.",
        )


def check_ratio(packed: int, unpacked: int, limits: Limits) -> None:
    """Refuse what grows too much; the first million bytes are free. Raises LimitError."""
    if unpacked > 1_000_000 and unpacked > packed * limits.ratio:
        raise LimitError(
            "ratio",
            f"This file grows to more than {limits.ratio:,} times its size when it is unpacked, "
            f"as no document does; {_SAVE_AGAIN}.",
        )


def check_xml(depth: int, nodes: int, limits: Limits) -> None:
    """Refuse XML that is nested too deep or has too many elements. Raises LimitError."""
    if depth > limits.xml_depth:
        raise LimitError(
            "xml_depth",
            f"This file is nested deeper than {limits.xml_depth:,} levels inside, "
            f"as no document is; {_SAVE_AGAIN}.",
        )
    if nodes > limits.xml_nodes:
        raise LimitError(
            "xml_nodes",
            f"This file has more than {limits.xml_nodes:,} elements inside, the most that are "
            f"read; {_SPLIT}.",
        )


def refuse_time(limits: Limits) -> LimitError:
    """The error for a file that is not read in time."""
    return LimitError(
        "seconds",
        f"Reading this file took longer than {limits.seconds:g} seconds, the most that one "
        f"document may take; {_SPLIT}.",
    )


def refuse_memory(limits: Limits) -> LimitError:
    """The error for a file that needs too much memory."""
    return LimitError(
        "memory",
        f"Reading this file needs more than {limits.memory / 1_000_000:,.0f} MB of memory, the "
        f"most that one document may take; {_SPLIT}.",
    )
