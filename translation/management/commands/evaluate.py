"""`manage.py evaluate formalization FOLDER`: how good formalizers are on gold policies.

Reads a folder in the form of a gold corpus (`cases.json`, texts, `.smt2` files), lets
each formalizer draft each text, and compares by the solver. No database is touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from translation.ensemble.translators import choose_translators
from translation.evaluation.gold import GoldError, read_gold
from translation.evaluation.scoring import Agreement, Evaluated, Score, evaluate
from translation.formalizers import Formalizer, FormalizerError, choose_formalizer

HEAD = (
    "policy",
    "sentences",
    "found",
    "abstained",
    "unparsable",
    "gold rules",
    "drafted",
    "equivalent",
    "implied",
    "wrong",
)


class Command(BaseCommand):
    help = "Says how good a formalizer is on policies that were formalized by hand."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        formalization = what.add_parser("formalization", help="rules drafted of texts")
        formalization.add_argument("folder", type=Path, help="holds cases.json, texts, .smt2 files")
        formalization.add_argument(
            "--formalizer",
            action="append",
            default=[],
            help="builtin, or a model by its LiteLLM name; of several the others translate once "
            "more what the first drafts, and their agreement is told",
        )
        formalization.add_argument("--json", action="store_true", help="one JSON document")
        formalization.add_argument(
            "--wrong", action="store_true", help="name wrong and missed rules"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            policies = read_gold(options["folder"])
            names = [_full_name(name) for name in options["formalizer"] or ["builtin"]]
            formalizers = [choose_formalizer(name) for name in names]
        except (GoldError, FormalizerError) as error:
            raise CommandError(f"{error}.") from error
        done = evaluate(policies, formalizers, choose_translators(names[1:]))
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(done), indent=1))
            return
        for line in _lines(done, formalizers, with_rules=options["wrong"]):
            self.stdout.write(line)


def _full_name(name: str) -> str:
    """`builtin`, `litellm:MODEL`, or a model's own name."""
    known = name in ("builtin", "litellm") or name.startswith("litellm:")
    return name if known else f"litellm:{name}"


def _as_json(done: Evaluated) -> dict[str, Any]:
    return {
        "policies": [score.as_json() for score in done.scores],
        "agreement": [one.as_json() for one in done.agreements],
    }


def _lines(
    done: Evaluated, formalizers: Sequence[Formalizer], *, with_rules: bool
) -> Iterator[str]:
    for formalizer in formalizers:
        scores = [score for score in done.scores if score.formalizer == formalizer.name]
        yield f"{formalizer.name}:"
        yield f"| {' | '.join(HEAD)} |"
        yield f"|{' --- |' * len(HEAD)}"
        for score in scores:
            yield f"| {score.policy} | {' | '.join(map(str, _counts(score)))} |"
        totals = [sum(column) for column in zip(*map(_counts, scores), strict=True)]
        if totals:
            yield f"| all | {' | '.join(map(str, totals))} |"
        tokens = sum(s.prompt_tokens for s in scores), sum(s.completion_tokens for s in scores)
        if any(tokens):
            yield f"{tokens[0]:,} tokens in prompts, {tokens[1]:,} in replies"
        for score in scores:
            yield from (f"{score.policy}: {failure}" for failure in score.failures)
            if with_rules:
                yield f"{score.policy}: wrong: {', '.join(score.wrong) or 'none'}"
                yield f"{score.policy}: missed: {', '.join(score.missed) or 'none'}"
    if done.agreements:
        yield from _agreement_lines(done.agreements)


def _counts(score: Score) -> tuple[int, ...]:
    return (
        score.sentences,
        score.found,
        score.abstained,
        score.unparsable,
        score.gold_rules,
        score.drafted,
        score.equivalent,
        score.implied,
        len(score.wrong),
    )


def _agreement_lines(agreements: Sequence[Agreement]) -> Iterator[str]:
    yield "agreement of all translations, over the rules that the first drafted:"
    yield "| policy | rules | agree | of these right | differ | of these right | unknown | right |"
    yield f"|{' --- |' * 8}"
    rows = [tuple(one.as_json().values()) for one in agreements]
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    totals = [sum(column) for column in list(zip(*rows, strict=True))[1:]]
    yield f"| all | {' | '.join(map(str, totals))} |"
