"""Suites in a process of their own: what it replies, and that it is ended in time."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.modeljson import model_to_json
from policywright.scenarios import Scenario, make_suite, run_keys
from policywright.scenarios.partjson import scenario_from_json, scenario_to_json
from policywright.smtlib import read, read_term
from policywright.suiting import SuiteNotMadeError, suite_apart
from policywright.termjson import term_from_json, term_to_json
from policywright.terms import Term

from .synthetic import policy_text

TRIPS = """
; variable: {"role": "fact", "unit": "EUR", "phrases": {"text": "the cost"}}
(declare-const cost Int)
; variable: {"role": "outcome", "phrases": {"text": "the trip is approved"}}
(declare-const approved Bool)
(assert (! (=> (> cost 1000) (not approved)) :named dear))
(assert (! (=> (<= cost 1000) approved) :named cheap))
"""


def asked(model: PolicyModel, **rest: Any) -> dict[str, Any]:
    return {"model": model_to_json(model), "tiers": 1, "known": [], **rest}


def test_the_process_hands_over_each_part_of_the_suite_that_is_made_here() -> None:
    model = read(policy_text(24))
    counted: list[dict[str, Any]] = []
    parts: dict[str, dict[str, Any]] = {}
    reply = suite_apart(asked(model), on_counts=counted.append, on_part=parts.__setitem__)
    suite = make_suite(model, tiers=1)
    assert reply["done"] is True
    assert reply["keys"] == [part.key for part in suite.parts]
    assert sorted(reply["keys"]) == sorted(parts)
    sizes = [len(body["scenarios"]) for body in parts.values()]
    assert sizes[0] < sizes[-1]
    assert counted == [{"counts": reply["counts"], "keys": reply["keys"]}]
    assert list(reply["counts"]) == ["1", "2", "3"]
    assert sum(reply["counts"]["1"].values()) == suite.tally.mutants
    for part in suite.parts:
        body = parts[part.key]
        assert [scenario_from_json(model, one) for one in body["scenarios"]] == [
            one.scenario for one in part.scenarios
        ]
        tallies = [t for kinds in body["tally"].values() for t in kinds.values()]
        assert sum(one["mutants"] for one in tallies) == len(part.fates)
    told = [edit for body in parts.values() for one in body["scenarios"] for edit in one["tells"]]
    assert len(told) == suite.tally.killed
    assert all(edit["english"].startswith("In `") for edit in told)


def test_parts_that_are_known_are_not_made_again() -> None:
    model = read(policy_text(24))
    keys = suite_apart({**asked(model), "do": "count"})["keys"]
    parts: dict[str, dict[str, Any]] = {}
    suite_apart(asked(model, known=keys[1:]), on_part=parts.__setitem__)
    assert list(parts) == keys[:1]


def test_cases_handed_in_again_are_the_same_cases() -> None:
    model = read(TRIPS)
    first: dict[str, dict[str, Any]] = {}
    suite_apart(asked(model, tiers=3), on_part=first.__setitem__)
    (body,) = first.values()
    after = read(TRIPS.replace("(> cost 1000)", "(>= cost 1000)"))
    again: dict[str, dict[str, Any]] = {}
    seeds = json.loads(json.dumps(body["scenarios"]))
    suite_apart(asked(after, tiers=3, seeds=seeds), on_part=again.__setitem__)
    (remade,) = again.values()
    old = {json.dumps([one["facts"], one["claim"]]) for one in body["scenarios"]}
    new = {json.dumps([one["facts"], one["claim"]]) for one in remade["scenarios"]}
    assert len(old & new) >= len(old) - 1


def test_an_edit_is_the_whole_term_of_its_owner() -> None:
    model = read(TRIPS)
    parts: dict[str, dict[str, Any]] = {}
    suite_apart(asked(model), on_part=parts.__setitem__)
    sorts = {one.id: one.sort for one in model.variables}
    terms = [
        term_from_json(edit["term"], sorts)
        for body in parts.values()
        for one in body["scenarios"]
        for edit in one["tells"]
        if edit["owner"] == model.rules[0].id
    ]
    assert read_term("(=> (>= cost 1000) (not approved))", model) in terms


def said(model: PolicyModel, facts: dict[str, int], claim: Term, kind: str) -> dict[str, Any]:
    by_name = {one.name: one.id for one in model.variables}
    values = {by_name[name]: value for name, value in facts.items()}
    return scenario_to_json(Scenario(values, claim, FindingKind(kind)))


def test_scenarios_are_run_and_what_does_not_fit_is_said() -> None:
    model = read(TRIPS)
    approved = model.variables[1].symbol
    good = said(model, {"cost": 5}, approved, "VALID")
    gone = {**good, "facts": {"nothing": "5"}}
    reply = suite_apart({**asked(model), "do": "run", "scenarios": [good, gone]})
    assert reply["runs"][0] == {"found": "VALID", "rules": ["cheap"]}
    assert reply["runs"][1]["found"] is None
    assert "`nothing` is not declared" in reply["runs"][1]["problem"]
    late = suite_apart({**asked(model), "do": "run", "scenarios": [good], "within_s": -1})
    assert late["runs"] == [{"found": None, "rules": [], "problem": "there was no time for it"}]


def test_a_planted_slip_is_mended_by_the_edit_that_keeps_the_other_answers() -> None:
    right = read(TRIPS)
    wrong = read(
        TRIPS.replace("(> cost 1000)", "(> cost 1001)").replace("<= cost 1000", "<= cost 1001")
    )
    approved = wrong.variables[1].symbol
    others = [
        said(wrong, {"cost": n}, approved, k) for n, k in ((1000, "VALID"), (1002, "INVALID"))
    ]
    reply = suite_apart(
        {
            **asked(wrong),
            "do": "repairs",
            "scenario": said(wrong, {"cost": 1001}, approved, "VALID"),
            "said": "SATISFIABLE",
            "edits": [],
            "others": others,
        }
    )
    first = reply["repairs"][0]
    assert (first["keeps"], first["of"]) == (2, 2)
    assert first["owner"] == "cheap"
    sorts = {one.id: one.sort for one in wrong.variables}
    mended = term_from_json(first["term"], sorts)
    rules = [replace(r, term=mended) if r.id == first["owner"] else r for r in wrong.rules]
    assert make_suite(wrong.with_rules(tuple(rules))).scenarios
    assert first["english"].startswith("In `cheap`: ")
    assert [one["keeps"] for one in reply["repairs"]] == sorted(
        (one["keeps"] for one in reply["repairs"]), reverse=True
    )
    assert right != wrong


def test_edits_that_the_case_tells_apart_are_tried_first() -> None:
    model = read(TRIPS)
    approved = model.variables[1].symbol
    given = {
        "owner": "dear",
        "kind": "constant one step off",
        "english": "In `dear`: handed in.",
        "term": term_to_json(read_term("(=> (> cost 1001) (not approved))", model)),
    }
    reply = suite_apart(
        {
            **asked(model),
            "do": "repairs",
            "scenario": said(model, {"cost": 1001}, approved, "INVALID"),
            "said": "SATISFIABLE",
            "edits": [given],
            "others": [],
        }
    )
    assert reply["repairs"][0] == {**given, "keeps": 0, "of": 0}
    assert len(reply["repairs"]) > 1


def test_a_run_key_changes_with_what_the_scenario_touches_and_with_nothing_else() -> None:
    text = policy_text(24)
    model = read(text)
    scenarios = [one.scenario for one in make_suite(model, tiers=1).scenarios]
    keys = run_keys(model, scenarios)
    assert len(set(keys)) == len({(tuple(s.facts.items()), s.claim) for s in scenarios})
    assert (
        run_keys(read(text), [replace(s, expected=FindingKind.INVALID) for s in scenarios]) == keys
    )
    after = run_keys(read(text.replace("(> paid2 ", "(>= paid2 ", 1)), scenarios)
    same = sum(a == b for a, b in zip(keys, after, strict=True))
    assert 0 < same < len(keys)


def test_past_the_deadline_there_is_a_sentence_and_no_process() -> None:
    model = read(TRIPS)
    with pytest.raises(SuiteNotMadeError, match="not done within 0 seconds"):
        suite_apart(asked(model), deadline_s=0)
    with pytest.raises(SuiteNotMadeError, match="cancelled"):
        suite_apart(asked(model), cancelled=lambda: True)


def test_a_model_that_does_not_fit_together_is_named() -> None:
    data = model_to_json(read(TRIPS))
    data["variables"] = data["variables"][1:]
    with pytest.raises(SuiteNotMadeError, match="`cost` is not declared"):
        suite_apart({"model": data, "tiers": 1, "known": []})


def test_one_scenario_that_fits_no_more_spoils_no_other() -> None:
    model = read(TRIPS)
    cost, approved = model.variables
    fits = {"facts": {cost.id: "10"}, "claim": ["symbol", approved.id]}
    others = [
        {"facts": {}, "claim": ["symbol", cost.id]},
        {"facts": {}, "claim": ["literal", "Bool", ["true"]]},
        {"facts": {"\ud800": "1"}, "claim": None},
    ]
    reply = suite_apart({**asked(model), "do": "run", "scenarios": [*others, fits]})
    assert [one["found"] for one in reply["runs"]] == [None, None, None, "VALID"]
    assert all(one["problem"] for one in reply["runs"][:3])
