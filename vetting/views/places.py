"""Where sentences stand, for the pages that show them away from their document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from policies.models import Policy, Rule, Sentence, SourcePart
from policies.sources import POINTED, pointed_texts
from vetting.rule_sources import SourceShown, sources_of


def sources_shown(
    policy: Policy, rule: Rule, present: Mapping[str, Sentence] | None = None
) -> list[dict[str, Any]]:
    """The sources of a rule for a page: what stands beside each, and where it is.

    `present` are its present sentences, if the caller knows them.
    """
    found = sources_of(policy, rule, present)
    documents = {one.document.pk for one in found if one.document}
    return [_shown(policy, one, ranked=len(documents) > 1) for one in found]


def _shown(policy: Policy, source: SourceShown, *, ranked: bool) -> dict[str, Any]:
    sentence = source.sentence
    shown: dict[str, Any] = {
        "lineage": source.lineage,
        "part": "" if source.part is SourcePart.STATES else str(source.part.label),
        "quote": source.quote,
        "is_gone": sentence is None,
    }
    if sentence is not None:
        shown |= place_of(policy, sentence) | {"quote": sentence.text}
        shown["rank"] = sentence.revision.document.rank if ranked else 0
    return shown


def place_of(policy: Policy, sentence: Sentence) -> dict[str, Any]:
    """Where a sentence stands: its path, page, what it leans on, and the address of its page."""
    document = sentence.revision.document
    page = reverse("document", args=[policy.slug, document.pk])
    return {
        "path": path_shown(document.title, [*sentence.headings, *sentence.context]),
        "page": sentence.page,
        "pointed": pointed_texts(sentence),
        "url": f"{page}?sentence={sentence.lineage}#s{sentence.ordinal}",
    }


def path_shown(document: str, context: Sequence[str]) -> str:
    """The document and what stands above a sentence; a title that is both is said once.

    What the sentence leans on is no place and is left out.
    """
    path = [part for part in context if part and not part.startswith(POINTED)]
    if path and path[0].casefold() == document.casefold():
        path = path[1:]
    return " › ".join([document, *path])
