"""`policywright lint POLICY.smt2`: 0 no error, 1 errors, 2 unusable input.

What was not decided is said on stderr: it is no diagnostic, for or against.
"""

from __future__ import annotations

import argparse
import json
import sys

from policywright.cli.files import no_collecting, policy_model, printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", help="the policy's .smt2 file")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--roles", help="TOML file with lists `fact`, `outcome`, `derived`")


def run(options: argparse.Namespace) -> int:
    with no_collecting():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    from policywright.lint import lint

    model = policy_model(options.policy, options.roles)
    report = lint(model)
    if options.json:
        print(json.dumps(report.to_json(model), ensure_ascii=False))
    else:
        for diagnostic in report.diagnostics:
            print(printable(f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"))
            for fix in diagnostic.fixes:
                print(printable(f"  fix: {fix.label}"))
        errors = len(report.errors)
        others = len(report.diagnostics) - errors
        print(
            f"{errors} error{'s' * (errors != 1)}, {others} warning{'s' * (others != 1)} or notes"
        )
    for limit in report.limits:
        print(printable(limit), file=sys.stderr)
    return 1 if report.errors else 0
