"""A new revision beside the old one: what stayed, moved, changed, came and went."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from documents import (
    Edit,
    EditKind,
    ReadDocument,
    WordChange,
    carry_edits,
    changes,
    divide,
    word_diff,
)
from tests.documents.reference import quotes, read_text

OLD = (
    "# Leave\n\nStaff ask their manager first. Managers answer within five days.\n\n"
    "Leave is granted if:\n\n- the form is signed; and\n- it is late.\n\n# Cost\n\nLeave is paid.\n"
)


def words_of(document: ReadDocument, index: int) -> str:
    return quotes(document)[index]


def test_each_sentence_is_in_exactly_one_place() -> None:
    old = read_text(OLD, "a.md")
    new = read_text(
        OLD.replace("five days", "six working days").replace(
            "# Cost", "Trains are free.\n\n# Cost"
        ),
        "a.md",
    )
    found = changes(old, new)
    assert [(words_of(old, c.old), words_of(new, c.new)) for c in found.changed] == [
        ("Managers answer within five days.", "Managers answer within six working days.")
    ]
    assert [words_of(new, at) for at in found.added] == ["Trains are free."]
    assert not found.removed
    assert not found.moved
    assert len(found.same) == 5


def test_a_changed_lead_in_changes_its_items_by_context_only() -> None:
    old = read_text(OLD, "a.md")
    new = read_text(OLD.replace("is granted if", "is refused if"), "a.md")
    found = changes(old, new)
    assert [(c.text, c.context) for c in found.changed] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_a_sentence_in_another_order_is_moved_and_keeps_what_it_was() -> None:
    old = read_text("Alice asks. Bob waits. Carol pays. Dora signs.")
    new = read_text("Bob waits. Carol pays. Dora signs. Alice asks.")
    found = changes(old, new)
    assert found.moved == ((0, 3),)
    assert len(found.same) == 3


def test_a_sentence_that_moved_and_changed_is_found_by_its_rare_words() -> None:
    first = "Reimbursement of laundry costs needs a receipt from the hotel."
    rest = " ".join(f"Rule {name} holds for trips." for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    old = read_text(f"{first} {rest}")
    new = read_text(f"{rest} {first.replace('receipt', 'bill')}")
    (found,) = changes(old, new).changed
    assert (found.old, found.new) == (0, len(new.sentences) - 1)


def test_what_is_gone_is_removed() -> None:
    found = changes(read_text("Alice asks. Bob waits."), read_text("Alice asks."))
    assert found.removed == (1,)
    assert not found.changed


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["Ann asks.", "Bo waits.", "Cy pays 5.", "Cy pays 6."]), min_size=1),
    st.lists(st.sampled_from(["Ann asks.", "Bo waits.", "Cy pays 5.", "Dee signs."]), min_size=1),
)
def test_nothing_is_counted_twice_and_nothing_is_lost(before: list[str], after: list[str]) -> None:
    old, new = read_text(" ".join(before)), read_text(" ".join(after))
    found = changes(old, new)
    pairs = [*found.same, *found.moved, *((c.old, c.new) for c in found.changed)]
    assert sorted([*(o for o, _ in pairs), *found.removed]) == list(range(len(old.sentences)))
    assert sorted([*(n for _, n in pairs), *found.added]) == list(range(len(new.sentences)))


def test_the_difference_is_shown_word_by_word() -> None:
    assert word_diff("Staff must ask before 5 May.", "All staff must ask before 6 May.") == (
        WordChange("removed", "Staff"),
        WordChange("added", "All staff"),
        WordChange("same", "must ask before"),
        WordChange("removed", "5"),
        WordChange("added", "6"),
        WordChange("same", "May."),
    )
    assert word_diff("Ask\n first.", "Ask first.") == (WordChange("same", "Ask first."),)
    assert word_diff("", "Ask.") == (WordChange("added", "Ask."),)


def test_a_long_document_is_compared_quickly() -> None:
    lines = [
        f"Rule {n} of the office: staff ask for item {n * 7} in room {n % 13}." for n in range(6000)
    ]
    old = read_text("\n\n".join(lines))
    new = read_text("\n\n".join(line.replace("ask", "may ask") for line in lines))
    before = time.process_time()
    found = changes(old, new)
    assert time.process_time() - before < 10
    assert len(found.changed) == 6000


def test_edits_by_hand_are_carried_where_their_block_is_the_same() -> None:
    old = read_text(
        "Staff pay; guests wait.\n\nThe fee is due\n\non Monday.\n\nBo leaves. Cy stays."
    )
    at = old.text.index
    edits = [
        Edit(EditKind.SPLIT, at("guests")),
        Edit(EditKind.JOIN, at("on Monday")),
        Edit(EditKind.JOIN, at("Cy")),
    ]
    divide(old, edits)
    new = read_text(
        "Hello all.\n\nStaff pay; guests wait.\n\nThe fee is due\n\non Monday.\n\n"
        "Bo left. Cy stays."
    )
    carried = carry_edits(old, new, edits)
    assert quotes(divide(new, carried))[:4] == [
        "Hello all.",
        "Staff pay;",
        "guests wait.",
        "The fee is due\n\non Monday.",
    ]
    assert len(carried) == 2
    torn = read_text("The fee is due\n\nby law\n\non Monday.")
    assert carry_edits(old, torn, edits) == ()
