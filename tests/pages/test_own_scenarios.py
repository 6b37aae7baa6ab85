"""Pages of people's own scenarios: written in English, listed, imported, exported, withdrawn."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from policies.composing import compose
from policies.models import Membership, Policy, Rule, User
from policies.roles import Role
from policywright.scenarios import read_scenario
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.models import Origin, Scenario, ScenarioWithdrawal
from vetting.scenario_rows import new_scenario

Clients = Callable[[User], Client]

CASE = "Given that the cost of the trip is EUR {} and the line manager has not approved the trip: "
HOLDS = CASE.format("1,500") + "the trip is not approved."
FAILS = CASE.format("1,500") + "the trip is approved."
HEAD = "costOfTrip,lineManagerApprovedTrip,claim,expected\n"
TABLE = f"{HEAD}1500,false,tripApproved,INVALID\n2000,false,tripApproved,VALID\n"


@pytest.fixture
def own(travel: Policy) -> str:
    return f"/policies/{travel.slug}/scenarios/own/"


def read(client: Client, own: str, text: str) -> str:
    """The page with the reading of a text."""
    return client.post(f"{own}new/", {"english": text}).content.decode()


def hidden(page: str, name: str) -> str:
    found = re.search(f'name="{name}" value="([^"]*)"', page)
    assert found is not None, page
    return found[1]


def write(client: Client, own: str, text: str) -> HttpResponse:
    shown = hidden(read(client, own, text), "read")
    return client.post(f"{own}new/save/", {"english": text, "read": shown}, follow=True)


def upload(client: Client, own: str, data: bytes, name: str = "cases.csv") -> HttpResponse:
    return client.post(f"{own}import/", {"file": SimpleUploadedFile(name, data)})


def test_a_text_is_shown_as_it_was_read_before_it_is_saved(alices: Client, own: str) -> None:
    page = read(alices, own, FAILS)
    assert "understood, and read as" in page
    assert "<li>the cost of the trip is EUR 1,500</li>" in page
    assert "<dd>is it so that the trip is approved</dd>" in page
    assert "<dd>yes</dd>" in page
    assert "rules" not in page.split('id="reading-english"')[1].split("</section>")[0]
    assert not Scenario.objects.exists()
    alone = alices.post(f"{own}new/", {"english": FAILS}, headers={"hx-request": "true"})
    assert "<html" not in alone.content.decode()
    assert alone["HX-Retarget"] == "#reading-english"


def test_one_that_holds_is_saved_and_says_so(alices: Client, own: str) -> None:
    page = write(alices, own, HOLDS).content.decode()
    assert "Saved. The rules say the same." in page
    assert HOLDS in page
    assert "By this rule" in page


def test_one_that_the_rules_contradict_leads_to_them(
    alices: Client, own: str, travel: Policy, rule: Rule
) -> None:
    page = write(alices, own, FAILS).content.decode()
    assert "Saved. The rules say otherwise" in page
    assert f"/policies/{travel.slug}/review/{rule.uid}/" in page
    assert "does not hold any more" in page
    write(alices, own, CASE.format("1,600") + "the trip is not approved.")
    listed = alices.get(own).content.decode()
    assert listed.index("EUR 1,500") < listed.index("EUR 1,600")
    assert f"/policies/{travel.slug}/review/{rule.uid}/#here" in listed
    assert "written by a person" in listed
    assert "The rules say: no, the trip is not approved, by <a" in listed
    front = alices.get(f"/policies/{travel.slug}/versions/").content.decode()
    row = Scenario.objects.earliest("pk")
    assert f'href="{own}{row.uid}/"' in front


def test_an_answer_to_the_suite_is_not_in_the_list_and_gives_way_to_what_is_written(
    alices: Client, own: str, travel: Policy, alice: User
) -> None:
    model = compose(travel).model
    expected = read_scenario(HOLDS, model)
    row = new_scenario(model, expected, HOLDS, Origin.SUITE)
    row.policy, row.by = travel, alice
    row.save()
    # No suite asks about it: see test_answers_to_gone_cases for one that does.
    assert "You said: " in alices.get(f"{own}{row.uid}/").content.decode()
    assert "EUR 1,500" not in alices.get(own).content.decode()
    shown = hidden(read(alices, own, CASE.format("1,500") + "the trip is approved."), "read")
    form = {"english": FAILS, "read": shown}
    alices.post(f"{own}new/save/", form)
    assert Scenario.objects.count() == 2


def test_what_was_typed_is_never_lost(alices: Client, own: str) -> None:
    text = "Given that the price of the trip is EUR 5: the trip is approved."
    answer = alices.post(f"{own}new/", {"english": text})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f"{text}</textarea>" in page
    assert "the cost of the trip" in page.split("Did you mean")[1]
    saved = alices.post(f"{own}new/save/", {"english": HOLDS, "read": "sha256:0"})
    assert saved.status_code == 422
    assert "this is how it is read now" in saved.content.decode()
    assert f"{HOLDS}</textarea>" in saved.content.decode()
    assert not Scenario.objects.exists()


def test_unknown_words_become_a_fact_in_place(alices: Client, own: str, travel: Policy) -> None:
    text = "Given that the trip is urgent: the trip is approved."
    page = read(alices, own, text)
    declared = {"english": text, "declare-from": hidden(page, "declare-from")}
    form = alices.post(f"{own}new/", declared).content.decode()
    fields = {
        found[1]: found[2] for found in re.finditer(r'name="(new-\w+)" value="([^"]*)"', form)
    }
    fields |= {"new-sort": "Bool", "new-role": "fact", "new-unit": "", "new-description": "Urgent."}
    done = alices.post(f"{own}new/", {"english": text, "declare": "yes", **fields})
    assert "Declared: ‘the trip is urgent’" in done.content.decode()
    assert "understood, and read as" in done.content.decode()
    assert travel.variables.filter(phrase="the trip is urgent").exists()


def test_one_of_two_readings_is_chosen_and_then_saved(alices: Client, own: str) -> None:
    text = CASE.format("5") + "either the trip is approved or the trip is international."
    page = read(alices, own, text)
    assert "two readings" in page
    choice = html.unescape(hidden(page, "use"))
    done = alices.post(f"{own}new/", {"english": text, "use": choice}).content.decode()
    assert f"{choice}</textarea>" in done
    form = {"english": choice, "read": hidden(done, "read")}
    assert "Saved." in alices.post(f"{own}new/save/", form, follow=True).content.decode()
    assert Scenario.objects.get().english == choice


def test_a_text_in_the_address_is_read_at_once(alices: Client, own: str) -> None:
    page = alices.get(f"{own}new/", {"text": HOLDS}).content.decode()
    assert f"{HOLDS}</textarea>" in page
    assert "understood, and read as" in page
    hostile = alices.get(f"{own}new/", {"text": "<script>\0"})
    assert hostile.status_code == 200
    assert "<script>\0" not in hostile.content.decode()


def test_one_is_withdrawn_with_a_reason(alices: Client, own: str) -> None:
    write(alices, own, FAILS)
    row = Scenario.objects.get()
    refused = alices.post(f"{own}{row.uid}/withdraw/", {"reason": " "})
    assert refused.status_code == 422
    assert "Write the reason" in refused.content.decode()
    done = alices.post(f"{own}{row.uid}/withdraw/", {"reason": "The manager knew."}, follow=True)
    assert "Withdrawn" in done.content.decode()
    assert "EUR 1,500" not in alices.get(own).content.decode()
    page = alices.get(f"{own}{row.uid}/").content.decode()
    assert "The manager knew." in page
    assert "Withdraw it" not in page
    assert ScenarioWithdrawal.objects.count() == 1


def test_another_word_on_the_case_counts_from_then_on(
    alices: Client, bob: User, client_of: Clients, own: str
) -> None:
    write(alices, own, FAILS)
    row = Scenario.objects.get()
    page = read(client_of(bob), own, HOLDS)
    assert "Alice said something else of this case" in page
    write(client_of(bob), own, HOLDS)
    assert "That counts now" in alices.get(f"{own}{row.uid}/").content.decode()
    assert "This was said already by Bob" in read(alices, own, HOLDS)


def test_one_whose_words_changed_does_not_fit_any_more(
    alices: Client, alice: User, travel: Policy, own: str
) -> None:
    write(alices, own, HOLDS)
    cost = travel.variables.get(name="costOfTrip")
    new = NewVariable("costOfTrip", "Real", unit="USD", phrase="the cost of the trip")
    edit_variable(travel, alice, cost, new, shown_hash=variable_hash(cost))
    page = alices.get(own).content.decode()
    assert "does not fit any more" in page
    assert "say again what the policy says of it" in page.lower()
    assert json.loads(alices.get(f"{own}export.json").content) == []


def test_a_file_is_looked_at_before_it_is_imported(alices: Client, own: str) -> None:
    write(alices, own, HOLDS)
    page = upload(alices, own, TABLE.encode()).content.decode()
    assert "1 new scenario in cases.csv. Nothing is saved yet." in page
    assert "1 does not hold: the rules say otherwise." in page
    assert "1 was known and stays as it is." in page
    assert "EUR 2,000" in page
    assert Scenario.objects.count() == 1
    form = {name: hidden(page, name) for name in ("file", "shown", "name")}
    done = alices.post(f"{own}import/save/", form, follow=True).content.decode()
    assert "One scenario was imported." in done
    assert "imported" in done
    again = alices.post(f"{own}import/save/", form)
    assert again.status_code == 409
    assert "Nothing in cases.csv is new." in again.content.decode()
    assert Scenario.objects.count() == 2


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "The file is empty."),
        (b"\x89PNG\r\n\x1a\n\0", "is not in UTF-8"),
        (b"<script>alert(1)</script>", "Line 1: the first line names variables"),
        (TABLE.encode() + b"1,maybe,tripApproved,VALID\n", "Line 4: <code>lineManagerApprovedTrip"),
    ],
)
def test_nothing_is_saved_of_a_file_with_a_problem(
    alices: Client, own: str, data: bytes, says: str
) -> None:
    refused = upload(alices, own, data)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Nothing of the file was saved." in page
    assert says in page
    assert not Scenario.objects.exists()


@pytest.mark.parametrize("file", ["", "!!!", "eJwDAAAAAAE="])
def test_a_form_that_carries_no_file_is_refused(alices: Client, own: str, file: str) -> None:
    refused = alices.post(f"{own}import/save/", {"file": file, "shown": "x"})
    assert refused.status_code == 422
    assert alices.post(f"{own}import/").status_code == 422


def test_a_file_goes_out_with_its_headers_and_the_same_bytes(alices: Client, own: str) -> None:
    write(alices, own, HOLDS)
    first = alices.get(f"{own}export.csv")
    assert first.content.decode() == f"{HEAD}1500,false,tripApproved,INVALID\n"
    assert first["Content-Type"] == "text/csv; charset=utf-8"
    assert first["Content-Disposition"] == ('attachment; filename="travel-policy-scenarios.csv"')
    assert first["Cache-Control"] == "private, no-cache"
    same = alices.get(f"{own}export.csv", headers={"if-none-match": first["ETag"]})
    assert same.status_code == 304
    assert alices.get(f"{own}export.json")["Content-Type"] == "application/json"
    assert alices.get(f"{own}export.xlsx").status_code == 404


def test_a_viewer_reads_and_exports_and_adds_nothing(
    travel: Policy, alices: Client, bob: User, client_of: Clients, own: str
) -> None:
    write(alices, own, HOLDS)
    Membership.objects.filter(policy=travel, user=bob).update(role=Role.VIEWER)
    bobs, row = client_of(bob), Scenario.objects.get()
    page = bobs.get(own).content.decode()
    assert "EUR 1,500" in page
    assert "Write a scenario" not in page
    assert bobs.get(f"{own}{row.uid}/").status_code == 200
    assert bobs.get(f"{own}export.csv").status_code == 200
    for address in ("new/", "import/"):
        assert bobs.get(own + address).status_code == 403
    for address in ("new/save/", "import/save/", f"{row.uid}/withdraw/"):
        assert bobs.post(own + address, {"reason": "x"}).status_code == 403


def test_a_stranger_and_another_policy_find_nothing(
    travel: Policy, alices: Client, alice: User, charlie: User, client_of: Clients, own: str
) -> None:
    write(alices, own, HOLDS)
    row = Scenario.objects.get()
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    Membership.objects.create(policy=other, user=alice, role=Role.OWNER)
    away = f"/policies/other/scenarios/own/{row.uid}/"
    assert alices.get(away).status_code == 404
    assert alices.post(f"{away}withdraw/", {"reason": "x"}).status_code == 404
    assert client_of(charlie).get(f"{own}export.csv").status_code == 404
    assert client_of(charlie).get(f"{own}{row.uid}/").status_code == 404
    assert alices.get(f"{own}nothing/").status_code == 404


def test_thousands_are_paged(alices: Client, own: str) -> None:
    table = HEAD + "".join(f"{cost},false,tripApproved,INVALID\n" for cost in range(950, 1_070))
    page = upload(alices, own, table.encode()).content.decode()
    assert "120 new scenarios" in page
    assert "70 more." in page
    form = {name: hidden(page, name) for name in ("file", "shown", "name")}
    first = alices.post(f"{own}import/save/", form, follow=True).content.decode()
    assert "Page 1 of 3" in first
    assert first.count("does not hold any more") >= 50
    last = alices.get(f"{own}?page=3").content.decode()
    assert "does not hold any more" not in last.split('<ul class="list">')[1]
    assert alices.get(f"{own}?page=nowhere").status_code == 200
