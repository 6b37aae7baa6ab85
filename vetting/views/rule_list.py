"""All rules of a policy by section, to read and to print: a page at a time, or many for paper.

It is made of what is kept with the rows and composes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, policy_view
from policies.models import Policy, Rule, Sentence
from policies.roles import Action
from vetting.coverage import WholeCoverage
from vetting.filters import sections_of
from vetting.queue import Card, build_queue
from vetting.review import approvals_that_count, decisions_on
from vetting.views.places import path_shown

# Rules on a page of the screen, and in one print: a long policy is printed in several.
A_PAGE, A_PRINT = 50, 500
# Of the sentences of a rule so many are quoted.
QUOTED = 3


@policy_view(Action.VIEW)
@require_GET
def rules(request: MemberRequest, policy: Policy) -> HttpResponse:
    """`?print=yes` gives the rules for paper."""
    queue = build_queue(policy)
    to_print = request.GET.get("print") == "yes"
    cards = [card for card in queue.cards if card.is_rule]
    page = Paginator(cards, A_PRINT if to_print else A_PAGE).get_page(request.GET.get("page", ""))
    rows = _rows(policy, queue.cover, list(page.object_list))
    context = {
        "policy": policy,
        "tab": "review",
        "queue": queue,
        "to_print": to_print,
        "page": page,
        "prints": Paginator(cards, A_PRINT).page_range,
        "sections": [
            {"title": title, "rules": list(own)}
            for title, own in groupby(rows, key=lambda one: one["section"])
        ],
    }
    return render(request, "vetting/rule_list.html", context)


def _rows(policy: Policy, cover: WholeCoverage, cards: Sequence[Card]) -> Iterator[dict[str, Any]]:
    """Three queries: what the rules say, their sentences, and who approved them."""
    lines = {card.key: cover.outline.rules[card.key] for card in cards}
    pks = [line.pk for line in lines.values()]
    english = dict(Rule.objects.filter(policy=policy, pk__in=pks).values_list("pk", "english"))
    wanted = {lineage for line in lines.values() for lineage, _ in line.sources[:QUOTED]}
    sentences = Sentence.objects.filter(revision__in=cover.documents, lineage__in=wanted)
    texts = dict(sentences.values_list("lineage", "text"))
    decisions = decisions_on(policy, lines)
    titles = _titles(cover, {card.sentence for card in cards if card.sentence is not None})
    for card in cards:
        line = lines[card.key]
        quotes = [texts[lineage] for lineage, _ in line.sources[:QUOTED] if lineage in texts]
        yield {
            "key": card.key,
            "name": line.name,
            "kind": line.kind,
            "state": line.state,
            "section": "" if card.sentence is None else titles[card.sentence],
            "english": english.get(line.pk, "") if line.hash else "",
            "quotes": quotes,
            "more": max(0, len(line.sources) - QUOTED),
            "approvals": approvals_that_count(decisions.get(card.key, ()), line.hash),
        }


def _titles(cover: WholeCoverage, places: set[int]) -> dict[int, str]:
    """The document and the headings above each of these sentences."""
    titles: dict[int, str] = {}
    for _, own, section in sections_of(cover):
        title = path_shown(cover.documents[section.revision][1], section.headings)
        titles.update((place, title) for place in own if place in places)
    return titles
