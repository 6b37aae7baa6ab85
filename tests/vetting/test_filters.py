"""Lists of the queue: filters from an address, orders, the way through what waits."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from policies.models import AuditRow, Policy
from policies.models.draft import StatementState
from tests.approving import approve
from tests.vetting.conftest import COST, REASONABLE, SERVICE, WELCOME, Draft
from tests.vetting.in_sections import Leave, make_leave
from vetting.assigning import assign
from vetting.filters import Course, Filters, filtered, last_here
from vetting.models import MarkKind
from vetting.queue import Card, build_queue, left_at
from vetting.thread_models import About
from vetting.threads import start_thread


def keys(draft: Draft, **asked: str) -> list[str]:
    return [card.key for card in filtered(draft.policy, draft.alice, Filters.of(asked))]


def test_an_address_that_says_nothing_or_nonsense_asks_for_all_cards(draft: Draft) -> None:
    every = [card.key for card in build_queue(draft.policy).cards]
    assert keys(draft) == every
    nonsense = {"state": "eaten", "section": "1", "lint": "x", "order": "up", "find": "\0 "}
    assert keys(draft, **nonsense) == every
    assert Filters.of(nonsense).query == ""


def test_the_same_filters_have_one_address() -> None:
    asked = {"order": "risk", "state": "waits", "find": "  a   b "}
    query = Filters.of(asked).query
    assert query == "state=waits&find=a+b&order=risk"
    assert Filters.of(dict(reversed(asked.items()))).query == query


def test_cards_are_found_by_state(draft: Draft) -> None:
    assert keys(draft, state="question open") == [draft.rule("service").uid]
    draft.approve("cost")
    assert keys(draft, state="approved") == [draft.rule("cost").uid]
    assert draft.rule("cost").uid not in keys(draft, state="waits")
    draft.mark_rest()
    assert draft.sentences[WELCOME].lineage not in keys(draft, state="waits")


def test_words_are_looked_for_in_the_name_the_english_and_the_sentences(draft: Draft) -> None:
    cost = draft.rule("cost").uid
    assert keys(draft, find="line manager") == [cost]  # a phrase of what it speaks of
    assert keys(draft, find="COST more than") == [cost]
    assert keys(draft, find="pleasant journey") == [draft.sentences[WELCOME].lineage]
    assert keys(draft, find="service") == [draft.rule("service").uid]
    assert keys(draft, find="unheard-of") == []


def test_a_section_has_those_below_it(policy: Policy, alice: object, bob: object) -> None:
    leave: Leave = make_leave(policy, alice, bob)  # type: ignore[arg-type]
    document = leave.document.pk

    def within(ordinal: int) -> set[str]:
        filters = Filters.of({"section": f"{document}-{ordinal}"})
        return {card.key for card in filtered(policy, leave.alice, filters)}

    assert {leave.rule("long").uid, leave.rule("parents").uid} <= within(3)
    assert within(4) == {leave.rule("parents").uid}
    assert leave.rule("request").uid not in within(3)
    assert within(99) == set()


def test_what_needs_most_care_comes_first(draft: Draft, formalized: object) -> None:
    formalized(REASONABLE, StatementState.ABSTAINED)  # type: ignore[operator]
    draft.approve("cost")
    found = keys(draft, order="risk")
    assert found[0] == draft.rule("service").uid  # its question is open
    assert found.index(draft.rule("cost").uid) > found.index(draft.sentences[REASONABLE].lineage)


def test_what_others_did_since_one_was_here(draft: Draft) -> None:
    earlier = timezone.now() - timedelta(hours=3)
    assert last_here(draft.bob, draft.policy) is None
    draft.approve("cost", draft.bob)
    assert last_here(draft.bob, draft.policy) is None  # this sitting is not before this sitting
    later = timezone.now() + timedelta(hours=3)
    seen = last_here(draft.bob, draft.policy, later)
    last = AuditRow.objects.filter(policy=draft.policy, actor=draft.bob).last()
    assert last is not None
    assert seen == last.at > earlier
    assert draft.rule("cost").uid in keys(draft, since="yes")  # Alice has not been away


def test_what_is_assigned_to_one_and_what_a_thread_of_ones_own_is_on(draft: Draft) -> None:
    cost, lineage = draft.rule("cost").uid, draft.sentences[WELCOME].lineage
    assign(draft.policy, draft.bob, About.RULE, cost, draft.alice)
    assert keys(draft, assigned="me") == [cost]
    thread = start_thread(draft.policy, draft.bob, lineage=lineage, text="Why?").comment.thread
    assign(draft.policy, draft.bob, About.THREAD, thread.uid, draft.alice)
    assert keys(draft, assigned="me") == [cost, lineage]
    assign(draft.policy, draft.bob, About.RULE, cost, draft.bob)
    assert keys(draft, assigned="me") == [lineage]
    assert Filters.of({"assigned": "bob"}).query == ""


def test_the_way_goes_behind_a_card_that_left_the_list(draft: Draft) -> None:
    queue = build_queue(draft.policy)
    cost = queue.card(draft.rule("cost").uid)
    assert cost is not None
    draft.approve("cost")
    after = build_queue(draft.policy)
    cards = filtered(draft.policy, draft.alice, Filters.of({"state": "waits"}), after)
    course = Course(after, cards)
    assert cost.key not in [card.key for card in cards]
    assert course.next_waiting(cost) == draft.rule("service").uid
    assert course.neighbours(cost) == ("", draft.rule("service").uid)
    last: Card = cards[-1]
    assert course.next_waiting(last) == cards[0].key
    assert Course(after, []).next_waiting(cost) == ""


def test_a_person_goes_on_where_they_were(draft: Draft) -> None:
    draft.answer_all()
    rule = draft.rule("service")
    approve(draft.policy, draft.bob, rule, shown_hash=draft.composition().hashes[rule.uid])
    queue = build_queue(draft.policy)
    place = left_at(draft.policy, draft.bob, queue)
    card = queue.card(rule.uid)
    assert card is not None
    assert place == card.place
    assert queue.next_waiting(place) == draft.sentences[REASONABLE].lineage
    assert queue.next_waiting() == draft.rule("cost").uid


@pytest.mark.parametrize("text", [COST, SERVICE])
def test_every_card_is_in_exactly_one_state(draft: Draft, text: str) -> None:
    draft.mark_rest()
    every = build_queue(draft.policy).cards
    states = {str(card.state) for card in every}
    assert sum(len(keys(draft, state=state)) for state in states) == len(every)
    assert str(MarkKind.BINDING.label) not in keys(draft, find=text)
