"""Forms of this room. The services check what they hold; here is what a page asks for."""

from __future__ import annotations

from typing import Any

from django import forms

from policies.models import Datatype, Policy
from policywright.english import draft_phrases
from policywright.model import DefaultChoice, PolicyModel, Role
from vetting.declarations import NewVariable

SORTS = [
    ("Bool", "yes or no (Bool)"),
    ("Int", "a whole number (Int)"),
    ("Real", "a number (Real)"),
]


class VariableForm(forms.Form):
    """A variable's parts."""

    name = forms.CharField(label="Name", max_length=120, help_text="In the logic: managerApproved.")
    sort = forms.ChoiceField(label="Sort", initial="Bool")
    role = forms.ChoiceField(
        label="Role",
        initial=Role.FACT.value,
        choices=[
            (Role.FACT.value, "fact: a case supplies it"),
            (Role.OUTCOME.value, "outcome: the policy decides it"),
            (Role.DERIVED.value, "derived: one rule decides it, others use it"),
        ],
    )
    phrase = forms.CharField(
        label="Phrase",
        max_length=300,
        required=False,
        help_text="How it is said: ‘the total trip cost’, ‘a line manager has approved the trip’.",
    )
    negative_phrase = forms.CharField(
        label="Phrase for no",
        max_length=300,
        required=False,
        help_text="Of a yes-or-no variable; left empty, ‘not’ is put in.",
    )
    unit = forms.CharField(
        label="Unit", max_length=40, required=False, help_text="EUR, months, percent, date …"
    )
    description = forms.CharField(
        label="Meaning", required=False, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, policy: Policy, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        datatypes = Datatype.objects.filter(policy=policy).values_list("uid", "name")
        self.fields["sort"].choices = [*SORTS, *datatypes]  # type: ignore[attr-defined]

    def new_variable(self) -> NewVariable:
        return NewVariable(**self.cleaned_data)


class RangeForm(forms.Form):
    variable = forms.ChoiceField(label="Of which number?")
    lower = forms.CharField(
        label="At least", required=False, help_text="A number, or a date as 2026-03-14."
    )
    upper = forms.CharField(
        label="At most", required=False, help_text="One of the two may be empty."
    )

    def __init__(self, *args: Any, model: PolicyModel, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["variable"].choices = _choices(  # type: ignore[attr-defined]
            model, lambda variable: variable.sort.is_number
        )


class DefaultForm(forms.Form):
    outcome = forms.ChoiceField(label="Of which outcome?")
    choice = forms.ChoiceField(
        label="What holds when no rule speaks?",
        widget=forms.RadioSelect,
        choices=[
            (
                DefaultChoice.APPROVED.value,
                "approved unless forbidden: it holds where no rule speaks against it",
            ),
            (
                DefaultChoice.REFUSED.value,
                "refused unless granted: it does not hold where no rule speaks for it",
            ),
            (DefaultChoice.OPEN.value, "open: the policy does not decide it"),
        ],
        error_messages={"required": "Choose what holds when no rule speaks."},
    )

    def __init__(self, *args: Any, model: PolicyModel, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["outcome"].choices = _choices(  # type: ignore[attr-defined]
            model, lambda variable: variable.role is Role.OUTCOME
        )


def _choices(model: PolicyModel, wanted: Any) -> list[tuple[str, str]]:
    return [
        (variable.id, draft_phrases(variable).text)
        for variable in model.variables
        if wanted(variable)
    ]
