"""The models of a policy: who drafts, who translates again, whether text may leave."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import Action
from translation.choices import ChoiceError, choice_named, choices_for, set_models, shown_hash
from translation.ensemble.translators import translators_of
from translation.forms import ModelsForm
from translation.llm_errors import LlmNotConfiguredError
from translation.naming import BUILTIN


@policy_view(Action.MANAGE)
@require_http_methods(["GET", "POST"])
def models(request: MemberRequest, policy: Policy) -> HttpResponse:
    trouble, choices = "", [choice_named(BUILTIN)]
    try:
        choices = choices_for(policy)
    except LlmNotConfiguredError as error:
        trouble = error.as_sentence()
    form = ModelsForm(request.POST or None, policy=policy, choices=choices)
    if not form.is_valid():
        return _page(request, policy, form, trouble, status=422 if form.is_bound else 200)
    try:
        changed = set_models(policy, request.user, **form.choice())
    except ChoiceError as error:
        if error.field:
            form.refuse(error)
            return _page(request, policy, form, trouble, status=422)
        # What was typed stays, over what somebody else kept meanwhile.
        typed = request.POST.copy()
        typed["shown"] = shown_hash(Policy.objects.get(pk=policy.pk))
        form = ModelsForm(typed, policy=policy, choices=choices)
        form.refuse(error)
        return _page(request, policy, form, trouble, status=409)
    if changed:
        messages.success(request, "Kept. It counts for runs that begin from now on.")
    return redirect("policy-models", policy.slug)


def _page(
    request: MemberRequest, policy: Policy, form: ModelsForm, trouble: str, *, status: int
) -> HttpResponse:
    now = Policy.objects.get(pk=policy.pk)
    context = {
        "policy": policy,
        "form": form,
        "trouble": trouble,
        "moved": status == 409,
        "drafts": choice_named(now.formalizer),
        "again": [choice_named(name) for name in translators_of(now)],
        "forbids": now.forbids_external_models,
    }
    return render(request, "translation/models.html", context, status=status)
