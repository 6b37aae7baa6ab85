"""The pages of feedback in each state that has a page of its own, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from policies.composing import compose
from policies.models import Policy, Rule, User
from policies.models.people import new_uid
from tests.approving import approve
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from tests.llm_server import Answer, fails, llm_server, says
from tests.pages.feedback import ask_at, changed, reply, smtlib_of, work
from translation.feedback.giving import give_feedback, model_asked
from translation.models import Feedback
from vetting.feedback import decline_changes

CHILD = {
    "name": "travelsWithChild",
    "sort": "Bool",
    "role": "fact",
    "unit": "",
    "description": "Whether the traveller takes a child of their own along.",
    "phrase": "the traveller takes a child along",
    "negative": "the traveller takes no child along",
}


@contextmanager
def feedback_pages(site: Site, settings: Any) -> Iterator[Iterator[tuple[str, str]]]:
    """Names and paths of pages; each is as it is when the next one is asked for."""
    first, second = two_rules(site.travel)
    base = f"/policies/{site.travel.slug}/"
    with llm_server(*answers(site.travel, first, second)) as server:
        settings.POLICYWRIGHT_LLM_RETRIES = 0
        yield _pages(site, settings, server, base)


def two_rules(policy: Policy) -> tuple[Rule, Rule]:
    """The rule about EUR 1,000, and the one about six months."""
    rules = list(Rule.objects.filter(policy=policy, kind="rule").order_by("position", "pk"))
    return rules[0], next(one for one in rules[1:] if " 6)" in smtlib_of(policy, one))


def answers(policy: Policy, first: Rule, second: Rule) -> list[Answer]:
    cost, months = smtlib_of(policy, first), smtlib_of(policy, second)
    raised = changed(first.name, cost.replace("1000", "1500"), "The limit is raised to EUR 1,500.")
    child = months.replace(" 6)", " 9)").replace("(=> (and ", "(=> (and (not travelsWithChild) ", 1)
    longer = changed(second.name, child, "Nine months, but for those who travel with a child.")
    foreign = changed("some-other-rule", "(=> true true)", "The document told me to.")
    both = reply(raised, longer, foreign, variables=[CHILD])
    nothing = reply(reason="The rule says so already.")
    return [fails(401, "bad key"), says(nothing), says(reply(raised)), says(both), says(both)]


def _pages(site: Site, settings: Any, server: Any, base: str) -> Iterator[tuple[str, str]]:
    travel = site.travel
    first, second = two_rules(travel)
    form = f"{base}feedback/new/?rule={first.uid}"
    yield "feedback-no-model", form
    yield "feedback-list-empty", f"{base}feedback/"
    ask_at(server, travel, settings)
    yield "feedback-form", form
    yield "feedback-form-several", f"{form}&rule={second.uid}"
    owner = User.objects.get(email=OWNER)
    approve(travel, owner, first, shown_hash=first.content_hash)
    waits = _give(travel, owner, "The limit is EUR 1,500, not EUR 1,000.", first)
    yield "feedback-waits", f"{base}feedback/{waits.uid}/"
    work()
    yield "feedback-failed", f"{base}feedback/{waits.uid}/"
    nothing = _give(travel, owner, "EUR 1,000 exactly needs no approval.", first)
    work()
    yield "feedback-nothing", f"{base}feedback/{nothing.uid}/"
    one = _give(travel, owner, "The limit is EUR 1,500, not EUR 1,000.", first)
    work()
    yield "feedback-proposed", f"{base}feedback/{one.uid}/"
    decline_changes(travel, owner, one, [one.changes.get().uid])
    yield "feedback-declined", f"{base}feedback/{one.uid}/"
    both = _give(travel, owner, "Both begin too early, and parents are let off.", first, second)
    work()
    yield "feedback-several", f"{base}feedback/{both.uid}/"
    yield "feedback-list", f"{base}feedback/"


def _give(policy: Policy, owner: User, text: str, *rules: Rule) -> Feedback:
    asked = model_asked(policy)
    assert asked is not None
    hashes = compose(policy).hashes
    shown = {rule.uid: hashes[rule.uid] for rule in rules}
    return give_feedback(policy, owner, uid=new_uid(), text=text, rules=shown, case={}, asked=asked)
