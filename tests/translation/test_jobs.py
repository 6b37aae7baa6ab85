"""Formalizing as a job: one item a span, what is known carried on, nothing done twice."""

from __future__ import annotations

import pytest
from django.test import override_settings

from policies import document_store
from policies.composing import compose
from policies.jobs import cancel_job, progress_of
from policies.models import (
    AuditRow,
    Item,
    Job,
    Merge,
    Policy,
    Rule,
    Span,
    Statement,
    Unit,
    User,
    Variable,
)
from policies.models.jobs import ItemState, JobState
from policywright.terms import symbols
from tests.llm_server import fails, llm_server, says
from tests.translation.conftest import add_document
from tests.translation.test_litellm_formalizer import GOOD
from translation.formalizers import FormalizerError, choose_formalizer
from translation.jobs import finish_inline, start_formalizing

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = """# Approval

Trips exceeding EUR 1,000 require line-manager approval.

# Travel abroad

All international travel requires line-manager approval.

# Background

Travelling is a pleasure that the company likes to share.
"""


def run(policy: Policy, user: User) -> Job:
    job = start_formalizing(policy, user)
    finish_inline(job, holder="test")
    job.refresh_from_db()
    return job


def test_each_span_is_an_item_and_ends_as_one_unit(policy: Policy, alice: User) -> None:
    add_document(policy, TEXT)
    job = run(policy, alice)
    assert job.state == JobState.DONE
    assert progress_of(job).done == Span.objects.count() == Unit.objects.count() == 3
    assert Statement.objects.count() == 3
    assert Rule.objects.count() == 2


def test_a_sentence_that_is_not_understood_keeps_its_words(policy: Policy, alice: User) -> None:
    add_document(policy, "Trips exceeding EUR 1,000 require, hopefully, gnomes per diem.\n")
    run(policy, alice)
    statement = Statement.objects.get()
    assert statement.state == "abstained"
    assert statement.reason
    assert statement.sentence is not None
    text = statement.sentence.text
    assert all(text[start:end].strip() for start, end in statement.words)
    assert statement.words


def test_a_later_span_uses_what_an_earlier_one_declared(policy: Policy, alice: User) -> None:
    second = "International trips require line-manager approval."
    add_document(policy, f"# A\n\n{TEXT.splitlines()[2]}\n\n# B\n\n{second}\n")
    run(policy, alice)
    first, later = compose(policy).model.rules
    assert set(symbols(first.term)) & set(symbols(later.term))
    assert not Merge.objects.exists()
    names = list(Variable.objects.values_list("name", flat=True))
    assert len(names) == len(set(names))


def test_asking_again_gives_the_same_job_and_writes_nothing(policy: Policy, alice: User) -> None:
    add_document(policy, TEXT)
    first = start_formalizing(policy, alice)
    assert start_formalizing(policy, alice) == first
    finish_inline(first, holder="test")
    policy.refresh_from_db()
    before = policy.revision, AuditRow.objects.count(), Unit.objects.count()
    assert run(policy, alice) == first
    policy.refresh_from_db()
    assert (policy.revision, AuditRow.objects.count(), Unit.objects.count()) == before


def test_a_policy_without_a_document_has_a_job_that_ends_at_once(
    policy: Policy, alice: User
) -> None:
    assert run(policy, alice).state == JobState.DONE


def test_a_new_document_is_formalized_and_the_old_one_left_alone(
    policy: Policy, alice: User
) -> None:
    add_document(policy, TEXT)
    run(policy, alice)
    add_document(policy, "Dogs may not enter.\n", title="Annex")
    second = run(policy, alice)
    assert progress_of(second).total == 1
    assert Unit.objects.count() == 4


def test_a_new_revision_asks_only_for_what_changed(policy: Policy, alice: User) -> None:
    revision = add_document(policy, TEXT)
    run(policy, alice)
    document_store.add_revision(
        revision.document,
        alice,
        data=TEXT.replace("EUR 1,000", "EUR 2,000").encode(),
        filename="rules.md",
    )
    second = run(policy, alice)
    assert progress_of(second).total == 1
    quotes = [
        statement.quote for statement in Statement.objects.filter(unit__span__revision__number=2)
    ]
    assert quotes == ["Trips exceeding EUR 2,000 require line-manager approval."]


def test_a_cancelled_job_stays_cancelled_and_the_next_does_the_rest(
    policy: Policy, alice: User
) -> None:
    add_document(policy, TEXT)
    first = start_formalizing(policy, alice)
    assert cancel_job(first, alice)
    second = run(policy, alice)
    assert second != first
    assert Unit.objects.count() == 3


def test_a_span_that_fails_says_why_and_may_be_tried_again(policy: Policy, alice: User) -> None:
    add_document(policy, TEXT)
    policy.formalizer = "litellm:openai/hand-written"
    policy.save()
    text = "Trips exceeding EUR 1,000 require line-manager approval."
    good = {"statements": [GOOD["statements"][0] | {"quote": text}]}
    with (
        llm_server(fails(401), says(good)) as server,
        override_settings(POLICYWRIGHT_LLM_API_BASE=server.base_url),
    ):
        job = run(policy, alice)
        failed = Item.objects.get(state=ItemState.FAILED)
        assert failed.error == (
            "The key for `openai/hand-written` is missing or refused; check it."
        )
        assert progress_of(job).done == 2
        assert Unit.objects.count() == 2
        again = run(policy, alice)
    assert progress_of(again).failed == 0
    assert Unit.objects.count() == 3
    unit = Unit.objects.filter(statements__state="formalized").get()
    assert (unit.formalizer, unit.cost_usd) == ("litellm:openai/hand-written", None)
    assert unit.prompt_tokens == 900


def test_two_formalizers_each_have_their_unit(policy: Policy, alice: User) -> None:
    add_document(policy, "Dogs may not enter.\n")
    run(policy, alice)
    policy.formalizer = "litellm:openai/hand-written"
    policy.save()
    with (
        llm_server(says({"statements": []})) as server,
        override_settings(POLICYWRIGHT_LLM_API_BASE=server.base_url),
    ):
        run(policy, alice)
    assert set(Unit.objects.values_list("formalizer", flat=True)) == {
        "builtin",
        "litellm:openai/hand-written",
    }


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("oracle", "is not a formalizer"),
        ("litellm", "no model is named"),
        ("litellm:" + "x" * 101, "at most"),
    ],
)
def test_a_formalizer_that_is_none_is_one_sentence(choice: str, sentence: str) -> None:
    with (
        override_settings(POLICYWRIGHT_LLM_MODEL=""),
        pytest.raises(FormalizerError) as caught,
    ):
        choose_formalizer(choice)
    assert sentence in str(caught.value)


def test_the_settings_choose_where_the_policy_does_not() -> None:
    with override_settings(POLICYWRIGHT_FORMALIZER="builtin"):
        assert choose_formalizer("").name == "builtin"
    with override_settings(POLICYWRIGHT_FORMALIZER="litellm", POLICYWRIGHT_LLM_MODEL="ollama/x"):
        assert choose_formalizer("").name == "litellm:ollama/x"
        assert choose_formalizer("builtin").name == "builtin"
