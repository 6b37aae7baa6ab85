"""The queue as a list: filters in the address, a page at a time, how far each section is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, policy_view
from policies.models import Policy, Sentence
from policies.roles import MATRIX, Action
from vetting.coverage import WholeCoverage
from vetting.filters import (
    AGREEMENT,
    LINT,
    ORDERS,
    STATES,
    Filters,
    filtered,
    last_here,
    sections_of,
)
from vetting.queue import Card, Queue, build_queue

A_PAGE = 50


@policy_view(Action.VIEW)
@require_GET
def queue_list(request: MemberRequest, policy: Policy) -> HttpResponse:
    queue = build_queue(policy)
    filters = Filters.of(request.GET)
    cards = filtered(policy, request.user, filters, queue)
    page = Paginator(cards, A_PAGE).get_page(request.GET.get("page", ""))
    sections = list(_sections(queue))
    context = {
        "policy": policy,
        "tab": "review",
        "queue": queue,
        "filters": filters,
        "page": page,
        "rows": list(_rows(queue.cover, list(page.object_list))),
        "waiting": sum(card.waits for card in cards),
        "rules": sum(card.is_rule for card in cards),
        "may_decide": bool(request.roles & MATRIX[Action.DECIDE]),
        "sections": sections,
        "section": next((one for one in sections if one["name"] == filters.section), None),
        "states": STATES,
        "lint": LINT.items(),
        "agreement": AGREEMENT.items(),
        "orders": ORDERS.items(),
        "last_here": last_here(request.user, policy),
    }
    return render(request, "vetting/queue_list.html", context)


def _rows(cover: WholeCoverage, cards: Sequence[Card]) -> Iterator[dict[str, Any]]:
    """One query, for the texts."""
    lineages = {card.key: _lineage(cover, card) for card in cards}
    wanted = {one for one in lineages.values() if one}
    rows = Sentence.objects.filter(revision__in=cover.documents, lineage__in=wanted)
    texts = dict(rows.values_list("lineage", "text")) if wanted else {}
    for card in cards:
        rule = cover.outline.rules.get(card.key)
        yield {
            "card": card,
            "name": rule.name if rule else "",
            "hash": rule.hash if rule else "",
            "text": texts.get(lineages[card.key], ""),
        }


def _lineage(cover: WholeCoverage, card: Card) -> str:
    return "" if card.sentence is None else cover.sentences[card.sentence].lineage


def _sections(queue: Queue) -> Iterator[dict[str, Any]]:
    """How many cards of each section there are and wait; a long section's parts are one."""
    total, waiting = [0] * len(queue.cover.sentences), [0] * len(queue.cover.sentences)
    for card in queue.cards:
        if card.sentence is not None:
            total[card.sentence] += 1
            waiting[card.sentence] += card.waits
    shown: dict[str, Any] | None = None
    for name, indices, section in sections_of(queue.cover):
        if section.part == 1 or shown is None:
            if shown is not None and shown["total"]:
                yield shown
            document = queue.cover.documents[section.revision][1]
            title = section.title or document
            shown = {"name": name, "title": title, "total": 0, "waiting": 0}
        shown["total"] += sum(total[indices.start : indices.stop])
        shown["waiting"] += sum(waiting[indices.start : indices.stop])
        shown["done"] = shown["total"] - shown["waiting"]
    if shown is not None and shown["total"]:
        yield shown
