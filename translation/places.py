"""Where a rule stands among the others: in document order, with room between."""

from __future__ import annotations

from collections.abc import Sequence

from policies.models import Document, Sentence

_A_DOCUMENT = 10_000_000
_A_SENTENCE = 100


def positions_of(sentences: Sequence[Sentence]) -> list[int]:
    """The position of a rule of each sentence: its document's place, then its own; one query.

    The sentences are of one document. Rules of one of them share a position and keep the
    order they were drafted in.
    """
    document = sentences[0].revision.document
    documents = Document.objects.filter(policy=document.policy_id).order_by("rank", "pk")
    place = list(documents.values_list("pk", flat=True)).index(document.pk)
    return [place * _A_DOCUMENT + one.ordinal * _A_SENTENCE for one in sentences]
