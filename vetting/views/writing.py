"""A rule is written or edited: its text is read and shown first, then saved.

The same address reads with and without script: for htmx the answer is the reading
alone, else the card again with the text kept and the reading below it.
"""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from policies.access import MemberRequest, get_rule_or_404, policy_view
from policies.editing import DraftMovedError
from policies.models import Policy, Rule
from policies.roles import Action
from policywright.model import Kind
from vetting.edits import add_rule, edit_rule
from vetting.english import complete
from vetting.foretelling import check_seen
from vetting.proposed import Proposed, propose_edit, propose_rule
from vetting.queue import build_queue
from vetting.refusals import MovedError, ReadingError
from vetting.views.acting import act_on, here, refused, sent, sentence_of
from vetting.views.editors import place_of_rule, place_of_sentence, reading_alone, sent_by
from vetting.views.foretold import SEEN
from vetting.views.readings import NOT_SEEN, note_on, read_text, text_of
from vetting.views.review import card_page
from vetting.written import Written


@policy_view(Action.EDIT)
@require_POST
def read(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    """What the text of a card's form says, and what saving it would change."""
    return _read(request, policy, key)


@policy_view(Action.EDIT)
@require_POST
def edit(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    rule = get_rule_or_404(policy, key)
    text = text_of(request)

    edited = partial(
        edit_rule,
        policy,
        request.user,
        rule,
        english=text.english,
        smtlib=text.smtlib,
        shown_hash=sent(request, "shown"),
        read_as=sent(request, "read") or NOT_SEEN,
    )

    def act() -> str:
        check_seen(policy, sent(request, SEEN), edited)
        edited()
        return f"Saved: {rule.name}. Read it as it stands now, then approve it."

    try:
        return act_on(request, policy, key, "edit", act, stay=True)
    except ReadingError as error:
        return _read(request, policy, key, error)


@policy_view(Action.EDIT)
@require_POST
def write_rule(request: MemberRequest, policy: Policy, key: str) -> HttpResponse:
    text = text_of(request)
    added: list[Rule] = []

    def add() -> Rule:
        return add_rule(
            policy,
            request.user,
            lineages=[sentence_of(policy, key).lineage],
            english=text.english,
            smtlib=text.smtlib,
            read_as=sent(request, "read") or NOT_SEEN,
            name=sent(request, "name").strip(),
            kind=Kind.DEFINITION if sent(request, "kind") == Kind.DEFINITION else Kind.RULE,
        )

    def act() -> str:
        check_seen(policy, sent(request, SEEN), add)
        rule = add()
        added.append(rule)
        return f"Saved: {rule.name}. Read it as it stands now, then approve it."

    try:
        response = act_on(request, policy, key, "add-rule", act)
    except ReadingError as error:
        return _read(request, policy, key, error)
    return redirect(here(policy, added[0].uid)) if added else response


@policy_view(Action.EDIT)
@require_POST
def phrases(request: MemberRequest, policy: Policy) -> HttpResponse:
    """The phrases that may stand where the caret is; see `vetting.english.complete`."""
    found = complete(policy, sent(request, "before"))
    return JsonResponse({"phrases": [{"text": one.text, "typed": one.typed} for one in found]})


def _read(
    request: MemberRequest, policy: Policy, key: str, refusal: ReadingError | None = None
) -> HttpResponse:
    """The reading of a card's text; `refusal` is why it was not saved."""
    queue = build_queue(policy)
    found = queue.card(key)
    if found is None:
        raise Http404
    act = "edit" if found.is_rule else "add-rule"
    if found.is_rule:
        rule = get_rule_or_404(policy, key)
        place = place_of_rule(policy, key)

        def propose(text: Written) -> Proposed:
            shown = sent(request, "shown")
            return propose_edit(
                policy, rule, english=text.english, smtlib=text.smtlib, shown_hash=shown
            )
    else:
        place = place_of_sentence(policy, key)

        def propose(text: Written) -> Proposed:
            return propose_rule(policy, lineages=[key], english=text.english, smtlib=text.smtlib)

    try:
        reading = read_text(request, policy, propose, note_on(refusal))
    except (MovedError, DraftMovedError) as error:
        return refused(request, policy, key, act, error)
    if request.htmx:
        return reading_alone(request, policy, place, reading)
    status = 200 if reading.proposed and refusal is None else 422
    again = sent_by(request, reading)
    return card_page(request, policy, build_queue(policy), found, sent=again, status=status)
