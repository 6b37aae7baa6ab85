"""What a policy file, an answer or a rule must never do: the field reports of the language."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policywright.errors import ModelError, NameNotAllowedError, ReadError
from policywright.library import LoadedPolicy
from policywright.model import Datatype, PolicyModel, Rule, Value, Variable
from policywright.names import RESERVED, check_name, suggest_name
from policywright.smtlib import print_model, print_term, read, read_answer, read_term
from policywright.sorts import BOOL
from policywright.terms import TRUE
from tests.policywright.generated import BASE
from tests.policywright.shared import shared
from tests.policywright.solvers import cvc5_answer, z3_answer


def problems_of(text: str) -> list[str]:
    with pytest.raises(ReadError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


def test_fr_01_one_unknown_name_loads_nothing_and_is_named_with_its_rule() -> None:
    text = (
        "(declare-const tenure Int)\n(assert (! (> tenur 3) :named three))\n(assert (< tenure 0))"
    )
    assert problems_of(text) == [
        "line 2, column 15: rule `three`: `tenur` is not declared; did you mean `tenure`?"
    ]


def test_fr_01_a_file_without_rules_is_an_error() -> None:
    assert problems_of("(declare-const a Bool)") == [
        "this policy has no rules; write at least one `(assert ...)`"
    ]


COMMANDS = [
    '(include "other.smt2")', '(echo "x")', "(push 1)", "(pop 1)", "(reset)", "(exit)",
    "(reset-assertions)", "(define-fun-rec f () Bool f)", "(declare-sort S 0)", "(eval true)",
    "(minimize x)", "(simplify true)",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_fr_02_every_other_command_is_refused_by_name(command: str) -> None:
    name = command[1:].split()[0].rstrip(")")
    assert f"`{name}` is not allowed here" in problems_of(f"(declare-const a Bool)\n{command}")[0]


@pytest.mark.parametrize("command", [*COMMANDS, '(set-option :regular-output-channel "f")'])
def test_fr_02_a_rule_holds_no_command(command: str) -> None:
    with pytest.raises(ReadError):
        read_term(command, BASE)
    with pytest.raises(ReadError):
        read_term(f"(and memberCard {command})", BASE)


def test_fr_02_options_are_dropped_and_change_nothing(tmp_path: object) -> None:
    text = '(set-option :rlimit 1)\n(set-info :a "b")\n(declare-const a Int)\n(assert (> a 1))'
    assert [rule.name for rule in read(text).rules] == ["rule-1"]
    assert ":rlimit" not in print_model(read(text))


def test_fr_03_commands_that_take_rules_away_are_all_refused() -> None:
    problems = problems_of(shared("cases", "files", "fr-03-rules-dropped.smt2").read_text())
    assert [p.split("`")[1] for p in problems] == ["push", "pop", "exit"]


HOSTILE_NAMES = [
    "fee| () Bool)(assert false)(declare-const |x", "ends\\", "a|b", "two\nlines", "", "   ",
    "x; comment", '"quoted"', "a\u0000b", "n" * 500, "zero\u200bwidth", "rtl\u202etxt",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_fr_04_a_name_that_could_break_out_is_refused_everywhere(name: str) -> None:
    with pytest.raises(NameNotAllowedError):
        check_name(name)
    check_name(suggest_name(name))
    with pytest.raises(ModelError):
        PolicyModel(variables=(Variable("x", name, BOOL),))
    with pytest.raises(ModelError):
        PolicyModel(datatypes=(Datatype("d", "D", (Value("v", name),)),))
    with pytest.raises(ModelError):
        PolicyModel(rules=(Rule("r", name, TRUE),))


def test_fr_04_the_names_of_the_report_are_refused_or_harmless() -> None:
    names = json.loads(shared("cases", "files", "fr-04-hostile-names.json").read_text())["names"]
    for name in names:
        try:
            model = PolicyModel(
                variables=(Variable("x", name, BOOL),), rules=(Rule("r", "r", TRUE),)
            )
        except ModelError:
            continue
        assert z3_answer(print_model(model)) == cvc5_answer(print_model(model)) == "sat"


def test_fr_05_quoted_names_survive_the_trip() -> None:
    model = read(shared("cases", "files", "fr-05-quoted-names.smt2").read_text())
    text = print_model(model)
    assert read(text) == model
    assert [rule.name for rule in model.rules] == ["rule 1: part-time leave", "rule 2"]
    assert z3_answer(text) == cvc5_answer(text) == "sat"


@pytest.mark.parametrize(
    "name", ["and", "true", "distinct", "_", "as", "not", "assert", "Int", "EXIT"]
)
def test_fr_06_words_the_language_keeps_are_refused_with_a_free_name(name: str) -> None:
    with pytest.raises(NameNotAllowedError) as caught:
        check_name(name)
    assert check_name(caught.value.suggestion)
    assert name.lower() in RESERVED


def test_fr_06_every_name_that_is_allowed_is_read_by_both_solvers() -> None:
    for name in ["Ünïcode", "年齢", "a-b", "x.y", "9 lives", "(per year)", "is it?", "a:b", "e"]:
        variable = Variable("x", check_name(name), BOOL)
        model = PolicyModel(variables=(variable,), rules=(Rule("r", "r", variable.symbol),))
        assert read(print_model(model)) == model
        assert z3_answer(print_model(model)) == cvc5_answer(print_model(model)) == "sat"


def test_fr_07_a_decimal_in_a_whole_number_variable_is_refused_by_name() -> None:
    (problem,) = problems_of("(declare-const notice_weeks Int)\n(assert (= notice_weeks 2.5))")
    assert "`notice_weeks` is a whole number (Int), but the rule needs a decimal" in problem
    assert "declare `notice_weeks` as Real" in problem


def test_fr_07_no_rule_rests_on_an_unwritten_conversion() -> None:
    (problem,) = problems_of("(declare-const i Int)\n(declare-const r Real)\n(assert (> r i))")
    assert "write `(to_real ...)` around `i`" in problem
    assert print_term(BASE, read_term("(> fee 1000)", BASE)) == "(> fee 1000.0)"


def test_fr_08_half_of_seven_days_is_three_and_a_half() -> None:
    policy = LoadedPolicy(
        read(
            "(declare-const leaveDays Int)\n(declare-const carried Real)\n"
            "(assert (! (= carried (/ (to_real leaveDays) 2)) :named half))"
        )
    )
    assert policy.check(["(= leaveDays 7)"], "(= carried 3.5)").kind == "VALID"
    assert policy.check(["(= leaveDays 7)"], "(= carried 3)").kind == "INVALID"


@pytest.mark.parametrize(
    ("written", "remedy"),
    [("1,000", "1000"), ("5.", "5.0"), ("05", "5"), ("1e3", "digits"), ("1/3", "(/ 1.0 3.0)"),
     ("-5", "(- 5)"), ("+5", "5"), ("5%", "0.05")],
)  # fmt: skip
def test_fr_10_a_spelling_that_solvers_disagree_on_is_refused_with_the_right_one(
    written: str, remedy: str
) -> None:
    assert remedy in problems_of(f"(declare-const a Real)\n(assert (> a {written}))")[0]


def test_fr_16_a_value_of_two_datatypes_is_qualified_when_printed() -> None:
    text = (
        "(declare-datatype Level ((NONE) (LOW)))\n(declare-datatype Cover ((NONE) (FULL)))\n"
        "(declare-const level Level)\n(declare-const cover Cover)\n"
        "(assert (=> (= cover (as NONE Cover)) (= level (as NONE Level))))"
    )
    model = read(text)
    printed = print_model(model)
    assert "(as NONE Cover)" in printed
    assert read(printed) == model
    assert z3_answer(printed) == cvc5_answer(printed) == "sat"
    assert "say which: `(as NONE Level)`" in problems_of(text.replace("(as NONE Level)", "NONE"))[0]


def test_fr_19_no_condition_of_a_long_rule_is_lost() -> None:
    names = [f"b{i}" for i in range(300)]
    declarations = "".join(f"(declare-const {name} Bool)\n" for name in names)
    model = read(f"{declarations}(assert (=> (and {' '.join(names)}) b0))")
    assert all(f" {name}" in print_term(model, model.rules[0].term) for name in names[1:])
    assert read(print_model(model)) == model


def test_fr_21_the_header_fits_the_content() -> None:
    model = read(shared("cases", "files", "fr-21-enum-with-arithmetic-header.smt2").read_text())
    assert cvc5_answer(print_model(model)) == z3_answer(print_model(model)) == "sat"


def test_an_answer_cannot_redefine_a_name_of_the_policy() -> None:
    with pytest.raises(ReadError, match="already a name of the policy"):
        read_answer("(define-fun granted () Bool true)\n(define-fun claim () Bool granted)", BASE)


def test_an_answer_without_a_claim_says_what_to_add() -> None:
    with pytest.raises(ReadError, match=r"add `\(define-fun claim \(\) Bool \.\.\.\)`"):
        read_answer("(assert memberCard)", BASE)


def test_ten_thousand_brackets_are_one_sentence() -> None:
    text = "(declare-const a Bool)\n(assert " + "(not " * 10_000 + "a" + ")" * 10_001
    assert "nested deeper than" in problems_of(text)[0]
    assert "nested deeper than" in problems_of("(" * 10_000)[0]


def test_a_let_that_doubles_itself_is_refused_in_time() -> None:
    names = "".join(f"(let ((x{i} (and x{i - 1} x{i - 1}))) " for i in range(1, 60))
    text = f"(declare-const a Bool)\n(assert (let ((x0 a)) {names} x59{')' * 61}"
    started = time.monotonic()
    assert "once its names are written out" in problems_of(text)[0]
    assert time.monotonic() - started < 5


DOUBLED = "(define-fun d0 () Int (+ a 1))\n" + "".join(
    f"(define-fun d{i} () Int (+ d{i - 1} d{i - 1}))\n" for i in range(1, 60)
)
CHAINED = "(define-fun d0 () Int (+ a 1))\n" + "".join(
    f"(define-fun d{i} () Int (+ d{i - 1} 1))\n" for i in range(1, 2_000)
)


@pytest.mark.parametrize(
    ("definitions", "sentence"), [(DOUBLED, "more than 200,000 parts"), (CHAINED, "nested deeper")]
)
def test_definitions_that_grow_without_end_are_refused_in_a_policy_and_in_an_answer(
    definitions: str, sentence: str
) -> None:
    policy = "(declare-const a Int)\n"
    assert sentence in problems_of(f"{policy}{definitions}(assert (> d59 5))")[0]
    model = read(f"{policy}(assert (> a 0))")
    with pytest.raises(ReadError, match=sentence):
        read_answer(f"{definitions}(define-fun claim () Bool (> d59 5))", model)


def test_definitions_as_policies_have_them_are_checked() -> None:
    lines = CHAINED.splitlines()[:180]
    text = "\n".join(["(declare-const a Int)", *lines, "(assert (! (> d179 500) :named r))"])
    finding = LoadedPolicy(read(text)).check(["(= a 100)"], "(> a 0)")
    assert finding.kind == "IMPOSSIBLE"


HOSTILE_NOTES = [
    '; rule: {"rests_on": 5, "outcome": [], "choice": {}, "id": 1, "name": null}',
    '; rule: {"rests_on": "abc", "name": true}',
    '; source: {"offsets": 3, "quote": 4, "context": "x", "document": []}',
    '; source: {"offsets": ["a", null], "context": [1, {}]}',
    "; source: " + "[" * 5_000,
]


@pytest.mark.parametrize("note", HOSTILE_NOTES)
def test_a_note_of_the_wrong_shape_is_left_out_or_refused(note: str) -> None:
    try:
        model = read(f"(declare-const a Bool)\n{note}\n(assert (! a :named r))")
    except ReadError as error:
        assert "does not hold one JSON object" in str(error)  # noqa: PT017
        return
    assert model.rules[0].name == "r"
    assert model.rules[0].rests_on == ()
    assert read(print_model(model)) == model


@pytest.mark.parametrize(
    ("comment", "place"),
    [("; \ud800", "line 2, column 3"), ('; source: {"quote": "\\ud800"}', "line 2, column 1")],
)  # fmt: skip
def test_half_a_character_is_refused_before_it_has_to_be_hashed(comment: str, place: str) -> None:
    text = f"(declare-const a Bool)\n{comment}\n(assert a)"
    assert problems_of(text)[0].startswith(place)


@given(st.text(st.sampled_from('()|";:!a1. \n\\-é{}'), max_size=80))
@example("(assert (! a :named")
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_with_problems(text: str) -> None:
    for reader in (read, lambda t: read_term(t, BASE), lambda t: read_answer(t, BASE)):
        with suppress(ReadError):
            reader(text)
