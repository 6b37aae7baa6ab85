"""Pages of threads: written from a card, a document and by itself; nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from policies.models import Policy, Rule, Sentence, User
from policies.roles import Role
from vetting.assigning import assign
from vetting.models import Comment, Thread
from vetting.thread_models import About, Assignment
from vetting.threads import answer_in, close_thread, start_thread, with_state

Clients = Callable[[User], Client]


def base(policy: Policy) -> str:
    return f"/policies/{policy.slug}/threads/"


def a_thread(travel: Policy, user: User, rule: Rule, text: str = "Net or gross?") -> Thread:
    return start_thread(travel, user, rule=rule, text=text).comment.thread


def test_a_comment_from_a_card_is_on_the_card(travel: Policy, rule: Rule, alices: Client) -> None:
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    page = alices.get(card).content.decode()
    assert f'action="{base(travel)}on/{rule.uid}/start/"' in page
    sent = {"text": "Net or gross?\n<b>Why</b> https://x.example", "next": card}
    back = alices.post(f"{base(travel)}on/{rule.uid}/start/", sent)
    assert (back.status_code, back["Location"]) == (302, card)
    page = alices.get(card).content.decode()
    assert "Your comment is kept." in page
    # Plain text with its lines; markup and links are not made.
    assert "Net or gross?<br>&lt;b&gt;Why&lt;/b&gt; https://x.example" in page


def test_a_comment_on_a_sentence_is_on_its_card_its_rules_and_the_document(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    lineage = rule.sources.get().lineage
    document = travel.documents.get()
    panel = f"/policies/{travel.slug}/documents/{document.pk}/?sentence={lineage}"
    page = alices.get(panel).content.decode()
    assert f'action="{base(travel)}on/{lineage}/start/"' in page
    back = alices.post(
        f"{base(travel)}on/{lineage}/start/", {"text": "Who says so?", "next": panel}
    )
    assert back["Location"] == panel
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    for url in (panel, card, base(travel), f"{base(travel)}on/{lineage}/"):
        assert "Who says so?" in alices.get(url).content.decode(), url


@pytest.mark.parametrize(
    ("text", "sentence"), [("  ", "Write the comment"), ("x" * 2001, "2,001 characters long")]
)
def test_fr_56_what_is_refused_is_shown_again_with_its_text(
    travel: Policy, rule: Rule, alices: Client, text: str, sentence: str
) -> None:
    thread = a_thread(travel, User.objects.get(email="bob@example.org"), rule)
    for url in (f"{base(travel)}on/{rule.uid}/start/", f"{base(travel)}{thread.uid}/say/"):
        page = alices.post(url, {"text": text})
        assert page.status_code == 422
        assert sentence in page.content.decode()
        assert text in page.content.decode()
        short = alices.post(url, {"text": text}, headers={"hx-request": "true"})
        assert (short.status_code, short["X-Problem"]) == (422, "shown")
        assert "<html" not in short.content.decode()
    assert Comment.objects.count() == 1


def test_fr_56_a_comment_whose_session_ended_is_carried_through_the_sign_in(
    travel: Policy, rule: Rule, client: Client
) -> None:
    text = "Because. " * 200
    page = client.post(f"{base(travel)}on/{rule.uid}/start/", {"text": text, "next": "/"})
    assert page.status_code == 401
    assert text.strip() in page.content.decode()


def test_fr_55_add_comment_twice_is_one_comment_and_one_answer(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    url = f"{base(travel)}on/{rule.uid}/start/"
    first, second = (alices.post(url, {"text": "Why?"}) for _ in range(2))
    assert (first.status_code, first["Location"]) == (second.status_code, second["Location"])
    assert Comment.objects.count() == 1


def test_a_form_of_htmx_moves_the_whole_page(travel: Policy, rule: Rule, alices: Client) -> None:
    url = f"{base(travel)}on/{rule.uid}/start/"
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    sent = {"text": "Why?", "next": card}
    answer = alices.post(url, sent, headers={"hx-request": "true"})
    assert (answer["HX-Redirect"], answer.content) == (card, b"")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_a_form_leads_nowhere_else(
    travel: Policy, rule: Rule, alices: Client, elsewhere: str
) -> None:
    url = f"{base(travel)}on/{rule.uid}/"
    assert alices.post(f"{url}start/", {"text": "Why?", "next": elsewhere})["Location"] == url


def test_a_thread_is_answered_closed_and_opened(
    travel: Policy, rule: Rule, alices: Client, bob: User, client_of: Clients
) -> None:
    thread = a_thread(travel, bob, rule)
    url = f"{base(travel)}{thread.uid}/"
    assert alices.post(f"{url}say/", {"text": "Gross."})["Location"] == url
    for act, closed in (("close", True), ("close", True), ("open", False), ("close", True)):
        assert alices.post(f"{url}{act}/").status_code == 302
        state = with_state(Thread.objects.all()).get()
        assert state.is_closed is closed  # type: ignore[attr-defined]
    page = client_of(bob).get(url).content.decode()
    assert "Alice closed it on" in page
    assert "A closed thread" in page
    assert "Gross." not in client_of(bob).get(base(travel)).content.decode()
    assert "Gross." in client_of(bob).get(f"{base(travel)}?show=closed").content.decode()
    client_of(bob).post(f"{url}say/", {"text": "Not so fast."})
    assert "A closed thread" not in client_of(bob).get(url).content.decode()


def test_a_named_person_is_shown_by_name_and_a_stranger_stays_text(
    travel: Policy, rule: Rule, alices: Client, bob: User
) -> None:
    url = f"{base(travel)}on/{rule.uid}/"
    sent = {"text": "@bob@example.org or @Nobody?"}
    page = alices.post(f"{url}start/", sent, follow=True).content.decode()
    assert "Bob will see it." in page
    assert "Nobody here is called ‘@Nobody’; it stays as text." in page
    assert '<strong class="named">@Bob</strong> or @Nobody?' in page
    User.objects.filter(pk=bob.pk).update(name="Robert")
    assert '<strong class="named">@Robert</strong>' in alices.get(url).content.decode()


@pytest.mark.parametrize("role", Role)
def test_whoever_may_see_a_policy_may_comment_and_only_who_decides_assigns(
    travel: Policy, rule: Rule, bob: User, alice: User, client_of: Clients, role: Role
) -> None:
    travel.memberships.filter(user=bob).update(role=role)
    client = client_of(bob)
    url = f"{base(travel)}on/{rule.uid}/"
    assert client.post(f"{url}start/", {"text": "Why?"}).status_code == 302
    answer = client.post(f"{url}give/", {"to": alice.pk})
    decides = role in (Role.OWNER, Role.REVIEWER)
    assert answer.status_code == (302 if decides else 403)
    assert Assignment.objects.exists() is decides


def test_whoever_was_given_something_gives_it_back(
    travel: Policy, rule: Rule, bob: User, alices: Client, client_of: Clients
) -> None:
    travel.memberships.filter(user=bob).update(role=Role.VIEWER)
    url = f"{base(travel)}on/{rule.uid}/"
    alices.post(f"{url}give/", {"to": bob.pk})
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    assert "Assigned to <strong>Bob</strong>" in alices.get(card).content.decode()
    assert "Give it back" in client_of(bob).get(url).content.decode()
    assert client_of(bob).post(f"{url}give/", {"to": ""}).status_code == 302
    assert "Assigned to <strong>" not in alices.get(card).content.decode()


@pytest.mark.parametrize("to", ["999999", "x", "-1", "9" * 40])
def test_nobody_else_is_given_anything(
    travel: Policy, rule: Rule, alices: Client, charlie: User, to: str
) -> None:
    for wanted in (to, str(charlie.pk)):
        page = alices.post(f"{base(travel)}on/{rule.uid}/give/", {"to": wanted})
        assert page.status_code == 422
        assert "Choose somebody who is a member of this policy." in page.content.decode()
    assert not Assignment.objects.exists()


def test_a_rule_in_the_history_keeps_its_threads(
    travel: Policy, rule: Rule, alices: Client, bob: User
) -> None:
    thread = a_thread(travel, bob, rule)
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    alices.post(f"{card}reject/", {"reason": "Wrong.", "shown": rule.content_hash})
    rule.refresh_from_db()
    assert rule.retired_at is not None
    for url in (base(travel), f"{base(travel)}on/{rule.uid}/", f"{base(travel)}{thread.uid}/"):
        page = alices.get(url).content.decode()
        assert "Net or gross?" in page
        assert "(in the history)" in page


def test_fr_50_threads_of_another_policy_are_not_there(
    travel: Policy, policy: Policy, rule: Rule, alice: User, alices: Client
) -> None:
    thread = a_thread(travel, alice, rule)
    lineage = Sentence.objects.filter(revision__document__policy=travel)[0].lineage
    for key in (rule.uid, lineage, "0" * 32, "x", "a\x00b"):
        on = f"{base(policy)}on/{key}/"
        assert alices.get(on).status_code == 404
        for act in ("start", "give"):
            assert alices.post(f"{on}{act}/", {"text": "x", "to": alice.pk}).status_code == 404
    one = f"{base(policy)}{thread.uid}/"
    assert alices.get(one).status_code == 404
    for act in ("say", "close", "open", "give"):
        assert alices.post(f"{one}{act}/", {"text": "x", "to": alice.pk}).status_code == 404
    assert "Net or gross?" not in alices.get(base(policy)).content.decode()
    assert Comment.objects.count() == 1
    assert not Assignment.objects.exists()


def test_a_list_costs_the_same_whatever_its_length(
    travel: Policy, rule: Rule, alices: Client, bob: User, django_assert_max_num_queries
) -> None:
    for number in range(30):
        a_thread(travel, bob, rule, f"Question {number}")
    alices.get(base(travel))
    with django_assert_max_num_queries(20):
        page = alices.get(base(travel)).content.decode()
    assert page.count('class="thread"') == 20
    assert "1 to 20 of 30" in page


def test_a_long_thread_comes_in_pages(
    travel: Policy, rule: Rule, alices: Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vetting.views.threads.MOST_COMMENTS", 3)
    thread = a_thread(travel, bob, rule, "number 0")
    for number in range(1, 5):
        answer_in(travel, bob, thread, text=f"number {number}")
    url = f"{base(travel)}{thread.uid}/"
    page = alices.get(url).content.decode()
    assert [f"number {n}" in page for n in range(5)] == [False, False, True, True, True]
    earlier = page.split("?before=")[1].split('"')[0]
    page = alices.get(f"{url}?before={earlier}").content.decode()
    assert [f"number {n}" in page for n in range(5)] == [True, True, False, False, False]
    assert "The latest comments" in page
    for nonsense in ("0", "x", "-1", "9" * 40):
        assert alices.get(f"{url}?before={nonsense}").status_code == 200


def test_the_front_page_says_what_is_open_and_whose(
    travel: Policy, rule: Rule, alices: Client, alice: User, bob: User
) -> None:
    front = f"/policies/{travel.slug}/"
    assert "No thread is open" in alices.get(front).content.decode()
    thread = a_thread(travel, bob, rule)
    assign(travel, bob, About.RULE, rule.uid, alice)
    assign(travel, bob, About.THREAD, thread.uid, alice)
    page = alices.get(front).content.decode()
    assert "1 open thread</a>" in page
    assert f'<a href="{front}review/list/?assigned=me">1 card</a>' in page
    assert f'<a href="{front}threads/?show=mine">1 thread</a>' in page
    assert rule.name in alices.get(f"{front}review/list/?assigned=me").content.decode()
    close_thread(travel, alice, thread)
    page = alices.get(front).content.decode()
    assert "No thread is open" in page
    assert "show=mine" not in page


def test_an_archived_policy_takes_no_comment(
    travel: Policy, rule: Rule, alices: Client, bob: User
) -> None:
    thread = a_thread(travel, bob, rule)
    Policy.objects.filter(pk=travel.pk).update(archived_at=timezone.now())
    url = f"{base(travel)}{thread.uid}/"
    page = alices.get(url).content.decode()
    assert "Net or gross?" in page
    assert "<textarea" not in page
    assert alices.post(f"{url}say/", {"text": "Gross."}).status_code == 403
    assert Comment.objects.count() == 1
