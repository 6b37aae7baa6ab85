"""The whole fragment, as people write it: each form, what it means and how it is printed."""

from __future__ import annotations

import pytest

from policywright.errors import ReadError
from policywright.model import DefaultChoice, Kind, Role
from policywright.smtlib import print_model, print_term, read, read_term
from tests.policywright.generated import BASE
from tests.policywright.solvers import cvc5_answer, z3_answer

DECLARED = """
(declare-datatype Level ((low) (mid) (high)))
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(declare-const i Int)
(declare-const j Int)
(declare-const k Int)
(declare-const x Real)
(declare-const y Real)
(declare-const |the level| Level)
"""

FORMS = [
    ("(and p q r)", "(and p q r)"),
    ("(and p)", "p"),
    ("(or p (or q r))", "(or p (or q r))"),
    ("(xor p q r)", "(xor (xor p q) r)"),
    ("(=> p q r)", "(=> p (=> q r))"),
    ("(not (not p))", "(not (not p))"),
    ("(= p q)", "(= p q)"),
    ("(= i j k)", "(and (= i j) (= j k))"),
    ("(< 0 i 9)", "(and (< 0 i) (< i 9))"),
    ("(<= 0 i j 9)", "(and (<= 0 i) (<= i j) (<= j 9))"),
    ("(> x 1 y)", "(and (> x 1.0) (> 1.0 y))"),
    ("(>= i j)", "(>= i j)"),
    ("(distinct i j k)", "(distinct i j k)"),
    ("(distinct |the level| low)", "(distinct |the level| low)"),
    ("(= (+ i j k 1) (* 2 i j))", "(= (+ i j k 1) (* 2 i j))"),
    ("(= (- i) (- i j k))", "(= (- i) (- (- i j) k))"),
    ("(= (- 5) i)", "(= (- 5) i)"),
    ("(= x (- 2.50))", "(= x (- 2.5))"),
    ("(= x (/ 1 3))", "(= x (/ 1.0 3.0))"),
    ("(= x (/ y 4 2))", "(= x (/ (/ y 4.0) 2.0))"),
    ("(> x 0.10)", "(> x 0.1)"),
    ("(> x (to_real i))", "(> x (to_real i))"),
    ("(> (to_int x) 3)", "(> (to_int x) 3)"),
    ("(= i (ite p 1 (ite q 2 3)))", "(= i (ite p 1 (ite q 2 3)))"),
    ("(= x (ite p 1 y))", "(= x (ite p 1.0 y))"),
    ("(ite p q r)", "(ite p q r)"),
    ("(let ((a (+ i 1))) (< a (* a j)))", "(< (+ i 1) (* (+ i 1) j))"),
    ("(let ((a i) (b j)) (let ((a b) (b a)) (< a b)))", "(< j i)"),
    ("(let ((p q)) (and p (let ((q r)) (or p q))))", "(and q (or q r))"),
    ("(= |the level| (as mid Level))", "(= |the level| mid)"),
    ("(and |p| true (not false))", "(and p true (not false))"),
]


@pytest.mark.parametrize(("written", "printed"), FORMS)
def test_a_form_is_read_and_printed_in_one_spelling(written: str, printed: str) -> None:
    model = read(f"{DECLARED}(assert {written})")
    assert print_term(model, model.rules[0].term) == printed
    assert read_term(printed, model) == model.rules[0].term


@pytest.mark.parametrize(("written", "_"), FORMS)
def test_solvers_find_what_was_written_and_what_is_printed_the_same(written: str, _: str) -> None:
    # Solvers mix Int and Real numerals in other ways than we do: only ours is compared there.
    model = read(f"{DECLARED}(assert {written})")
    printed = print_term(model, model.rules[0].term)
    both = f"(set-logic ALL)\n{DECLARED}(assert (not (= {written} {printed})))"
    assert z3_answer(both) == "unsat"
    whole = print_model(model)
    assert z3_answer(whole) == cvc5_answer(whole) == "sat"


def test_every_way_to_declare_and_define_is_read() -> None:
    text = """
    (set-info :status sat) (set-info :source |a ; b|) (set-option :produce-models true)
    (set-logic QF_UFLIRA)
    (declare-datatypes ((A 0) (B 0)) (((a1) (a2)) ((b1))))
    (declare-datatype C ((c1) (c2)))
    (declare-fun p () Bool)
    (declare-const a A)
    (define-fun half () Real (/ 1 2))
    (define-const big Bool (and p (= a a2)))
    (assert big)
    (assert (! (> half 0.25) :named named-rule))
    (check-sat) (get-model) (get-unsat-core) (get-value (p)) (check-sat-assuming (p))
    """
    model = read(text)
    assert [d.name for d in model.datatypes] == ["A", "B", "C"]
    assert [v.name for v in model.variables] == ["p", "a"]
    assert [d.name for d in model.definitions] == ["half", "big"]
    assert [rule.name for rule in model.rules] == ["rule-1", "named-rule"]
    assert read(print_model(model)) == model
    assert z3_answer(print_model(model)) == cvc5_answer(print_model(model)) == "sat"


def test_comments_that_carry_meaning_survive_and_others_do_not_get_in_the_way() -> None:
    text = """; A title that is no note
;; datatype: {"id": "d-9", "values": [{"name": "far", "phrase": "far away"}]}
(declare-datatype Reach ((near) (far)))
; An aside.

; variable: {"id": "v-1", "role": "outcome", "unit": "EUR", "description": "what is due",
; variable: {"id": "v-1", "role": "outcome", "unit": "EUR", "phrases": {"text": "the sum due"}}
(declare-const due Real) ; behind it
(declare-const reach Reach) ; how far the trip goes
; definition: {"description": "a long way", "phrases": {"text": "it is far"}}
(define-fun isFar () Bool (= reach far))
; kind: assumption
; rule: {"id": "r-1", "name": "a name with spaces"}
; source: {"document": "Doc", "offsets": [3, 9], "quote": "(assert false) ; \\n\\u2028"}
; source: {"document": "Doc", "quote": "second", "context": ["Title", "lead in"]}
(assert (! (=> isFar ; inside a rule
  ; source: {"document": "not a note here"}
  (> due 10)) :named label)) ; behind a rule
; kind: default
; rule: {"outcome": "v-1", "choice": "open", "rests_on": ["r-1"]}
(assert (! true :named open-default))
"""
    with pytest.raises(ReadError, match="line 6, column 1: the comment `; variable:` does not"):
        read(text)
    model = read(text.replace('"what is due",\n', '"what is due"}\n'))
    due, reach = model.variables
    assert (due.id, due.role, due.unit, due.phrases.text) == (
        "v-1", Role.OUTCOME, "EUR", "the sum due",
    )  # fmt: skip
    assert (reach.description, due.description) == ("how far the trip goes", "behind it")
    assert model.datatypes[0].values[1].phrase == "far away"
    assert model.definitions[0].phrases.text == "it is far"
    rule, default = model.rules
    assert (rule.id, rule.name, rule.kind) == ("r-1", "a name with spaces", Kind.ASSUMPTION)
    assert [source.quote for source in rule.sources] == ["(assert false) ; \n\u2028", "second"]
    assert rule.sources[1].context == ("Title", "lead in")
    assert (default.outcome, default.choice) == ("v-1", DefaultChoice.OPEN)
    assert default.rests_on == ("r-1",)
    assert read(print_model(model)) == model
    assert print_model(read(print_model(model))) == print_model(model)


def test_every_error_of_a_file_comes_with_its_place_and_what_would_be_right() -> None:
    text = """(declare-const a Itn)
(declare-const n Int)
(declare-const n Real)
(declare-fun f (Int) Bool)
(declare-datatype D ((v 1)))
(assert (! (> n 1.5) :named one))
(assert (! (foo n) :named two))
(assert (and n true))
(assert (> n 05))
(assert (! (> n 2) :named ok)) (assert (! (> n 3) :named ok))
(assert (let ((z)) z))
(assert n)
  (assert (> m 1) (< n 2))
(pop 1)
(define-fun g () Bool n)
(assert (> n "text"))
)
"""
    with pytest.raises(ReadError) as caught:
        read(text)
    problems = caught.value.problems
    assert [problem.line for problem in problems] == [
        1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
    ]  # fmt: skip
    assert all(problem.column >= 1 and problem.message for problem in problems)
    places = {problem.line: problem.column for problem in problems}
    assert (places[1], places[6], places[9], places[13], places[16]) == (18, 12, 14, 3, 14)
    assert str(problems[4]) == (
        "line 6, column 12: rule `one`: `n` is a whole number (Int), but the rule needs a decimal; "
        "declare `n` as Real, or compare it with a whole number"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [("(assert |a\nb|)\n(assert q)", (1, 9)), ('(set-info :a "x\ny") (foo)', (2, 5)),
     ("(assert p)\r\n\t(foo)", (2, 2)), ("\ufeff(foo)", (1, 2)), ("(a)\n; x\n\n  )", (4, 3)),
     ("; c\n(assert \u2003p)", (2, 9))],
)  # fmt: skip
def test_places_count_lines_and_characters_whatever_stands_before(
    text: str, place: tuple[int, int]
) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert place in [(problem.line, problem.column) for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["gebühr", "年齢", "the fee", "größe-2", "плата", "a.b", "x'"])
def test_names_in_any_script_make_the_trip(name: str) -> None:
    text = f"(declare-const |{name}| Int)\n(assert (! (> |{name}| 1) :named |rule of {name}|))"
    model = read(text)
    assert model.variables[0].name == name
    assert read(print_model(model)) == model
    assert z3_answer(print_model(model)) == cvc5_answer(print_model(model)) == "sat"


def test_a_name_of_a_let_hides_and_gives_back_the_one_outside() -> None:
    term = read_term("(and (let ((memberCard granted)) memberCard) memberCard)", BASE)
    assert print_term(BASE, term) == "(and granted memberCard)"
