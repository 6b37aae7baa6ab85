"""A scenario is said in one sentence, and that sentence is read back as the same scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policywright.english.cases import SeveralCasesError
from policywright.english.dates import day_number
from policywright.english.joints import RuleNotReadError
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.model import Phrases, PolicyModel, Role, Variable
from policywright.normal import negate
from policywright.scenarios import Scenario, make_suite, read_scenario, say_scenario, settled
from policywright.scenarios.sentences import NOT_SAID
from policywright.smtlib import read
from policywright.sorts import BOOL, INT
from policywright.terms import Literal, Term, eq, gt, integer, le, not_, or_
from tests.policywright.english.wide import BASE, models, numbers
from tests.policywright.shared import shared

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))
YES, NO = FindingKind.VALID, FindingKind.INVALID
OPEN, NEVER = FindingKind.SATISFIABLE, FindingKind.IMPOSSIBLE


def value(draw: st.DrawFn, model: PolicyModel, variable: Variable) -> Value:
    if variable.sort == BOOL:
        return draw(st.booleans())
    if variable.sort.is_enumeration:
        return draw(st.sampled_from(model.datatype_by_id[variable.sort.key].values)).id
    number = draw(numbers)
    return int(number) if variable.sort == INT else number


@st.composite
def scenarios(draw: st.DrawFn, model: PolicyModel = BASE) -> Scenario:
    chosen = draw(st.lists(st.sampled_from(model.variables), unique=True, min_size=1, max_size=7))
    claimed, *given_ = draw(st.permutations(chosen))
    facts = {one.id: value(draw, model, one) for one in given_}
    expected = draw(st.sampled_from([YES, NO, OPEN, NEVER]))
    if given_ and draw(st.integers(0, 3)) == 0:
        return Scenario(facts, None, expected)
    literal = Literal(value(draw, model, claimed), claimed.sort)
    claim: Term = eq(claimed.symbol, literal)
    if claimed.sort == BOOL and draw(st.booleans()):
        claim = claimed.symbol
    if not facts and expected is NEVER:
        expected = YES
    return Scenario(facts, not_(claim) if draw(st.booleans()) else claim, expected)


def assert_read_back(model: PolicyModel, scenario: Scenario) -> bool:
    text = say_scenario(model, scenario)
    if text == NOT_SAID or text.startswith("This rule cannot be said"):
        with pytest.raises(RuleNotReadError):
            read_scenario(text, model)
        return False
    assert read_scenario(text, model) == settled(scenario), text
    return True


@QUICK
@given(scenarios())
def test_scenarios_with_units_dates_and_lists_are_read_back(scenario: Scenario) -> None:
    assert assert_read_back(BASE, scenario)


@QUICK
@given(st.data())
def test_awkward_phrases_never_change_which_scenario_is_read(data: st.DataObject) -> None:
    model = data.draw(models())
    assert_read_back(model, data.draw(scenarios(model)))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@MANY
@given(st.data())
def test_five_thousand_scenarios_over_awkward_models_are_read_back(data: st.DataObject) -> None:
    model = data.draw(models())
    assert_read_back(model, data.draw(scenarios(model)))


def test_every_scenario_of_a_gold_suite_is_read_back() -> None:
    count = 0
    for path in sorted(shared("corpus", "gold").glob("*.smt2")):
        model = read(path.read_text(encoding="utf-8"))
        for one in islice(make_suite(model, tiers=1).scenarios, 20):
            assert assert_read_back(model, one.scenario)
            count += 1
    assert count >= 100


@QUICK
@given(scenarios())
def test_what_is_settled_is_settled_and_says_the_same(scenario: Scenario) -> None:
    """Of each side: claimed and expected not to hold is the opposite, expected to hold."""
    once = settled(scenario)
    assert settled(once) == once
    if scenario.expected in (YES, NO) and scenario.claim is not None:
        turned = NO if scenario.expected is YES else YES
        assert settled(replace(scenario, claim=negate(scenario.claim), expected=turned)) == once


def _variables() -> tuple[Variable, ...]:
    kept = {one.id: one for one in BASE.variables}
    names = ["cost", "months", "rate", "day", "kind", "manager", "late flight", "approved"]
    return tuple(kept[name] for name in [*names, "booking", "grade"])


MODEL = replace(BASE, variables=_variables())
GIVEN = {"cost": Fraction(1000), "manager": True}


@pytest.mark.parametrize(
    ("text", "facts", "claim", "expected"),
    [
        (
            "Given that the total trip cost is EUR 1,000 and a line manager has approved the trip:"
            " a booking may be made.",
            GIVEN,
            "booking",
            YES,
        ),
        (
            "if the total trip cost is €1000 and a line manager has approved the trip :\n"
            "a booking may not be made",
            GIVEN,
            "booking",
            NO,
        ),
        (
            "Given a line manager has approved the trip and the total trip cost is 1,000 euros: "
            "the document leaves open whether a booking may be made.",
            GIVEN,
            "booking",
            OPEN,
        ),
        (
            "Given that the total trip cost is EUR 1,000; suppose that a line manager has approved "
            "the trip: this case cannot happen.",
            GIVEN,
            None,
            NEVER,
        ),
        (
            "Given that the total trip cost is EUR 1,000 and suppose a line manager has approved "
            "the trip: this case can occur",
            GIVEN,
            None,
            OPEN,
        ),
        ("Suppose that the trip is approved: a booking may be made.", {"approved": True},
         "booking", YES),
        ("Whatever the facts: the policy does not say whether a booking may be made.", {},
         "booking", OPEN),
        (
            "Given that it is not true that a line manager has approved the trip and the trip is "
            "approved: the grade is high.",
            {"manager": False, "approved": True},
            "grade",
            YES,
        ),
    ],
)  # fmt: skip
def test_what_people_write_is_read(
    text: str, facts: dict[str, Value], claim: str | None, expected: FindingKind
) -> None:
    found = read_scenario(text, MODEL)
    assert (dict(found.facts), found.expected) == (facts, expected)
    wanted: Term | None = None
    if claim == "grade":
        grade = MODEL.variable_by_id["grade"]
        wanted = eq(grade.symbol, Literal("g2", grade.sort))
    elif claim:
        wanted = MODEL.variable_by_id[claim].symbol
    assert found.claim == wanted
    assert read_scenario(say_scenario(MODEL, found), MODEL) == found


WHOLE = "Given that the total trip cost is {}: a booking may be made."


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("", "", "the text is empty; write `Given that ... and ...: ...`"),
        (WHOLE.format("1000"), "1000", "`1000` needs its unit: write `EUR 1,000`"),
        (WHOLE.format("USD 5"), "USD 5", "`USD 5` meets an amount in EUR"),
        (
            WHOLE.format("more than EUR 5"),
            "the total trip cost is more than EUR 5",
            "this leaves open what `the total trip cost` is; give it one value, as in `the total "
            "trip cost is ...`",
        ),
        (
            WHOLE.format("EUR 5 and the total trip cost is EUR 6"),
            "the total trip cost is EUR 6",
            "`the total trip cost` is given twice: EUR 5 and EUR 6; give it once",
        ),
        (
            WHOLE.format("EUR 5; suppose that the total trip cost is EUR 5"),
            "the total trip cost is EUR 5",
            "`the total trip cost` is given twice: EUR 5; give it once",
        ),
        ("Given the discount rate is 5: this case can occur.", "5", "`5` needs its `%`"),
        (
            "Given that the trip is nowhere: a booking may be made.",
            "nowhere",
            "`nowhere` is no value of `the trip`; its values are `domestic` and `not domestic`",
        ),
        (
            "Given that the grade is not low: a booking may be made.",
            "the grade is not low",
            "this leaves open what `the grade` is; give it one of its values",
        ),
        (
            "Given that the grade is 5: a booking may be made.",
            "the grade is 5",
            "this puts together what is of different kinds; give each a value of its own",
        ),
        (
            "Given that the pilot is awake: a booking may be made.",
            "the pilot",
            "`the pilot`, `awake` are no phrases of this policy",
        ),
        (
            "Given that the trip is approved: the pilot sleeps.",
            "the pilot sleeps",
            "`the pilot sleeps` is no phrase of this policy",
        ),
        (
            "Given that the trip is approved or the flight operated: a booking may be made.",
            "the trip is approved or the flight operated",
            "a scenario is one case; write one scenario for each of these",
        ),
        (
            "Given that the trip is approved: the trip is not approved.",
            "the trip is not approved.",
            "whether the trip is approved is given already; say what follows for something else",
        ),
        (
            "Given that the total trip cost is EUR 5: the total trip cost is EUR 6.",
            "the total trip cost is EUR 6.",
            "what the total trip cost is is given already; say what follows for something else",
        ),
        (
            "Given that is adult is true: a booking may be made.",
            "is adult is true",
            "`is adult is true` is a definition and follows from other facts; give those",
        ),
        (
            "Given that this always holds: a booking may be made.",
            "this always holds",
            "this gives no variable a value; say what each one is",
        ),
        (
            "If the trip is approved, then a booking may be made.",
            "If the trip is approved, then a booking may be made.",
            "a colon is missing between what is given and what follows: "
            "`Given that ... and ...: ...`",
        ),
        (
            "The trip is approved: a booking may be made.",
            "The",
            "a scenario begins with what is given: `Given that ... and ...: ...`",
        ),
        ("Given that: a booking may be made.", "", "nothing stands here; say what is given"),
        (
            "Given that the trip is approved: .",
            "",
            "behind the colon stands what follows; say it",
        ),
        (
            "Given that the trip is approved: the document leaves it open.",
            "the document leaves it open.",
            "say what is open: `the document leaves open whether ...`",
        ),
        (
            "Given that the trip is approved: this always holds.",
            "this always holds.",
            "what follows speaks of no variable; say which",
        ),
        ("Whatever the facts: this case can occur.", "",
         "a case has at least one fact; say what is given"),
    ],
)  # fmt: skip
def test_what_is_no_scenario_is_named_with_its_place(text: str, at: str, reason: str) -> None:
    with pytest.raises(RuleNotReadError) as refused:
        read_scenario(text, MODEL)
    assert refused.value.reason == reason
    words = refused.value.words
    assert [word.text for word in words][:1] == ([at] if at else [])
    for word in words:
        assert text[word.start : word.end] == word.text


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "Given that the travel date is 03/04/2026: a booking may be made.",
            [
                "Given that the travel date is 3 April 2026: a booking may be made.",
                "Given that the travel date is 4 March 2026: a booking may be made.",
            ],
        ),
        (
            "Given that the trip is approved: the document leaves open whether either a booking "
            "may be made or the flight operated.",
            [
                "Given that the trip is approved: the document leaves open whether a booking may "
                "be made or the flight operated.",
                "Given that the trip is approved: the document leaves open whether either a "
                "booking may be made or the flight operated, but not both.",
            ],
        ),
    ],
)
def test_a_text_with_two_meanings_gives_both_as_whole_sentences(
    text: str, readings: list[str]
) -> None:
    with pytest.raises(SeveralCasesError) as refused:
        read_scenario(text, MODEL)
    assert sorted(refused.value.readings) == sorted(readings)
    assert len({str(read_scenario(one, MODEL)) for one in readings}) == 2


def test_a_colon_within_a_phrase_is_no_end_of_what_is_given() -> None:
    odd = Variable("odd", "odd", BOOL, phrases=Phrases("the note reads: urgent", "no note is read"))
    model = replace(MODEL, variables=(*MODEL.variables, odd))
    one = Scenario({"odd": True}, model.variable_by_id["booking"].symbol, YES)
    text = "Given that the note reads: urgent: a booking may be made."
    assert say_scenario(model, one) == text
    assert read_scenario(text, model) == one


def test_phrases_that_could_be_the_frame_stand_in_quotation_marks() -> None:
    odd = Variable("odd", "odd", BOOL, phrases=Phrases("this case can occur", "it never was"))
    model = replace(MODEL, variables=(*MODEL.variables, odd))
    one = Scenario({"approved": True}, odd.symbol, YES)
    text = 'Suppose that "the trip is approved": "this case can occur".'
    assert say_scenario(model, one) == text
    assert read_scenario(text, model) == one


@pytest.mark.parametrize(
    "make",
    [
        lambda: "Given that " + ": " * 400 + "a booking may be made",
        lambda: "Given that " + "suppose that " * 400 + ": a booking may be made",
        lambda: "Given that " + "the trip is approved and " * 400 + ": a booking may be made",
        lambda: "(" * 3_000 + ":" + ")" * 3_000,
        lambda: "Given that " + "x" * 30_000,
        lambda: "Given that the trip is approved\0: \u202e a booking may be made",
        lambda: '"' * 301 + ": " + "“" * 300,
    ],
)
def test_hostile_text_ends_in_one_sentence(make: Callable[[], str]) -> None:
    with pytest.raises(RuleNotReadError) as refused:
        read_scenario(make(), MODEL)
    assert refused.value.reason
    assert "\n" not in refused.value.reason


def test_a_claim_of_more_than_one_variable_is_said_and_read() -> None:
    cost, months = MODEL.variable_by_id["cost"], MODEL.variable_by_id["months"]
    claim = or_(gt(months.symbol, integer(6)), MODEL.variable_by_id["booking"].symbol)
    for one in [
        Scenario({cost.id: Fraction(5)}, claim, YES),
        Scenario({cost.id: Fraction(5)}, claim, NO),
        Scenario({cost.id: Fraction(5)}, le(months.symbol, integer(6)), NO),
    ]:
        assert read_scenario(say_scenario(MODEL, one), MODEL) == settled(one)


def test_what_only_follows_is_supposed() -> None:
    assert MODEL.variable_by_id["approved"].role is Role.OUTCOME
    one = Scenario({"manager": False, "approved": True}, MODEL.variable_by_id["booking"].symbol, NO)
    assert say_scenario(MODEL, one) == (
        "Given that a line manager has not approved the trip; suppose that the trip is approved: "
        "a booking may not be made."
    )


AMOUNTS = """; variable: {{"role": "fact", "unit": "{unit}", "phrases": {{"text": "the load"}}}}
(declare-const load Int)
; variable: {{"role": "outcome", "phrases": {{"text": "the parcel is sent"}}}}
(declare-const sent Bool)
(assert (! (=> (> load 5) sent) :named r))
"""


@pytest.mark.parametrize("unit", ["kg", "km", "kilometers", "metre", "mile", "grams", "hours"])
@pytest.mark.parametrize("amount", [1, 5, -3, 10_000])
def test_amounts_are_read_back_in_every_spelling_of_a_measure(unit: str, amount: int) -> None:
    model = read(AMOUNTS.format(unit=unit))
    load, sent = model.variables
    assert assert_read_back(model, Scenario({load.id: amount}, sent.symbol, YES))


@pytest.mark.parametrize("day", ["0001-01-01", "0099-05-03", "0999-12-31", "1000-01-01"])
def test_a_date_of_long_ago_is_read_back(day: str) -> None:
    model = read(AMOUNTS.format(unit="date"))
    start, sent = model.variables
    number = day_number(date.fromisoformat(day))
    assert assert_read_back(model, Scenario({start.id: number}, sent.symbol, YES))
