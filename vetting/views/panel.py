"""The panel beside a document: one sentence, what is known of it, and what can be done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from policies.models import DocumentRevision, Policy, Rule, SourcePart
from policywright.english import render_rule
from policywright.model import Kind
from vetting.coverage import Coverage, SectionCover
from vetting.in_place import InPlace, sentence_in_place
from vetting.models import SentenceMark
from vetting.queue import cards_of
from vetting.reading import pieces
from vetting.review import ReviewState
from vetting.sentences import UNACCOUNTED
from vetting.views import cards

_WORD = re.compile(r"\S+")
# Of a longer sentence only the first words are offered to split at.
MAX_WORDS = 400
# Rules of so many sentences before and after are offered, and no more than so many.
AROUND, MAX_NEARBY = 20, 30


def panel_context(
    policy: Policy,
    revision: DocumentRevision,
    coverage: Coverage,
    section: SectionCover,
    lineage: str,
    *,
    may_decide: bool,
) -> dict[str, Any]:
    """The context of `_panel.html`; empty where the sentence is not in that revision."""
    found = sentence_in_place(policy, revision, section.ordinal, lineage)
    if found is None:
        return {}
    review, sentence = found.review, found.sentence
    keys = cards_of(review)
    waiting = [uid for uid, one in found.rules.items() if one.state is not ReviewState.APPROVED]
    return {
        "sentence": sentence,
        "section_ordinal": section.ordinal,
        "review": review,
        "path": [part for part in sentence.headings if part],
        "pieces": pieces(sentence.text, review.words),
        "reason": cards.as_sentence(review.reason),
        "mark": review.mark,
        "mark_lapsed": review.mark is None and _was_marked(policy, found),
        "limits": [
            cards.said(found.composition.model, uid)
            for uid in (review.mark.outcomes if review.mark else [])
        ],
        "is_row": found.is_row,
        "pairs": found.pairs,
        "leanings": found.leanings,
        "lost": found.lost,
        "rules": list(_rules(found)),
        "card": (waiting or keys)[0],
        # Of a sentence with a rule that waits, the rule is decided on first.
        "mark_choices": cards.MARK_CHOICES
        if review.state in UNACCOUNTED or not found.rules
        else [],
        "outcomes": cards.outcomes_of(found.composition.model) if may_decide else [],
        "split_words": list(_split_words(found)),
        "parts": SourcePart.choices,
        "other_rules": _rules_nearby(policy, found, coverage) if may_decide else [],
        **_neighbours(coverage, sentence.ordinal),
    }


def _was_marked(policy: Policy, found: InPlace) -> bool:
    marks = SentenceMark.objects.filter(policy=policy, lineage=found.sentence.lineage)
    return marks.exclude(content_hash=found.review.hash).exists()


def _rules(found: InPlace) -> Iterator[dict[str, Any]]:
    model = found.composition.model
    for uid, review in found.rules.items():
        rule = model.rule_by_id.get(uid)
        name, part = found.named[uid]
        yield {
            "uid": uid,
            "name": name,
            "state": review.state,
            "by": review.by,
            "at": review.at,
            "english": render_rule(model, rule) if rule else cards.as_sentence(review.problem),
            "scopes": found.composition.scopes_of(uid),
            "part": "" if part is SourcePart.STATES else part.label,
        }


def _split_words(found: InPlace) -> Iterator[dict[str, Any]]:
    """Each word but the first, with the place in the revision's text where it begins."""
    if not found.can_split:
        return
    words = list(_WORD.finditer(found.sentence.text))[:MAX_WORDS]
    for index, word in enumerate(words):
        at = found.sentence.start + word.start()
        yield {"text": word[0], "at": at, "is_first": not index}


def _rules_nearby(policy: Policy, found: InPlace, coverage: Coverage) -> list[tuple[str, str]]:
    """The rules of the sentences around this one, which it may be one more source of."""
    at = found.sentence.ordinal - 1
    around = [one.lineage for one in coverage.sentences[max(0, at - AROUND) : at + AROUND + 1]]
    rows = Rule.objects.filter(
        policy=policy,
        retired_at=None,
        kind__in=(Kind.RULE.value, Kind.DEFINITION.value),
        sources__lineage__in=around,
    )
    rows = rows.exclude(uid__in=found.review.rules).order_by("position", "pk").distinct()
    return list(rows.values_list("uid", "name")[:MAX_NEARBY])


def _neighbours(coverage: Coverage, ordinal: int) -> dict[str, Any]:
    sentences = coverage.sentences
    following = coverage.next_waiting(ordinal)
    return {
        "before": sentences[ordinal - 2] if ordinal > 1 else None,
        "after": sentences[ordinal] if ordinal < len(sentences) else None,
        "next_waiting": following if following and following.ordinal != ordinal else None,
    }
