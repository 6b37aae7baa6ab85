"""One fuzzing run by atheris: `python -m tests.fuzz.run TARGET [libFuzzer options]`."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["policywright"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]

    def one_input(data: bytes) -> None:
        target(data.decode("utf-8", errors="replace"))

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
