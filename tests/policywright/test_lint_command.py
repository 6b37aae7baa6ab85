"""`policywright lint` as a script would call it, and lint after an edit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from policywright.cli import main
from policywright.lint import lint, proposed, silence_hash
from policywright.lint.scan import Question
from policywright.model import DefaultChoice, PolicyModel, Rule, Source
from policywright.smtlib import read
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, eq, integer, real

CLASH = """
; variable: {"role": "fact"}
(declare-const late Bool)
; variable: {"role": "fact"}
(declare-const days Int)
; variable: {"role": "outcome"}
(declare-const accepted Bool)
(assert (! (=> late (not accepted)) :named too-late))
(assert (! (=> (> days 3) accepted) :named long))
"""
APART = (
    CLASH
    + """
; variable: {"role": "fact"}
(declare-const paid Bool)
; variable: {"role": "outcome"}
(declare-const shipped Bool)
(assert (! (=> paid shipped) :named ship))
(assert (! (=> (and paid paid) shipped) :named ship-again))
"""
)


def run(tmp_path: Path, text: str, *options: str) -> int:
    path = tmp_path / "policy.smt2"
    path.write_text(text, encoding="utf-8")
    return main(["lint", str(path), *options])


def test_errors_exit_with_1_and_json_is_one_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, CLASH, "--json") == 1
    captured = capsys.readouterr()
    first = json.loads(captured.out)[0]
    assert {key: first[key] for key in ("code", "severity", "rules", "witness")} == {
        "code": "conflict",
        "severity": "error",
        "rules": ["too-late", "long"],
        "witness": {"late": True, "days": 4},
    }
    assert "cannot all hold" in first["message"]
    assert "among 1 pair of conclusions" in captured.err


def test_warnings_alone_exit_with_0_and_a_diagnostic_without_a_case_has_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CLASH.replace("(=> late (not", "(=> (and late (<= days 3) (<= days 3)) (not")
    assert run(tmp_path, text, "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert {one["severity"] for one in data} <= {"warning", "note"}
    assert any(one["witness"] is None for one in data)


def test_a_file_that_cannot_be_read_exits_with_2_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, CLASH + "(assert (= days 2.5))", "--json") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "`days` is a whole number (Int), but the rule needs a decimal" in captured.err


def test_roles_from_a_file_decide_what_is_a_case(tmp_path: Path) -> None:
    roles = tmp_path / "roles.toml"
    roles.write_text('fact = ["late", "days", "accepted"]\n')
    assert run(tmp_path, CLASH) == 1
    assert run(tmp_path, CLASH, "--roles", str(roles)) == 0


def test_after_an_edit_only_what_is_connected_with_it_is_looked_at() -> None:
    model = read(APART)
    before = lint(model)
    assert before.looked_at == {rule.id for rule in model.rules}
    assert lint(model, known=before.parts).looked_at == set()
    for edited, with_it in (("ship", {"ship", "ship-again"}), ("long", {"too-late", "long"})):
        rules = [
            replace(rule, name="renamed") if rule.id == edited else rule for rule in model.rules
        ]
        asked: list[Question] = []
        after = lint(model.with_rules(rules), known=before.parts, observe=asked.append)
        assert after.looked_at == with_it
        assert 0 < len(asked) < before.questions
        assert len(after.diagnostics) == len(before.diagnostics)


def test_the_higher_document_prevails_where_ranks_are_given() -> None:
    model = read(CLASH)
    names = ("Handbook", "Law")
    rules = [
        replace(rule, sources=(Source(name, "1", 0, 9, f"Sentence of {name}."),))
        for rule, name in zip(model.rules, names, strict=True)
    ]
    for ranks, limited in (({"Law": 1, "Handbook": 2}, 0), ({"Law": 2, "Handbook": 1}, 1)):
        (error,) = lint(model.with_rules(rules), ranks=ranks).errors
        assert error.fixes[0].label.startswith("the higher document prevails: ")
        assert error.fixes[0].rules[0].id == model.rules[limited].id


def test_a_rule_that_does_not_fit_is_named_and_a_real_offered() -> None:
    model = read(CLASH)
    unfit = Rule("half", "half", eq(Symbol("days", REAL), real("2.5")))
    (error_typed,) = [d for d in lint(model, unfit=[unfit]).errors if d.code == "ill-typed"]
    assert "`days` as Real, but it is Int" in error_typed.message
    assert error_typed.fixes[0].label == "declare `days` as a number with decimals (Real)"
    twin = replace(model.rules[0], id="twin")
    (error,) = [d for d in lint(model, unfit=[twin]).errors if d.code == "duplicate-name"]
    assert error.rules == ("too-late", "twin")
    # With a whole number, or under a name of its own, each is a rule like others.
    whole = Rule("half", "half", eq(Symbol("days", INT), integer(2)))
    for mended in (whole, replace(twin, name="too-late-too")):
        after = model.with_rules([*model.rules, mended])
        codes = {d.code for d in lint(after).diagnostics}
        assert codes.isdisjoint({"ill-typed", "duplicate-name"})
    assert not [d for d in lint(model, unfit=[whole]).errors if d.code == "ill-typed"]


def test_only_prohibitions_offer_a_default_that_mends_it() -> None:
    model = read(
        '; variable: {"role": "fact"}\n(declare-const dear Bool)\n; variable: {"role": "outcome"}\n'
        "(declare-const approved Bool)\n(assert (! (=> dear (not approved)) :named no))"
    )
    (found,) = [d for d in lint(model).diagnostics if d.code == "one-sided-outcome"]
    assert found.message.startswith("Only prohibitions: nothing here can ever prove that approved")
    assert [fix.default for fix in found.fixes] == [
        ("approved", DefaultChoice.APPROVED),
        ("approved", DefaultChoice.OPEN),
    ]
    for fix in found.fixes:
        codes = {d.code for d in lint(proposed(model, fix)).diagnostics}
        assert "one-sided-outcome" not in codes


def test_a_silence_ends_with_the_content_it_was_bound_to() -> None:
    model = read(CLASH)
    (error,) = lint(model).errors
    bound = silence_hash(model, error)
    moved = model.with_rules(list(reversed(model.rules)))
    assert silence_hash(moved, error) == bound
    edited = proposed(model, error.fixes[0])
    assert silence_hash(edited, error) != bound


def test_what_contradicts_itself_or_is_empty_ends_in_a_report() -> None:
    assert lint(PolicyModel()).diagnostics == ()
    text = "(declare-const a Bool)(assert (! false :named never))(assert (! a :named bare))"
    report = lint(read(text))
    assert [d.rules for d in report.errors] == [("never",)]
    assert "bare-assertion" in {d.code for d in report.diagnostics}


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_thousands_of_conditions_end_in_bounded_time_and_what_was_left_is_said(count: int) -> None:
    names = [f"condition{i}" for i in range(count)]
    declared = "".join(f"(declare-const {name} Bool)" for name in names)
    rule = f"(assert (! (=> (and {' '.join(names)}) granted) :named long))"
    report = lint(read(f"{declared}(declare-const granted Bool){rule}"))
    assert not report.errors
    assert any("only the first parts" in limit for limit in report.limits)


def test_what_the_solver_does_not_decide_is_said_and_in_no_diagnostic() -> None:
    text = (
        "(declare-const a Int)(declare-const b Int)(declare-const x Bool)"
        "(assert (! (and (> a 1) (> b 1) (< a 10000000)) :named ranges))"
        "(assert (! (=> (= (* a b) 1000000016000000063) x) :named odd))"
    )
    report = lint(read(text), rlimit=200_000)
    assert any("not decided within the limit" in limit for limit in report.limits)
    assert "never-applies" not in {d.code for d in report.diagnostics}


def test_a_conflict_through_derived_variables_is_found_whatever_else_decides_the_outcome() -> None:
    """Each derived variable hangs on fifteen rules: far more than one region holds."""
    lines = [f'; variable: {{"role": "fact"}}\n(declare-const f{i} Int)' for i in range(20)]
    lines += [f'; variable: {{"role": "derived"}}\n(declare-const d{i} Bool)' for i in range(8)]
    lines += ['; variable: {"role": "outcome"}\n(declare-const y Bool)']
    for i in range(8):
        for k in range(15):
            lines.append(f"(assert (! (=> (> f{(i + k) % 20} {100 + k}) d{i}) :named r{i}-{k}))")
    for k in range(40):
        says = "y" if k % 2 else "(not y)"
        condition = f"(and d{k % 8} d{(k + 3) % 8})"
        lines.append(f"(assert (! (=> {condition} {says}) :named y{k}))")
    errors = lint(read("\n".join(lines))).errors
    assert errors
    assert all(d.code == "conflict" for d in errors)
    assert all(4 <= len(d.rules) <= 6 for d in errors), (
        "both rules, and what their conditions hang on"
    )
