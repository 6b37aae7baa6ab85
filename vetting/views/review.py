"""The review page: the document at the left, one card at the right."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django_htmx.http import HttpResponseClientRedirect

from policies.access import MemberRequest, policy_view, public_view
from policies.models import Policy
from policies.roles import MATRIX, Action
from vetting.approvers import Part, part_of
from vetting.filters import sections_of
from vetting.in_hand import InHand, in_hand
from vetting.lint import hint_of
from vetting.opened import note_opened
from vetting.outline import Covered
from vetting.queue import Card, Queue, build_queue, left_at
from vetting.reading import set_document
from vetting.views import cards
from vetting.views.comments import may_comment, talk_shown
from vetting.views.course import choose, course_of, course_shown, filters_of
from vetting.views.editors import Sent, editors, place_of_rule, place_of_sentence

# In the address of a card that is opened from a case: the page then leads back to the cases.
FROM_CASE = "case"


@policy_view(Action.VIEW)
@require_GET
def review(request: MemberRequest, policy: Policy) -> HttpResponse:
    """To the first card that waits, behind the one that was decided last; where none does, a
    page that says what comes next. An address with filters chooses the list to go through."""
    if request.GET:
        choose(request, policy, request.GET)
    queue = build_queue(policy)
    filters = filters_of(request, policy)
    if filters.query:
        course = course_of(request, policy, queue)
        waiting = course.next_waiting()
        if not waiting:
            messages.info(request, "Nothing waits among these any more.")
            url = f"{reverse('queue', args=[policy.slug])}?{filters.query}"
            return whole_page(request, url)
    else:
        waiting = queue.next_waiting(left_at(policy, request.user, queue))
    if waiting:
        return redirect(card_url(policy, waiting))
    if request.htmx:
        return whole_page(request, request.path)
    context = {"policy": policy, "tab": "review", "queue": queue}
    return render(request, "vetting/review_done.html", context)


@policy_view(Action.VIEW)
@require_GET
def card(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    queue = build_queue(policy)
    found = queue.card(key)
    if found is None:
        return _gone(request, policy)
    return card_page(request, policy, queue, found)


def _gone(request: MemberRequest, policy: Policy) -> HttpResponse:
    messages.info(request, "What you asked for is no longer in the draft; this waits next.")
    return redirect("review", policy.slug)


@public_view
@require_GET
def keys(request: MemberRequest) -> HttpResponse:
    return render(request, "keys.html")


def card_page(
    request: MemberRequest,
    policy: Policy,
    queue: Queue,
    found: Card,
    *,
    problem: dict[str, Any] | None = None,
    sent: Sent | None = None,
    status: int = 200,
) -> HttpResponse:
    """One card beside its part of the document; for htmx the two without the page around.

    `sent` is what a form for the rule's text sent, where the page shows it again.
    """
    hand = in_hand(policy, queue, found)
    if hand is None:
        return _gone(request, policy)
    course, filters = course_of(request, policy, queue), filters_of(request, policy)
    context: dict[str, Any] = {
        "policy": policy,
        "tab": "review",
        "queue": queue,
        **course_shown(course, filters, found),
        "may_decide": bool(request.roles & MATRIX[Action.DECIDE]),
        "may_formalize": bool(request.roles & MATRIX[Action.FORMALIZE]),
        "problem": problem,
        "from_case": request.GET.get("from") == FROM_CASE,
        "talk": _talk(request, hand),
        "may_comment": may_comment(request, policy),
        **_pane(queue, hand),
    }
    if found.is_rule:
        hint = context["lint_hint"] = hint_of(policy)
        shown = context["card"] = cards.rule_card(hand, hint)
        context["part"] = _part(request, policy, hand) if context["may_decide"] else None
        place = place_of_rule(policy, found.key)
        texts = {"english": shown["english"] if shown["smt2"] else "", "smtlib": shown["smt2"]}
    else:
        shown = context["card"] = cards.sentence_card(hand)
        place, texts = place_of_sentence(policy, found.key), {"english": "", "smtlib": ""}
        context["mark_choices"] = cards.MARK_CHOICES
        context["outcomes"] = cards.outcomes_of(hand.composition.model)
    context["editors"] = editors(place, **texts, shown=shown["hash"], sent=sent)
    context["sent"] = sent
    if not request.htmx or problem is not None:
        return render(request, "vetting/review.html", context, status=status)
    response = render(request, "vetting/review_swap.html", context, status=status)
    response["HX-Push-Url"] = card_url(policy, found.key)
    return response


def whole_page(request: MemberRequest, url: str) -> HttpResponse:
    """Go to a page of its own: no whole page lands in a part of another (FR-53)."""
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


def card_url(policy: Policy, key: str) -> str:
    return reverse("review-card", args=[policy.slug, key])


def _part(request: MemberRequest, policy: Policy, hand: InHand) -> Part:
    """What is left to the person who has the card before them now; that they have is kept."""
    row, review = hand.row, hand.review
    assert row is not None
    assert review is not None
    if policy.archived_at is None:
        note_opened(request.user, row, review.hash)
    return part_of(policy, request.user, row, review, is_named=hand.has_approvers)


def _talk(request: MemberRequest, hand: InHand) -> dict[str, Any]:
    """What is said of the card; beside a rule also of its sentences."""
    policy, key = hand.policy, hand.card.key
    back = card_url(policy, key)
    if not hand.card.is_rule:
        return talk_shown(policy, request.user, {"lineages": [key]}, key=key, back=back)
    on = {"rules": [key], "lineages": list(hand.sentences)}
    is_empty = not hand.has_threads
    return talk_shown(policy, request.user, on, key=key, back=back, is_empty=is_empty)


def _pane(queue: Queue, hand: InHand) -> dict[str, Any]:
    """The sentences around the card's, and the cards beyond them."""
    around, every = hand.around, queue.cover.sentences
    return {
        "sections": set_document(queue, around, here=hand.card.key),
        "earlier": _first_card(queue, every[around.start - 1]) if around.start else "",
        "later": _first_card(queue, every[around.end]) if around.end < len(every) else "",
        "progress": _progress(queue, hand.card),
    }


def _progress(queue: Queue, card: Card) -> dict[str, Any] | None:
    """How far the section of a card is; None for what stands in no sentence."""
    if card.sentence is None:
        return None
    name, indices, section = next(
        one for one in sections_of(queue.cover) if card.sentence in one[1]
    )
    own = [one for one in queue.cards if one.sentence is not None and one.sentence in indices]
    title = section.title or queue.cover.documents[section.revision][1]
    done = sum(not one.waits for one in own)
    return {"name": name, "title": title, "done": done, "total": len(own)}


def _first_card(queue: Queue, one: Covered) -> str:
    keys = (*one.rules, one.lineage)
    return next((key for key in keys if key in queue.by_key), "")
