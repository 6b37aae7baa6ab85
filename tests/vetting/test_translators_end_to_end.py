"""From translators that differ, over HTTP, to an owner's answer; every reply is hand-written."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from policies.composing import compose
from policies.models import Policy, Rule, User
from tests.translation.conftest import add_document
from tests.translation.replies import reply, rule, statement
from tests.translation.test_translations_kept import (
    ALIKE,
    DRAFT,
    DRAFTED,
    SERVICE,
    STRICTER,
    VARIABLES,
    run,
    translated,
)
from translation.ensemble.agreement import agreement_of
from translation.models import Question
from vetting.answering import answer_question
from vetting.models import Scenario
from vetting.questions import open_questions, question_states

pytestmark = pytest.mark.django_db(transaction=True)


def answer(policy: Policy, user: User, reading: int) -> None:
    (now,) = question_states(policy, compose(policy))
    answer_question(policy, user, now.question, reading, shown_hash=now.shown_hash)


def test_the_chosen_reading_becomes_the_rule_and_the_case_a_scenario(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(ALIKE), b=translated(STRICTER))
    (asked,) = open_questions(policy, compose(policy))
    assert [reading.is_present for reading in asked.readings] == [True, False]
    answer(policy, alice, 1)
    row = Rule.objects.get()
    assert row.term == Question.objects.get().readings[1]["term"]
    scenario = Scenario.objects.get()
    assert (scenario.expected, sorted(scenario.facts.values())) == ("INVALID", ["6", "true"])
    assert open_questions(policy, compose(policy)) == []
    assert agreement_of(row) is None
    answer(policy, alice, 0)
    row.refresh_from_db()
    found = agreement_of(row)
    assert found is not None
    assert (found.same, found.count) == (2, 3)


def test_a_reading_in_the_place_of_two_rules_takes_both_and_gives_them_back(
    policy: Policy, alice: User, settings: Any
) -> None:
    two = [rule("one", "(=> isAbroad (not tripApproved))"), rule("two", DRAFT)]
    add_document(policy, SERVICE)
    drafted = reply(statement(1, SERVICE, variables=VARIABLES, rules=two))
    run(policy, alice, settings, drafted, a=translated("(=> (> serviceMonths 6) tripApproved)"))
    answer(policy, alice, 1)
    assert [one.name for one in Rule.objects.filter(retired_at=None)] == ["one"]
    answer(policy, alice, 0)
    assert [one.name for one in Rule.objects.filter(retired_at=None)] == ["one", "two"]


def test_the_card_says_the_case_both_readings_and_the_agreement(
    client: Client, policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(ALIKE), b=translated(STRICTER))
    client.force_login(alice)
    page = client.get(reverse("review", args=[policy.slug]), follow=True).content.decode()
    assert "is exactly 6 months, and all else is in order: is the trip approved?" in page
    assert "2 of 3 translations agree" in page
    assert "1 of 3 translations reads it so" in page
