"""A thread, a rule or a sentence is given to a member; the latest counts."""

from __future__ import annotations

import pytest

from policies.models import AuditRow, User
from tests.vetting.conftest import COST, Draft
from vetting.assigning import assign, keys_of, present_of
from vetting.decisions import reject
from vetting.refusals import RefusedError
from vetting.seen import assignments_of, news_count, saw_assignments
from vetting.thread_models import About, Assignment
from vetting.threads import start_thread


def test_the_latest_counts_and_is_taken_back(draft: Draft) -> None:
    key = draft.rule("cost").uid
    assert assign(draft.policy, draft.alice, About.RULE, key, draft.bob) is not None
    assert assign(draft.policy, draft.alice, About.RULE, key, draft.bob) is None
    assert present_of(draft.policy, [key])[key].to == draft.bob
    assign(draft.policy, draft.bob, About.RULE, key, draft.alice)
    assert (keys_of(draft.policy, draft.bob), keys_of(draft.policy, draft.alice)) == (set(), {key})
    assert assign(draft.policy, draft.bob, About.RULE, key, None) is not None
    assert assign(draft.policy, draft.bob, About.RULE, key, None) is None
    assert present_of(draft.policy, [key]) == {}
    rows = AuditRow.objects.filter(policy=draft.policy, action__endswith="assign")
    assert [one.object for one in rows] == [
        f"assignment:rule:{key}:to:{draft.bob.pk}",
        f"assignment:rule:{key}:to:{draft.alice.pk}",
        f"assignment:rule:{key}:to:nobody",
    ]
    assert Assignment.objects.count() == 3


def test_each_kind_of_thing_is_assigned(draft: Draft) -> None:
    lineage = draft.sentences[COST].lineage
    thread = start_thread(draft.policy, draft.bob, lineage=lineage, text="Why?").comment.thread
    things = [(About.THREAD, thread.uid), (About.SENTENCE, lineage)]
    for about, key in things:
        assign(draft.policy, draft.alice, about, key, draft.bob)
    assert keys_of(draft.policy, draft.bob) == {key for _, key in things}
    assert news_count(draft.bob) == 2
    saw_assignments(draft.bob, Assignment.objects.latest("pk").pk)
    assert news_count(draft.bob) == 0


def test_what_one_gives_to_oneself_is_no_news(draft: Draft) -> None:
    assign(draft.policy, draft.bob, About.RULE, draft.rule("cost").uid, draft.bob)
    assert news_count(draft.bob) == 0
    assert assignments_of(draft.bob).count() == 1


@pytest.mark.parametrize("about", About)
def test_what_is_not_there_is_assigned_to_nobody(draft: Draft, about: About) -> None:
    with pytest.raises(RefusedError, match="no longer here"):
        assign(draft.policy, draft.alice, about, "0" * 32, draft.bob)
    assert not Assignment.objects.exists()


def test_only_members_are_given_something(draft: Draft, charlie: User) -> None:
    with pytest.raises(RefusedError, match="a member of this policy"):
        assign(draft.policy, draft.alice, About.RULE, draft.rule("cost").uid, charlie)


def test_a_rule_in_the_history_is_nobodys_work(draft: Draft) -> None:
    rule = draft.rule("cost")
    assign(draft.policy, draft.alice, About.RULE, rule.uid, draft.bob)
    shown = draft.composition().hashes[rule.uid]
    reject(draft.policy, draft.alice, rule, reason="Wrong.", shown_hash=shown)
    assert news_count(draft.bob) == assignments_of(draft.bob).count() == 0
