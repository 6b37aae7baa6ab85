"""A publication that races an edit: one of them loses, and no unread rule is published.

With real threads and real transactions, on the database that the settings name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection, connections

from policies.editing import DraftMovedError, editing
from policies.jobs.embedded import run_next
from policies.models import Policy, Rule, User, Version
from policywright.hashing import rule_hash
from policywright.smtlib import read
from tests.vetting.conftest import COST_RULE, Draft, make_draft
from vetting import publishing
from vetting.cases_answered import answer_case
from vetting.edits import edit_rule
from vetting.lock import locked
from vetting.models import Decision, Scenario
from vetting.publishing import PublishRefusedError, publish
from vetting.scenarios import own_in_force
from vetting.suites import start_suite, suite_now

pytestmark = pytest.mark.django_db(transaction=True)

DEARER = COST_RULE.replace("1000.0", "1500.0")


@pytest.fixture
def ready(policy: Policy, alice: User, bob: User) -> Draft:
    draft = make_draft(policy, alice, bob)
    draft.make_ready()
    return draft


def in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Start the work beside us; its result or exception is the list's one element."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:
            results.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def edit(draft: Draft, shown: str) -> Rule:
    return edit_rule(draft.policy, draft.bob, draft.rule("cost"), smtlib=DEARER, shown_hash=shown)


def test_a_publication_that_waits_for_an_edit_loses_and_publishes_nothing(ready: Draft) -> None:
    revision = ready.revision()
    with editing(ready.policy, ready.bob, cause="edited"):
        thread, results = in_thread(
            lambda: publish(ready.alice, ready.policy, shown_revision=revision)
        )
        thread.join(0.3)
        assert thread.is_alive()
        rule = ready.rule("cost")
        rule.term = ["symbol", ready.variable("managerApproved").uid]
        rule.save()
    thread.join(20)
    assert isinstance(results[0], DraftMovedError)
    assert not Version.objects.exists()


def test_an_edit_that_waits_for_a_publication_finds_the_old_rule_published(ready: Draft) -> None:
    shown, revision = ready.review("cost").hash, ready.revision()
    with locked(ready.policy):
        thread, results = in_thread(lambda: edit(ready, shown))
        thread.join(0.3)
        assert thread.is_alive()
        version = publish(ready.alice, ready.policy, shown_revision=revision)
    thread.join(20)
    assert isinstance(results[0], Rule)
    assert b"1000.0" in bytes(version.smt2)
    assert b"1500.0" not in bytes(version.smt2)
    with pytest.raises(DraftMovedError):
        publish(ready.alice, ready.policy, shown_revision=revision)


def test_started_together_only_approved_rules_are_published(ready: Draft) -> None:
    for _ in range(5):
        shown, revision = ready.review("cost").hash, ready.revision()
        barrier = threading.Barrier(2)

        def publish_it(revision: int = revision, barrier: threading.Barrier = barrier) -> Version:
            barrier.wait(10)
            return publish(ready.alice, ready.policy, shown_revision=revision)

        def edit_it(shown: str = shown, barrier: threading.Barrier = barrier) -> Rule:
            barrier.wait(10)
            return edit(ready, shown)

        (one, published), (two, edited) = in_thread(publish_it), in_thread(edit_it)
        one.join(20)
        two.join(20)
        assert isinstance(edited[0], Rule)
        assert isinstance(published[0], (Version, DraftMovedError))
        for version in Version.objects.all():
            assert _all_approved(version)
        edit_rule(
            ready.policy,
            ready.bob,
            ready.rule("cost"),
            smtlib=COST_RULE,
            shown_hash=ready.review("cost").hash,
        )


def test_two_publications_started_together_are_one_version(ready: Draft) -> None:
    revision = ready.revision()
    started = [
        in_thread(lambda: publish(ready.alice, ready.policy, shown_revision=revision))
        for _ in range(3)
    ]
    for thread, _ in started:
        thread.join(20)
    assert {results[0] for _, results in started} == set(Version.objects.all())
    assert Version.objects.count() == 1


def test_a_publication_that_fails_late_leaves_nothing(ready: Draft, monkeypatch) -> None:
    record = publishing._record

    def without_approvals(*args):
        made = record(*args)
        made.approvals.clear()
        return made

    monkeypatch.setattr(publishing, "_record", without_approvals)
    with pytest.raises(PublishRefusedError, match="no named approval"):
        publish(ready.alice, ready.policy, shown_revision=ready.revision())
    assert not Version.objects.exists()


def _all_approved(version: Version) -> bool:
    model = read(bytes(version.smt2).decode())
    approved = set(Decision.objects.values_list("content_hash", flat=True))
    return all(rule_hash(model, rule) in approved for rule in model.rules)


def test_two_people_answer_one_case_at_once_and_both_words_are_kept(ready: Draft) -> None:
    start_suite(ready.policy, ready.alice, 1)
    while run_next("tests"):
        pass
    case = suite_now(ready.policy, ready.composition()).cases[0]

    def say(user: User, said: str) -> Callable[[], object]:
        return lambda: answer_case(ready.policy, user, case.key, said, shown=case.shown)

    begun = [in_thread(say(ready.alice, "VALID")), in_thread(say(ready.bob, "INVALID"))]
    begun += [in_thread(say(ready.alice, "VALID"))] if connection.vendor == "postgresql" else []
    for thread, _ in begun:
        thread.join()
    results = [result for _, (result,) in begun]
    assert all(isinstance(result, Scenario) for result in results), results
    rows = list(Scenario.objects.filter(case_hash=case.key, answer=None))
    assert {row.by for row in rows} == {ready.alice, ready.bob}
    (counts,) = own_in_force(ready.policy)
    assert counts.scenario == rows[-1]
