"""A rule that leaves the draft takes the answers about it along: that is told before it is done."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from policies.models import Membership, Rule, User
from policies.roles import Role
from tests.vetting.conftest import COST, SERVICE_RULE, Draft, draft_rule
from translation.models import Question
from vetting.declarations import NewVariable, declare_variable
from vetting.foreseeing import foresee
from vetting.lint import made_of
from vetting.lint_fixes import plan_fix, show_fix
from vetting.queue import build_queue
from vetting.scenarios import scenarios_in_force

pytestmark = pytest.mark.django_db

LEAVES = "its rule leaves the draft"


def with_twin(draft: Draft, smtlib: str) -> Rule:
    """The rule about service is asked about and answered; a twin asks the same, unanswered."""
    draft.answer_all()
    twin = draft_rule(draft, "twin", smtlib, COST)
    asked = Question.objects.get(rule=draft.rule("service"))
    fields = {one.attname: getattr(asked, one.attname) for one in Question._meta.concrete_fields}
    del fields["id"]
    Question.objects.create(**fields | {"uid": "f" * 32, "rule_id": twin.pk})
    return twin


def test_a_change_of_lint_that_leaves_a_rule_out_names_the_answers_about_it(draft: Draft) -> None:
    draft.answer_all()
    draft_rule(draft, "stricter", "(=> (< tenureMonths 7) (not tripApproved))", COST)
    composition = draft.composition()
    service = draft.rule("service").uid
    (found,) = [one for one in made_of(draft.policy, composition).found if one.code == "implied"]
    (number,) = [n for n, one in enumerate(found.fixes) if one["removed"] == [service]]
    plan = plan_fix(draft.policy, composition, found, number)
    changes = show_fix(draft.policy, composition, found, plan).consequences.scenarios
    (told,) = changes.changed
    assert LEAVES in told.after


def test_rules_that_a_merge_makes_one_name_the_answers_about_those_that_leave(
    draft: Draft,
) -> None:
    months = NewVariable("monthsServed", "Int", unit="months")
    declare_variable(draft.policy, draft.alice, months)
    twin = with_twin(draft, SERVICE_RULE.replace("tenureMonths", "monthsServed"))
    Rule.objects.filter(pk=twin.pk).update(position=0)
    uids = [draft.variable(name).uid for name in ("monthsServed", "tenureMonths")]
    foreseen = foresee(draft.policy, build_queue(draft.policy), *uids, {})
    assert [LEAVES in one.after for one in foreseen.scenarios.changed] == [True]


def test_rules_are_joined_once_the_answers_that_leave_were_seen(
    draft: Draft, client_of: Callable[[User], Client]
) -> None:
    twin = with_twin(draft, SERVICE_RULE)
    Membership.objects.create(policy=draft.policy, user=draft.bob, role=Role.OWNER)
    page, service = client_of(draft.bob), draft.rule("service")
    url = f"/policies/{draft.policy.slug}/rules/{service.uid}/join/"
    sent = {"keep": twin.uid, "shown": draft.revision()}
    told = page.post(url, sent)
    assert told.status_code == 409
    assert LEAVES in told.content.decode()
    assert scenarios_in_force(draft.policy, draft.composition())
    token = re.search(r'name="seen-scenarios" value="([^"]+)"', told.content.decode())
    assert token is not None
    assert page.post(url, {**sent, "seen-scenarios": token[1]}).status_code == 302
    assert not Rule.objects.filter(name="service", retired_at=None).exists()
    assert scenarios_in_force(draft.policy, draft.composition()) == []
