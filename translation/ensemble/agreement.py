"""How many translations of a rule's sentences say the same as the rule.

Said of a rule as it stands now. Rules of the same sentences were compared together: once
one of them is edited or gone, nothing is known of any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.models import Rule
from policywright.hashing import content_hash
from translation.models import Comparison, Translation, TranslationState


@dataclass(frozen=True)
class Agreement:
    """Of `count` translations, the draft included, `same` say the same as the rule.

    The others differ, are undecided, abstained, or failed.
    """

    same: int
    count: int
    differ: int = 0
    undecided: int = 0
    abstained: int = 0
    failed: int = 0

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.same / self.count

    @property
    def all_agree(self) -> bool:
        return self.same == self.count


def term_hash(term: Any) -> str:
    """What a comparison is bound to: a rule's term as its row has it, as JSON."""
    return content_hash(["term", term])


def agreement_of(rule: Rule) -> Agreement | None:
    """None where no translator spoke of the rule as it is."""
    return agreements_of([rule]).get(rule.uid)


def agreements_of(rules: Collection[Rule]) -> dict[str, Agreement]:
    """The agreement of each rule that has one, by uid; three queries, one for the sources."""
    lineages: dict[str, set[str]] = {
        rule.uid: {source.lineage for source in rule.sources.all()} for rule in rules
    }
    every = set().union(*lineages.values())
    if not every:
        return {}
    policies = {rule.policy_id for rule in rules}
    rows = Translation.objects.filter(
        unit__policy__in=policies, sentence__lineage__in=every
    ).select_related("sentence")
    by_rule: dict[str, list[Translation]] = {}
    for row in rows.defer("terms").order_by("pk"):
        for uid in row.rules:
            if row.sentence.lineage in lineages.get(uid, ()):
                by_rule.setdefault(uid, []).append(row)
    present = _present_hashes(rules, by_rule)
    found = ((uid, agreement(uid, present, own)) for uid, own in by_rule.items())
    return {uid: one for uid, one in found if one is not None}


def agreement(
    uid: str, present: Mapping[str, str], rows: Iterable[Translation]
) -> Agreement | None:
    """The agreement about a rule by the translations of its sentences, oldest first.

    `present` has the hash of each live rule's term. Of one translator the rows of a unit
    belong together, and the latest unit counts: it was compared last.
    """
    by_translator: dict[str, list[Translation]] = {}
    for row in rows:
        if uid not in row.rules or any(present.get(u) != h for u, h in row.rules.items()):
            continue
        own = by_translator.setdefault(row.translator, [])
        if own and own[0].unit_id != row.unit_id:
            own.clear()
        own.append(row)
    if not by_translator:
        return None
    words = [_word(own) for own in by_translator.values()]
    counts: Mapping[str, int] = {word: words.count(word) for word in words}
    return Agreement(
        same=1 + counts.get(Comparison.SAME, 0),
        count=1 + len(words),
        differ=counts.get(Comparison.DIFFERS, 0),
        undecided=counts.get(Comparison.UNDECIDED, 0),
        abstained=counts.get(TranslationState.ABSTAINED, 0),
        failed=counts.get(TranslationState.FAILED, 0),
    )


def _present_hashes(
    rules: Collection[Rule], by_rule: Mapping[str, Sequence[Translation]]
) -> dict[str, str]:
    """The hashes of the terms of these rules and of those they were compared together with."""
    known = {rule.uid: rule.term for rule in rules if rule.retired_at is None}
    together = {uid for rows in by_rule.values() for row in rows for uid in row.rules}
    others = together - {rule.uid for rule in rules}
    if others:
        live = Rule.objects.filter(uid__in=others, retired_at=None)
        known |= dict(live.values_list("uid", "term"))
    return {uid: term_hash(term) for uid, term in known.items()}


def _word(rows: Sequence[Translation]) -> str:
    """How one translator's sentences of a rule stand to it, taken together."""
    known = [row.comparison for row in rows if row.comparison != Comparison.NONE]
    if known:
        return known[0]
    failed = any(row.state == TranslationState.FAILED for row in rows)
    return TranslationState.FAILED if failed else TranslationState.ABSTAINED
