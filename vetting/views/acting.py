"""What a person does on a card. Each act is a form of its own, carries what it showed,
and leads to the next card that waits; a refusal keeps what was typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from policies.access import MemberRequest, by_uid_or_404, get_rule_or_404, policy_view
from policies.editing import DraftMovedError
from policies.models import Policy, Rule, Sentence, User
from policies.roles import Action
from policies.sources import sentences_by_lineage
from translation.models import Question
from vetting.answering import answer_question
from vetting.decisions import approve, reject, withdraw
from vetting.hidden import confirm_hidden
from vetting.marks import mark_sentence, withdraw_mark
from vetting.models import MarkKind
from vetting.queue import Queue, build_queue
from vetting.refusals import MovedError, ReadingError, RefusedError
from vetting.views.cards import as_sentence
from vetting.views.course import course_of
from vetting.views.editors import sent_by
from vetting.views.foretold import first_told
from vetting.views.review import card_page, card_url

# What only the button of a reading sends.
CARRY = ("reading",)
SAID = {
    MarkKind.DEFINITION: "Marked as a definition.",
    MarkKind.BINDING: "Marked as binding, but not expressed.",
    MarkKind.NOT_BINDING: "Marked as not binding.",
}


@policy_view(Action.DECIDE)
@require_POST
def approve_rule(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)

    def act() -> str:
        other = _in_place_of(request)
        shown = sent(request, "shown")
        approve(policy, request.user, rule, shown_hash=shown, on_behalf_of=other)
        return f"Approved{f' for {other}' if other else ''}: {rule.name}."

    return act_on(request, policy, key, "approve", act)


def _in_place_of(request: MemberRequest) -> User | None:
    """The person whom a form names; the service says whether that may be."""
    if not (named := sent(request, "for")):
        return None
    found = User.objects.filter(pk=number(named)).first()
    if found is None:
        raise RefusedError("nobody is known by what the form sent; open the rule again.")
    return found


@policy_view(Action.DECIDE)
@require_POST
def withdraw_approval(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)

    def act() -> str:
        withdraw(policy, request.user, rule, shown_hash=sent(request, "shown"))
        return f"Approval withdrawn: {rule.name} waits again."

    return act_on(request, policy, key, "withdraw", act, stay=True)


@policy_view(Action.DECIDE)
@require_POST
def read_hidden(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """Of a rule's sentence: it reads as it should, hidden characters and all."""
    rule = get_rule_or_404(policy, key)

    def act() -> str:
        lineage, shown = sent(request, "lineage"), sent(request, "shown")
        confirm_hidden(policy, request.user, lineage, shown_hash=shown)
        return "Kept beside your name: the sentence reads as it should."

    return act_on(request, policy, rule.uid, "hidden", act, stay=True)


@policy_view(Action.DECIDE)
@require_POST
def reject_rule(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)

    def act() -> str:
        reason, shown = sent(request, "reason"), sent(request, "shown")
        reject(policy, request.user, rule, reason=reason, shown_hash=shown)
        return f"Rejected: {rule.name}."

    return act_on(request, policy, key, "reject", act, before=build_queue(policy), tell=True)


@policy_view(Action.DECIDE)
@require_POST
def not_binding(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """The rule is rejected and its sentence marked, both or neither."""
    rule = get_rule_or_404(policy, key)

    queue = build_queue(policy)

    def act() -> str:
        reason, shown = sent(request, "reason"), sent(request, "shown")
        with transaction.atomic():
            reject(policy, request.user, rule, reason=reason, shown_hash=shown)
            mark_sentence(
                policy,
                request.user,
                _sentence_of_rule(policy, queue, rule),
                kind=MarkKind.NOT_BINDING,
                reason=reason,
                shown_hash=sent(request, "shown-sentence"),
            )
        return f"Rejected: {rule.name}. Its sentence is marked as not binding."

    return act_on(request, policy, key, "not-binding", act, before=queue, tell=True)


@policy_view(Action.DECIDE)
@require_POST
def answer(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    question = by_uid_or_404(Question.objects.filter(policy=policy).select_related("rule"), key)

    def act() -> str:
        reading = sent(request, "reading")
        if not reading.isdecimal():
            raise RefusedError("choose one of the readings that the question offers.")
        shown = sent(request, "shown")
        answer_question(policy, request.user, question, int(reading[:9]), shown_hash=shown)
        return "Answered. Read the rule as it stands now, then approve it."

    return act_on(request, policy, question.rule.uid, "answer", act, stay=True, tell=True)


@policy_view(Action.DECIDE)
@require_POST
def mark(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    wanted = sent(request, "kind")
    kind = MarkKind(wanted) if wanted in MarkKind.values else MarkKind.WITHDRAWN

    def act() -> str:
        mark_sentence(
            policy,
            request.user,
            sentence_of(policy, key),
            kind=kind,
            reason=sent(request, "reason"),
            outcomes=request.POST.getlist("outcomes"),
            shown_hash=sent(request, "shown"),
        )
        return SAID[kind]

    return act_on(request, policy, key, kind.value, act)


@policy_view(Action.DECIDE)
@require_POST
def unmark(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    def act() -> str:
        shown = sent(request, "shown")
        withdraw_mark(policy, request.user, sentence_of(policy, key), shown_hash=shown)
        return "Withdrawn: the sentence waits again."

    return act_on(request, policy, key, "unmark", act, stay=True)


def act_on(
    request: MemberRequest,
    policy: Policy,
    key: str,
    name: str,
    act: Callable[[], str],
    *,
    before: Queue | None = None,
    stay: bool = False,
    tell: bool = False,
) -> HttpResponse:
    """Do it, say what was done, and go on; or say why not, beside the form.

    `before` is the queue as it was, for an act that takes its card away. `tell` says that
    the act may turn scenarios, and that those are to be shown first.
    """
    try:
        told = first_told(request, policy, act, carry=CARRY) if tell else None
        if told is not None:
            return told
        messages.success(request, act())
    except ReadingError:
        raise  # its answer is the reading of the text
    except (RefusedError, DraftMovedError) as error:
        return refused(request, policy, key, name, error)
    after = build_queue(policy)
    if stay and after.card(key):
        return redirect(here(policy, key))
    card = (before or after).card(key)
    following = course_of(request, policy, after).next_waiting(card)
    return redirect(here(policy, following)) if following else redirect("review", policy.slug)


def refused(
    request: MemberRequest,
    policy: Policy,
    key: str,
    name: str,
    error: RefusedError | DraftMovedError,
) -> HttpResponse:
    """Why not, beside the form that was sent, which keeps what was typed."""
    moved = isinstance(error, (MovedError, DraftMovedError))
    status = 409 if moved else 422
    problem: dict[str, Any] = {
        "act": name,
        "sentence": as_sentence(str(error)),
        "present": getattr(error, "present", ""),
        "present_hash": getattr(error, "present_hash", ""),
        "sent": getattr(error, "sent", ""),
        "typed": _typed(request.POST),
        "reload": card_url(policy, key),
    }
    if request.htmx:
        response = shown_beside(request, problem, status)
        # What was typed may be sent again over the text just shown; a bare yes or no may not.
        if problem["present_hash"] and problem["sent"]:
            response["X-Shown"] = problem["present_hash"]
        return response
    queue = build_queue(policy)
    found = queue.card(key)
    if found is None:
        messages.error(request, problem["sentence"])
        return redirect("review", policy.slug)
    writes = name in ("edit", "add-rule")
    typed = sent_by(request, shown=problem["present_hash"]) if writes else None
    return card_page(request, policy, queue, found, problem=problem, sent=typed, status=status)


def shown_beside(request: MemberRequest, problem: dict[str, Any], status: int) -> HttpResponse:
    """A problem for policywright.js to put beside the control that was used."""
    response = render(request, "vetting/_problem.html", {"problem": problem}, status=status)
    response["X-Problem"] = "shown"
    return response


def here(policy: Policy, key: str) -> str:
    """The card, scrolled to its sentence where no script does that."""
    return f"{card_url(policy, key)}#here"


def sent(request: MemberRequest, name: str) -> str:
    return request.POST.get(name, "")


def number(text: str) -> int:
    """A number as a form or an address sends it; for anything else one that never was."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def _typed(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(data.get(name, "")) for name in ("smtlib", "english", "reason")}


def sentence_of(policy: Policy, key: str) -> Sentence:
    """The present sentence of that lineage."""
    found = sentences_by_lineage(policy, [key]).get(key) if key.isalnum() else None
    if found is None:
        raise Http404
    return found


def _sentence_of_rule(policy: Policy, queue: Queue, rule: Rule) -> Sentence:
    """The first in the document of those that the rule came from, in the queue as it was."""
    for covered in queue.cover.sentences:
        if rule.uid in covered.rules:
            return sentence_of(policy, covered.lineage)
    raise RefusedError("this rule comes from no sentence of the present text; reject it instead.")
