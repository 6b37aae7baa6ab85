"""Who may reach what: the marks of views, and how a policy and its rows are fetched.

A view of one policy is `view(request, policy, ...)`, reached by a URL with
`<slug:slug>` and wrapped by `policy_view(Action....)`, outermost. A stranger gets
the same 404 as for a policy that does not exist. Being a superuser opens nothing.
Everything below a policy is fetched through that policy, never by its id alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from policies.archived import refuse_archived
from policies.forms import SignInForm
from policies.models import (
    Document,
    Job,
    Membership,
    Policy,
    Rule,
    Upload,
    User,
    Variable,
    Version,
)
from policies.roles import MATRIX, READING, Action, Role

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
View = Callable[..., HttpResponseBase]


class MemberRequest(HttpRequest):
    """A request as a view behind one of the marks gets it: somebody is signed in."""

    user: User
    htmx: HtmxDetails
    # On the policy of the URL, behind `policy_view`; of an archived one all read alike.
    roles: frozenset[Role]


_UID = re.compile(r"[0-9a-f]{32}")


def policy_view(
    action: Action, *, even_archived: bool = False
) -> Callable[[Callable[Concatenate[MemberRequest, Policy, P], HttpResponseBase]], View]:
    """Let those in who may do `action` on the policy of the URL; mark the view with it.

    Not signed in: to the sign-in page. Stranger or unknown slug: 404. A member
    without the role: 403 with one sentence, and so for all that changes an archived
    policy, except in a view that is for it, too.
    """

    def decorate(view: Callable[Concatenate[MemberRequest, Policy, P], HttpResponseBase]) -> View:
        @wraps(view)
        def wrapper(
            request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return to_sign_in(request)
            policy, roles = _policy_with_roles(request.user, slug)
            _let_in(roles, action)
            if policy.archived_at is not None and not even_archived:
                if action not in READING:
                    refuse_archived(policy)
                roles = frozenset({Role.VIEWER})
            request.roles = roles  # type: ignore[attr-defined]
            return view(cast(MemberRequest, request), policy, *args, **kwargs)

        wrapper.access = action  # type: ignore[attr-defined]
        return wrapper

    return decorate


def signed_in_view(view: View) -> View:
    """Mark a view that belongs to no policy and is for anybody who is signed in."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return to_sign_in(request)
        return view(request, *args, **kwargs)

    wrapper.access = "signed in"  # type: ignore[attr-defined]
    return wrapper


def public_view(view: View) -> View:
    """Mark a view that anybody may see."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs)

    wrapper.access = "public"  # type: ignore[attr-defined]
    return wrapper


def to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """To the sign-in page and back to the page the person was on.

    An htmx request moves the whole page, so that no sign-in form lands in a list.
    What a form sent is carried by the sign-in page and offered to be sent again;
    it is kept nowhere. An htmx form is told 401, and its page sends it without htmx.
    """
    is_htmx = request.headers.get("HX-Request") == "true"
    if request.method == "POST" and is_htmx:
        return HttpResponse(status=401)
    if request.method == "POST" and not request.FILES:
        carried = typed_fields(request)
        context = {"form": SignInForm(request), "next": request.get_full_path()}
        return render(request, "policies/sign_in.html", context | {"carried": carried}, status=401)
    response = redirect_to_login(_page_to_return_to(request))
    if not is_htmx:
        return response
    moved = HttpResponse()
    moved["HX-Redirect"] = response["Location"]
    return moved


def typed_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """What a form sent, apart from Django's own token; files cannot be carried."""
    return [
        (name, value)
        for name, values in request.POST.lists()
        if name != "csrfmiddlewaretoken"
        for value in values
        if isinstance(value, str)
    ]


def _page_to_return_to(request: HttpRequest) -> str:
    if request.headers.get("HX-Request") == "true":
        page = request.headers.get("HX-Current-URL", "")
    elif request.method == "GET":
        return request.get_full_path()
    else:
        page = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(page, {request.get_host()})
    return page if ours else resolve_url("/")


def roles_of(user: User | AnonymousUser, policy: Policy) -> frozenset[Role]:
    """The roles a person holds on a policy; none for a stranger or a deactivated person."""
    if not user.is_active:
        return frozenset()
    roles = Membership.objects.filter(policy=policy, user_id=user.pk).values_list("role", flat=True)
    return frozenset(Role(role) for role in roles)


def may(user: User | AnonymousUser, policy: Policy, action: Action) -> bool:
    """Whether a person may do it now: of an archived policy, read and export."""
    if policy.archived_at is not None and action not in READING:
        return False
    return bool(roles_of(user, policy) & MATRIX[action])


def require(user: User | AnonymousUser, policy: Policy, action: Action) -> frozenset[Role]:
    """The roles that let the person in; PermissionDenied, with the sentence that its page shows."""
    roles = _let_in(roles_of(user, policy), action)
    if action not in READING:
        refuse_archived(policy)
    return roles


def _let_in(roles: frozenset[Role], action: Action) -> frozenset[Role]:
    if not roles & MATRIX[action]:
        allowed = sorted(MATRIX[action])
        who = allowed[0] if len(allowed) == 1 else f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise PermissionDenied(
            f"This needs the role {who} on this policy; ask one of its owners for it."
        )
    return roles


def _policy_with_roles(user: User | AnonymousUser, slug: str) -> tuple[Policy, frozenset[Role]]:
    """The policy if the person holds any role on it, with those; else 404. One query."""
    found: list[Membership] = []
    if user.is_active and user.pk is not None:
        rows = Membership.objects.filter(policy__slug=slug, user_id=user.pk)
        found = list(rows.select_related("policy"))
    if not found:
        raise Http404
    return found[0].policy, frozenset(Role(one.role) for one in found)


def policies_of(user: User | AnonymousUser) -> QuerySet[Policy]:
    """The policies on which a person holds a role."""
    if not user.is_active:
        return Policy.objects.none()
    return Policy.objects.filter(memberships__user_id=user.pk).distinct()


def get_document_or_404(policy: Policy, document_id: int) -> Document:
    return one_or_404(policy.documents.all(), pk=document_id)


def get_rule_or_404(policy: Policy, uid: str) -> Rule:
    """A rule of the draft or a retired one."""
    return by_uid_or_404(policy.rules.all(), uid)


def get_variable_or_404(policy: Policy, uid: str) -> Variable:
    return by_uid_or_404(policy.variables.all(), uid)


def get_job_or_404(policy: Policy, uid: str) -> Job:
    return by_uid_or_404(policy.jobs.all(), uid)


def get_upload_or_404(policy: Policy, uid: str) -> Upload:
    return by_uid_or_404(policy.uploads.all(), uid)


def get_version_or_404(policy: Policy, number: int) -> Version:
    return one_or_404(policy.versions.all(), number=number)


def by_uid_or_404(rows: QuerySet[Row], uid: str) -> Row:
    """One of a policy's rows by its uid; for the higher rooms' rows too."""
    # Whatever a URL may hold: a NUL, for one, is an error of PostgreSQL's.
    if not _UID.fullmatch(uid):
        raise Http404
    return one_or_404(rows, uid=uid)


def one_or_404(rows: QuerySet[Row], **lookup: Any) -> Row:
    row = rows.filter(**lookup).first()
    if row is None:
        raise Http404
    return row
