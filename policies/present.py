"""The sentences as they are now, and what marks and answers about them are bound to.

A mark or an answer carries one of these hashes. It counts while the hash is the
present one, as a decision on a rule does: a changed sentence asks again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policies.models import Policy, Sentence
from policies.sources import latest_revisions, load_pointed, slim, source_of
from policywright.hashing import content_hash, source_content
from policywright.model import Source


def present_sentences(policy: Policy) -> list[Sentence]:
    """The sentences of each document's latest revision, in reading order; two queries.

    The text of the revisions is not loaded: every sentence has its own.
    """
    rows = slim(Sentence.objects.filter(revision__in=latest_revisions(policy)))
    order = ("revision__document__rank", "revision__document", "ordinal")
    sentences = list(rows.order_by(*order))
    load_pointed(sentences)
    return sentences


def sentence_hash(sentence: Sentence) -> str:
    """What a mark is bound to: the sentence's text and the context shown beside it."""
    return content_hash({"sentence": source_content(source_of(sentence))})


def question_hash(text: str, readings: Sequence[Any], sources: Sequence[Source]) -> str:
    """What an answer is bound to: the question, its readings, the sentences it is about."""
    return content_hash(
        {
            "question": text,
            "readings": list(readings),
            "sources": [source_content(source) for source in sources],
        }
    )
