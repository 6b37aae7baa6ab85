"""All rules by section, to read and to print."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from policies.composing import compose
from policies.models import Policy, Rule, User
from vetting.decisions import english_of
from vetting.views import rule_list


def test_every_rule_is_listed_as_it_reads(travel: Policy, alices: Client) -> None:
    page = alices.get(f"/policies/{travel.slug}/rules/").content.decode()
    composition = compose(travel)
    for rule in Rule.objects.filter(policy=travel, retired_at=None):
        assert f"/review/{rule.uid}/" in page
        assert english_of(rule, composition).replace("'", "&#x27;") in page
    assert "EUR 1,000" in page
    assert page.count("<article") == len(composition.hashes)


def test_who_approved_is_said_until_it_is_taken_back(
    travel: Policy, rule: Rule, alice: User, alices: Client
) -> None:
    card = f"/policies/{travel.slug}/review/{rule.uid}/"
    address = f"/policies/{travel.slug}/rules/"
    assert f"by {alice}, " not in alices.get(address).content.decode()
    alices.get(card)
    shown = {"shown": compose(travel).hashes[rule.uid]}
    alices.post(f"{card}approve/", shown)
    assert alices.get(address).content.decode().count(f"by {alice}, ") == 1
    alices.post(f"{card}withdraw/", shown)
    assert f"by {alice}, " not in alices.get(address).content.decode()


def test_a_print_is_bounded_and_the_screen_is_paged(
    travel: Policy, alices: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_list, "A_PAGE", 2)
    monkeypatch.setattr(rule_list, "A_PRINT", 4)
    address = f"/policies/{travel.slug}/rules/"
    named = re.compile(r'<h3><a href="[^"]*/review/([0-9a-f]{32})/')
    every = {rule.uid for rule in Rule.objects.filter(policy=travel, retired_at=None)}
    on_screen = [
        named.findall(alices.get(f"{address}?page={n}").content.decode()) for n in (1, 2, 3)
    ]
    assert [len(one) for one in on_screen] == [2, 2, 2]
    printed = [
        named.findall(alices.get(f"{address}?print=yes&page={n}").content.decode()) for n in (1, 2)
    ]
    assert [len(one) for one in printed] == [4, 2]
    assert set().union(*on_screen) == set().union(*printed) == every
    for hostile in ("?page=nine", "?page=-1", "?page=99999999999999999999", "?print=<img>"):
        assert alices.get(f"{address}{hostile}").status_code == 200


def test_the_queries_do_not_grow_with_the_rules(
    travel: Policy, alices: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for size in (1, 6):
        monkeypatch.setattr(rule_list, "A_PAGE", size)
        with CaptureQueriesContext(connection) as found:
            alices.get(f"/policies/{travel.slug}/rules/")
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_a_policy_without_rules_says_what_comes_first(policy: Policy, alices: Client) -> None:
    page = alices.get(f"/policies/{policy.slug}/rules/").content.decode()
    assert "This policy has no rule yet." in page
