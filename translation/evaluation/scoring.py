"""The score of a formalizer on one gold policy, and what the agreement of several is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from policies.models.draft import StatementState
from translation.ensemble.translators import Translator
from translation.evaluation.drafting import DraftedPolicy, draft_policy
from translation.evaluation.gold import GoldPolicy
from translation.evaluation.matching import Matcher, Matching
from translation.formalizers import Formalizer
from translation.models import Comparison


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
    """Whether agreement tells right from wrong, over the rules of the first formalizer.

    `agreed`: all translators that spoke say the same. `differed`: one says otherwise. Of
    the rest nothing is known: nobody spoke, or it was not decided. `right_...` of these are
    in gold, or follow from it.
    """

    policy: str
    rules: int = 0
    agreed: int = 0
    right_when_agreed: int = 0
    differed: int = 0
    right_when_differed: int = 0
    unknown: int = 0
    right_when_unknown: int = 0

    def as_json(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass
class Evaluated:
    scores: list[Score] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)


def evaluate(
    policies: Sequence[GoldPolicy],
    formalizers: Sequence[Formalizer],
    translators: Sequence[Translator] = (),
) -> Evaluated:
    """Each policy by each formalizer; the translators translate once more what the first drafts."""
    done = Evaluated()
    for gold in policies:
        for number, formalizer in enumerate(formalizers):
            again = translators if number == 0 else ()
            draft = draft_policy(gold.title, gold.text, formalizer, again)
            matching = Matcher(gold, draft).match()
            done.scores.append(_score(gold, formalizer.name, draft, matching))
            if again:
                done.agreements.append(_agreement(gold, draft, matching))
    return done


def _score(gold: GoldPolicy, formalizer: str, draft: DraftedPolicy, matching: Matching) -> Score:
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


def _agreement(gold: GoldPolicy, draft: DraftedPolicy, matching: Matching) -> Agreement:
    right = matching.equal.keys() | matching.implied
    counts = {word: [0, 0] for word in ("agreed", "differed", "unknown")}
    for number, rule in enumerate(draft.rules):
        counted = counts[_word(rule.translations)]
        counted[0] += 1
        counted[1] += number in right
    parts = {word: counted[0] for word, counted in counts.items()}
    parts |= {f"right_when_{word}": counted[1] for word, counted in counts.items()}
    return Agreement(gold.name, rules=len(draft.rules), **parts)


def _word(translations: Sequence[Comparison]) -> str:
    spoke = {one for one in translations if one is not Comparison.NONE}
    if Comparison.DIFFERS in spoke:
        return "differed"
    return "agreed" if spoke == {Comparison.SAME} else "unknown"
