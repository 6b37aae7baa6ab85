"""`python -m documents.read FILE...`: reads files in a process of its own, within limits.

For each file (`-` is standard input) one line of JSON goes to standard output: the
packed document (see `documents.packing`), or an object with the error. The error's
sentence goes to standard error too, and the exit code is 2. `--request` takes one
line of JSON from standard input before the file's bytes, a `documents.request`;
`documents.bounded` speaks so.

The process limits its own memory and time before it looks at a file, and opens no
connection. It is only run, never imported: `documents.read` is the function.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from documents.errors import ChoiceNeededError, DocumentError, LimitError
from documents.limits import DEFAULT_LIMITS, Limits, refuse_memory
from documents.request import FAILED, Request


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the files of a command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m documents.read", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--name", default="", help="the file's name where it comes from a pipe")
    parser.add_argument("--request", action="store_true", help="a line of JSON comes first")
    given = parser.parse_args(arguments)
    if given.request:
        request = Request.from_json(sys.stdin.buffer.readline().decode())
        limit_process(request.limits)
        return _read(sys.stdin.buffer.read(), request)
    limit_process(DEFAULT_LIMITS)
    codes = [0]
    for name in given.files or ["-"]:
        if name == "-":
            codes.append(_read(sys.stdin.buffer.read(), Request(given.name)))
            continue
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            print(f"The file cannot be opened: {error.strerror}.", file=sys.stderr)
            codes.append(FAILED)
            continue
        codes.append(_read(data, Request(given.name or Path(name).name)))
    return max(codes)


def limit_process(limits: Limits) -> None:
    """Hold this process to the limits on memory and time, where the system can do that."""
    try:
        import resource
    except ImportError:
        return  # Windows: the parent's clock still ends this process
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    memory = limits.memory if hard == resource.RLIM_INFINITY else min(limits.memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # Waiting costs no processor time, so the parent's clock is always the earlier one.
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(data: bytes, request: Request) -> int:
    # Imported here, so that the limits hold already for what a reader needs.
    from documents.packing import pack
    from documents.reading import read

    try:
        document = read(
            data,
            filename=request.filename,
            abbreviations=request.abbreviations,
            choices=request.choices,
            limits=request.limits,
        )
        answer = pack(document)
    except DocumentError as error:
        return _fail(error)
    except MemoryError:
        return _fail(refuse_memory(request.limits))
    sys.stdout.buffer.write(answer.encode() + b"\n")
    sys.stdout.buffer.flush()
    return 0


def _fail(error: DocumentError) -> int:
    found: dict[str, object] = {"error": str(error)}
    if isinstance(error, LimitError):
        found["limit"] = error.limit
    if isinstance(error, ChoiceNeededError):
        found["choice"] = asdict(error.choice)
    print(json.dumps(found), flush=True)
    print(str(error), file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
