"""Forms of this room. What is wrong is said in one sentence; what was typed stays."""

from __future__ import annotations

import contextlib
import zoneinfo
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    PasswordResetForm,
    SetPasswordForm,
)
from django.contrib.auth.password_validation import password_validators_help_texts
from django.urls import reverse

from documents import LimitError
from documents.limits import check_bytes
from policies.mail import MailError, link, send
from policies.models import Policy, User
from policies.reading import document_limits
from policies.roles import Role
from policies.throttling import TooManyTriesError, begin

# An organisation has some dozens.
MAX_ABBREVIATIONS = 200


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "This e-mail address and password do not fit together. Try again.",
        "inactive": "This account is closed. Ask whoever runs this server.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        email = self.fields["username"]
        email.label = "E-mail address"
        email.widget = forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})

    def clean_username(self) -> str:
        return User.objects.normalize_email(self.cleaned_data["username"])


class ForgottenForm(PasswordResetForm):
    """Django's own, which knows who may have a link; our message, with our own address in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        email = self.fields["email"]
        email.label = "E-mail address"
        email.error_messages |= {
            "required": "Give the e-mail address you sign in with.",
            "invalid": "This is not an e-mail address.",
        }

    def save(self, *args: Any, **kwargs: Any) -> None:
        # Any name will do: the message takes its host from the settings, not from here.
        super().save(*args, **{**kwargs, "domain_override": "unused"})

    def send_mail(self, *args: Any, **kwargs: Any) -> None:
        context, to = args[2], args[4]
        path = reverse("password-set", args=[context["uid"], context["token"]])
        # The server was asked before; what goes wrong now is in the log, and the page is the
        # same as for an address that nobody knows.
        with contextlib.suppress(MailError):
            send(to, "password", {"email": to, "link": link(path)})


if TYPE_CHECKING:
    # Generic for the type checker alone.
    _SetPasswordForm = SetPasswordForm[User]
    _UserForm = forms.ModelForm[User]
else:
    _SetPasswordForm = SetPasswordForm
    _UserForm = forms.ModelForm


class NewPasswordForm(_SetPasswordForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_password(self.fields["new_password1"])
        self.fields["new_password2"].label = "The same once more"
        self.fields["new_password2"].help_text = ""


class NewAccountForm(NewPasswordForm):
    """Of somebody who was invited; the address is that of the invitation."""

    name = forms.CharField(
        label="Your name",
        max_length=120,
        help_text="As others see it beside what you decide.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        error_messages={"required": "Give your name."},
    )
    field_order = ["name", "new_password1", "new_password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password1"].label = "A password"

    def clean_name(self) -> str:
        # The validators compare the password with it.
        self.user.name = clean_name(self.cleaned_data["name"])
        if not self.user.name:
            raise forms.ValidationError("Give your name.")
        return self.user.name


class OwnPassword:
    """Checks the password of who is signed in; wrong ones are counted as at the door."""

    def __init__(self, user: User, remote: str | None) -> None:
        self.user, self.remote = user, remote

    def check(self, typed: str) -> str:
        """Raises ValidationError, with the code `wait` after too many tries."""
        try:
            tried = begin("password", self.user.email, self.remote)
        except TooManyTriesError as error:
            raise forms.ValidationError(str(error), code="wait") from error
        if not self.user.check_password(typed):
            raise forms.ValidationError("This is not your password. Try again.")
        tried.succeeded()
        return typed


class CloseForm(forms.Form):
    """Whoever does this gives their password, so that an open screen is not enough."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Give your password."},
    )

    def __init__(self, own: OwnPassword, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own = own

    def clean_password(self) -> str:
        return self.own.check(self.cleaned_data["password"])


class AddressForm(CloseForm):
    email = forms.EmailField(
        label="New e-mail address",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={
            "required": "Give the new address.",
            "invalid": "This is not an e-mail address.",
        },
    )
    field_order = ["email", "password"]

    def clean_email(self) -> str:
        email = User.objects.normalize_email(self.cleaned_data["email"])
        if email == self.own.user.email:
            raise forms.ValidationError("This is your address already.")
        return email


class ChangePasswordForm(PasswordChangeForm):
    def __init__(self, own: OwnPassword, *args: Any, **kwargs: Any) -> None:
        super().__init__(own.user, *args, **kwargs)
        self.own = own
        old, new, again = (
            self.fields[name] for name in ("old_password", "new_password1", "new_password2")
        )
        old.label, new.label, again.label = (
            "Your password now",
            "New password",
            "The same once more",
        )
        del old.widget.attrs["autofocus"]
        describe_password(new)
        again.help_text = ""

    def clean_old_password(self) -> str:
        return self.own.check(self.cleaned_data["old_password"])


def time_zones() -> list[tuple[str, str]]:
    """What a person chooses from; the empty one is this server's."""
    # A few names stand for no place, such as `Factory` or `EST5EDT`.
    named = sorted(
        name for name in zoneinfo.available_timezones() if "/" in name and name[:4] != "Etc/"
    )
    server = ("", f"This server’s: {settings.TIME_ZONE}")
    return [server, ("UTC", "UTC"), *((name, name.replace("_", " ")) for name in named)]


class ProfileForm(_UserForm):
    time_zone = forms.ChoiceField(
        label="Time zone",
        required=False,
        choices=time_zones,
        help_text="Pages show times in it.",
    )

    class Meta:
        model = User
        fields = ["name", "time_zone"]
        help_texts = {"name": "As others see it beside what you decide."}

    def clean_name(self) -> str:
        return clean_name(self.cleaned_data["name"])


def clean_name(typed: str) -> str:
    """A name in one line, with nothing that nobody sees in it."""
    printable = "".join(character if character.isprintable() else " " for character in typed)
    return " ".join(printable.split())


def describe_password(field: forms.Field) -> None:
    """What a password must be, in sentences; Django's own words are a list in HTML."""
    field.help_text = " ".join(password_validators_help_texts())


class PolicyForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=120,
        help_text="As people call it, such as ‘Travel policy’.",
        error_messages={"required": "Give the policy a name."},
    )


class SearchForm(forms.Form):
    q = forms.CharField(
        label="Words",
        max_length=200,
        required=False,
        help_text="In names, documents, rules and variables of your policies.",
        error_messages={"max_length": "Search for fewer words: 200 characters are the most."},
    )


class DuplicateForm(PolicyForm):
    def __init__(self, policy: Policy, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = ""
        self.fields["name"].initial = f"{policy.name[:113]} (copy)"


class PersonForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        help_text="Who has no account on this server yet is sent an invitation.",
        error_messages={
            "required": "Give the e-mail address of the person.",
            "invalid": "This is not an e-mail address.",
        },
    )
    role = forms.ChoiceField(
        label="Role",
        initial=Role.REVIEWER.value,
        choices=[(role.value, role.value) for role in Role],
    )


class RevisionForm(forms.Form):
    """Pasted text or a file; exactly one of the two."""

    text = forms.CharField(
        label="Text",
        required=False,
        # The text is kept as it was pasted: its beginning and end are its own.
        strip=False,
        widget=forms.Textarea(attrs={"class": "source", "rows": 12, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".docx,.pdf,.html,.htm,.md,.markdown,.txt,.rst"}),
    )
    # The number of the latest revision that the page showed.
    after = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        megabytes = document_limits().bytes // 1_000_000
        self.fields[
            "file"
        ].help_text = (
            f"Word (.docx), PDF with text, web page, Markdown or plain text, up to {megabytes} MB."
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        text, file = data.get("text") or "", data.get("file")
        if text.strip() and file:
            raise forms.ValidationError("Paste the text or choose a file, not both.")
        if not text.strip() and not file and not self.errors:
            raise forms.ValidationError("Paste the text of the policy, or choose a file.")
        size = file.size if file else len(text.encode("utf-8", "surrogatepass"))
        try:
            check_bytes(size, document_limits())
        except LimitError as error:
            raise forms.ValidationError(str(error)) from error
        return data

    def upload(self) -> tuple[bytes, str]:
        """The bytes and the name they came under; empty for pasted text."""
        file = self.cleaned_data.get("file")
        if file:
            return file.read(), str(file.name)
        # A surrogate is refused by the reader, with a sentence.
        return self.cleaned_data["text"].encode("utf-8", "surrogatepass"), ""


class DocumentForm(RevisionForm):
    title = forms.CharField(
        label="Title",
        max_length=200,
        required=False,
        help_text="Left empty, the document’s own first heading is taken.",
    )
    field_order = ["title", "text", "file"]


class TitleForm(forms.Form):
    title = forms.CharField(
        label="Title", max_length=200, error_messages={"required": "Give the document a title."}
    )


class AbbreviationsForm(forms.Form):
    abbreviations = forms.CharField(
        label="Abbreviations",
        required=False,
        max_length=5_000,
        help_text="Separated by commas, such as ‘Ref., Mgr.’. After one of them a sentence goes "
        "on, in documents and revisions that are read from now on.",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )

    def clean_abbreviations(self) -> list[str]:
        """The words in the order they were typed, each once."""
        typed = str(self.cleaned_data["abbreviations"]).replace("\n", ",").split(",")
        words = list(dict.fromkeys(word for one in typed if (word := " ".join(one.split()))))
        for word in words:
            if " " in word or len(word) > 40:
                raise forms.ValidationError(
                    f"‘{word[:60]}’ is no abbreviation: write one word each, without blanks."
                )
        if len(words) > MAX_ABBREVIATIONS:
            raise forms.ValidationError(
                f"These are {len(words)} abbreviations; {MAX_ABBREVIATIONS} are the most."
            )
        return words
