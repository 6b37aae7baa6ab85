"""The forms in which a rule is written: one for English, one for SMT-LIB behind a switch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django_htmx.http import reswap, retarget

from policies.access import MemberRequest
from policies.models import Policy
from vetting.views.readings import Reading, text_of
from vetting.written import Language, Written


@dataclass(frozen=True)
class Editor:
    """One form, for one language; `place` says where it reads and saves."""

    language: Language
    text: str
    shown: str
    place: Place
    reading: Reading | None = None
    typed: dict[str, Any] = field(default_factory=dict)

    @property
    def called(self) -> str:
        return "English" if self.language is Language.ENGLISH else "SMT-LIB"


@dataclass(frozen=True)
class Place:
    """Where a form reads and saves; `target` is what the answer to a save replaces."""

    act: str
    read_url: str
    save_url: str
    target: str
    save_label: str
    what: str = "rule"
    is_new: bool = False
    has_kind: bool = False


def place_of_rule(policy: Policy, key: str) -> Place:
    return Place(
        "edit",
        reverse("read-rule", args=[policy.slug, key]),
        reverse("edit", args=[policy.slug, key]),
        "#review",
        "Save the edit",
    )


def place_of_sentence(policy: Policy, key: str) -> Place:
    return Place(
        "add-rule",
        reverse("read-rule", args=[policy.slug, key]),
        reverse("add-rule", args=[policy.slug, key]),
        "#review",
        "Save the rule",
        is_new=True,
        has_kind=True,
    )


def place_of_assumption(policy: Policy) -> Place:
    return Place(
        "assume",
        reverse("read-assumption", args=[policy.slug]),
        reverse("add-assumption", args=[policy.slug]),
        "#main",
        "Save the assumption",
        what="assumption",
        is_new=True,
    )


def editors(
    place: Place, *, english: str, smtlib: str, shown: str, sent: Sent | None = None
) -> list[Editor]:
    """The two forms, English first; the one that was sent keeps what was typed."""
    made = [
        Editor(Language.ENGLISH, english, shown, place),
        Editor(Language.SMTLIB, smtlib, shown, place),
    ]
    if sent is None:
        return made
    shown = sent.shown or shown
    return [
        replace(one, text=sent.written.text, shown=shown, reading=sent.reading, typed=sent.typed)
        if one.language is sent.written.language
        else one
        for one in made
    ]


@dataclass(frozen=True)
class Sent:
    """What one of the forms sent, for the page that shows it again."""

    written: Written
    shown: str
    typed: dict[str, Any]
    reading: Reading | None = None


def sent_by(request: MemberRequest, reading: Reading | None = None, shown: str = "") -> Sent:
    data = request.POST
    typed = {name: data.get(name, "") for name in ("name", "kind")}
    text = reading.written if reading else text_of(request)
    return Sent(text, shown or data.get("shown", ""), typed, reading)


def reading_alone(
    request: MemberRequest,
    policy: Policy,
    place: Place,
    reading: Reading,
    *,
    template: str = "vetting/_reading.html",
) -> HttpResponse:
    """The reading for htmx, whichever button asked for it; with the text where that changed."""
    editor = Editor(reading.language, reading.written.text, "", place, reading)
    context = {"policy": policy, "editor": editor, "alone": True}
    response = render(request, template, context)
    retarget(response, f"#reading-{reading.language.value}")
    return reswap(response, "outerHTML")
