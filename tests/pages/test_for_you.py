"""The page of what is for a person, its count in the header, and the end of the mail."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from policies.models import Membership, Policy, Rule, User
from vetting.assigning import assign
from vetting.digests import stop_token, wants_mail
from vetting.thread_models import About
from vetting.threads import close_thread, start_thread

Clients = Callable[[User], Client]


def page_of(client: Client, url: str = "/for-you/") -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_what_is_new_is_counted_and_seen_by_looking(
    travel: Policy, rule: Rule, alices: Client, alice: User, bob: User
) -> None:
    assert "For you</a>" in page_of(alices, "/policies/")
    start_thread(travel, bob, rule=rule, text="@Alice, net or gross?")
    assign(travel, bob, About.RULE, rule.uid, alice)
    assert "(2 new)" in page_of(alices, "/policies/")
    page = page_of(alices)
    assert "net or gross?" in page
    assert page.count('<span class="flag">new</span>') == 2
    assert rule.name in page
    assert "new)" not in page_of(alices, "/policies/")
    again = page_of(alices)
    assert "net or gross?" in again
    assert '<span class="flag">' not in again


def test_looking_at_a_card_is_looking(
    travel: Policy, rule: Rule, alices: Client, bob: User
) -> None:
    start_thread(travel, bob, rule=rule, text="@Alice, net or gross?")
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    assert '<span class="flag">new</span>' in page_of(alices, card)
    assert "new)" not in page_of(alices, "/policies/")


def test_each_kind_of_thing_is_shown_and_a_closed_thread_is_over(
    travel: Policy, rule: Rule, alices: Client, alice: User, bob: User
) -> None:
    lineage = rule.sources.get().lineage
    thread = start_thread(travel, bob, lineage=lineage, text="@Alice?").comment.thread
    for about, key in ((About.THREAD, thread.uid), (About.SENTENCE, lineage)):
        assign(travel, bob, about, key, alice)
    page = page_of(alices)
    assert "A thread</a> on a sentence: " in page
    assert "Give back or on" in page
    close_thread(travel, bob, thread)
    assert "@Alice" not in page_of(alices)


def test_a_stranger_to_a_policy_sees_nothing_of_it(
    travel: Policy, rule: Rule, alices: Client, alice: User, bob: User
) -> None:
    start_thread(travel, bob, rule=rule, text="@Alice, net or gross?")
    assign(travel, bob, About.RULE, rule.uid, alice)
    Membership.objects.filter(policy=travel, user=alice).delete()
    page = page_of(alices)
    assert "net or gross" not in page
    assert rule.name not in page
    assert "Nothing is assigned to you." in page


def test_a_page_costs_the_same_whatever_there_is(
    travel: Policy, rule: Rule, alices: Client, bob: User, django_assert_max_num_queries
) -> None:
    for number in range(30):
        start_thread(travel, bob, rule=rule, text=f"@Alice, question {number}?")
    with django_assert_max_num_queries(20):
        page = page_of(alices)
    assert page.count('class="thread"') == 20
    assert "1 to 20 of 30" in page
    assert "(10 new)" in page_of(alices, "/policies/")


# Mail


def test_one_asks_for_mail_or_for_none(alices: Client, alice: User) -> None:
    assert wants_mail(alice)
    for sent, wanted in (("never", False), ("daily", True), ("", False)):
        assert alices.post("/for-you/mail/", {"mail": sent}).status_code == 302
        assert wants_mail(alice) is wanted


def test_a_mail_program_stops_the_messages_by_one_post(alice: User) -> None:
    """Without cookies and without a token of a form, as RFC 8058 says."""
    url = reverse("mail-stop", args=[stop_token(alice)])
    program = Client(enforce_csrf_checks=True)
    assert program.post(url, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not wants_mail(alice)


def test_opening_the_link_stops_nothing_until_a_person_says_so(alice: User, bob: User) -> None:
    url = reverse("mail-stop", args=[stop_token(alice)])
    page = page_of(Client(), url)
    assert "Stop the messages?" in page
    assert alice.email not in page
    assert wants_mail(alice)
    assert "No more messages" in Client().post(url).content.decode()
    assert not wants_mail(alice)
    assert wants_mail(bob)
    assert "You get no messages" in page_of(Client(), url)


@pytest.mark.parametrize("token", ["x", "1:2:3", "MQ:1vXXXX:abc", "0" * 300])
def test_a_link_that_we_did_not_sign_leads_nowhere(token: str, db: None) -> None:
    for client in (Client(), Client(enforce_csrf_checks=True)):
        assert client.get(f"/mail/stop/{token}/").status_code == 404
        assert client.post(f"/mail/stop/{token}/").status_code == 404
