"""The command line: `policywright check`, on files, without a database."""

from policywright.cli.main import main

__all__ = ["main"]
