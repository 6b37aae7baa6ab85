"""The list that a person goes through, card by card: kept with their session, a policy each."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, QueryDict

from policies.access import MemberRequest
from policies.models import Policy
from vetting.filters import Course, Filters, filtered
from vetting.queue import Card, Queue


def filters_of(request: HttpRequest, policy: Policy) -> Filters:
    """Those of the list that was chosen last; without one, of all cards in document order."""
    return Filters.of_query(request.session.get(_name(policy), ""))


def choose(request: HttpRequest, policy: Policy, data: QueryDict) -> None:
    """Go through the list of this address from now on."""
    query = Filters.of(data).query
    if query:
        request.session[_name(policy)] = query
    else:
        request.session.pop(_name(policy), None)


def course_of(request: MemberRequest, policy: Policy, queue: Queue) -> Course:
    filters = filters_of(request, policy)
    if not filters.query:
        return Course(queue, queue.cards)
    cards = filtered(policy, request.user, filters, queue)
    return Course(queue, cards, is_ordered=filters.order == "section")


def course_shown(course: Course, filters: Filters, card: Card) -> dict[str, Any]:
    """Where a card stands in the list, for its page."""
    before, after = course.neighbours(card)
    return {
        "previous": before,
        "next": after,
        "next_waiting": course.next_waiting(card),
        "filters": filters if filters.query else None,
        "listed": len(course.cards),
    }


def _name(policy: Policy) -> str:
    return f"queue-{policy.pk}"
