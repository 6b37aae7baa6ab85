"""What people change about the documents of a policy: their order, titles, abbreviations."""

from __future__ import annotations

from collections.abc import Sequence

from policies.audit import record
from policies.document_store import clean_title
from policies.editing import editing
from policies.models import Document, Policy, User


def move_document(document: Document, user: User, *, up: bool, shown_rank: int) -> bool:
    """Swap a document with the one above or below it.

    False where there is none, or where it has another rank than the page showed: a
    second click moves it no further.
    """
    cause = "documents were ranked anew"
    with editing(document.policy, user, cause=cause) as edit:
        documents = list(Document.objects.filter(policy=edit.policy).order_by("rank", "pk"))
        here = next(at for at, one in enumerate(documents) if one.pk == document.pk)
        there = here + (-1 if up else 1)
        if documents[here].rank != shown_rank or not 0 <= there < len(documents):
            edit.unchanged = True
            return False
        documents[here], documents[there] = documents[there], documents[here]
        for rank, one in enumerate(documents, start=1):
            if one.rank != rank:
                one.rank = rank
                one.save(update_fields=["rank"])
        record(edit.policy, user, "rank-document", f"document:{document.pk}")
        document.rank = documents[there].rank
        return True


def rename_document(document: Document, user: User, title: str) -> bool:
    """Give a document another title; its sentences and their approvals stay. False if it has it."""
    title = clean_title(title)
    with editing(document.policy, user, cause="a document was renamed") as edit:
        if not title or document.title == title:
            edit.unchanged = True
            return False
        document.title = title
        document.save(update_fields=["title"])
        record(edit.policy, user, "rename-document", f"document:{document.pk}")
        return True


def set_abbreviations(policy: Policy, user: User, words: Sequence[str]) -> bool:
    """Keep the policy's own abbreviations, for what is read from now on. False if it has them."""
    with editing(policy, user, cause="abbreviations were set") as edit:
        if edit.policy.abbreviations == list(words):
            edit.unchanged = True
            return False
        edit.policy.abbreviations = list(words)
        edit.policy.save(update_fields=["abbreviations"])
        record(edit.policy, user, "set-abbreviations", f"policy:{policy.pk}")
    policy.abbreviations = list(words)
    return True
