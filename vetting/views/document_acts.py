"""What a person does with one sentence on the document's page; each act leads back to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from documents import Edit, EditError, EditKind
from policies.access import MemberRequest, get_document_or_404, get_rule_or_404, policy_view
from policies.document_store import RevisionMovedError, edit_sentences
from policies.editing import DraftMovedError
from policies.models import Policy, Sentence
from policies.roles import Action
from vetting.marks import mark_sentence, withdraw_mark
from vetting.models import MarkKind
from vetting.refusals import MovedError, RefusedError
from vetting.rule_sources import add_source
from vetting.views.acting import SAID, number, sent
from vetting.views.cards import as_sentence
from vetting.views.document import document_page, open_document, sentence_url


@policy_view(Action.DECIDE)
@require_POST
def mark(request: MemberRequest, policy: Policy, pk: int, lineage: str) -> HttpResponse:
    wanted = sent(request, "kind")
    kind = MarkKind(wanted) if wanted in MarkKind.values else MarkKind.WITHDRAWN
    sentence = _sentence(policy, pk, lineage)

    def act() -> str:
        mark_sentence(
            policy,
            request.user,
            sentence,
            kind=kind,
            reason=sent(request, "reason"),
            outcomes=request.POST.getlist("outcomes"),
            shown_hash=sent(request, "shown"),
        )
        return SAID[kind]

    return _act(request, policy, pk, lineage, kind.value, act, go_on=True)


@policy_view(Action.DECIDE)
@require_POST
def unmark(request: MemberRequest, policy: Policy, pk: int, lineage: str) -> HttpResponse:
    sentence = _sentence(policy, pk, lineage)

    def act() -> str:
        withdraw_mark(policy, request.user, sentence, shown_hash=sent(request, "shown"))
        return "Withdrawn: the sentence waits again."

    return _act(request, policy, pk, lineage, "unmark", act)


@policy_view(Action.DECIDE)
@require_POST
def add_source_here(request: MemberRequest, policy: Policy, pk: int, lineage: str) -> HttpResponse:
    sentence = _sentence(policy, pk, lineage)
    rule = get_rule_or_404(policy, sent(request, "rule"))

    def act() -> str:
        add_source(
            policy,
            request.user,
            rule,
            sentence,
            part=sent(request, "part"),
            shown_sentence=sent(request, "shown"),
        )
        return f"Added: `{rule.name}` is read beside this sentence too, and waits for a decision."

    return _act(request, policy, pk, lineage, "source", act)


@policy_view(Action.EDIT)
@require_POST
def join(request: MemberRequest, policy: Policy, pk: int, lineage: str) -> HttpResponse:
    """The sentence goes on with the next one."""
    sentence = _sentence(policy, pk, lineage)
    following = Sentence.objects.filter(
        revision=sentence.revision_id, ordinal=sentence.ordinal + 1
    ).first()
    start = following.start if following else -1
    return _edit(request, policy, sentence, EditKind.JOIN, start, "Joined")


@policy_view(Action.EDIT)
@require_POST
def split(request: MemberRequest, policy: Policy, pk: int, lineage: str) -> HttpResponse:
    """A sentence begins at the word that was chosen."""
    sentence = _sentence(policy, pk, lineage)
    start = number(sent(request, "at"))
    return _edit(request, policy, sentence, EditKind.SPLIT, start, "Split")


def _edit(
    request: MemberRequest,
    policy: Policy,
    sentence: Sentence,
    kind: EditKind,
    start: int,
    said: str,
) -> HttpResponse:
    document = get_document_or_404(policy, sentence.revision.document_id)
    shown = sent(request, "revision")

    def act() -> str:
        if kind is EditKind.JOIN and start < 0:
            raise RefusedError("this is the last sentence; there is none to join it with.")
        if kind is EditKind.SPLIT and not sentence.start < start < sentence.end:
            raise RefusedError("choose the word with which the second sentence begins.")
        edit_sentences(document, request.user, Edit(kind, start), shown=number(shown))
        return f"{said}. What comes from here waits for a decision."

    name = str(kind)
    try:
        messages.success(request, act())
    except (RefusedError, DraftMovedError, EditError, RevisionMovedError) as error:
        return _refused(request, policy, document.pk, sentence.lineage, name, error)
    opened = open_document(policy, document.pk)
    assert opened is not None
    same_text = opened.revision.sentences.filter(start__lte=sentence.start).order_by("ordinal")
    now = same_text.values_list("lineage", flat=True).last() or ""
    return redirect(sentence_url(policy, document.pk, opened.coverage.by_lineage.get(now)))


def _act(
    request: MemberRequest,
    policy: Policy,
    pk: int,
    lineage: str,
    name: str,
    act: Callable[[], str],
    *,
    go_on: bool = False,
) -> HttpResponse:
    """Do it and go back, or on to the next that waits; or say why not, beside the sentence."""
    try:
        messages.success(request, act())
    except (RefusedError, DraftMovedError) as error:
        return _refused(request, policy, pk, lineage, name, error)
    opened = open_document(policy, pk)
    if opened is None:
        raise Http404
    here = opened.coverage.by_lineage.get(lineage)
    following = opened.coverage.next_waiting(here.ordinal if here else 0) if go_on else None
    return redirect(sentence_url(policy, pk, following or here))


def _refused(
    request: MemberRequest, policy: Policy, pk: int, lineage: str, name: str, error: Exception
) -> HttpResponse:
    moved = isinstance(error, (MovedError, DraftMovedError, RevisionMovedError))
    problem: dict[str, Any] = {
        "act": name,
        "sentence": as_sentence(str(error)),
        "typed": sent(request, "reason"),
    }
    opened = open_document(policy, pk)
    if opened is None or lineage not in opened.coverage.by_lineage:
        messages.error(request, problem["sentence"])
        return redirect("document", policy.slug, pk)
    status = 409 if moved else 422
    return document_page(request, policy, opened, lineage, problem=problem, status=status)


def _sentence(policy: Policy, pk: int, lineage: str) -> Sentence:
    """A sentence of one of the document's revisions; the services check that it is present."""
    document = get_document_or_404(policy, pk)
    rows = Sentence.objects.filter(revision__document=document)
    # Lineages are 32 hex digits; what else a URL may hold is in no row.
    found = rows.filter(lineage=lineage[:40].replace("\0", "")).select_related("revision")
    sentence = found.order_by("revision__number").last()
    if sentence is None:
        raise Http404
    return sentence
