"""A forgotten password, set anew by a link that is mailed: Django's own views in our look.

The answer is the same for an address that has an account and for one that has none.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.urls import reverse_lazy

from policies.access import public_view
from policies.forms import ForgottenForm, NewPasswordForm
from policies.mail import MailError, check_server
from policies.models import User
from policies.throttling import TooManyTriesError, begin, forget


class _Forgotten(views.PasswordResetView):
    template_name = "accounts/password_forgotten.html"
    form_class = ForgottenForm
    success_url = reverse_lazy("password-sent")

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        email = form.cleaned_data["email"]
        try:
            begin("reset", email, self.request.META.get("REMOTE_ADDR"))
            check_server()
        except TooManyTriesError as error:
            return self._refused(form, error, 429, retry_after=error.seconds)
        except MailError as error:
            return self._refused(form, error, 503)
        return super().form_valid(form)

    def form_invalid(self, form: PasswordResetForm) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def _refused(
        self, form: PasswordResetForm, error: Exception, status: int, retry_after: int | None = None
    ) -> HttpResponse:
        form.add_error(None, ValidationError(str(error)))
        response = self.render_to_response(self.get_context_data(form=form), status=status)
        if retry_after is not None:
            response["Retry-After"] = str(retry_after)
        return response


class _Set(views.PasswordResetConfirmView):
    template_name = "accounts/password_set.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("sign-in")

    def form_valid(self, form: SetPasswordForm[User]) -> HttpResponse:
        response = super().form_valid(form)
        forget("sign-in", form.user.email)
        messages.success(self.request, "Your new password is set. Sign in with it.")
        return response

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        if not context["validlink"]:
            kwargs["status"] = 410
        elif context["form"].is_bound:
            kwargs["status"] = 422
        return super().render_to_response(context, **kwargs)


forgotten = public_view(_Forgotten.as_view())
sent = public_view(views.PasswordResetDoneView.as_view(template_name="accounts/password_sent.html"))
set_password = public_view(_Set.as_view())
