"""Spans keep together what belongs together; alignment finds what did not change."""

from __future__ import annotations

import pytest

from documents import ReadDocument, align, spans
from tests.documents.reference import quotes, read_shared, read_text

POLICY = (
    "# Leave\n\nStaff ask first. Managers answer.\n\nLeave is granted if:\n\n"
    "1. the form is signed; and\n2. one of these holds:\n   - staff agree, or\n   - it is late.\n\n"
    "Otherwise it is refused.\n\n# Cost\n\nLeave is paid.\n"
)


def pieces(document: ReadDocument, limit: int) -> list[list[str]]:
    all_quotes = quotes(document)
    return [
        [all_quotes[index] for index in span.sentences]
        for span in spans(document, max_characters=limit)
    ]


def test_a_span_stays_under_its_heading() -> None:
    document = read_text(POLICY, "a.md")
    first, second = spans(document)
    assert first.headings == ("Leave",)
    assert second.headings == ("Cost",)
    assert document.text[second.start : second.end] == "Leave is paid."


def test_a_list_stays_with_its_lead_in_and_its_otherwise() -> None:
    document = read_text(POLICY, "a.md")
    whole = pieces(document, 140)
    assert whole[0] == ["Staff ask first.", "Managers answer."]
    assert whole[1][0] == "Leave is granted if:"
    assert whole[1][-1] == "Otherwise it is refused."


def test_an_otherwise_stays_with_the_paragraph_before_it() -> None:
    document = read_text("Staff ask their manager.\n\nLeave is paid.\n\nOtherwise it is lost.")
    assert pieces(document, 45) == [
        ["Staff ask their manager."],
        ["Leave is paid.", "Otherwise it is lost."],
    ]


def test_a_list_too_long_for_a_span_is_cut_between_its_items() -> None:
    document = read_text(POLICY, "a.md")
    cut = pieces(document, 60)
    assert ["one of these holds:", "staff agree, or", "it is late."] in [piece[:3] for piece in cut]
    third = spans(document, max_characters=60)[2]
    assert document.text[third.start :].startswith("2. one of these")


def test_a_sentence_longer_than_a_span_is_never_cut() -> None:
    document = read_text("Staff " + "really " * 50 + "ask. Managers answer.")
    assert [len(piece) for piece in pieces(document, 30)] == [1, 1]


def test_table_rows_are_cut_only_between_rows() -> None:
    rows = "".join(f"| {n} | EUR {n} |\n" for n in range(40))
    document = read_text("| Age | Fee |\n|---|---|\n" + rows, "a.md")
    cut = pieces(document, 100)
    assert len(cut) > 1
    assert sum(map(len, cut)) == 40


def test_a_table_whose_rows_have_other_headers_is_one_span_and_the_next_table_is_another() -> None:
    rows = "<tr><th>Kind<th>Fee</tr><tr><td rowspan=2>Train<td>5</tr><tr><td>6</tr>"
    document = read_text(f"<!doctype html><table>{rows}</table><table>{rows}</table>", "a.html")
    assert pieces(document, 20) == [["Train\t5", "6"], ["Train\t5", "6"]]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        spans(read_text("Staff ask."), max_characters=0)


def test_fr_43_the_nested_list_is_one_span() -> None:
    document = read_shared("cases", "files", "fr-43-nested-list.md")
    assert pieces(document, 270) == [quotes(document)]


def test_a_document_is_aligned_with_itself() -> None:
    document = read_text(POLICY, "a.md")
    assert align(document, document) == tuple(range(len(document.sentences)))


def test_what_changed_is_new_and_the_rest_keeps_its_place() -> None:
    old = read_text("Staff ask. Managers answer. Leave is paid.")
    new = read_text("Staff ask.  Nobody knows.\n\nManagers\nanswer. Leave is unpaid.")
    assert align(old, new) == (0, None, 1, None)


def test_a_sentence_under_the_same_heading_is_preferred_and_a_moved_one_is_found() -> None:
    old = read_text("# A\n\nAsk first.\n\n# B\n\nAsk first. Pay later.\n", "a.md")
    swapped = read_text("# B\n\nAsk first.\n\n# A\n\nPay later. Ask first.\n", "a.md")
    assert align(old, swapped) == (1, 2, 0)


def test_equal_sentences_keep_their_order_and_none_is_used_twice() -> None:
    old = read_text("Ask first. Ask first.")
    new = read_text("Ask first. Ask first. Ask first.")
    assert align(old, new) == (0, 1, None)
    assert align(new, old) == (0, 1)


def test_an_item_whose_lead_in_or_connective_changed_is_new() -> None:
    old = read_text("Leave is granted if:\n- staff agree; and\n- it is late.")
    no = read_text("Leave is refused if:\n- staff agree; and\n- it is late.")
    either = read_text("Leave is granted if:\n- staff agree; or\n- it is late.")
    assert align(old, no) == (None, None, None)
    assert align(old, either) == (0, None, None)


def test_a_header_cell_that_changed_makes_its_rows_new() -> None:
    old = read_text("| Age | Fee |\n|---|---|\n| 12 | 5 |\n", "a.md")
    new = read_text("| Age | Fine |\n|---|---|\n| 12 | 5 |\n", "a.md")
    assert align(old, new) == (None,)
