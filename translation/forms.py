"""Forms of this room. What is wrong is said in one sentence; what was typed stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

from policies.models import Policy
from translation.choices import (
    MODEL,
    Choice,
    ChoiceError,
    choice_named,
    model_typed,
    shown_hash,
)
from translation.ensemble.translators import NOBODY
from translation.formalizers import FormalizerError
from translation.naming import BUILTIN
from translation.runs import RunPlan, RunProgress, Spent
from translation.templatetags.amounts import dollars, rounded_up

OTHER = "other"
_TOKENS_MOST = 10_000_000_000
_USD_MOST = 1_000_000


class ModelsForm(forms.Form):
    """Who drafts, who translates again, and whether text may leave."""

    formalizer = forms.ChoiceField(
        label="Who drafts the rules",
        widget=forms.RadioSelect,
        error_messages={
            "invalid_choice": "This model is not offered any more; choose one of these.",
        },
    )
    other_formalizer = forms.CharField(
        label="The other model that drafts",
        required=False,
        max_length=120,
        help_text="By its LiteLLM name, such as openai/gpt-4o.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    translators = forms.MultipleChoiceField(
        label="Who translates each sentence once more",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": "One of these is not offered any more; choose again.",
        },
    )
    other_translators = forms.CharField(
        label="Other models that translate",
        required=False,
        max_length=1_000,
        help_text="By their LiteLLM names, separated by commas. One that is named twice, or ticked "
        "above as well, is asked twice.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocomplete": "off"}),
    )
    forbids_external = forms.BooleanField(
        label="This policy forbids external models: no text of it leaves our own hosts",
        required=False,
    )
    shown = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: QueryDict | None = None, *, policy: Policy, choices: Sequence[Choice]
    ) -> None:
        once = list(dict.fromkeys(policy.translators))
        again = list(policy.translators)
        for name in once:
            again.remove(name)
        initial = {
            "formalizer": policy.formalizer,
            "translators": once,
            # A model that is asked more than once: what cannot be ticked twice is typed.
            "other_translators": ", ".join(name.removeprefix(MODEL) for name in again),
            "forbids_external": policy.forbids_external_models,
            "shown": shown_hash(policy),
        }
        super().__init__(data, initial=initial)
        offered = [(one.name, choice_label(one)) for one in choices]
        usual = choice_named("")
        as_set = replace(usual, label=f"As this server is set: {usual.label}")
        self.fields["formalizer"].choices = [  # type: ignore[attr-defined]
            ("", choice_label(as_set)),
            *offered,
            (OTHER, "Another model, named below"),
        ]
        self.fields["formalizer"].required = False
        usually = ", ".join(choice_named(name).label for name in settings.POLICYWRIGHT_TRANSLATORS)
        self.fields["translators"].help_text = (
            "Where a translation differs from the draft, you are asked which reading is meant. "
            f"With none chosen, {usually or 'nobody'} does."
        )
        # Without this a policy could not do without those that the server names.
        nobody = [(NOBODY, "Nobody: drafts are not compared")] if usually else []
        self.fields["translators"].choices = [*offered, *nobody]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        other = data.get("other_formalizer", "")
        try:
            if data.get("formalizer") == OTHER:
                data["formalizer"] = model_typed(other, "other_formalizer")
            elif other:
                raise ChoiceError(
                    "other_formalizer", "Choose ‘Another model’ above, or leave this empty."
                )
            typed = [one for one in data.get("other_translators", "").split(",") if one.strip()]
            again = [model_typed(one, "other_translators") for one in typed]
        except ChoiceError as error:
            self.refuse(error)
            return data
        data["translators"] = [*data.get("translators", []), *again]
        return data

    def choice(self) -> dict[str, Any]:
        """What `set_models` is given."""
        names = ("formalizer", "translators", "forbids_external", "shown")
        return {name: self.cleaned_data[name] for name in names}

    def refuse(self, error: ChoiceError) -> None:
        """Put the sentence beside its field; a form shows no code, so names stand in quotes."""
        self.add_error(error.field or None, re.sub(r"`([^`]*)`", r"‘\1’", str(error)))


class BudgetForm(forms.Form):
    """What a run may take: to start one by its plan, or to go on with a paused one."""

    tokens = forms.CharField(
        label="Tokens at most",
        required=False,
        help_text="There the run pauses.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    usd = forms.CharField(
        label="US dollars at most",
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        plan: RunPlan | None = None,
        spent: Spent | None = None,
        initial: dict[str, str] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self._plan, self._spent = plan, spent
        unknown = bool(plan and plan.unknown_prices) or bool(spent and spent.unknown_models)
        self.fields["usd"].help_text = (
            "Counts only what has a known price."
            if unknown
            else "Left empty, tokens are the limit."
        )

    @classmethod
    def to_start(cls, plan: RunPlan, *, room: int) -> BudgetForm:
        """Unbound, with a limit that leaves room above the estimate."""
        tokens = rounded_up(plan.tokens * room)
        return cls(plan=plan, initial={"tokens": f"{tokens:,}" if tokens else ""})

    @classmethod
    def to_resume(cls, run: RunProgress) -> BudgetForm:
        """Unbound, with twice the limits that were."""
        initial = {}
        if run.tokens_limit:
            initial["tokens"] = f"{2 * run.tokens_limit:,}"
        if run.usd_limit:
            initial["usd"] = f"{2 * run.usd_limit:f}"
        return cls(spent=run.spent, initial=initial)

    def clean_tokens(self) -> int | None:
        typed = _without_marks(self.cleaned_data["tokens"])
        if not typed:
            if self._plan and self._plan.unknown_prices:
                raise forms.ValidationError(
                    "The price of a model is unknown, so say how many tokens the run may take."
                )
            return None
        if not typed.isdecimal() or not typed.isascii() or len(typed) > 12:
            raise forms.ValidationError("Write a whole number of tokens, such as 200,000.")
        if not 0 < int(typed) <= _TOKENS_MOST:
            raise forms.ValidationError(f"Write a number from 1 to {_TOKENS_MOST:,}.")
        if self._spent and int(typed) <= self._spent.tokens:
            raise forms.ValidationError(
                f"{self._spent.tokens:,} tokens are spent already; allow more than that."
            )
        return int(typed)

    def clean_usd(self) -> Decimal | None:
        typed = _without_marks(self.cleaned_data["usd"]).removeprefix("$")
        if not typed:
            return None
        whole, _, part = typed.partition(".")
        digits = whole + part
        if not digits.isdecimal() or not digits.isascii() or len(part) > 6 or len(whole) > 9:
            raise forms.ValidationError("Write an amount of dollars, such as 2.50.")
        amount = Decimal(f"{whole or 0}.{part}" if part else whole)
        if not 0 < amount <= _USD_MOST:
            raise forms.ValidationError(f"Write an amount up to {_USD_MOST:,} dollars, above 0.")
        if self._spent and amount <= self._spent.known_usd:
            raise forms.ValidationError(
                f"{dollars(self._spent.known_usd)} are spent already; allow more than that."
            )
        return amount

    def refuse(self, problem: Exception | str) -> None:
        """Say above the fields why nothing was started."""
        sentence = problem.as_sentence() if isinstance(problem, FormalizerError) else str(problem)
        self.add_error(None, sentence)


def choice_label(choice: Choice) -> SafeString:
    """The label of a choice with where it is asked, and whether that is outside."""
    if choice.trouble:
        return format_html('{} <span class="soft small">{}</span>', choice.title, choice.trouble)
    said = '<span>{} <span class="soft small">{}</span></span>'
    if choice.is_external:
        said = '<span>{} <span class="soft small"><strong>external</strong>, {}</span></span>'
    elif choice.name != BUILTIN:
        said = '<span>{} <span class="soft small">your own host, {}</span></span>'
    return format_html(said, choice.title, choice.where)


def _without_marks(text: str) -> str:
    """Digits as people group them: blanks and commas between them count for nothing."""
    return "".join(text.split()).replace(",", "")
