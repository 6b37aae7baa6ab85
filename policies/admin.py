"""Django's admin for who runs the server: accounts, and what there is, never what it says.

Being staff opens no policy. An operator sees that a policy is there, who is on it, its jobs
and its log of ids, and changes none of them: that is for the services and for members. People
are deactivated, never deleted. One door leads in, with its own count of tries: ours.
"""

from __future__ import annotations

import secrets
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import ModelAdmin
from django.db.models import Count, Q, QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, path
from django.urls.resolvers import RoutePattern

from policies.access import public_view, signed_in_view, to_sign_in
from policies.forms import ForgottenForm
from policies.mail import MailError, check_server
from policies.models import AuditRow, Invitation, Job, Policy, User
from policies.models.jobs import ItemState
from policies.people import PeopleError, deactivate_person
from policies.roles import Role
from policies.throttling import LIMITS, forget
from policies.views.signing_in import sign_out

Pattern = URLPattern | URLResolver
LEFT = (ItemState.WAITING, ItemState.RUNNING, ItemState.PAUSED)


class OperatorSite(admin.AdminSite):
    site_header = site_title = "Policywright, for who runs it"
    index_title = "Accounts, and what there is"
    final_catch_all_view = False
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_staff

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Nobody in particular signs in by our own page; for others there is nothing here."""
        inner = super().admin_view(view, cacheable)

        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return to_sign_in(request)
            if not self.has_permission(request):
                raise Http404
            answer: HttpResponseBase = inner(request, *args, **kwargs)
            return answer

        return checked

    def _app_list(self, request: HttpRequest, app_label: str) -> Any:
        return self.admin_view(self.app_index)(request, app_label)

    def get_urls(self) -> list[Pattern]:
        """Django's own, each marked, without those that ours stand for or that nobody needs."""
        ours = {"login", "logout", "password_change", "password_change_done", "view_on_site"}
        kept = [
            one
            for one in super().get_urls()
            if isinstance(one.pattern, RoutePattern) and getattr(one, "name", "") not in ours
        ]
        # Django's own is a pattern that names each app.
        kept.append(path("<str:app_label>/", self._app_list, name="app_list"))
        _mark(kept)
        return [
            path("login/", public_view(to_sign_in), name="login"),
            path("logout/", sign_out, name="logout"),
            path("password/", signed_in_view(_to_profile), name="password_change"),
            *kept,
        ]


def _mark(patterns: list[Pattern]) -> None:
    for one in patterns:
        if isinstance(one, URLResolver):
            _mark(one.url_patterns)
        else:
            one.callback = _for_staff(one.callback)


def _for_staff(view: Any) -> Any:
    """The view, marked for whoever asks who may see it; it checks that itself."""

    @wraps(view)
    def marked(*args: Any, **kwargs: Any) -> Any:
        return view(*args, **kwargs)

    marked.access = "staff"  # type: ignore[attr-defined]
    return marked


def _to_profile(request: HttpRequest) -> HttpResponse:
    return redirect("profile")


class Seen(ModelAdmin):  # type: ignore[type-arg]
    """Shown to staff, and changed by nobody here."""

    actions: Any = None
    list_per_page = 50
    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class People(Seen):
    """An account is made with an address; its person sets the password by a mailed link.

    The address is the person's own to change: whoever could set it could sign in as them.
    """

    actions = ("deactivate", "let_in_again", "let_try_again")
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "is_staff", "is_superuser", "last_login", "date_joined")
    ordering = ("email",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields if obj else ("email", "name")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who is staff is said by superusers."""
        if obj is None:
            return ()
        changed = {"name", "is_staff"} if request.user.is_superuser else {"name"}
        return tuple(name for name in self.fields if name not in changed)

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm, change: bool) -> None:  # type: ignore[type-arg]
        if not change:
            # Nobody knows it. An account without one could have no link to set another.
            obj.set_password(secrets.token_urlsafe(32))
        super().save_model(request, obj, form, change)
        if not change:
            self._send_link(request, obj.email)

    def _send_link(self, request: HttpRequest, email: str) -> None:
        try:
            check_server()
        except MailError as error:
            asked = "The account is made; its person asks for a link on the page to sign in."
            messages.warning(request, f"{error} {asked}")
            return
        sent = ForgottenForm({"email": email})
        if sent.is_valid():
            sent.save()
        messages.info(request, f"A link to set a password is on its way to {email}.")

    @admin.action(description="Deactivate: they can no longer sign in")
    def deactivate(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        for user in chosen.filter(is_active=True):
            try:
                deactivate_person(user, request.user)  # type: ignore[arg-type]
            except PeopleError as error:
                messages.error(request, f"Not deactivated: {user.email}. {error}")
            else:
                self.log_change(request, user, "Deactivated.")
                messages.success(request, f"Deactivated: {user.email} can no longer sign in.")

    @admin.action(description="Let in again who was deactivated")
    def let_in_again(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        for user in chosen.filter(is_active=False):
            User.objects.filter(pk=user.pk).update(is_active=True)
            self.log_change(request, user, "Let in again.")
            messages.success(request, f"Let in: {user.email} can sign in again.")

    @admin.action(description="Let try again after too many wrong passwords")
    def let_try_again(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        for user in chosen:
            for kind in LIMITS:
                forget(kind, user.email)
            messages.success(request, f"Let try: {user.email} can try again.")


class Policies(Seen):
    """That it is there, and who is on it."""

    list_display = ("name", "owners", "created_at", "archived_at")
    fields = ("name", "slug", "created_by", "created_at", "archived_at", "members")
    readonly_fields = ("members",)
    search_fields = ("name", "slug")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Policy]:
        policies: QuerySet[Policy] = super().get_queryset(request)
        return policies.prefetch_related("memberships__user")

    def owners(self, policy: Policy) -> str:
        rows = policy.memberships.all()
        return ", ".join(one.user.email for one in rows if one.role == Role.OWNER)

    def members(self, policy: Policy) -> str:
        rows = policy.memberships.all()
        return ", ".join(f"{one.user.email} ({one.role})" for one in rows)


class Jobs(Seen):
    list_display = ("uid", "kind", "policy", "state", "left", "failed", "created_at")
    list_filter = ("state", "kind")
    list_select_related = ("policy",)
    fields = ("uid", "kind", "policy", "state", "created_by", "created_at", "finished_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        of_state = {
            "of_left": Q(items__state__in=LEFT),
            "of_failed": Q(items__state=ItemState.FAILED),
        }
        counts = {name: Count("items", filter=which) for name, which in of_state.items()}
        jobs: QuerySet[Job] = super().get_queryset(request).annotate(**counts)
        return jobs

    def left(self, job: Any) -> int:
        return int(job.of_left)

    def failed(self, job: Any) -> int:
        return int(job.of_failed)


class Log(Seen):
    """The chain of each policy: ids and hashes, written once."""

    list_display = ("policy", "sequence", "action", "object", "actor", "at")
    list_select_related = ("policy", "actor")
    list_filter = ("action",)
    search_fields = ("object",)
    ordering = ("-pk",)


class Invitations(Seen):
    list_display = ("email", "role", "policy", "sent_at", "expires_at", "accepted_at", "revoked_at")
    list_select_related = ("policy",)
    search_fields = ("email",)


site = OperatorSite(name="admin")
site.register(User, People)
site.register(Policy, Policies)
site.register(Job, Jobs)
site.register(AuditRow, Log)
site.register(Invitation, Invitations)
