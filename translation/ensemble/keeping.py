"""What translators made of a span, as rows: their translations, and the readings of a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from policies.models import Rule, Sentence, Unit
from policywright.terms import Term
from translation.ensemble.agreement import term_hash
from translation.ensemble.comparing import Ensemble
from translation.formalizers import Reading
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


def reading_as_json(
    reading: Reading, rule: Rule, rules: Sequence[Rule], as_json: AsJson
) -> dict[str, Any]:
    """A reading of a question about `rule`; see `translation.models.Question`."""
    data = {"label": reading.label, "term": as_json(reading.term)}
    told = reading.told
    if told is None:
        return data
    # Two drafted rules may have become one row: what stays does not go.
    gone = dict.fromkeys(rules[number].uid for number in told.retires)
    return data | {
        "retires": [uid for uid in gone if uid != rule.uid],
        "claim": None if told.claim is None else as_json(told.claim),
        "says": told.says,
        "translations": told.translations,
    }
