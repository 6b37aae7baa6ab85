"""The command that reads the examples: what it prints, and that it can be run again."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from policies.composing import compose
from policies.models import AuditRow, Job, Membership, Policy, Rule, Unit, User

pytestmark = pytest.mark.django_db(transaction=True)

TRAVEL = """# Travel policy

## Approval

Trips exceeding EUR 1,000 require line-manager approval.

Employees may travel internationally once they have completed six months of service.

Costs must be kept within reason, whatever that is.
"""


@pytest.fixture
def place(tmp_path: Path, settings) -> Path:
    """A checkout with examples of the test's own, and a demo's secret."""
    examples = tmp_path / "examples"
    examples.mkdir()
    (examples / "travel-policy.md").write_text(TRAVEL, encoding="utf-8")
    (examples / "admission-fees.md").write_text("Dogs may not enter.\n", encoding="utf-8")
    settings.BASE_DIR, settings.VAR = tmp_path, tmp_path
    return tmp_path


def load(*arguments: str) -> str:
    output = StringIO()
    call_command("load_examples", *arguments, stdout=output)
    return output.getvalue()


def test_it_prints_sentences_rules_questions_and_what_was_left_and_why(place: Path) -> None:
    printed = load("--password", "correct horse")
    assert "Travel policy: 3 sentences (1 abstained, 2 formalized)" in printed
    assert "Admission fees: 1 sentence" in printed
    assert "is more than EUR 1,000" in printed
    assert "question" in printed
    assert "1 sentence left to a person" in printed
    assert "Costs must be kept within reason, whatever that is." in printed


def test_the_people_can_sign_in_and_have_their_roles(place: Path) -> None:
    load("--password", "correct horse")
    assert User.objects.get(email="legal@example.org").check_password("correct horse")
    roles = Membership.objects.filter(policy__name="Travel policy")
    assert sorted(roles.values_list("user__email", "role")) == [
        ("engineer@example.org", "engineer"),
        ("legal@example.org", "legal"),
        ("owner@example.org", "owner"),
    ]


def test_running_it_again_changes_nothing(place: Path) -> None:
    first = load("--password", "correct horse")
    policy = Policy.objects.get(name="Travel policy")

    def rows() -> list[int]:
        counted = [Rule, Unit, Job, AuditRow, Membership, User]
        return [model.objects.count() for model in counted]

    before, revision = rows(), policy.revision
    assert load("--password", "another one") == first
    policy.refresh_from_db()
    assert (rows(), policy.revision) == (before, revision)
    assert User.objects.get(email="owner@example.org").check_password("correct horse")


def test_without_a_password_it_takes_that_of_the_demo_or_asks_for_one(place: Path) -> None:
    with pytest.raises(CommandError, match="--password"):
        load()
    assert not User.objects.exists()
    (place / "demo-password").write_text("from the demo")
    load()
    assert User.objects.get(email="owner@example.org").check_password("from the demo")


def test_the_examples_of_this_checkout_become_rules_with_a_question(settings) -> None:
    printed = load("--password", "correct horse")
    for policy in Policy.objects.all():
        assert not compose(policy).broken
        assert Rule.objects.filter(policy=policy).count() >= 6
    assert "Expenses must be reasonable." in printed
    assert "exactly 6 months" in printed
    assert "not formalized yet" not in printed
