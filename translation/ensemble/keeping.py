"""What translators made of a span, as rows: their translations, and the readings of a question."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from policies.models import Rule, RuleSource, Sentence, Unit
from policies.sources import sentences_by_lineage
from policywright.terms import Term
from translation.ensemble.agreement import term_hash
from translation.ensemble.comparing import Ensemble, groups_of
from translation.formalizers import QuestionDraft, Reading, UnitDraft
from translation.models import Translation

_LONGEST_REASON = 2_000

AsJson = Callable[[Term], Any]
"""A term over a draft's ids, as JSON over the ids of rows."""


def keep_translations(
    unit: Unit,
    ensemble: Ensemble,
    sentences: Sequence[Sentence],
    rules: Sequence[Rule],
    as_json: AsJson,
) -> None:
    """`sentences` and `rules` are the rows of the draft's, in its order."""
    hashes = {rule.uid: term_hash(rule.term) for rule in rules}
    Translation.objects.bulk_create(
        Translation(
            unit=unit,
            sentence=sentences[one.said.sentence],
            translator=one.translator,
            state=one.said.state,
            terms=[as_json(term) for term in one.said.terms],
            comparison=one.comparison,
            rules={rules[number].uid: hashes[rules[number].uid] for number in one.rules},
            reason=one.reason[:_LONGEST_REASON],
        )
        for one in ensemble.translations
    )


def stated_elsewhere(
    question: QuestionDraft,
    draft: UnitDraft,
    sentences: Sequence[Sentence],
    rules: Sequence[Rule],
) -> set[str]:
    """The uids of the question's rules that another sentence of the present text states, too."""
    if not any(reading.told and reading.told.retires for reading in question.readings):
        return set()
    group = next(one for one in groups_of(draft.rules) if question.rule in one.rules)
    rows = RuleSource.objects.filter(rule__in=[rules[number] for number in group.rules])
    others = rows.exclude(lineage__in=[sentences[index].lineage for index in group.sentences])
    found = list(others.values_list("lineage", "rule__uid"))
    present = sentences_by_lineage(rules[question.rule].policy, {lineage for lineage, _ in found})
    return {uid for lineage, uid in found if lineage in present}


def reading_as_json(
    reading: Reading, rule: Rule, rules: Sequence[Rule], stay: Collection[str], as_json: AsJson
) -> dict[str, Any]:
    """A reading of a question about `rule`; see `translation.models.Question`.

    `stay` are the uids of rules that do not go, since another sentence states them.
    """
    data = {"label": reading.label, "term": as_json(reading.term)}
    told = reading.told
    if told is None:
        return data
    # Two drafted rules may have become one row: what stays does not go.
    gone = dict.fromkeys(rules[number].uid for number in told.retires)
    return data | {
        "retires": [uid for uid in gone if uid != rule.uid and uid not in stay],
        "claim": None if told.claim is None else as_json(told.claim),
        "says": told.says,
        "translations": told.translations,
    }
