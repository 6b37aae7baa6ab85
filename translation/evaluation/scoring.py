"""The score of a formalizer on one gold policy, and of several on the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from policies.models.draft import StatementState
from policywright.terms import Term, and_
from translation.evaluation.drafting import DraftedPolicy, draft_policy
from translation.evaluation.gold import GoldPolicy
from translation.evaluation.matching import Matcher, Matching
from translation.formalizers import Formalizer


@dataclass(frozen=True)
class Score:
    """Counts; `wrong` rules are drafted ones that neither are in gold nor follow from it."""

    policy: str
    formalizer: str
    sentences: int
    found: int
    abstained: int
    unparsable: int
    gold_rules: int
    drafted: int
    equivalent: int
    implied: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]
    failures: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "wrong": list(self.wrong), "missed": list(self.missed)} | {
            "failures": list(self.failures)
        }


@dataclass(frozen=True)
class Agreement:
    """Over sentences that at least two formalized: how often they agree, and are then right."""

    policy: str
    sentences: int = 0
    agreed: int = 0
    right_when_agreed: int = 0
    right_when_not: int = 0

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass
class Evaluated:
    scores: list[Score] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)


@dataclass(frozen=True)
class _Run:
    draft: DraftedPolicy
    matcher: Matcher
    matching: Matching

    def said(self, sentence: int) -> Term | None:
        """All that was drafted of a sentence in gold's words; None where that cannot be said."""
        rules = [rule for rule in self.draft.rules if sentence in rule.sentences]
        terms = [self.matcher.mapped(rule.term, self.matching.mapping) for rule in rules]
        return None if not terms or None in terms else and_(*(term for term in terms if term))

    def is_right(self, sentence: int) -> bool:
        own = [n for n, rule in enumerate(self.draft.rules) if sentence in rule.sentences]
        right = self.matching.equal.keys() | self.matching.implied
        return bool(own) and all(index in right for index in own)

    def spoke(self, sentence: int) -> bool:
        return any(sentence in rule.sentences for rule in self.draft.rules)


def evaluate(policies: Sequence[GoldPolicy], formalizers: Sequence[Formalizer]) -> Evaluated:
    """Each policy by each formalizer; with several, how their agreement tells right from wrong."""
    done = Evaluated()
    for gold in policies:
        runs = []
        for formalizer in formalizers:
            draft = draft_policy(gold.title, gold.text, formalizer)
            matcher = Matcher(gold, draft)
            run = _Run(draft, matcher, matcher.match())
            done.scores.append(_score(gold, formalizer.name, run))
            runs.append(run)
        if len(runs) > 1:
            done.agreements.append(_agreement(gold, runs))
    return done


def _score(gold: GoldPolicy, formalizer: str, run: _Run) -> Score:
    draft, matching = run.draft, run.matching
    right = matching.equal.keys() | matching.implied
    met = set(matching.equal.values())
    return Score(
        policy=gold.name,
        formalizer=formalizer,
        sentences=len(draft.sentences),
        found=draft.count(StatementState.FORMALIZED),
        abstained=draft.count(StatementState.ABSTAINED),
        unparsable=draft.count(StatementState.FAILED),
        gold_rules=len(gold.rules),
        drafted=len(draft.rules),
        equivalent=len(matching.equal),
        implied=len(matching.implied),
        wrong=tuple(rule.name for n, rule in enumerate(draft.rules) if n not in right),
        missed=tuple(rule.name for n, rule in enumerate(gold.rules) if n not in met),
        failures=tuple(draft.failures),
        prompt_tokens=draft.prompt_tokens,
        completion_tokens=draft.completion_tokens,
    )


def _agreement(gold: GoldPolicy, runs: Sequence[_Run]) -> Agreement:
    sentences = agreed = right_agreed = right_not = 0
    for index in range(len(runs[0].draft.sentences)):
        spoke = [run for run in runs if run.spoke(index)]
        if len(spoke) < 2:
            continue
        sentences += 1
        said = [run.said(index) for run in spoke]
        same = all(
            one is not None and other is not None and spoke[0].matcher.same(one, other)
            for one, other in combinations(said, 2)
        )
        right = spoke[0].is_right(index)
        agreed += same
        right_agreed += same and right
        right_not += right and not same
    return Agreement(gold.name, sentences, agreed, right_agreed, right_not)
