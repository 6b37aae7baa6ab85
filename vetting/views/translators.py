"""What a card shows of further translators: how many agree with the rule, and how each reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from policies.composing import Composition
from policies.models import Policy, Rule
from policywright.english import render_sentence
from policywright.english.words import capitalise
from translation.choices import translator_title
from translation.ensemble.agreement import Agreement, agreement_of
from translation.models import Comparison, Translation, TranslationState
from vetting.questions import reading_term

_WORDS: dict[str, str] = {
    Comparison.SAME: "says the same",
    Comparison.DIFFERS: "reads it otherwise",
    Comparison.UNDECIDED: "could not be compared",
    TranslationState.ABSTAINED: "left it to a person",
    TranslationState.FAILED: "could not translate it",
}
# Of a rule that was edited since: what was compared was its draft.
_OF_THE_DRAFT: dict[str, str] = {
    Comparison.SAME: "said the same as the draft",
    Comparison.DIFFERS: "read it otherwise than the draft",
    Comparison.UNDECIDED: "could not be compared with the draft",
}


def translators_shown(policy: Policy, row: Rule, composition: Composition) -> dict[str, Any] | None:
    """The line and each translator's reading; None where nobody else translated the rule."""
    rows = _latest(policy, row)
    if not rows:
        return None
    found = agreement_of(row)
    return {
        "line": agreement_line(found) if found else "not compared since it was edited",
        "agree": found is not None and found.all_agree,
        "compared": found is not None,
        "readings": list(_readings(rows, composition, _WORDS if found else _WORDS | _OF_THE_DRAFT)),
    }


def agreement_line(found: Agreement) -> str:
    """`3 of 3 translations agree`; of the others what became of them."""
    alone = "translations, the draft alone" if found.same == 1 else "translations agree"
    said = [f"{found.same} of {found.count} {alone}"]
    if found.differ:
        said.append(f"{found.differ} {'reads' if found.differ == 1 else 'read'} it otherwise")
    if found.undecided:
        said.append(f"{found.undecided} could not be compared")
    if found.abstained + found.failed:
        said.append(f"{found.abstained + found.failed} could not")
    return "; ".join(said)


def _latest(policy: Policy, row: Rule) -> list[Translation]:
    """Of each translator what it made in the latest unit, in the order of the translators."""
    lineages = [source.lineage for source in row.sources.all()]
    made = Translation.objects.filter(unit__policy=policy, sentence__lineage__in=lineages)
    found: dict[str, list[Translation]] = {}
    for one in made.order_by("pk"):
        if row.uid not in one.rules:
            continue
        own = found.setdefault(one.translator, [])
        if own and own[0].unit_id != one.unit_id:
            own.clear()
        own.append(one)
    return [one for own in found.values() for one in own]


def _readings(
    rows: list[Translation], composition: Composition, words: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        word = row.comparison if row.comparison != Comparison.NONE else row.state
        yield {
            "translator": translator_title(row.translator),
            "word": words.get(word, ""),
            "reason": row.reason,
            "english": [_english(term, composition) for term in row.terms],
        }


def _english(data: Any, composition: Composition) -> str:
    found = reading_term(data, composition)
    if isinstance(found, str):
        return f"{capitalise(found)}."
    return render_sentence(composition.model, found)
