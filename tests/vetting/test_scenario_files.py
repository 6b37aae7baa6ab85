"""Scenarios as files: read as a whole or not at all, shown before they are saved, told apart."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import islice, product

import pytest

from policies.models import AuditRow
from policywright.scenarios.exchange import placed_from_csv, placed_from_json
from tests.vetting.conftest import Draft
from vetting.models import Origin, Scenario
from vetting.own_scenarios import add_scenario, propose_scenario
from vetting.refusals import MovedError, RefusedError
from vetting.scenario_files import (
    MAX_BYTES,
    FileProblemsError,
    carried,
    import_scenarios,
    outgoing,
    preview,
    read_file,
    text_of_carried,
    text_of_file,
    to_bytes,
)
from vetting.scenarios import Result, own_in_force

pytestmark = pytest.mark.django_db

HEAD = "costEur,managerApproved,claim,expected\n"
TABLE = f"{HEAD}1500,false,tripApproved,INVALID\n1000,false,tripApproved,INVALID\n-1,,,IMPOSSIBLE\n"


@pytest.mark.parametrize(
    "data",
    [
        TABLE.encode(),
        TABLE.encode("utf-8-sig"),
        TABLE.encode("utf-16"),
        b"\xfe\xff" + TABLE.encode("utf-16-be"),
        TABLE.replace("\n", "\r\n").encode(),
        TABLE.replace(",", ";").encode(),
        TABLE.replace(",", "\t").encode("utf-16"),
    ],
)
def test_a_table_is_read_however_it_was_saved(draft: Draft, data: bytes) -> None:
    incoming = read_file(draft.policy, text_of_file(data))
    assert [one.where for one in incoming.new] == ["line 2", "line 3", "line 4"]
    assert (incoming.known, incoming.repeated, dict(incoming.replaced)) == (0, 0, {})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \n", "the file is empty"),
        (HEAD.encode() + b"1500,false,tripApproved,\xe4\n", "line 2 is not in UTF-8"),
        (b"PK\x03\x04\0\0", "this is no text file"),
        (b"\xff\xfea", "is not in UTF-8"),
        (b"x" * (MAX_BYTES + 1), "5 million are allowed"),
        (TABLE.encode("utf-16-le"), "this is no text file"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        text_of_file(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("costEur,expected\n5,VALID\n", "Line 1: the first line names variables"),
        ("cost,claim,expected\n5,tripApproved,VALID\n", "Line 2: `cost` is not a variable"),
        (HEAD + "1500,false,tripApproved\n", "Line 2: 3 cells under 4 names"),
        (HEAD + "EUR 5,false,tripApproved,VALID\n", "Line 2: `costEur`:"),
        (HEAD + "=1+1,false,tripApproved,VALID\n", "Line 2: `costEur`:"),
        (HEAD + "1500,perhaps,tripApproved,VALID\n", "Line 2: `managerApproved`: `perhaps`"),
        (HEAD + "1500,true,costEur,VALID\n", "Line 2: "),
        (HEAD + "1500,true,(= costEur 5.0),VALID\n", "already fix"),
        (HEAD + "1500,true,tripApproved,MAYBE\n", "Line 2: `expected` is one of"),
        (HEAD + "1500,true,,VALID\n", "Line 2: without a claim"),
        (HEAD + '1500,true,"tripApproved,VALID\n', "this is no CSV table"),
        ("destination,claim,expected\nmars,,SATISFIABLE\n", "Line 2: `destination`: `mars`"),
        (HEAD, "There is no scenario in this file."),
        ("[]", "There is no scenario in this file."),
        ('[{"facts": {"costEur": 1.5}, "claim": null, "expected": "IMPOSSIBLE"}]', "Scenario 1: "),
        ('[{"facts": {"costEur": 1, "costEur": 2}}]', "`costEur` stands twice"),
        ("{" * 50_000, "no JSON document"),
        (HEAD + "1500,true," + "(not " * 900 + "tripApproved" + ")" * 900 + ",VALID\n", "Line 2: "),
        (HEAD + "1500,true,tripApproved,VALID\n" * 20_001, "More than 20,000 scenarios"),
        (
            TABLE + "1500,false,tripApproved,VALID\n",
            "Line 5: line 2 says something else of the same case.",
        ),
    ],
)
def test_a_file_with_a_problem_is_refused_as_a_whole(draft: Draft, text: str, says: str) -> None:
    with pytest.raises(FileProblemsError) as refused:
        read_file(draft.policy, text)
    assert any(says in problem for problem in refused.value.problems), refused.value.problems
    assert not Scenario.objects.exists()


def test_each_problem_is_told_and_thousands_are_counted(draft: Draft) -> None:
    rows = "".join(f"{n},perhaps,tripApproved,VALID\n" for n in range(200))
    with pytest.raises(FileProblemsError) as refused:
        read_file(draft.policy, HEAD + rows)
    assert (len(refused.value.problems), refused.value.more) == (50, 150)


def test_more_than_a_page_can_show_is_refused(draft: Draft) -> None:
    rows = "".join(f"{n},true,tripApproved,VALID\n" for n in range(2_001))
    with pytest.raises(FileProblemsError, match="2,000 are the most"):
        read_file(draft.policy, HEAD + rows)


def test_a_preview_says_which_hold_and_saves_nothing(draft: Draft) -> None:
    incoming = read_file(draft.policy, TABLE)
    runs = preview(draft.policy, incoming)
    assert {where: run.result for where, run in runs.items()} == {
        "line 2": Result.HOLDS,
        "line 3": Result.FAILS,
        "line 4": Result.HOLDS,
    }
    assert not Scenario.objects.exists()


def test_what_was_shown_is_imported_with_its_audit_rows(draft: Draft) -> None:
    incoming = read_file(draft.policy, TABLE)
    assert import_scenarios(draft.policy, draft.bob, TABLE, shown=incoming.shown) == 3
    rows = [one.scenario for one in own_in_force(draft.policy)]
    assert [(row.origin, row.by) for row in rows] == [(Origin.IMPORTED, draft.bob)] * 3
    assert rows[0].english == (
        "Given that the total trip cost is EUR 1,500 and a line manager has not approved the trip: "
        "the trip is not approved."
    )
    kept = AuditRow.objects.filter(action="add-scenario").values_list("object", "new_hash")
    assert list(kept) == [(f"scenario:{row.uid}", row.content_hash) for row in rows]


def test_what_is_in_force_is_known_and_what_stands_twice_counts_once(draft: Draft) -> None:
    text = (
        "Given that the total trip cost is EUR 1,500 and a line manager has not approved the trip: "
    )
    for said in ("the trip is not approved.", "the trip is approved."):
        shown = propose_scenario(draft.policy, text + said).read_as
        present = add_scenario(draft.policy, draft.alice, text + said, shown=shown)
    shown = read_file(draft.policy, HEAD + "-1,,,IMPOSSIBLE\n").shown
    import_scenarios(draft.policy, draft.bob, HEAD + "-1,,,IMPOSSIBLE\n", shown=shown)
    incoming = read_file(draft.policy, TABLE + "1000.00,no,(not tripApproved),VALID\n")
    assert (len(incoming.new), incoming.known, incoming.repeated) == (2, 1, 1)
    assert dict(incoming.replaced) == {"line 2": present}
    shown = incoming.shown
    assert import_scenarios(draft.policy, draft.bob, incoming.text, shown=shown) == 2
    assert len(own_in_force(draft.policy)) == 3
    again = read_file(draft.policy, incoming.text)
    assert (again.new, again.known) == ((), 3)


def test_what_changed_meanwhile_is_shown_again(draft: Draft) -> None:
    shown = read_file(draft.policy, TABLE).shown
    first = HEAD + "1500,false,tripApproved,INVALID\n"
    import_scenarios(draft.policy, draft.alice, first, shown=read_file(draft.policy, first).shown)
    with pytest.raises(MovedError):
        import_scenarios(draft.policy, draft.bob, TABLE, shown=shown)
    with pytest.raises(MovedError):
        import_scenarios(
            draft.policy, draft.bob, TABLE + "7,true,tripApproved,VALID\n", shown=shown
        )
    assert Scenario.objects.count() == 1


def test_a_form_carries_the_file_within_its_bounds() -> None:
    assert text_of_carried(carried(TABLE)) == TABLE
    bomb = base64.b64encode(zlib.compress(b" " * (MAX_BYTES * 3))).decode()
    half = carried(TABLE)[:40]
    for hostile in (
        "",
        "!",
        "aGVsbG8=",
        bomb,
        half,
        base64.b64encode(zlib.compress(b"\xff")).decode(),
    ):
        with pytest.raises(RefusedError, match="choose the file once more"):
            text_of_carried(hostile)


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_what_goes_out_is_the_same_bytes_and_is_known_when_it_comes_back(
    draft: Draft, ending: str
) -> None:
    import_scenarios(draft.policy, draft.bob, TABLE, shown=read_file(draft.policy, TABLE).shown)
    draft.answer_all(1)

    def out() -> bytes:
        composition = draft.composition()
        return to_bytes(composition.model, outgoing(draft.policy, composition).scenarios, ending)

    data = out()
    assert data == out()
    read = placed_from_csv if ending == "csv" else placed_from_json
    assert len(read(draft.composition().model, data.decode())) == 4
    incoming = read_file(draft.policy, text_of_file(data))
    assert incoming.known == 3
    assert len(incoming.new) == 1  # what an answer said is nobody's own word yet


def test_an_answer_by_which_nothing_follows_is_of_its_sentence_and_stays(draft: Draft) -> None:
    draft.answer_all(0)
    found = outgoing(draft.policy, draft.composition())
    assert (found.scenarios, found.unfit, found.narrow) == ((), 0, 1)
    assert json.loads(to_bytes(draft.composition().model, found.scenarios, "json")) == []


def test_many_are_read_and_saved_in_moments(draft: Draft) -> None:
    cases = islice(product(range(1_000), ("true", "false")), 1_000)
    text = HEAD + "".join(f"{cost},{asked},tripApproved,VALID\n" for cost, asked in cases)
    incoming = read_file(draft.policy, text)
    assert import_scenarios(draft.policy, draft.bob, text, shown=incoming.shown) == 1_000
    assert len(own_in_force(draft.policy)) == 1_000
