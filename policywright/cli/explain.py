"""`policywright explain POLICY.smt2`: the policy read out, one numbered sentence a rule.

`--verify` reads each sentence back by the grammar: 0 all came back as they were,
1 some did not, 2 unusable.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from policywright.cli.files import policy_model, printable

if TYPE_CHECKING:
    from policywright.model import PolicyModel, Rule, Source
    from policywright.terms import Term

HEADINGS = {
    "definition": "What the words mean",
    "rule": "Rules",
    "assumption": "Assumptions: not from the text",
    "default": "Where no rule speaks",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule or a definition in English; `problem` says why it did not come back the same."""

    kind: str
    name: str
    english: str
    sources: tuple[Source, ...] = ()
    problem: str = ""

    def to_json(self, number: int) -> dict[str, Any]:
        sources = [
            {
                "document": source.document,
                "revision": source.revision,
                "offsets": [source.start, source.end],
                "quote": source.quote,
            }
            for source in self.sources
        ]
        return {
            "number": number,
            "kind": self.kind,
            "name": self.name,
            "english": self.english,
            "sources": sources,
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", help="the policy's .smt2 file")
    parser.add_argument("--verify", action="store_true", help="read every sentence back")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--roles", help="TOML file with lists `fact`, `outcome`, `derived`")


def run(options: argparse.Namespace) -> int:
    from policywright.units import unit_problems

    model = policy_model(options.policy, options.roles)
    told = list(sentences(model, verify=options.verify))
    different = [sentence for sentence in told if sentence.problem]
    units = unit_problems(model)
    for problem in units:
        print(f"{options.policy}: warning: {problem.message}", file=sys.stderr)
    if options.json:
        data: dict[str, Any] = {
            "sentences": [sentence.to_json(i) for i, sentence in enumerate(told, start=1)],
            "warnings": [problem.message for problem in units],
        }
        if options.verify:
            data["different"] = [{"name": s.name, "reason": s.problem} for s in different]
        print(json.dumps(data, ensure_ascii=False))
    else:
        lines = [*_lines(told), *(_verdict(told, different) if options.verify else ())]
        print("\n".join(printable(line) for line in lines))
    return 1 if different else 0


def sentences(model: PolicyModel, *, verify: bool) -> Iterator[Sentence]:
    """Definitions, rules, assumptions, defaults, each group in document order."""
    from policywright.english import render_definition, render_rule
    from policywright.terms import eq

    for definition in model.definitions:
        english = render_definition(model, definition)
        term = eq(definition.symbol, definition.term)
        problem = _different(model, english, term) if verify else ""
        yield Sentence("definition", definition.name, english, problem=problem)
    for kind in HEADINGS:
        for rule in model.rules:
            if rule.kind.value == kind:
                english = render_rule(model, rule)
                problem = _different_rule(model, rule, english) if verify else ""
                yield Sentence(kind, rule.name, english, rule.sources, problem)


def _different(model: PolicyModel, english: str, term: Term) -> str:
    """Why the sentence is not read as the term, nothing if it is."""
    from policywright.english.joints import RuleNotReadError
    from policywright.english.read_rule import parse_rule
    from policywright.normal import normal_form

    try:
        same = parse_rule(english, model) == normal_form(term)
    except RuleNotReadError as error:
        return str(error)
    return "" if same else "it is read as another rule"


def _different_rule(model: PolicyModel, rule: Rule, english: str) -> str:
    """Why the sentence is not read as a rule of the same content hash."""
    from dataclasses import replace

    from policywright.defaults import generate_default
    from policywright.english.read_rule import parse_rule
    from policywright.errors import DefaultNotPossibleError
    from policywright.hashing import rule_hash

    if rule.choice is None or not rule.outcome:
        problem = _different(model, english, rule.term)
        if problem:
            return problem
        back = replace(rule, term=parse_rule(english, model))
    else:
        # The sentence of a default names the rules it is generated from: it is made again.
        try:
            made = generate_default(model, rule.outcome, rule.choice)
        except DefaultNotPossibleError as error:
            return str(error)
        back = replace(rule, term=made.term, rests_on=made.rests_on)
    same = rule_hash(model, back) == rule_hash(model, rule)
    return "" if same else "it is read as another rule"


def _lines(told: list[Sentence]) -> Iterator[str]:
    kind = ""
    for number, sentence in enumerate(told, start=1):
        if sentence.kind != kind:
            kind = sentence.kind
            yield from ("", HEADINGS[kind]) if number > 1 else (HEADINGS[kind],)
        indent = " " * 6
        first, *rest = sentence.english.split("\n")
        yield f"{number:>4}. {first}"
        yield from (indent + line for line in rest)
        yield f"{indent}[{sentence.name}]"
        for source in sentence.sources:
            place = ", ".join(part for part in (source.document, source.revision) if part)
            yield f"{indent}'{' '.join(source.quote.split())}'" + (f" ({place})" if place else "")


def _verdict(told: list[Sentence], different: list[Sentence]) -> Iterator[str]:
    yield ""
    for sentence in different:
        yield f"{sentence.name} does not come back the same: {sentence.problem}."
    if not different:
        yield f"Read back: {len(told)} of {len(told)} come back as the same rule."
