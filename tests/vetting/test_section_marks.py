"""A section is marked at once: a mark and an audit row a sentence, all or nothing."""

from __future__ import annotations

import pytest

from policies.models import AuditRow, Policy, User
from policies.present import sentence_hash
from tests.vetting.in_sections import Leave, make_leave
from vetting.marks import mark_not_binding, withdraw_mark
from vetting.models import SentenceMark
from vetting.refusals import MovedError, RefusedError


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    return make_leave(policy, alice, bob)


def shown(leave: Leave, *beginnings: str) -> dict[str, str]:
    rows = [leave.sentence(beginning) for beginning in beginnings]
    return {row.lineage: sentence_hash(row) for row in rows}


def test_each_sentence_has_a_mark_and_an_audit_row_of_its_own(leave: Leave) -> None:
    wanted = shown(leave, "This text", "We thank")
    marks = mark_not_binding(leave.policy, leave.bob, wanted, reason="background")
    assert {mark.lineage for mark in marks} == set(wanted)
    rows = AuditRow.objects.filter(policy=leave.policy, action="mark-not_binding")
    assert [row.object for row in rows.order_by("sequence")] == [
        f"sentence:{mark.lineage}" for mark in marks
    ]
    assert {mark.reason for mark in marks} == {"background"}
    sentence = leave.sentence("We thank")
    withdraw_mark(leave.policy, leave.bob, sentence, shown_hash=sentence_hash(sentence))
    assert SentenceMark.objects.filter(lineage=sentence.lineage).count() == 2


def test_marking_the_same_twice_is_done_once(leave: Leave) -> None:
    wanted = shown(leave, "This text")
    for _ in range(2):
        mark_not_binding(leave.policy, leave.bob, wanted, reason="background")
    assert SentenceMark.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "reason", "error", "sentence"),
    [
        ({}, "", RefusedError, "write the reason"),
        ({"0" * 32: "pw1:0"}, "why", MovedError, "changed after"),
        (None, "why", RefusedError, "no sentence is ticked"),
    ],
)
def test_all_or_nothing(
    leave: Leave,
    change: dict[str, str] | None,
    reason: str,
    error: type[Exception],
    sentence: str,
) -> None:
    wanted = {} if change is None else shown(leave, "This text") | change
    with pytest.raises(error, match=sentence):
        mark_not_binding(leave.policy, leave.bob, wanted, reason=reason)
    assert not SentenceMark.objects.exists()


def test_a_sentence_with_a_rule_is_not_marked_in_passing(leave: Leave) -> None:
    with pytest.raises(RefusedError, match="a rule was made"):
        mark_not_binding(
            leave.policy, leave.bob, shown(leave, "This text", "Parents need"), reason="why"
        )
    assert not SentenceMark.objects.exists()
