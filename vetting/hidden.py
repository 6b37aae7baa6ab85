"""Characters that nobody sees hold back the approval of rules (field report FR-44).

A rule of a sentence that holds some, in its text or in what stands beside it, is
approved only after a person has said that the sentence reads as it should. That is
bound to text and context: a changed sentence asks again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from documents.hidden import find_hidden
from policies.audit import record
from policies.models import Policy, Rule, Sentence, User
from policies.present import sentence_hash
from policies.sources import sentences_by_lineage, source_of
from vetting.lock import locked
from vetting.models import HiddenRead
from vetting.refusals import MovedError, RefusedError


@dataclass(frozen=True)
class Unread:
    """A sentence with hidden characters that nobody has confirmed; `found` says which."""

    sentence: Sentence
    hash: str
    found: tuple[str, ...]


def hidden_in(sentence: Sentence) -> tuple[str, ...]:
    """A sentence each for what is hidden in its text and in what stands beside it."""
    source = source_of(sentence)
    notes = [note.message for part in (source.quote, *source.context) for note in find_hidden(part)]
    return tuple(dict.fromkeys(notes))


def unread_in(policy: Policy, sentences: Iterable[Sentence]) -> list[Unread]:
    """Those of the sentences that wait for somebody's word; one query where any holds some."""
    found = [
        Unread(sentence, sentence_hash(sentence), hidden)
        for sentence in sentences
        if (hidden := hidden_in(sentence))
    ]
    if not found:
        return []
    rows = HiddenRead.objects.filter(
        policy=policy, content_hash__in=[one.hash for one in found]
    ).values_list("lineage", "content_hash")
    read = set(rows)
    return [one for one in found if (one.sentence.lineage, one.hash) not in read]


def unread_of_rule(policy: Policy, rule: Rule) -> list[Unread]:
    """The sentences of a rule that hold back its approval; four queries at most."""
    lineages = list(rule.sources.values_list("lineage", flat=True))
    return unread_in(policy, sentences_by_lineage(policy, lineages).values())


def confirm_hidden(policy: Policy, user: User, lineage: str, *, shown_hash: str) -> HiddenRead:
    """Say that a sentence reads as it should, hidden characters and all; once is enough.

    Raises MovedError if it changed or is gone, RefusedError where nothing is hidden.
    """
    with locked(policy) as row:
        sentence = sentences_by_lineage(row, [lineage]).get(lineage)
        if sentence is None or sentence_hash(sentence) != shown_hash:
            raise MovedError(
                "this sentence changed after you opened the page; read it as it is now.",
                present=sentence.text if sentence else "",
                present_hash=sentence_hash(sentence) if sentence else "",
            )
        if not hidden_in(sentence):
            raise RefusedError("this sentence holds no hidden characters.")
        known = HiddenRead.objects.filter(policy=row, lineage=lineage, content_hash=shown_hash)
        if (first := known.first()) is not None:
            return first
        read = HiddenRead.objects.create(
            policy=row, lineage=lineage, sentence=sentence, content_hash=shown_hash, by=user
        )
        record(row, user, "confirm-hidden", f"sentence:{lineage}", new_hash=shown_hash)
        return read
