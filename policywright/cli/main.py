"""Parses the command line and maps errors to exit codes: 2 means unusable input.

Each command is a module that is imported when it is named, so that `--help`
loads no solver, and no command what another needs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from policywright.errors import PolicywrightError, ReadError

PROGRAM = "policywright"
UNUSABLE = 2

COMMANDS = {
    "check": "judge an answer against a policy",
    "explain": "say every rule in English",
    "lint": "find contradictions, conflicts and slips in a policy",
    "scenarios": "find the cases that tell a policy from every slip of some kinds",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code comes back."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Check policies as logic.")
    subparsers = parser.add_subparsers(dest="command", required=True, prog=PROGRAM)
    given = sys.argv[1:] if arguments is None else arguments
    for name, help_text in COMMANDS.items():
        command = subparsers.add_parser(name, help=help_text, description=help_text)
        if name in given:
            import_module(f"policywright.cli.{name}").add_arguments(command)
    options = parser.parse_args(arguments)
    try:
        return int(import_module(f"policywright.cli.{options.command}").run(options))
    except ReadError as error:
        place = f"{error.path}: " if error.path else ""
        for problem in error.problems:
            print(f"{place}{problem}", file=sys.stderr)
    except (PolicywrightError, OSError) as error:
        print(f"policywright: {error}", file=sys.stderr)
    return UNUSABLE
