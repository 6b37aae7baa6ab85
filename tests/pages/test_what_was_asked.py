"""The pages of what models were asked: hostile text stays text, and strangers see nothing."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from policies.models import Item, Job, Policy, Sentence, Span, Statement, Unit, User
from policies.roles import Role
from translation.models import Attempt, ModelReply, Purpose

HOSTILE = '</code></pre><script>alert(1)</script> {"statements": "\u202eevil"}'
WORDS = "EUR 1,000"


@pytest.fixture
def job(travel: Policy) -> Job:
    return Job.objects.filter(policy=travel, kind="formalize").latest("pk")


@pytest.fixture
def item(job: Job) -> Item:
    """The part of the run in which the sentence about EUR 1,000 stands."""
    sentence = Sentence.objects.get(text__contains=WORDS)
    span = Span.objects.get(
        revision=sentence.revision, start__lte=sentence.start, end__gte=sentence.end
    )
    return job.items.get(payload__span=span.pk)


def keep(item: Item, text: str, **parts: Any) -> Attempt:
    """One attempt of an item, with what was asked and answered."""
    messages = [
        {"role": "system", "content": "You turn sentences into rules."},
        {"role": "user", "content": parts.pop("asked", "A sentence <b>of ours</b>.")},
    ]
    policy = item.job.policy
    reply = ModelReply.objects.create(
        policy=policy,
        key=f"{ModelReply.objects.count():064}",
        model="openai/hand-written",
        messages=messages,
        text=text,
        left_out=parts.pop("left_out", []),
    )
    return Attempt.objects.create(
        policy=policy,
        job=item.job,
        item=item,
        purpose=parts.pop("purpose", Purpose.DRAFT),
        model="openai/hand-written",
        place="127.0.0.1:9",
        reply=reply,
        **{"requests": 1, "prompt_tokens": 1234, "completion_tokens": 56, **parts},
    )


def fail(item: Item, kind: str, error: str) -> Attempt:
    return Attempt.objects.create(
        policy=item.job.policy,
        job=item.job,
        item=item,
        purpose=Purpose.DRAFT,
        model="openai/hand-written",
        requests=3,
        error_kind=kind,
        error=error,
    )


def test_a_run_lists_each_attempt_with_what_it_took(
    travel: Policy, item: Item, alices: Client
) -> None:
    keep(item, "{}", cost_usd=Decimal("0.0123"), seconds=2.04)
    keep(item, "{}", was_kept=True)
    keep(item, "{}")
    fail(item, "LlmKeyError", "The key for `openai/hand-written` is missing or refused; check it.")
    page = alices.get(f"/policies/{travel.slug}/jobs/{item.job.uid}/asked/").content.decode()
    assert "USD 0.0123" in page
    assert "price unknown" in page
    assert "answer kept from before" in page
    assert "<code>openai/hand-written</code> is missing or refused" in page
    assert "1,234" in page
    assert page.count("Travel policy › ") >= 4
    assert "127.0.0.1:9" in page


def test_one_attempt_shows_each_message_and_the_reply_as_text(
    travel: Policy, item: Item, alices: Client
) -> None:
    asked = keep(item, HOSTILE, left_out=["response_format"])
    page = alices.get(f"/policies/{travel.slug}/asked/{asked.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\u202e" not in page
    assert "right-to-left override" in page
    assert "A sentence &lt;b&gt;of ours&lt;/b&gt;." in page
    assert "so the shape of the answer was asked for in words" in page


def test_a_long_reply_is_cut_until_one_asks_for_all(
    travel: Policy, item: Item, alices: Client
) -> None:
    address = f"/policies/{travel.slug}/asked/{keep(item, 'a' * 20_000 + 'end').pk}/"
    page = alices.get(address).content.decode()
    assert "end</code>" not in page
    assert "14,003 more characters" in page
    whole = alices.get(f"{address}?show=all").content.decode()
    assert "end</code>" in whole
    assert "more characters" not in whole


def test_what_was_wrong_stands_beside_the_reply(travel: Policy, item: Item, alices: Client) -> None:
    wrong = {
        "sentence": 1,
        "piece": "rule",
        "name": "x",
        "smtlib": "(< <y> 1)",
        "problem": "no `y`",
        "is_question": False,
    }
    log = [
        {"reply": "so", "problems": ["no JSON"], "wrong": []},
        {
            "reply": "{one}",
            "stripped": "Sure!",
            "problems": ["rule `x`: no `y`"],
            "wrong": [wrong],
        },
        {"reply": "{two}", "problems": [], "wrong": []},
    ]
    unit = Unit.objects.create(
        policy=travel, span_id=item.payload["span"], formalizer="litellm:openai/n", log=log
    )
    sentence = Sentence.objects.get(text__contains=WORDS)
    Statement.objects.create(unit=unit, sentence=sentence, state="failed", reason="rule x: no y")
    unread, first = keep(item, "so"), keep(item, "{one}", purpose=Purpose.REPAIR)
    second = keep(item, "{two}", purpose=Purpose.REPAIR)
    page = alices.get(f"/policies/{travel.slug}/asked/{first.pk}/").content.decode()
    assert "What was wrong with the answer" in page
    assert "rule <code>x</code>: no <code>y</code>" in page
    assert "Around the JSON stood: Sure!" in page
    page = alices.get(f"/policies/{travel.slug}/asked/{second.pk}/").content.decode()
    assert "What was wrong with the answer" not in page
    page = alices.get(f"/policies/{travel.slug}/sentences/{sentence.lineage}/tried/")
    said = page.content.decode()
    section = said.partition("<section")[2].partition("</section>")[0]
    assert "<h3>Rule <code>x</code></h3>" in section
    assert '<li value="2"><code>(&lt; &lt;y&gt; 1)</code><br>no <code>y</code>' in section
    assert "Round 1: nothing of the answer could be read. No JSON." in section
    assert f"/asked/{unread.pk}/" in section
    assert f"/asked/{first.pk}/" in section
    assert f"/asked/{second.pk}/" in said


def test_the_card_of_a_sentence_leads_to_what_was_tried(
    travel: Policy, item: Item, bob: User, client_of: Callable[[User], Client]
) -> None:
    sentence = Sentence.objects.get(text__contains="reasonable")
    card = f"/policies/{travel.slug}/review/{sentence.lineage}/"
    own = Span.objects.get(
        revision=sentence.revision, start__lte=sentence.start, end__gte=sentence.end
    )
    assert "What was tried" not in client_of(bob).get(card).content.decode()
    keep(item.job.items.get(payload__span=own.pk), "{}")
    assert "What was tried" in client_of(bob).get(card).content.decode()
    travel.memberships.filter(user=bob).update(role=Role.VIEWER)
    assert "What was tried" not in client_of(bob).get(card).content.decode()


def test_members_without_that_right_and_strangers_read_no_prompt(
    travel: Policy, item: Item, bob: User, charlie: User, client_of: Callable[[User], Client]
) -> None:
    asked = keep(item, "a reply of the model")
    sentence = Sentence.objects.get(text__contains=WORDS)
    base = f"/policies/{travel.slug}/"
    pages = [
        f"{base}jobs/{item.job.uid}/asked/",
        f"{base}asked/{asked.pk}/",
        f"{base}sentences/{sentence.lineage}/tried/",
    ]
    for page in pages:
        assert client_of(bob).get(page).status_code == 200
        assert client_of(charlie).get(page).status_code == 404
    for role in (Role.LEGAL, Role.ENGINEER, Role.VIEWER):
        travel.memberships.filter(user=bob).update(role=role)
        for page in pages:
            assert client_of(bob).get(page).status_code == 403


def test_fr_50_an_attempt_of_another_policy_is_not_there(
    travel: Policy, policy: Policy, item: Item, alices: Client
) -> None:
    asked = keep(item, "a reply of the model")
    assert alices.get(f"/policies/{travel.slug}/asked/{asked.pk}/").status_code == 200
    for address in (
        f"/policies/{policy.slug}/asked/{asked.pk}/",
        f"/policies/{travel.slug}/asked/{asked.pk + 1}/",
        f"/policies/{travel.slug}/asked/{'9' * 30}/",
        f"/policies/{policy.slug}/jobs/{item.job.uid}/asked/",
        f"/policies/{travel.slug}/sentences/nothing/tried/",
        f"/policies/{travel.slug}/sentences/a%00b/tried/",
    ):
        assert alices.get(address).status_code == 404


def test_a_run_without_models_says_so(travel: Policy, job: Job, alices: Client) -> None:
    page = alices.get(f"/policies/{travel.slug}/jobs/{job.uid}/asked/").content.decode()
    assert "No model was asked" in page


def test_a_long_list_comes_in_parts(travel: Policy, item: Item, alices: Client) -> None:
    for _ in range(130):
        fail(item, "LlmServerError", "The server failed.")
    address = f"/policies/{travel.slug}/jobs/{item.job.uid}/asked/"
    page = alices.get(address).content.decode()
    assert "1 to 100 of 130" in page
    assert "?after=100" in page
    page = alices.get(f"{address}?after=100").content.decode()
    assert "101 to 130 of 130" in page
    assert "?after=0" in page
