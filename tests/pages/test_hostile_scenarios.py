"""Pages of scenarios and lint to somebody who means ill: forged keys, words, pages and files.

Each request ends in a page of ours: what is no answer saves nothing, and nothing is let
through to a solver, a database or a traceback. The client raises what a view raises.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from policies.composing import compose
from policies.models import AuditRow, Policy, User
from tests.loans import draft_loans
from tests.pages.feedback import work
from vetting.models import Comment, Scenario, ScenarioWithdrawal
from vetting.suites import SuiteCase, suite_now

Clients = Callable[[User], Client]
KEYS = (
    "x", "0" * 64, "F" * 64, "a" * 5_000, "..", "%00", "%2e%2e%2fetc", "'%20OR%201=1--",
    "\N{FULLWIDTH DIGIT ONE}" * 64, "<script>", "null",
)  # fmt: skip
WORDS = (
    "", "valid", "VALID ", "Valid", "UNDECIDED", "INCONSISTENT", "yes", "\0", "VALID\0",
    "é" * 10_000, "['VALID']", "SATISFIABLE\n",
)  # fmt: skip
NUMBERS = (
    "",
    "-1",
    "0",
    "4",
    "1e9",
    "3.0",
    "\N{ARABIC-INDIC DIGIT TWO}",
    "9" * 5_000,
    "\0",
    "none",
)


@pytest.fixture
def loans(alice: User) -> Policy:
    return draft_loans(alice)


@pytest.fixture
def owner(client_of: Clients, alice: User) -> Client:
    return client_of(alice)


def make(client: Client, policy: Policy) -> str:
    """Make the cases of the first tier, and give the address of the tab."""
    address = f"/policies/{policy.slug}/scenarios/"
    client.post(f"{address}start/", {"tiers": "1"})
    work()
    return address


def cases(policy: Policy) -> tuple[SuiteCase, ...]:
    return suite_now(policy, compose(policy)).cases


def saved() -> tuple[int, ...]:
    models = (Scenario, ScenarioWithdrawal, Comment, AuditRow)
    return tuple(model.objects.count() for model in models)


def test_no_word_but_the_four_and_no_key_but_a_case_s_is_an_answer(
    owner: Client, loans: Policy
) -> None:
    address = make(owner, loans)
    case = cases(loans)[0]
    before = saved()
    for word in WORDS:
        data = {"said": word, "shown": case.shown, "seen": ""}
        assert owner.post(f"{address}cases/{case.key}/answer/", data).status_code < 500
    for shown in ("", "x", "\0", "0" * 64, case.key):
        data = {"said": "VALID", "shown": shown, "seen": "\0"}
        assert owner.post(f"{address}cases/{case.key}/answer/", data).status_code < 500
    for key in KEYS:
        data = {"said": "VALID", "shown": case.shown, "seen": "x", "text": "?", "rule": "\0"}
        for end in ("answer/", "comment/"):
            assert owner.post(f"{address}cases/{key}/{end}", data).status_code < 500
        for end in ("", "repairs/"):
            assert owner.get(f"{address}cases/{key}/{end}").status_code < 500
    assert saved() == before


def test_a_case_of_another_policy_is_no_case_here(
    owner: Client, loans: Policy, travel: Policy
) -> None:
    make(owner, loans)
    case = cases(loans)[0]
    before = saved()
    data = {"said": "VALID", "shown": case.shown, "seen": "", "text": "mine"}
    for end in ("answer/", "comment/"):
        address = f"/policies/{travel.slug}/scenarios/cases/{case.key}/{end}"
        assert owner.post(address, data).status_code in (302, 404)
    address = f"/policies/{travel.slug}/scenarios/cases/{case.key}/"
    assert owner.get(address).status_code in (302, 404)
    assert saved() == before


def test_numbers_and_uids_that_are_none_end_in_a_page(owner: Client, loans: Policy) -> None:
    address = make(owner, loans)
    for number in NUMBERS:
        for query in ({"page": number}, {"job": number}, {"after": number}, {"again": number}):
            for end in ("", "next/", "own/", "playground/"):
                assert owner.get(f"{address}{end}", query).status_code < 500, (end, query)
            assert owner.get(f"/policies/{loans.slug}/lint/", query).status_code < 500
        assert owner.post(f"{address}start/", {"tiers": number}).status_code < 500
    for key in KEYS:
        assert owner.post(f"{address}jobs/{key}/cancel/").status_code == 404
        assert owner.post(f"{address}jobs/{key}/again/").status_code == 404
        assert owner.get(f"{address}own/{key}/").status_code == 404
        withdrawn = owner.post(f"{address}own/{key}/withdraw/", {"reason": "no"})
        assert withdrawn.status_code == 404
        assert owner.get(f"{address}own/export.{key[:30]}").status_code == 404


def nested(depth: int) -> str:
    return "(not " * depth + "true" + ")" * depth


def csv_of(value: str, claim: str = "", expected: str = "VALID") -> bytes:
    return f'loanDays,claim,expected\n"{value}","{claim}",{expected}\n'.encode()


def json_of(facts: object, claim: object = None, expected: object = "SATISFIABLE") -> bytes:
    return json.dumps([{"facts": facts, "claim": claim, "expected": expected}]).encode()


HOSTILE_FILES = {
    "digits": csv_of("9" * 1_000_000),
    "exponent": csv_of("1e999999999"),
    "division": csv_of("1/0"),
    "infinity": b'[{"facts": {"loanDays": Infinity}, "claim": null, "expected": "VALID"}]',
    "not a number": b'[{"facts": {"loanDays": NaN}, "claim": null, "expected": "VALID"}]',
    "long number": b'[{"facts": {"loanDays": ' + b"9" * 100_000 + b'}, "expected": "VALID"}]',
    "nested json": b"[" * 100_000 + b"]" * 100_000,
    "objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "half a pair": b'[{"facts": {"loanDays": "\\ud800"}, "claim": "\\udfff", "expected": "VALID"}]',
    "name of half a pair": b'[{"facts": {"\\ud800": 1}, "claim": null, "expected": "VALID"}]',
    "name of half a pair twice": b'[{"\\ud800": 1, "\\ud800": 2}]',
    "zero": b'[{"facts": {"loanDays": "\\u0000"}, "claim": null, "expected": "VALID"}]',
    "list of facts": json_of(["loanDays"]),
    "object of an object": json_of({"loanDays": {"loanDays": 1}}),
    "claim is a list": json_of({"loanDays": 1}, ["loanAllowed"]),
    "claim is deep": json_of({"loanDays": 1}, nested(10_000)),
    "claim is a command": json_of({"loanDays": 1}, "loanAllowed) (exit"),
    "claim sets an option": csv_of("1", "(set-option :timeout 1)"),
    "claim divides": json_of({}, "(> (/ 1.0 0.0) 1.0)"),
    "expected is a list": json_of({"loanDays": 1}, None, ["VALID"]),
    "expected is undecided": json_of({"loanDays": 1}, "loanAllowed", "UNDECIDED"),
    "no facts": json_of({}),
    "quotes": b'loanDays,claim,expected\n"1,"","VALID\n',
    "columns": ("loanDays," * 5_000 + "claim,expected\n1").encode(),
    "same column": b"loanDays,loanDays,claim,expected\n1,2,,SATISFIABLE\n",
    "only a head": b"loanDays,claim,expected\n",
    "lines": b"claim,expected\n" + b",\n" * 200_000,
    "field": b'loanDays,claim,expected\n"' + b"x" * 200_000 + b'",,VALID\n',
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "archive": b"PK\x03\x04" + bytes(range(256)),
    "half of utf-16": b"\xff\xfe\x00",
    "formula": b"=cmd,claim,expected\n1,,VALID\n",
    "script": b"<script>alert(1)</script>,claim,expected\n1,,VALID\n",
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_a_hostile_file_is_refused_in_sentences_and_nothing_is_kept(
    name: str, owner: Client, loans: Policy
) -> None:
    before = saved()
    file = SimpleUploadedFile("cases.csv", HOSTILE_FILES[name])
    page = owner.post(f"/policies/{loans.slug}/scenarios/own/import/", {"file": file})
    assert page.status_code == 422, page.content.decode()[-2_000:]
    assert "<script>alert" not in page.content.decode()
    assert len(page.content) < 200_000
    assert saved() == before


@pytest.mark.parametrize("file", ["", "x", "\0", "eJw=", "A" * 100_000])
def test_a_form_s_file_that_was_forged_is_refused(file: str, owner: Client, loans: Policy) -> None:
    address = f"/policies/{loans.slug}/scenarios/own/import/save/"
    before = saved()
    page = owner.post(address, {"file": file, "shown": "x", "name": "\0" * 500})
    assert page.status_code == 422
    assert saved() == before
