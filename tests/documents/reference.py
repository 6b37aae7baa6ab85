"""Files of the reference texts beside a checkout; tests that need them skip elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents import ReadDocument, read

SHARED = Path(__file__).resolve().parents[3] / "shared"


def shared_bytes(*parts: str) -> bytes:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the reference texts, which are not here")
    return path.read_bytes()


def read_shared(*parts: str) -> ReadDocument:
    return read(shared_bytes(*parts), filename=parts[-1])


def read_text(text: str, filename: str = "policy.txt") -> ReadDocument:
    return read(text.encode(), filename=filename)


def quotes(document: ReadDocument) -> list[str]:
    """The text of each sentence."""
    return [document.text[one.start : one.end] for one in document.sentences]
