"""The exported file: the same bytes each time, whatever the texts hold."""

from __future__ import annotations

import pytest

from policies.export import SubjectTo, export_filename, export_smt2
from policywright.smtlib import read
from tests.vetting.conftest import Draft

pytestmark = pytest.mark.django_db


def test_the_same_draft_has_the_same_bytes_each_time(draft: Draft) -> None:
    first, second = (
        export_smt2(draft.composition().model, policy="Travel policy") for _ in range(2)
    )
    assert first == second
    assert first.startswith(b'; policy: "Travel policy"\n; draft: nobody has approved')


def test_a_file_is_called_by_slug_and_version() -> None:
    assert export_filename("travel", 3) == "travel-v3.smt2"
    assert export_filename("travel") == "travel-draft.smt2"


@pytest.mark.parametrize(
    "hostile", ["x\n(assert false)", "x\r(assert false)", "x\u2028(assert false)", 'x")(exit)']
)
def test_no_text_breaks_out_of_its_comment(draft: Draft, hostile: str) -> None:
    model = draft.composition().model
    limits = [SubjectTo(hostile, (hostile,), hostile)]
    text = export_smt2(model, policy=hostile, version=1, subject_to=limits).decode()
    assert read(text).rules == model.rules
    assert not [line for line in text.splitlines() if line.startswith(("(assert false", "(exit"))]
