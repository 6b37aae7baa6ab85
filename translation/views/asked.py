"""What models were asked and what they answered, for those who may ask them.

A prompt shows the document and the declarations, a reply is whatever a model wrote:
both are text that nobody vetted. So they are shown to those who run a formalization
and must find out why it failed (owners and reviewers), as text and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, get_job_or_404, one_or_404, policy_view
from policies.models import Policy, Sentence
from policies.roles import Action
from translation.choices import choice_named
from translation.models import Attempt
from translation.naming import place_of
from translation.tried import Tried, attempts_on, entry_of, spans_of, units_on
from translation.where import Where, where_spans_stand

# A page lists so many attempts.
MAX_ATTEMPTS = 100
# So many characters of a message or a reply are shown before one asks for all.
SHORT = 6_000
_MOST_ID = 2**31 - 1

PURPOSES = {
    "draft": "Draft",
    "repair": "Repair",
    "translate": "Translation",
    "revise": "Revision",
}
SETTINGS = {"max_tokens": "Tokens at most", "temperature": "Temperature"}
ROLES = {
    "system": "What the model is told, always the same",
    "user": "What was asked",
    "assistant": "What the model had answered before",
}


@policy_view(Action.FORMALIZE)
@require_GET
def asked(request: MemberRequest, policy: Policy, uid: str) -> HttpResponse:
    """The attempts of a run, in the order in which they were made."""
    job = get_job_or_404(policy, uid)
    rows = Attempt.objects.filter(policy=policy, job=job).select_related("item", "reply")
    total, after = rows.count(), _number(request.GET.get("after", ""))
    page = list(
        rows.defer("messages", "reply__messages", "reply__text").order_by("pk")[after:][
            :MAX_ATTEMPTS
        ]
    )
    context = {
        "policy": policy,
        "job": job,
        "said": job.feedback.first(),
        "attempts": attempts_shown(policy, page),
        "first": after + 1,
        "last": after + len(page),
        "total": total,
        "earlier": max(after - MAX_ATTEMPTS, 0) if after else None,
        "later": after + MAX_ATTEMPTS if after + MAX_ATTEMPTS < total else None,
    }
    return render(request, "translation/asked.html", context)


@policy_view(Action.FORMALIZE)
@require_GET
def attempt(request: MemberRequest, policy: Policy, pk: int) -> HttpResponse:
    """One attempt: each message, the reply, what was left out, what was wrong with it."""
    if pk > _MOST_ID:
        raise Http404
    found = one_or_404(Attempt.objects.select_related("reply", "item", "job"), pk=pk, policy=policy)
    show_all = request.GET.get("show") == "all"
    reply, span = found.reply, _span_of(found)
    messages = [
        {
            "role": ROLES.get(str(message.get("role")), "A message"),
            "place": f"message-{number}",
            **_cut(message, show_all),
        }
        for number, message in enumerate(reply.messages if reply else found.messages, start=1)
    ]
    if messages:
        messages[-1]["open"] = True
    entry = entry_of(reply, span) if reply else {}
    context = {
        "policy": policy,
        "attempt": found,
        "shown": attempts_shown(policy, [found])[0],
        "job": found.job,
        "reply": reply,
        "messages_sent": messages,
        "answer": _cut({"content": reply.text}, show_all) if reply else None,
        "left_out": [str(name) for name in reply.left_out] if reply else [],
        "settings": [
            (said, str(reply.settings[name]))
            for name, said in SETTINGS.items()
            if reply and name in reply.settings
        ],
        "problems": [str(problem) for problem in entry.get("problems", ())],
        "stripped": str(entry.get("stripped", "")),
        "show_all": show_all,
    }
    return render(request, "translation/attempt.html", context)


@policy_view(Action.FORMALIZE)
@require_GET
def tried(request: MemberRequest, policy: Policy, lineage: str) -> HttpResponse:
    """What was tried for one sentence, whether or not anything came of it."""
    # Whatever a URL may hold: a NUL, for one, is an error of PostgreSQL's.
    if not lineage.isalnum():
        raise Http404
    rows = Sentence.objects.filter(lineage=lineage, revision__document__policy=policy)
    sentence = rows.select_related("revision__document").order_by("-revision__number").first()
    if sentence is None:
        raise Http404
    spans = spans_of(policy, lineage)
    attempts = list(attempts_on(policy, spans).defer("messages", "reply__text", "reply__messages"))
    context = {
        "policy": policy,
        "tab": "review",
        "sentence": sentence,
        "path": next(iter(where_spans_stand(policy, spans).values()), None),
        "units": [_unit_shown(one) for one in units_on(policy, lineage)],
        "attempts": attempts_shown(policy, attempts[-MAX_ATTEMPTS:]),
        "total": len(attempts),
    }
    return render(request, "translation/tried.html", context)


def _unit_shown(one: Tried) -> dict[str, Any]:
    """A unit's history of a sentence, piece by piece, each round with the way to its reply."""
    return {
        "name": choice_named(one.unit.formalizer).title,
        "at": one.unit.created_at,
        "statements": one.statements,
        "pieces": [
            {
                "what": f"{piece.piece} `{piece.name}`" if piece.name else "what was said of it",
                "written": [
                    {"said": written, "attempt": one.attempts.get(written.round)}
                    for written in piece.written
                ],
            }
            for piece in one.pieces
        ],
        "unread": [
            {"said": unread, "attempt": one.attempts.get(unread.round)} for unread in one.unread
        ],
    }


def attempts_shown(policy: Policy, attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Attempts as `_attempts.html` shows them, each with the section that it is about."""
    places = where_spans_stand(policy, (span for a in attempts if (span := _span_of(a))))
    return [
        {
            "attempt": one,
            "purpose": PURPOSES.get(one.purpose, one.purpose),
            "where": _where(places, one),
            "place": place_of(one.place),
            "came": _came(one),
        }
        for one in attempts
    ]


def _came(attempt: Attempt) -> str:
    """What came of it in one word: the key of a state."""
    if attempt.error or attempt.reply is None:
        return "failed"
    return "kept" if attempt.was_kept else "answered"


def _where(places: dict[int, Where], attempt: Attempt) -> Where | None:
    span = _span_of(attempt)
    return places.get(span) if span else None


def _span_of(attempt: Attempt) -> int | None:
    span = attempt.item.payload.get("span") if attempt.item else None
    return span if isinstance(span, int) else None


def _cut(message: dict[str, Any], show_all: bool) -> dict[str, Any]:
    """The text of a message, and how many characters of it are not shown."""
    text = str(message.get("content", ""))
    shown = text if show_all else text[:SHORT]
    return {"text": shown, "length": len(text), "hidden": len(text) - len(shown)}


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0
