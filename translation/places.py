"""Where a rule stands among the others: in document order, with room between."""

from __future__ import annotations

from policies.models import Document, Sentence

_A_DOCUMENT = 10_000_000
_A_SENTENCE = 100


def position_of(sentence: Sentence) -> int:
    """The position of a rule of that sentence: its document's place, then its own.

    Rules of one sentence share a position and keep the order they were drafted in.
    """
    document = sentence.revision.document
    documents = Document.objects.filter(policy=document.policy_id).order_by("rank", "pk")
    place = list(documents.values_list("pk", flat=True)).index(document.pk)
    return place * _A_DOCUMENT + sentence.ordinal * _A_SENTENCE
