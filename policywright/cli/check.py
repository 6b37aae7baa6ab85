"""`policywright check POLICY.smt2 ANSWER.smt2`: 0 VALID, 1 any other finding, 2 unusable."""

from __future__ import annotations

import argparse
import json

from policywright.cli.files import no_collecting, policy_model, reading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", help="the policy's .smt2 file")
    parser.add_argument("answer", help="named assertions and `(define-fun claim () Bool ...)`")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--roles", help="TOML file with lists `fact`, `outcome`, `derived`")


def run(options: argparse.Namespace) -> int:
    with no_collecting():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    from policywright.english.findings import render_finding
    from policywright.files import read_text
    from policywright.findings import FindingKind, find
    from policywright.smtlib import read_answer

    model = policy_model(options.policy, options.roles)
    answer = reading(options.answer, lambda: read_answer(read_text(options.answer), model))
    finding = find(model, answer)
    english = render_finding(model, answer, finding)
    if options.json:
        print(json.dumps(finding.to_json(model, english), ensure_ascii=False))
    else:
        print(f"{finding.kind.value}: {english}")
        for label, names in (("rules", finding.rules), ("facts", finding.facts)):
            if names:
                print(f"  {label}: {', '.join(names)}")
        if finding.scenarios is not None:
            data = finding.to_json(model)["scenarios"]
            print(f"  holds when: {_values(data['holds'])}")
            print(f"  fails when: {_values(data['fails'])}")
    return 0 if finding.kind is FindingKind.VALID else 1


def _values(case: dict[str, object]) -> str:
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in case.items())
