"""What a run may take: planned and named before it starts, paused when spent, gone on with."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.utils import timezone

from policies.audit import first_broken_link
from policies.jobs import cancel_job, retry_failed
from policies.models import AuditRow, Item, Job, Policy, Unit, User
from policies.models.jobs import ItemState, JobState
from tests.llm_server import fails, llm_server, says
from tests.translation.answering import leaves_all
from tests.translation.conftest import add_document
from translation.budgets import spent
from translation.formalizers import FormalizerError
from translation.jobs import finish_inline, start_formalizing
from translation.models import Attempt, ModelReply
from translation.runs import plan_run, resume_run, run_progress
from translation.tokens import estimate_prompt, estimate_tokens

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 6
TEXT = "\n\n".join(
    f"# Section {number}\n\nTrips exceeding EUR {number + 1},000 require approval."
    for number in range(SECTIONS)
)


@pytest.fixture
def models(tmp_path: Path, settings):
    """A models file with a dear model, a model without a price and one of another house."""
    path = tmp_path / "models.toml"

    def at(address: str) -> None:
        path.write_text(
            f'[dear]\nmodel = "openai/dear"\napi_base = "{address}"\n'
            "input_usd_per_million = 1000\noutput_usd_per_million = 2000\n"
            f'[unpriced]\nmodel = "openai/unpriced"\napi_base = "{address}"\n'
            '[far]\nmodel = "openai/far"\napi_base = "https://models.example/v1"\n'
        )
        settings.POLICYWRIGHT_MODELS = str(path)

    at("http://127.0.0.1:9/v1")
    return at


@pytest.fixture
def six(policy: Policy, models) -> Policy:
    """The policy with six spans, drafted by the dear model."""
    add_document(policy, TEXT)
    policy.formalizer = "litellm:dear"
    policy.save()
    return policy


def run(job: Job) -> Job:
    finish_inline(job, holder="test")
    job.refresh_from_db()
    return job


def test_a_plan_names_who_is_asked_where_and_about_what_it_takes(six: Policy) -> None:
    six.translators = ["builtin", "litellm:far"]
    six.save()
    plan = plan_run(six)
    assert (plan.spans, plan.sentences, plan.refusal) == (6, 6, "")
    assert [(one.name, one.drafts, one.host) for one in plan.models] == [
        ("litellm:dear", True, "openai at 127.0.0.1:9"),
        ("builtin", False, ""),
        ("litellm:far", False, "openai at models.example"),
    ]
    assert [one.is_external for one in plan.models] == [False, False, True]
    assert plan.hosts == ("openai at 127.0.0.1:9", "openai at models.example")
    dear, builtin, far = plan.models
    assert dear.prompt_tokens > 6 * 1000
    assert dear.completion_tokens > 6 * 50
    assert dear.cost_usd == (
        Decimal(dear.prompt_tokens) / 1000 + Decimal(dear.completion_tokens) / 500
    )
    assert (builtin.prompt_tokens, builtin.cost_usd) == (0, 0)
    assert far.cost_usd is None
    assert plan.tokens == sum(one.prompt_tokens + one.completion_tokens for one in plan.models)


def test_fr_27_a_plan_with_an_unknown_price_has_no_cost_and_says_whose(six: Policy) -> None:
    assert plan_run(six).cost_usd is not None
    six.translators = ["litellm:unpriced", "litellm:unpriced"]
    plan = plan_run(six)
    assert (plan.cost_usd, plan.unknown_prices) == (None, ("litellm:unpriced",))


def test_a_plan_of_the_built_in_formalizer_asks_nobody_and_costs_nothing(policy: Policy) -> None:
    add_document(policy, TEXT)
    plan = plan_run(policy)
    assert (plan.spans, plan.tokens, plan.cost_usd, plan.hosts) == (6, 0, 0, ())


def test_a_plan_that_cannot_be_made_says_why(policy: Policy, settings, tmp_path: Path) -> None:
    policy.formalizer = "litellm:house"
    settings.POLICYWRIGHT_MODELS = str(tmp_path / "gone.toml")
    assert "cannot be read" in plan_run(policy).refusal
    settings.POLICYWRIGHT_MODELS = ""
    policy.formalizer, policy.translators = "", ["oracle"]
    assert plan_run(policy).refusal.startswith("`oracle` is not a formalizer")


def test_fr_27_dollars_alone_are_no_limit_where_a_price_is_unknown(six: Policy, alice) -> None:
    six.formalizer = "litellm:unpriced"
    with pytest.raises(FormalizerError) as caught:
        start_formalizing(six, alice, usd=Decimal(1))
    assert str(caught.value) == (
        "the price of `litellm:unpriced` is unknown, so USD 1.00 would never be reached; "
        "give a limit in tokens too, or the price in the models file"
    )
    assert not Job.objects.exists()
    job = start_formalizing(six, alice, usd=Decimal(1), tokens=5000)
    assert (job.settings["usd"], job.settings["tokens"]) == ("1", 5000)


@pytest.mark.parametrize("limits", [{"tokens": 0}, {"usd": Decimal(0)}, {"tokens": -5}])
def test_a_limit_of_nothing_is_refused(six: Policy, alice: User, limits) -> None:
    with pytest.raises(FormalizerError, match="a limit is above 0"):
        start_formalizing(six, alice, **limits)


def test_a_run_without_a_limit_has_the_settings_one_and_the_built_in_none(six, alice, settings):
    settings.POLICYWRIGHT_RUN_TOKENS = 777
    assert start_formalizing(six, alice).settings["tokens"] == 777
    six.formalizer = "builtin"
    assert start_formalizing(six, alice).settings["tokens"] is None


def test_a_policy_that_forbids_external_models_starts_with_none(six: Policy, alice: User) -> None:
    six.forbids_external_models = True
    six.save()
    assert plan_run(six).refusal == ""
    six.translators = ["litellm:far"]
    expected = (
        "This policy forbids external models, and `litellm:far` (openai at models.example) is "
        "one; choose another."
    )
    assert plan_run(six).refusal == expected
    with pytest.raises(FormalizerError) as caught:
        start_formalizing(six, alice)
    assert caught.value.as_sentence() == expected
    assert not Job.objects.exists()


def test_fr_27_a_spent_run_pauses_keeps_what_is_done_and_is_gone_on_with(six, alice, models):
    # 900 + 100 tokens a span: the third question ends beyond the limit.
    with llm_server(choose=leaves_all) as server:
        models(server.base_url)
        job = run(start_formalizing(six, alice, tokens=2500))
        assert job.state == JobState.PAUSED
        assert job.error == (
            "The run has used 3,000 tokens of 2,500. What is done is kept; raise the limit and "
            "resume it, or cancel it."
        )
        assert (Unit.objects.count(), len(server.requests)) == (3, 3)
        assert start_formalizing(six, alice) == job
        with pytest.raises(FormalizerError, match=r"used 3,000 tokens of 2,900"):
            resume_run(job, alice, tokens=2900)
        assert resume_run(job, alice, tokens=100_000)
        assert not resume_run(job, alice, tokens=200_000)
        run(job)
    assert job.state == JobState.DONE
    assert set(job.items.values_list("state", flat=True)) == {ItemState.DONE}
    assert (Unit.objects.count(), len(server.requests)) == (6, 6)
    assert [row.requests for row in Attempt.objects.all()] == [1] * 6
    actions = set(AuditRow.objects.values_list("action", flat=True))
    assert {"pause-job", "resume-job"} <= actions
    assert first_broken_link(six) is None


def test_a_run_pauses_at_its_dollars_too(six: Policy, alice: User, models) -> None:
    with llm_server(choose=leaves_all) as server:
        models(server.base_url)
        # 900 and 100 tokens at 1,000 and 2,000 dollars a million: USD 1.10 a span.
        job = run(start_formalizing(six, alice, usd=Decimal(2)))
    assert "has cost USD 2.20 of USD 2.00" in job.error
    used = spent(job)
    assert (used.tokens, used.requests, used.cost_usd) == (2000, 2, Decimal("2.20"))


def test_an_unknown_price_stays_unknown_in_the_sum(six: Policy, alice: User, models) -> None:
    six.formalizer = "litellm:unpriced"
    with llm_server(choose=leaves_all) as server:
        models(server.base_url)
        job = run(start_formalizing(six, alice))
    used = spent(job)
    assert (used.tokens, used.cost_usd, used.known_usd) == (6000, None, 0)
    assert used.unknown_models == ("unpriced",)
    progress = run_progress(job)
    assert progress.spent == used
    assert progress.tokens_limit == 10_000_000


def test_a_request_without_an_answer_is_counted_and_makes_no_price_unknown(six, alice, models):
    with llm_server(fails(500)) as server:
        models(server.base_url)
        job = start_formalizing(six, alice)
        Item.objects.filter(job=job, ordinal__gt=1).update(state=ItemState.CANCELLED)
        run(job)
    used = spent(job)
    assert (used.requests, used.tokens, used.cost_usd) == (len(server.requests), 0, 0)
    assert used.requests == 3


def test_what_failed_is_tried_again_within_limits_counted_from_there(six, alice, models) -> None:
    answers = iter([says(None, completion_tokens=100)] * 6)
    with llm_server(choose=lambda asked: next(answers, leaves_all(asked))) as server:
        models(server.base_url)
        job = run(start_formalizing(six, alice, tokens=6500))
        assert job.items.filter(state=ItemState.FAILED).count() == 6
        assert spent(job).tokens == 6000
        again = run(start_formalizing(six, alice, tokens=6500))
    assert again == job
    assert again.settings["tokens"] == 12_500
    assert (again.state, Unit.objects.count(), spent(job).tokens) == (JobState.DONE, 6, 12_000)


def test_a_paused_run_can_be_cancelled_and_the_rest_is_another_run(six, alice, models) -> None:
    with llm_server(choose=leaves_all) as server:
        models(server.base_url)
        job = run(start_formalizing(six, alice, tokens=1500))
        assert cancel_job(job, alice)
        assert not resume_run(job, alice, tokens=100_000)
        other = run(start_formalizing(six, alice))
    assert other != job
    assert (other.state, Unit.objects.count(), len(server.requests)) == (JobState.DONE, 6, 6)


def test_a_policy_that_forbids_it_meanwhile_pauses_the_run(six, alice, models, settings) -> None:
    settings.POLICYWRIGHT_MODELS = ""
    six.formalizer = "litellm:someone/far"
    with llm_server(choose=leaves_all) as server:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        job = start_formalizing(six, alice)
        assert job.settings["hosts"] == [f"someone at {server.base_url[7:-3]}"]
        Policy.objects.update(forbids_external_models=True)
        run(job)
        assert (job.state, server.requests) == (JobState.PAUSED, [])
        assert job.error.startswith("This policy forbids external models, and `someone/far`")
        job.policy.refresh_from_db()
        with pytest.raises(FormalizerError, match="forbids external models"):
            resume_run(job, alice)
    assert not ModelReply.objects.exists()


def test_a_connection_that_moved_is_asked_only_once_somebody_said_so(six, alice, models) -> None:
    with llm_server(choose=leaves_all) as server:
        job = start_formalizing(six, alice)
        models(server.base_url)
        run(job)
        assert (job.state, server.requests) == (JobState.PAUSED, [])
        assert "was not named when the run was started" in job.error
        assert resume_run(job, alice)
        assert job.settings["tokens"] == 10_000_000
        run(job)
    assert (job.state, len(server.requests)) == (JobState.DONE, 6)


def test_retrying_in_a_paused_run_waits_for_its_resumption(six, alice, models) -> None:
    answers = iter([fails(404)])
    with llm_server(choose=lambda asked: next(answers, leaves_all(asked))) as server:
        models(server.base_url)
        job = run(start_formalizing(six, alice, tokens=1500))
        assert retry_failed(job, alice) == 1
        assert set(job.items.values_list("state", flat=True)) == {"done", "paused"}
        assert resume_run(job, alice, tokens=100_000)
        run(job)
    assert job.state == JobState.DONE
    assert Unit.objects.count() == 6


def test_time_left_comes_from_the_pace_of_what_was_done_last(six, alice) -> None:
    job = start_formalizing(six, alice)
    assert run_progress(job).left_s is None
    now = timezone.now()
    for ordinal in (1, 2, 3):
        job.items.filter(ordinal=ordinal).update(
            state=ItemState.DONE, finished_at=now + timedelta(seconds=10 * ordinal)
        )
    progress = run_progress(job)
    assert progress.left_s == pytest.approx(30)
    assert (progress.progress.done, progress.spent.tokens) == (3, 0)


def test_an_estimate_is_above_what_a_vocabulary_counts() -> None:
    import litellm

    from translation.prompt import schema, system_prompt

    for text in (
        system_prompt(),
        str(schema()),
        "Überstunden sind zu vergüten.",
        "出張は承認が必要",
    ):
        counted = litellm.token_counter(model="gpt-4o", text=text)
        assert counted <= estimate_tokens(text) <= 3 * counted
    assert estimate_tokens("") == 0
    assert estimate_prompt([{"role": "user", "content": "abc"}]) == 9


def test_the_estimate_of_a_run_is_above_what_it_takes(six, alice, models) -> None:
    """Counted by a vocabulary, of the very prompts that were sent."""
    import litellm

    plan = plan_run(six)
    with llm_server(choose=leaves_all) as server:
        models(server.base_url)
        run(start_formalizing(six, alice))
    sent = [message["content"] for asked in server.requests for message in asked["messages"]]
    schemas = [str(asked["response_format"]) for asked in server.requests]
    counted = sum(litellm.token_counter(model="gpt-4o", text=text) for text in sent + schemas)
    assert counted < plan.models[0].prompt_tokens < 4 * counted
