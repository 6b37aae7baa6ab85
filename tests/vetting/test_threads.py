"""Threads on rules and sentences: written once, closed and opened, by whom and when."""

from __future__ import annotations

import pytest
from django.utils import timezone

from policies.models import AuditRow, Membership, Policy, User
from policies.roles import Role
from tests.vetting.conftest import COST, SENTENCES, Draft, write_revision
from vetting.decisions import reject
from vetting.models import Comment, Thread, ThreadClosing
from vetting.refusals import RefusedError
from vetting.seen import news_count, saw, threads_for
from vetting.thread_models import Mention
from vetting.threads import (
    answer_in,
    close_thread,
    open_thread,
    read_threads,
    start_thread,
    threads_of,
    with_state,
)


def acts(policy: Policy) -> list[str]:
    return list(AuditRow.objects.filter(policy=policy).values_list("action", flat=True))


def is_closed(thread: Thread) -> bool:
    return with_state(Thread.objects.filter(pk=thread.pk)).get().is_closed  # type: ignore[attr-defined]


def test_a_thread_begins_with_a_comment_and_each_writes_its_row(draft: Draft) -> None:
    before = len(acts(draft.policy))
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text=" Net or gross? ")
    assert said.comment.text == "Net or gross?"
    assert acts(draft.policy)[before:] == ["open-thread", "comment"]
    row = AuditRow.objects.filter(policy=draft.policy).order_by("-sequence")[0]
    assert (row.actor, row.object) == (draft.bob, f"thread:{said.comment.thread.uid}")
    answer_in(draft.policy, draft.alice, said.comment.thread, text="Gross.")
    assert acts(draft.policy)[before:] == ["open-thread", "comment", "comment"]
    (now,) = read_threads(threads_of(draft.policy, rules=[draft.rule("cost").uid]))
    assert [(one.by, one.text) for one in now.comments] == [
        (draft.bob, "Net or gross?"),
        (draft.alice, "Gross."),
    ]


def test_fr_55_sent_twice_is_one_comment(draft: Draft) -> None:
    lineage = draft.sentences[COST].lineage
    one = start_thread(draft.policy, draft.bob, lineage=lineage, text="Why?")
    two = start_thread(draft.policy, draft.bob, lineage=lineage, text="Why?\r\n")
    assert one.comment == two.comment
    thread = one.comment.thread
    assert answer_in(draft.policy, draft.bob, thread, text="Why?").comment == one.comment
    assert answer_in(draft.policy, draft.alice, thread, text="Why?").comment != one.comment
    # A thread on the same sentence with other words is another one.
    other = start_thread(draft.policy, draft.bob, lineage=lineage, text="And who pays?")
    assert other.comment.thread != thread
    assert acts(draft.policy).count("comment") == Comment.objects.count() == 3


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001, "a\0b", "\u202eabc"])
def test_what_is_no_comment_is_refused_with_one_sentence(draft: Draft, text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text=text)
    assert str(refused.value).count("\n") == 0
    assert not Thread.objects.exists()


def test_a_thread_is_about_something_of_its_own_policy(draft: Draft, charlie: User) -> None:
    with pytest.raises(RefusedError, match="choose what"):
        start_thread(draft.policy, draft.bob, text="Hello")
    other = Policy.objects.create(slug="other", name="Other", created_by=charlie)
    with pytest.raises(RefusedError, match="another policy"):
        start_thread(other, charlie, rule=draft.rule("cost"), text="Hello")
    thread = start_thread(
        draft.policy, draft.bob, rule=draft.rule("cost"), text="Hi"
    ).comment.thread
    for act in (close_thread, open_thread):
        with pytest.raises(Thread.DoesNotExist):
            act(other, charlie, thread)
    with pytest.raises(Thread.DoesNotExist):
        answer_in(other, charlie, thread, text="Hello")
    assert Comment.objects.count() == 1


def test_a_thread_is_closed_and_opened_by_rows(draft: Draft) -> None:
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="Why?")
    thread = said.comment.thread
    assert open_thread(draft.policy, draft.bob, thread) is None
    assert close_thread(draft.policy, draft.alice, thread) is not None
    assert close_thread(draft.policy, draft.bob, thread) is None
    assert is_closed(thread)
    (now,) = read_threads(with_state(Thread.objects.all()))
    assert now.closing is not None
    assert now.closing.by == draft.alice
    assert open_thread(draft.policy, draft.bob, thread) is not None
    assert not is_closed(thread)
    close_thread(draft.policy, draft.alice, thread)
    # What was said before it was closed may be said again, and opens it.
    answer_in(draft.policy, draft.bob, thread, text="Why?")
    assert not is_closed(thread)
    assert ThreadClosing.objects.count() == 3
    assert acts(draft.policy)[-5:] == [
        "comment", "close-thread", "reopen-thread", "close-thread", "comment"
    ]  # fmt: skip


def test_a_sentence_that_changed_keeps_its_threads(draft: Draft) -> None:
    kept = draft.sentences[COST].lineage
    start_thread(draft.policy, draft.bob, lineage=kept, text="Net or gross?")
    changed = COST.replace("1,000", "1,500")
    texts = (changed, *SENTENCES[1:])
    keep = {changed: kept} | {one: draft.sentences[one].lineage for one in SENTENCES[1:]}
    write_revision(draft.policy, draft.alice, texts, keep=keep)
    assert len(read_threads(threads_of(draft.policy, lineages=[kept]))) == 1


def test_a_rule_that_went_to_history_keeps_its_threads(draft: Draft) -> None:
    rule = draft.rule("cost")
    start_thread(draft.policy, draft.bob, rule=rule, text="Net or gross?")
    shown = draft.composition().hashes[rule.uid]
    reject(draft.policy, draft.bob, rule, reason="Wrong.", shown_hash=shown)
    (now,) = read_threads(threads_of(draft.policy, rules=[rule.uid]))
    assert now.comments[0].text == "Net or gross?"


def test_of_a_long_thread_a_page_reads_the_latest(draft: Draft, django_assert_num_queries) -> None:
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="0")
    for number in range(1, 9):
        answer_in(draft.policy, draft.bob, said.comment.thread, text=str(number))
    uid = draft.rule("cost").uid
    with django_assert_num_queries(4):
        (now,) = read_threads(threads_of(draft.policy, rules=[uid]))
    assert ([one.text for one in now.comments], now.has_earlier) == (["5", "6", "7", "8"], True)
    before = now.comments[0].pk
    (now,) = read_threads(with_state(Thread.objects.all()), 10, before)
    assert ([one.text for one in now.comments], now.has_earlier) == (list("01234"), False)


# Mentions


def test_a_person_is_named_by_name_or_address(draft: Draft) -> None:
    text = "@Alice, and @BOB@example.org: see x@alice and @alicette."
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text=text)
    found = Mention.objects.filter(comment=said.comment)
    assert [(one.user, text[one.start : one.end]) for one in found] == [
        (draft.alice, "@Alice"),
        (draft.bob, "@BOB@example.org"),
    ]
    assert said.names.unknown == ("alicette",)
    named = AuditRow.objects.filter(policy=draft.policy, action="mention")
    uid = said.comment.thread.uid
    assert [one.object for one in named] == [
        f"thread:{uid}:{draft.alice.pk}",
        f"thread:{uid}:{draft.bob.pk}",
    ]


def test_the_longest_name_is_meant_and_two_of_one_name_are_told_apart(draft: Draft) -> None:
    people = [("al@example.org", "Alice Ng"), ("am@example.org", "Ana"), ("an@example.org", "Ana")]
    for email, name in people:
        user = User.objects.create_user(email, name=name)
        Membership.objects.create(policy=draft.policy, user=user, role=Role.VIEWER)
    said = start_thread(
        draft.policy, draft.bob, rule=draft.rule("cost"), text="@alice ng and @Ana, @am@example.org"
    )
    assert [one.user.email for one in said.names.named] == ["al@example.org", "am@example.org"]
    assert said.names.ambiguous == ("Ana",)


def test_a_name_fits_however_its_letters_were_typed(draft: Draft) -> None:
    zoe = User.objects.create_user("z@example.org", name="Zo\u00eb")
    Membership.objects.create(policy=draft.policy, user=zoe, role=Role.VIEWER)
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="@Zoe\u0308?")
    assert [one.user for one in said.names.named] == [zoe]


def test_strangers_and_people_who_left_are_named_by_nobody(draft: Draft, charlie: User) -> None:
    User.objects.filter(pk=draft.alice.pk).update(is_active=False)
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="@Alice @Charlie")
    assert said.names.unknown == ("Alice", "Charlie")
    assert not Mention.objects.exists()


def test_two_thousand_signs_are_read_at_once(draft: Draft) -> None:
    begun = timezone.now()
    said = start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="@a " * 600)
    assert (timezone.now() - begun).total_seconds() < 2
    assert said.names.unknown == ("a",)


# What is new for whom


def test_who_wrote_in_a_thread_or_is_named_hears_of_it(draft: Draft, charlie: User) -> None:
    thread = start_thread(
        draft.policy, draft.bob, rule=draft.rule("cost"), text="Why?"
    ).comment.thread
    assert news_count(draft.bob) == news_count(draft.alice) == 0
    last = answer_in(draft.policy, draft.bob, thread, text="@Alice, do you know?").comment
    assert (news_count(draft.bob), news_count(draft.alice)) == (0, 1)
    saw(draft.alice, {thread.pk: last.pk})
    assert news_count(draft.alice) == 0
    answer_in(draft.policy, draft.alice, thread, text="Ask @Charlie.")
    assert (news_count(draft.bob), news_count(draft.alice), news_count(charlie)) == (1, 0, 0)


def test_whoever_is_no_member_any_more_hears_of_nothing(draft: Draft) -> None:
    start_thread(draft.policy, draft.bob, rule=draft.rule("cost"), text="@Alice?")
    assert threads_for(draft.alice).count() == news_count(draft.alice) == 1
    Membership.objects.filter(policy=draft.policy, user=draft.alice).delete()
    assert threads_for(draft.alice).count() == news_count(draft.alice) == 0


def test_what_is_new_is_counted_in_one_query(draft: Draft, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        news_count(draft.alice)
