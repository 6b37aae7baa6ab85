"""Rules, values, cases and defaults in structured English."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policywright.english import (
    draft_phrases,
    negate_clause,
    render_case,
    render_default,
    render_definition,
    render_rule,
    render_sentence,
    render_term,
    render_value,
)
from policywright.english.dates import calendar_date, day_number
from policywright.model import (
    Datatype,
    DefaultChoice,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Rule,
    Value,
    Variable,
)
from policywright.normal import normal_form
from policywright.sorts import BOOL, INT, REAL, Sort
from policywright.terms import (
    Term,
    add,
    and_,
    distinct,
    div,
    eq,
    ge,
    gt,
    implies,
    integer,
    ite,
    le,
    lt,
    member,
    mul,
    not_,
    or_,
    real,
    sub,
    to_int,
    to_real,
    xor,
)
from tests.policywright.generated import BASE, terms

DESTINATION = Datatype(
    "destination", "Destination", (Value("dom", "domestic"), Value("int", "one_in_37"))
)


def _variable(
    name: str, sort: Sort, text: str = "", unit: str = "", role: Role = Role.FACT
) -> Variable:
    return Variable(name, name, sort, role, unit, "", Phrases(text))


VARIABLES = (
    _variable("cost", REAL, "the total trip cost", "EUR"),
    _variable("destination", DESTINATION.sort, "the destination"),
    _variable("managerApproved", BOOL, "a line manager has approved the trip"),
    _variable("months", INT, "completed service", "months"),
    _variable("abroad", BOOL),
    _variable("day", INT, "the travel date", "date"),
    _variable("discount", REAL, "the discount rate", "share"),
    _variable("late", REAL, "the late fee", "percent"),
    _variable("fee", REAL, "the admission fee", "EUR"),
    _variable("credits", INT, "the credits used"),
    _variable("approved", BOOL, "the trip is approved", role=Role.OUTCOME),
    _variable("booking", BOOL, "a booking may be made", role=Role.OUTCOME),
    _variable("final", REAL, "the final fee", "EUR", Role.OUTCOME),
)
DEFINITION = Definition(
    "tooSoon",
    "abroadTooSoon",
    and_(VARIABLES[4].symbol, lt(VARIABLES[3].symbol, integer(6))),
)
MODEL = PolicyModel((DESTINATION,), VARIABLES, (DEFINITION,))
X = {variable.id: variable.symbol for variable in VARIABLES}
APPROVED, MANAGER, ABROAD, BOOKING = (
    X["approved"], X["managerApproved"], X["abroad"], X["booking"],
)  # fmt: skip


SENTENCES: list[tuple[Term, str]] = [
    (
        implies(and_(gt(X["cost"], real(1000)), not_(MANAGER)), not_(APPROVED)),
        "If the total trip cost is more than EUR 1,000 and a line manager has not approved the "
        "trip, then the trip is not approved.",
    ),
    (eq(BOOKING, APPROVED), "A booking may be made exactly if the trip is approved."),
    (
        and_(ge(X["cost"], real(0)), ge(X["months"], integer(0))),
        "The total trip cost is at least EUR 0 and completed service is at least 0 months.",
    ),
    (
        implies(eq(X["destination"], member("destination", "dom")), le(X["months"], integer(1))),
        "If the destination is domestic, then completed service is at most 1 month.",
    ),
    (not_(eq(X["destination"], member("destination", "int"))), "The destination is not one in 37."),
    (eq(X["final"], mul(real("0.75"), X["fee"])), "The final fee is 75% of the admission fee."),
    (
        eq(X["final"], add(mul(X["fee"], sub(real(1), X["discount"])), real("1.5"))),
        "The final fee is the admission fee × (100% - the discount rate) + EUR 1.50.",
    ),
    (
        le(mul(real(2), to_real(X["credits"])), X["fee"]),
        "2 × the credits used is at most the admission fee.",
    ),
    (implies(APPROVED, MANAGER), "The trip is approved only if a line manager has approved the "
     "trip."),
    (
        implies(APPROVED, eq(X["final"], X["fee"])),
        "If the trip is approved, then the final fee is the admission fee.",
    ),
    (xor(MANAGER, BOOKING), "Either a line manager has approved the trip or a booking may be made, "
     "but not both."),
    (ge(X["day"], integer(20526)), "The travel date is on or after 14 March 2026."),
    (le(X["late"], real("7.5")), "The late fee is at most 7.5%."),
    (
        eq(X["credits"], to_int(add(X["fee"], real(1)))),
        "The credits used is (the admission fee + EUR 1) rounded down.",
    ),
    (
        eq(X["final"], ite(or_(MANAGER, ABROAD), real(10), real(0))),
        "The final fee is (EUR 10 if (a line manager has approved the trip or abroad is true), "
        "otherwise EUR 0).",
    ),
    (eq(X["final"], div(X["fee"], real(3))), "The final fee is the admission fee ÷ 3."),
    (eq(X["final"], mul(real("1/3"), X["fee"])), "The final fee is 1/3 × the admission fee."),
    (
        distinct(X["fee"], X["final"], X["cost"]),
        "The admission fee, the final fee and the total trip cost are all different.",
    ),
    (
        implies(DEFINITION.symbol, not_(APPROVED)),
        "If abroad too soon is true, then the trip is not approved.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("term", "sentence"), SENTENCES, ids=[s for _, s in SENTENCES])
def test_a_rule_reads_as_a_sentence(term: Term, sentence: str) -> None:
    assert render_sentence(MODEL, term) == sentence


def test_three_conditions_or_nesting_become_an_indented_list() -> None:
    term = implies(
        and_(MANAGER, or_(not_(ABROAD), ge(X["months"], integer(2))), le(X["cost"], real(1350))),
        eq(X["final"], mul(real(4), X["fee"])),
    )
    assert render_sentence(MODEL, term) == (
        "If all of the following hold:\n"
        "  - a line manager has approved the trip;\n"
        "  - any of the following holds:\n"
        "      - abroad is not true;\n"
        "      - completed service is at least 2 months;\n"
        "  - the total trip cost is at most EUR 1,350,\n"
        "then the final fee is 4 × the admission fee."
    )


def test_rules_in_a_list_keep_their_own_conditions() -> None:
    term = and_(
        implies(and_(MANAGER, ABROAD, APPROVED), BOOKING), implies(or_(MANAGER, ABROAD), APPROVED)
    )
    assert render_sentence(MODEL, term) == (
        "All of the following hold:\n"
        "  - if all of the following hold:\n"
        "      - a line manager has approved the trip;\n"
        "      - abroad is true;\n"
        "      - the trip is approved,\n"
        "    then a booking may be made;\n"
        "  - if a line manager has approved the trip or abroad is true, then the trip is approved."
    )


def test_not_any_is_none_of_the_following() -> None:
    assert render_sentence(MODEL, not_(or_(MANAGER, ABROAD))) == (
        "None of the following holds:\n"
        "  - a line manager has approved the trip;\n"
        "  - abroad is true."
    )


def test_which_sum_comes_first_can_be_read() -> None:
    a, b, c = X["fee"], X["final"], X["cost"]
    texts = {
        render_term(MODEL, eq(a, term))
        for term in (
            add(a, b, c), add(add(a, b), c), add(a, add(b, c)), sub(a, sub(b, c)), sub(a, b, c),
            sub(a, add(b, c)), add(sub(a, b), c), mul(a, add(b, c)), add(mul(a, b), c),
            mul(mul(a, b), c), mul(a, b, c), div(a, mul(b, c)), mul(div(a, b), c),
        )
    }  # fmt: skip
    assert len(texts) == 13


def test_fr_19_three_hundred_conditions_are_all_there() -> None:
    many = tuple(gt(X["cost"], real(n)) for n in range(300))
    text = render_sentence(MODEL, implies(and_(*many), APPROVED))
    assert text.count("\n  - ") == 300
    assert "..." not in text


def test_a_term_nested_ten_thousand_deep_is_refused_in_a_sentence() -> None:
    term: Term = MANAGER
    for _ in range(10_000):
        term = and_(or_(term, ABROAD), BOOKING)
    assert "too deeply nested" in render_sentence(MODEL, term)


def test_a_shared_term_that_would_unfold_without_end_is_refused() -> None:
    term: Term = X["fee"]
    for _ in range(30):
        term = add(term, term)
    assert "too long" in render_sentence(MODEL, gt(term, real(1)))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("cost", Fraction(1000), "EUR 1,000"),
        ("cost", Fraction("1000.01"), "EUR 1,000.01"),
        ("cost", Fraction("0.5"), "EUR 0.50"),
        ("cost", Fraction(1, 3), "EUR 1/3"),
        ("cost", Fraction(-5), "EUR -5"),
        ("months", 6, "6 months"),
        ("months", 1, "1 month"),
        ("discount", Fraction(3, 4), "75%"),
        ("late", Fraction("7.5"), "7.5%"),
        ("destination", "dom", "domestic"),
        ("abroad", True, "yes"),
        ("day", 0, "1 January 1970"),
        ("day", 10**12, "day 1000000000000"),
    ],
)
def test_a_value_is_written_with_its_unit(
    name: str, value: bool | int | Fraction | str, text: str
) -> None:
    assert render_value(MODEL, MODEL.variable_by_id[name], value) == text


def test_day_numbers_and_calendar_dates_are_inverse() -> None:
    for number in (-719162, -1, 0, 59, 20526, 2932896):
        day = calendar_date(number)
        assert day is not None
        assert day_number(day) == number


def test_a_case_has_a_clause_for_each_value() -> None:
    case: dict[str, bool | int | Fraction | str]
    case = {"managerApproved": False, "months": 5, "cost": Fraction(2500), "destination": "dom"}
    assert render_case(MODEL, case) == (
        "the total trip cost is EUR 2,500, the destination is domestic, a line manager has not "
        "approved the trip and completed service is 5 months"
    )


def test_a_default_names_the_rules_it_rests_on() -> None:
    rule = Rule("r", "cost-rule", implies(ABROAD, not_(APPROVED)))
    default = Rule(
        "d", "default", or_(ABROAD, APPROVED), Kind.DEFAULT,
        outcome="approved", choice=DefaultChoice.APPROVED, rests_on=("r",),
    )  # fmt: skip
    model = MODEL.with_rules((rule, default))
    approved = "The trip is approved unless a rule forbids it (cost-rule)."
    assert render_default(model, default) == approved
    assert render_rule(model, default) == approved
    refused = replace(default, choice=DefaultChoice.REFUSED)
    assert render_default(model, refused) == (
        "The trip is not approved unless a rule grants it (cost-rule)."
    )


def test_a_definition_is_said_with_exactly_if() -> None:
    assert render_definition(MODEL, DEFINITION) == (
        "Abroad too soon is true exactly if abroad is true and completed service is less than "
        "6 months."
    )


def test_missing_phrases_are_drafted_from_the_name() -> None:
    phrases = draft_phrases(Variable("v", "isHTTPUser_id2", BOOL))
    assert phrases == Phrases("is HTTP user id 2 is true", "is HTTP user id 2 is not true")
    assert draft_phrases(Variable("v", "cost_eur", REAL)).text == "the cost eur"


@pytest.mark.parametrize(
    ("clause", "negative"),
    [
        ("the trip is approved", "the trip is not approved"),
        ("a booking may be made", "a booking may not be made"),
        ("the flight operated", "it is not true that the flight operated"),
        ("what is due has been paid", "it is not true that what is due has been paid"),
        ("the trip is not needed", "it is not true that the trip is not needed"),
    ],
)
def test_a_clause_is_negated_where_one_auxiliary_carries_it(clause: str, negative: str) -> None:
    assert negate_clause(clause) == negative


@settings(max_examples=400, deadline=None)
@given(st.lists(terms(depth=3), min_size=2, max_size=6))
def test_rules_that_differ_in_normal_form_read_differently(found: list[Term]) -> None:
    said: dict[str, Term] = {}
    for term in found:
        text = render_sentence(BASE, term)
        assert said.setdefault(text, normal_form(term)) == normal_form(term)


SAME_WORDS = [
    (eq(integer(1), integer(1)), eq(real(1), real(1))),
    (lt(X["credits"], integer(5)), lt(to_real(X["credits"]), real(5))),
    (
        eq(add(X["credits"], integer(1)), integer(2)),
        eq(add(to_real(X["credits"]), real(1)), real(2)),
    ),
    (eq(to_int(real(1)), X["credits"]), eq(integer(1), X["credits"])),
    (
        add(to_real(X["credits"]), to_real(X["months"])),
        to_real(add(X["credits"], X["months"])),
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME_WORDS)
def test_a_constant_tells_its_sort_where_nothing_else_does(one: Term, other: Term) -> None:
    assert render_term(MODEL, one) != render_term(MODEL, other)


def test_fr_16_a_value_of_two_lists_says_which_list_is_meant() -> None:
    low = {d.id: member(d.id, d.values[0].id) for d in BASE.datatypes}
    texts = {render_sentence(BASE, eq(value, value)) for value in low.values()}
    assert texts == {"Low of Season is low of Season.", "Low of Cover is low of Cover."}
