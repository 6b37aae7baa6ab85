"""What a revision did to the sentences of the one before it, as rows."""

from __future__ import annotations

from dataclasses import dataclass

from documents import WordChange, changes, word_diff
from policies.following import as_read
from policies.models import DocumentRevision, Sentence


@dataclass(frozen=True)
class ChangedSentence:
    """A sentence and the one it was; `words` are those of both, in order.

    Where only its context changed, `text` is false and `context_words` are the words of
    both contexts.
    """

    old: Sentence
    new: Sentence
    text: bool
    words: tuple[WordChange, ...]
    context_words: tuple[WordChange, ...]


@dataclass(frozen=True)
class Comparison:
    """`moved` are the sentences that stand in another order, as they stand now."""

    former: DocumentRevision
    same: int
    moved: tuple[Sentence, ...]
    changed: tuple[ChangedSentence, ...]
    added: tuple[Sentence, ...]
    removed: tuple[Sentence, ...]


def compare_with_former(revision: DocumentRevision) -> Comparison | None:
    """None for the first revision. Six queries; close to linear in the sentences."""
    earlier = revision.document.revisions.filter(number__lt=revision.number)
    former = earlier.order_by("number").only("number", "document_id").last()
    if former is None:
        return None
    before = list(former.sentences.order_by("ordinal"))
    after = list(revision.sentences.order_by("ordinal"))
    found = changes(as_read(before), as_read(after))
    return Comparison(
        former=former,
        same=len(found.same),
        moved=tuple(after[new] for _, new in found.moved),
        changed=tuple(_changed(before[one.old], after[one.new], one.text) for one in found.changed),
        added=tuple(after[new] for new in found.added),
        removed=tuple(before[old] for old in found.removed),
    )


def _changed(old: Sentence, new: Sentence, text: bool) -> ChangedSentence:
    contexts = [" › ".join(filter(None, one.context)) for one in (old, new)]
    return ChangedSentence(
        old,
        new,
        text,
        word_diff(old.text, new.text),
        word_diff(*contexts) if contexts[0] != contexts[1] else (),
    )
