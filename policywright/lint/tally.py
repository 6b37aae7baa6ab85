"""What the checks went through and did not decide, as numbers that add up over parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policywright.lint.chains import MAX_CHAIN

MAX_PARTS = 60
"""Parts of one rule that are asked about; of a very long one fewer."""

MAX_CONDITIONS = 100
"""A rule of more is in no pair of thresholds: that all the others are alike would have to be seen
of each."""


@dataclass
class Tally:
    """Of one part of a policy.

    `contradicted` counts rules beside a contradiction, `pairs` conclusions that exclude each
    other, `looked` those asked about, `cut` variables of which not all pairs were, `long_rules`
    rules of which not all parts were, `long_bands` those that were not compared with others;
    `undecided` counts questions by code.
    """

    questions: int = 0
    contradicted: int = 0
    conflicts: int = 0
    pairs: int = 0
    looked: int = 0
    cut: int = 0
    long_rules: int = 0
    long_bands: int = 0
    undecided: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "undecided": dict(self.undecided)}


def tally_from_json(data: Mapping[str, Any]) -> Tally:
    return Tally(**{**data, "undecided": Counter(data["undecided"])})


def limits_said(tallies: Iterable[Tally], codes: Sequence[str]) -> tuple[str, ...]:
    """What was not looked at or not decided, in sentences; `codes` are in the order of checks."""
    return tuple(_limits(list(tallies), codes))


def _limits(tallies: Sequence[Tally], codes: Sequence[str]) -> Iterator[str]:
    for one in tallies:
        if one.contradicted:
            yield (
                f"Of the {one.contradicted} rules that share variables with a contradiction "
                "nothing else was asked that depends on all of them: mend it first."
            )
    yield _conflicts(tallies)
    cut = sum(one.long_rules for one in tallies)
    if cut:
        rules = "1 long rule" if cut == 1 else f"{cut} long rules"
        yield (
            f"Of {rules} only the first parts, at most {MAX_PARTS}, were asked whether they change "
            "anything."
        )
    long = sum(one.long_bands for one in tallies)
    if long:
        yield (
            f"The thresholds of {long} rule{'s' * (long > 1)} of more than {MAX_CONDITIONS} "
            "conditions were not compared with others."
        )
    undecided = sum((one.undecided for one in tallies), Counter[str]())
    for code in codes:
        if count := undecided[code]:
            yield (
                f"{count} question{'s' if count > 1 else ''} of `{code}` "
                f"{'were' if count > 1 else 'was'} not decided within the limit, for or against."
            )


def _conflicts(tallies: Sequence[Tally]) -> str:
    """What was looked through: an absence of conflicts holds no further than that."""
    found = sum(one.conflicts for one in tallies)
    pairs = sum(one.pairs for one in tallies)
    looked = sum(one.looked for one in tallies)
    cut = sum(one.cut for one in tallies)
    told = f"{found} conflict{'s' * (found > 1)}" if found else "No conflict"
    among = f"{pairs} pair{'s' * (pairs != 1)} of conclusions that exclude each other"
    said = f"{told} found among {among}; asked about were the {looked} that may meet, through "
    said += f"chains of up to {MAX_CHAIN} rules"
    return f"{said}; of {cut} variables not all pairs were looked at." if cut else f"{said}."
