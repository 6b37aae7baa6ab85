"""`policywright scenarios POLICY.smt2`: few cases that tell the rules from slips of some kinds.

0 if every edit that can be told apart is, 1 if not, 2 for unusable input: a policy with lint
errors is unusable too. With `--score` what was told apart is counted. What was not decided is
said on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from policywright.cli.files import no_collecting, policy_model, printable
from policywright.errors import PolicywrightError

if TYPE_CHECKING:
    from policywright.model import PolicyModel
    from policywright.scenarios import Ran, Suite


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", help="the policy's .smt2 file")
    parser.add_argument("--score", action="store_true", help="count the edits told apart, by kind")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--tiers",
        type=int,
        choices=(1, 2, 3),
        default=3,
        help="1: boundaries and outcomes, 2: and directions, 3: and what is added",
    )
    parser.add_argument("--roles", help="TOML file with lists `fact`, `outcome`, `derived`")


def run(options: argparse.Namespace) -> int:
    with no_collecting():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    from policywright.lint import lint
    from policywright.scenarios import make_suite
    from policywright.scenarios import run as run_scenarios

    model = policy_model(options.policy, options.roles)
    errors = lint(model).errors
    if errors:
        raise PolicywrightError(
            f"scenarios need a policy without errors, and `policywright lint` finds "
            f"{len(errors)}: {printable(errors[0].message)}"
        )
    suite = make_suite(model, tiers=options.tiers)
    if options.score:
        print(json.dumps(_counts(suite)) if options.json else "\n".join(_table(suite)))
    else:
        ran = list(run_scenarios(model, [one.scenario for one in suite.scenarios]))
        if options.json:
            print(json.dumps(_described(model, suite, ran), ensure_ascii=False))
        else:
            _print(model, suite, ran)
    for limit in suite.limits:
        print(printable(limit), file=sys.stderr)
    return 1 if suite.tally.undecided else 0


def _counts(suite: Suite) -> dict[str, Any]:
    tally = suite.tally
    return {
        "scenarios": len(suite.scenarios),
        "mutants": tally.mutants,
        "equivalent": tally.equivalent,
        "killed": tally.killed,
        "undecided": tally.undecided,
        "score": tally.score,
    }


def _table(suite: Suite) -> list[str]:
    head = f"{'kind of edit':42}{'edits':>8}{'same':>8}{'told':>8}{'open':>8}{'score':>8}"
    rows = [(kind.value, tally) for kind, tally in suite.by_kind.items()]
    lines = [head]
    for name, tally in [*rows, ("all", suite.tally)]:
        counts = (tally.mutants, tally.equivalent, tally.killed, tally.undecided)
        numbers = "".join(f"{count:>8,}" for count in counts)
        lines.append(f"{name:42}{numbers}{tally.score:>8.1%}")
    tiers = [sum(one.tier == tier for one in suite.scenarios) for tier in range(3)]
    shown = ", ".join(f"{count:,} in tier {n}" for n, count in enumerate(tiers, 1) if count)
    return [*lines, "", f"{len(suite.scenarios):,} scenarios" + (f": {shown}" if shown else "")]


def _described(model: PolicyModel, suite: Suite, ran: list[Ran]) -> list[dict[str, Any]]:
    from policywright.scenarios import facts_to_json, say_scenario
    from policywright.smtlib import print_term

    return [
        {
            "facts": facts_to_json(model, one.scenario.facts),
            "claim": one.scenario.claim and print_term(model, one.scenario.claim),
            "finding": result.found.value,
            "rules": list(result.rules),
            "english": say_scenario(model, one.scenario),
            "tier": one.tier + 1,
            "tells": len(one.tells),
        }
        for one, result in zip(suite.scenarios, ran, strict=True)
    ]


def _print(model: PolicyModel, suite: Suite, ran: list[Ran]) -> None:
    from policywright.scenarios import say_scenario

    for number, (one, result) in enumerate(zip(suite.scenarios, ran, strict=True), 1):
        count = len(one.tells)
        print(printable(f"{number:>4}. {say_scenario(model, one.scenario)}"))
        rules = f"by {', '.join(result.rules)}; " if result.rules else ""
        told = f"tells {count:,} edit{'s' * (count != 1)} apart"
        print(printable(f"      {result.found}: {rules}{told}"))
