"""Reads a hostile file in a process of its own that cannot take more than its limits.

Whatever happens there, a wrong file ends as one sentence of a `DocumentError`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from documents.errors import Choice, ChoiceNeededError, LimitError, UnreadableError
from documents.limits import DEFAULT_LIMITS, Limits, check_bytes, refuse_memory, refuse_time
from documents.packing import unpack
from documents.request import FAILED, Request
from documents.structure import ReadDocument

_ROOT = Path(__file__).resolve().parent.parent
# What a process needs to start; nothing secret in the environment is handed on.
_KEPT = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")


def read_bounded(
    data: bytes,
    *,
    filename: str,
    abbreviations: Collection[str] = (),
    choices: Mapping[str, str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ReadDocument:
    """`documents.read` in a process of its own, with `limits` on its time and memory too.

    Raises UnreadableError as `documents.read` does, with LimitError for a file that
    takes too long or needs too much memory. Nothing of the file is written anywhere.
    """
    check_bytes(len(data), limits)
    request = Request(filename, limits, dict(choices or {}), tuple(abbreviations))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "documents.read", "--request"],
            input=request.to_json().encode() + b"\n" + data,
            capture_output=True,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise refuse_time(limits) from error
    if done.returncode == 0:
        return unpack(done.stdout.decode())
    raise _failure(done, limits)


def _failure(done: subprocess.CompletedProcess[bytes], limits: Limits) -> Exception:
    if done.returncode == FAILED and done.stdout:
        return _told(json.loads(done.stdout))
    if done.returncode == -getattr(signal, "SIGXCPU", 0):
        return refuse_time(limits)
    if done.returncode == -getattr(signal, "SIGKILL", 0) or b"MemoryError" in done.stderr:
        return refuse_memory(limits)
    if done.returncode < 0:
        # PDFium ends its process where it gets no more memory, and may where a file is damaged.
        return UnreadableError(
            "The reader broke off at this file, which is damaged or needs more than "
            f"{limits.memory / 1_000_000:,.0f} MB of memory; save or print it anew and upload that."
        )
    # A fault of ours: it must be seen, not taken for a bad file.
    trace = done.stderr.decode(errors="replace")
    return RuntimeError(f"the reader failed with code {done.returncode}:\n{trace}")


def _told(answer: dict[str, object]) -> UnreadableError:
    """The error that the reading process wrote down."""
    message = str(answer["error"])
    choice = answer.get("choice")
    if isinstance(choice, dict):
        options = tuple((str(value), str(words)) for value, words in choice["options"])
        return ChoiceNeededError(Choice(str(choice["name"]), str(choice["question"]), options))
    if "limit" in answer:
        return LimitError(str(answer["limit"]), message)
    return UnreadableError(message)
