"""Before a run, and the page of one: who is sent what, what it may take, what failed and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from policies.document_store import add_revision
from policies.models import Document, Item, Job, Policy, Sentence, Unit, User
from policies.models.jobs import ItemState, JobState
from policies.roles import Role
from tests.pages.test_what_was_asked import keep
from translation.failures import TITLES
from translation.jobs import start_formalizing
from translation.llm_errors import LlmError
from translation.models import Translation
from translation.runs import plan_run
from translation.views.starting import shown_plan

Clients = Callable[[User], Client]

MODELS = """
[house]
model = "openai/llama"
api_base = "http://10.1.2.3:8000/v1"

[far]
model = "openai/gpt-4o"
input_usd_per_million = 2.5
output_usd_per_million = 10
"""


@pytest.fixture(autouse=True)
def _models_file(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "models.toml"
    path.write_text(MODELS, encoding="utf-8")
    settings.POLICYWRIGHT_MODELS = str(path)
    settings.POLICYWRIGHT_FORMALIZER = "builtin"
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key-of-anybody")


@pytest.fixture
def priced(travel: Policy) -> Policy:
    return choose(travel, "litellm:far")


@pytest.fixture
def unpriced(travel: Policy) -> Policy:
    return choose(travel, "litellm:house")


def choose(policy: Policy, formalizer: str, *translators: str, forbids: bool = False) -> Policy:
    policy.formalizer, policy.translators = formalizer, list(translators)
    policy.forbids_external_models = forbids
    policy.save()
    return policy


def before(policy: Policy) -> str:
    return f"/policies/{policy.slug}/formalize/"


def shown(page: str) -> str:
    found = re.search(r'name="shown" value="([0-9a-f]{64})"', page)
    assert found
    return found[1]


def start(client: Client, policy: Policy, **budget: str) -> Any:
    page = client.get(before(policy)).content.decode()
    return client.post(f"{before(policy)}start/", {"shown": shown(page), **budget})


def send_anyway(client: Client, policy: Policy) -> Any:
    """What a page that was opened before the refusal would send."""
    sent = {"shown": shown_plan(plan_run(policy)), "tokens": "1000"}
    return client.post(f"{before(policy)}start/", sent)


def runs() -> Any:
    return Job.objects.filter(kind="formalize").exclude(settings__formalizer="builtin")


def test_who_is_sent_what_is_named_before_anything_leaves(priced: Policy, alices: Client) -> None:
    choose(priced, "litellm:far", "litellm:house", "builtin")
    page = alices.get(before(priced)).content.decode()
    plain = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert "sentences is sent to openai at api.openai.com, outside of your own hosts." in plain
    assert "sent to openai at 10.1.2.3:8000, one of your own hosts." in plain
    assert "on this server. It sends nothing." in plain
    assert "price unknown" in plain
    assert "Nothing is sent before you start." in plain
    assert not runs().exists()


def test_the_button_leads_to_that_page_only_where_a_model_is_asked(
    travel: Policy, alices: Client
) -> None:
    assert "/jobs/" in alices.post(before(travel))["Location"]
    choose(travel, "litellm:house")
    assert alices.post(before(travel))["Location"] == before(travel)
    assert not runs().exists()


def test_fr_27_a_price_that_is_unknown_asks_for_a_limit_in_tokens(
    unpriced: Policy, alices: Client
) -> None:
    response = start(alices, unpriced, usd="1")
    page = response.content.decode()
    assert response.status_code == 422
    assert "The price of a model is unknown, so say how many tokens the run may take." in page
    assert 'value="1"' in page
    assert not runs().exists()
    response = start(alices, unpriced, tokens="200,000", usd="1")
    job = runs().get()
    assert response["Location"].endswith(f"/jobs/{job.uid}/")
    assert (job.settings["tokens"], job.settings["usd"]) == (200_000, "1")


def test_with_known_prices_no_limit_is_asked_for_and_an_estimate_is_given(
    priced: Policy, alices: Client
) -> None:
    page = alices.get(before(priced)).content.decode()
    assert "USD " in page
    assert "is unknown. The limit" not in page
    assert start(alices, priced, tokens="", usd="2.50").status_code == 302
    assert runs().get().settings["usd"] == "2.50"


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({"tokens": "many"}, "Write a whole number of tokens"),
        ({"tokens": "0"}, "Write a number from 1"),
        ({"tokens": "9" * 13}, "Write a whole number of tokens"),
        ({"usd": "-1"}, "Write an amount of dollars"),
        ({"usd": "0.00"}, "above 0"),
        ({"usd": "1.2.3"}, "Write an amount of dollars"),
        ({"usd": "٣"}, "Write an amount of dollars"),
    ],
)
def test_a_limit_that_cannot_be_read_is_one_sentence_and_stays(
    priced: Policy, alices: Client, budget: dict[str, str], sentence: str
) -> None:
    response = start(alices, priced, **budget)
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count('<ul class="errorlist"') == 1
    assert sentence in page
    assert all(f'value="{typed}"' in page for typed in budget.values())
    assert not runs().exists()


def test_a_policy_that_forbids_external_models_sends_nothing(
    priced: Policy, alices: Client
) -> None:
    choose(priced, "litellm:far", forbids=True)
    page = alices.get(before(priced)).content.decode()
    assert "forbids external models" in page
    assert "would be sent to" in page
    assert "Start</button>" not in page
    assert send_anyway(alices, priced).status_code == 422
    assert not runs().exists()


def test_a_missing_key_is_said_before_the_run(
    priced: Policy, alices: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    page = alices.get(before(priced)).content.decode()
    assert "OPENAI_API_KEY" in page
    assert send_anyway(alices, priced).status_code == 422
    assert not runs().exists()


def test_where_others_would_be_asked_by_now_nothing_starts(priced: Policy, alices: Client) -> None:
    seen = shown(alices.get(before(priced)).content.decode())
    choose(priced, "litellm:house")
    response = alices.post(f"{before(priced)}start/", {"shown": seen, "tokens": "5,000"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "changed after you opened the page" in page
    assert "openai at 10.1.2.3:8000" in page
    assert 'value="5,000"' in page
    assert not runs().exists()


def test_a_text_that_changed_since_is_not_sent_unread(
    priced: Policy, alice: User, alices: Client
) -> None:
    seen, before_it = shown(alices.get(before(priced)).content.decode()), plan_run(priced)
    document = Document.objects.get(policy=priced)
    text = bytes(document.revisions.get().blob.content).replace(b"1,000", b"1,500")
    add_revision(document, alice, data=text, filename="travel.md")
    assert plan_run(priced).sentences == before_it.sentences
    response = alices.post(f"{before(priced)}start/", {"shown": seen, "tokens": "5,000"})
    assert response.status_code == 409
    assert "what is sent, changed after you opened the page" in response.content.decode()
    assert not runs().exists()


def test_fr_55_two_clicks_start_one_run(priced: Policy, alices: Client) -> None:
    seen = shown(alices.get(before(priced)).content.decode())
    sent = {"shown": seen, "tokens": "5000"}
    places = {alices.post(f"{before(priced)}start/", sent)["Location"] for _ in range(2)}
    assert len(places) == runs().count() == 1


def test_owners_and_reviewers_start_a_run_and_strangers_see_none(
    priced: Policy, bob: User, charlie: User, client_of: Clients
) -> None:
    assert client_of(bob).get(before(priced)).status_code == 200
    priced.memberships.filter(user=bob).update(role=Role.ENGINEER)
    for person, status in ((bob, 403), (charlie, 404)):
        client = client_of(person)
        assert client.get(before(priced)).status_code == status
        assert client.post(f"{before(priced)}start/", {"tokens": "5"}).status_code == status


def test_a_run_that_goes_on_or_is_paused_is_shown_and_no_other_begins(
    run: Job, alices: Client
) -> None:
    for _ in range(2):
        assert alices.get(before(run.policy))["Location"] == address(run)
        assert alices.post(before(run.policy))["Location"] == address(run)
        pause(run)
    page = alices.get(f"/policies/{run.policy.slug}/documents/", follow=True).content.decode()
    assert "is under way" in page
    alices.post(f"{address(run)}cancel/")
    assert alices.get(before(run.policy)).status_code == 200


@pytest.fixture
def run(unpriced: Policy, alice: User) -> Job:
    return start_formalizing(unpriced, alice, tokens=5_000, usd=None)


def address(run: Job) -> str:
    return f"/policies/{run.policy.slug}/jobs/{run.uid}/"


def pause(run: Job) -> None:
    item = run.items.first()
    assert item
    keep(item, "{}", prompt_tokens=4_000, completion_tokens=1_500)
    run.items.update(state=ItemState.PAUSED)
    Job.objects.filter(pk=run.pk).update(
        state=JobState.PAUSED, error="The run has used 5,500 tokens of 5,000."
    )


def test_a_paused_run_says_why_and_goes_on_under_higher_limits(run: Job, alices: Client) -> None:
    pause(run)
    page = alices.get(address(run)).content.decode()
    assert "Paused: 0 of" in page
    assert "The run has used 5,500 tokens of 5,000." in page
    assert "5,500 of at most 5,000" in page
    assert "price unknown for" in page
    assert "hx-trigger" not in page
    low = alices.post(f"{address(run)}resume/", {"tokens": "5,400"})
    assert low.status_code == 422
    assert "5,500 tokens are spent already; allow more than that." in low.content.decode()
    assert alices.post(f"{address(run)}resume/", {"tokens": "20,000"}).status_code == 302
    run.refresh_from_db()
    assert (run.state, run.settings["tokens"]) == (JobState.OPEN, 20_000)
    assert not run.items.filter(state=ItemState.PAUSED).exists()
    again = alices.post(f"{address(run)}resume/", {"tokens": "30,000"}, follow=True)
    assert "not paused any more" in again.content.decode()
    run.refresh_from_db()
    assert run.settings["tokens"] == 20_000


def test_what_is_polled_holds_nothing_that_takes_the_focus(run: Job, alices: Client) -> None:
    whole = alices.get(address(run)).content.decode()
    polled = re.search(r'hx-get="([^"]+)"', whole)
    assert polled
    htmx = {"hx-request": "true"}
    part = alices.get(polled[1], headers=htmx).content.decode()
    assert 'id="progress"' in part
    assert not re.search(r"<(a|button|form|input|summary|details)\b", part)
    fail(run.items.all()[0], "The key is refused.", "LlmKeyError")
    part = alices.get(polled[1], headers=htmx).content.decode()
    assert 'id="outcome" hx-swap-oob="true"' in part
    assert "The key is missing or refused" in part
    pause(run)
    last = alices.get(polled[1], headers=htmx)
    assert last.status_code == 286
    assert "Raise the limits" in last.content.decode()


def fail(item: Item, error: str, kind: str) -> None:
    item.state, item.error, item.error_kind = ItemState.FAILED, error, kind
    item.save()


def test_failures_are_told_apart_and_name_their_sections(run: Job, alices: Client) -> None:
    first, second, third = run.items.all()[:3]
    fail(first, "There is no model `m`; check its name.", "LlmUnknownModelError")
    fail(second, "The key for `m` is missing or refused; check it.", "LlmKeyError")
    fail(third, "There is no model `m`; check its name.", "LlmUnknownModelError")
    page = alices.get(address(run)).content.decode()
    assert page.count("There is no model <code>m</code>") == 1
    assert page.count("<h3>No such model</h3>") == 1
    assert page.count("<h3>The key is missing or refused</h3>") == 1
    assert page.count("Travel policy › ") == 3
    assert "Part 1" not in page


def test_a_translator_that_failed_is_said_with_its_reason(run: Job, alices: Client) -> None:
    run.settings["translators"] = ["litellm:far"]
    run.save()
    item = run.items.first()
    assert item
    run.items.filter(pk=item.pk).update(state=ItemState.DONE)
    unit = Unit.objects.create(
        policy=run.policy, span_id=item.payload["span"], formalizer=run.settings["formalizer"]
    )
    for sentence in Sentence.objects.all()[:2]:
        Translation.objects.create(
            unit=unit,
            sentence=sentence,
            translator="litellm:far",
            state="failed",
            comparison="none",
            reason="The key for `far` is missing or refused; check it.",
        )
    page = alices.get(address(run)).content.decode()
    assert "<h3>far (openai/gpt-4o): 2 sentences</h3>" in page
    assert page.count("The key for <code>far</code> is missing or refused") == 1


def test_each_error_of_a_model_has_a_title_of_its_own() -> None:
    def all_below(kind: type) -> Iterator[str]:
        for one in kind.__subclasses__():
            yield one.__name__
            yield from all_below(one)

    assert sorted(all_below(LlmError)) == sorted(TITLES)
    assert len(set(TITLES.values())) == len(TITLES)


def test_a_viewer_reads_the_progress_and_is_offered_nothing(
    run: Job, bob: User, client_of: Clients
) -> None:
    run.policy.memberships.filter(user=bob).update(role=Role.VIEWER)
    pause(run)
    page = client_of(bob).get(address(run)).content.decode()
    assert "5,500 of at most 5,000" in page
    for act in ("resume/", "cancel/", "retry/", "asked/"):
        assert f"{address(run)}{act}" not in page
    assert client_of(bob).post(f"{address(run)}resume/", {"tokens": "9999"}).status_code == 403


def test_while_a_run_goes_on_no_other_is_tried_again_or_started(run: Job, alices: Client) -> None:
    seen = shown_plan(plan_run(run.policy))
    before_it = Job.objects.get(kind="formalize", settings__formalizer="builtin")
    before_it.items.update(state=ItemState.FAILED)
    assert alices.post(f"{address(before_it)}retry/")["Location"] == address(run)
    started = alices.post(f"{before(run.policy)}start/", {"shown": seen, "tokens": "5000"})
    assert started["Location"] == address(run)
    opened = Job.objects.filter(kind="formalize", state=JobState.OPEN)
    assert opened.get() == run
    alices.post(f"{address(run)}cancel/")
    alices.post(f"{address(before_it)}retry/")
    assert opened.get() == before_it


def test_a_page_of_many_failures_asks_for_no_row_by_itself(
    run: Job, alices: Client, django_assert_max_num_queries
) -> None:
    item = run.items.first()
    assert item
    rows = [
        Item(job=run, key=f"more-{number}", ordinal=100 + number, payload=item.payload)
        for number in range(100)
    ]
    Item.objects.bulk_create(rows)
    run.items.update(state=ItemState.FAILED, error="No server answers.")
    with django_assert_max_num_queries(60):
        alices.get(address(run))


def test_what_a_server_wrote_turns_no_line_round(run: Job, alices: Client) -> None:
    item = run.items.first()
    assert item
    fail(item, "The model answered `\u202egood`, which is no JSON.", "LlmBadAnswerError")
    page = alices.get(address(run)).content.decode()
    assert "\u202e" not in page
    assert "right-to-left override" in page
