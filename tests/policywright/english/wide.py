"""Strategies: models with units, dates, lists and awkward phrases, and rules over them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from policywright.model import Datatype, Definition, Phrases, PolicyModel, Role, Value, Variable
from policywright.sorts import BOOL, INT, REAL, Sort
from policywright.terms import (
    Literal,
    Symbol,
    Term,
    add,
    and_,
    boolean,
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
    neg,
    not_,
    or_,
    real,
    sub,
    to_int,
    to_real,
    xor,
)

TRIP = Datatype(
    "trip", "Trip kind", (Value("t1", "domestic"), Value("t2", "abroad", "not domestic"))
)
GRADE = Datatype("grade", "Grade", (Value("g1", "low"), Value("g2", "high"), Value("g3", "OTHER")))
LEVEL = Datatype("level", "Level", (Value("l1", "low"), Value("l2", "none", "none of these")))

VARIABLES = (
    Variable("cost", "cost", REAL, unit="EUR", phrases=Phrases("the total trip cost")),
    Variable("fare", "fare", REAL, unit="USD", phrases=Phrases("the fare")),
    Variable("whole", "whole", INT, unit="EUR", phrases=Phrases("the fare of the day")),
    Variable("months", "months", INT, unit="months", phrases=Phrases("completed service")),
    Variable("weeks", "weeks", REAL, unit="weeks", phrases=Phrases("the notice")),
    Variable("day", "day", INT, unit="date", phrases=Phrases("the travel date")),
    Variable("end", "end", INT, Role.OUTCOME, "date", phrases=Phrases("the last day")),
    Variable("moment", "moment", REAL, unit="date", phrases=Phrases("the moment")),
    Variable("rate", "rate", REAL, unit="share", phrases=Phrases("the discount rate")),
    Variable("late", "late", REAL, unit="percent", phrases=Phrases("the late fee")),
    Variable("points", "points", INT, unit="percent", phrases=Phrases("the points")),
    Variable("power", "power", REAL, unit="kWh", phrases=Phrases("the power used")),
    Variable("nights", "nights", INT, phrases=Phrases("the nights")),
    Variable("size", "size", REAL, phrases=Phrases("the size")),
    Variable("kind", "kind", TRIP.sort, phrases=Phrases("the trip")),
    Variable("grade", "grade", GRADE.sort, phrases=Phrases("the grade")),
    Variable("level", "level", LEVEL.sort, phrases=Phrases("the level")),
    Variable("manager", "manager", BOOL, phrases=Phrases("a line manager has approved the trip")),
    Variable("late flight", "late flight", BOOL, phrases=Phrases("the flight operated")),
    Variable("urgent", "urgent", BOOL, phrases=Phrases("the trip is urgent and short",
                                                       "the trip can wait, or is long")),
    Variable("approved", "approved", BOOL, Role.OUTCOME, phrases=Phrases("the trip is approved")),
    Variable("booking", "booking", BOOL, Role.OUTCOME, phrases=Phrases("a booking may be made")),
    Variable("plain", "isPlain_name2", BOOL),
)  # fmt: skip
DEFINITIONS = (
    Definition("adult", "isAdult", ge(Symbol("months", INT), integer(216))),
    Definition("half", "halfCost", mul(real("1/2"), Symbol("cost", REAL))),
)
BASE = PolicyModel((TRIP, GRADE, LEVEL), VARIABLES, DEFINITIONS)

AWKWARD = [
    "the trip is approved and a line manager has approved the trip",
    "a and b", "if", "if the trip", "then", "the fee, and the rest", "x is at least 5",
    "the trip is at least", "the total trip cost", "The Total Trip Cost", "the total", "total",
    "cost is more than EUR 5", "2 nights are booked", "14 March 2026", "EUR 5", "5", "75%",
    "the trip", "is not", "not", "not domestic", "domestic", "旅行は承認済み",
    "出張", "заявка одобрена", "हिन्दी में स्वीकृत",
    "the driver's licence isn't valid", "the driver’s licence is valid",
    "trailing blank  ", "  two  blanks", "(in brackets)", "x (see 4)", "x)", "a - b", "- dash",
    "1. first", "a) item", "minus one", "either", "both sides", "it is not true that the fare",
    "this always holds", "all of the following hold", "none of the following holds:", "or more",
    "the number (", "rounded down", "the fare rounded down", "quoted \"word\"", "“quoted”",
    "ends with a stop.", "ends; so", "ends,", "ends:", "ǰust", "İstanbul ist dabei", "straße",
    "STRASSE", "of", "of the fare", "the fare of", "low", "low of Grade", "otherwise it is",
    "line\nbreak", "tab\there", "\u202ereversed", "zero\u200bwidth", "", "is is is", "exceeds",
    "may not be made", "cannot wait", "can not wait", "the trip must be approved", "unless",
    "the trip is not approved", "A", "a", "the", "an x", "the x", "x", "и", "or", "A or B",
]  # fmt: skip
NAMES = ["fare", "the fare", "low", "approved", "a b", "isn't", "x is 5", "“odd”", "A", "Б и В"]

numbers = st.one_of(
    st.sampled_from([0, 1, 2, 5, 6, 18, 30, 60, 100, 1000, 20526, -1, -30, 10**7]).map(Fraction),
    st.builds(Fraction, st.integers(-2000, 20_000), st.sampled_from([1, 2, 3, 4, 7, 8, 100, 1000])),
)


@st.composite
def models(draw: st.DrawFn) -> PolicyModel:
    """BASE with some phrases, names, units and values made awkward."""
    taken = {symbol.name for symbol in BASE.symbols}
    taken |= {value.name for datatype in BASE.datatypes for value in datatype.values}
    variables = []
    for variable in VARIABLES:
        if draw(st.integers(0, 3)) == 0:
            phrase = draw(phrases)
            negative = draw(phrases) if draw(st.integers(0, 3)) == 0 else ""
            variable = replace(variable, phrases=Phrases(phrase, negative))
        name = draw(st.sampled_from(NAMES)) if draw(st.integers(0, 7)) == 0 else variable.name
        if name not in taken:
            variable = replace(variable, name=name)
        taken.add(variable.name)
        variables.append(variable)
    datatypes = tuple(
        replace(
            datatype,
            values=tuple(
                replace(v, phrase=draw(phrases)) if draw(st.integers(0, 3)) == 0 else v
                for v in datatype.values
            ),
        )
        for datatype in BASE.datatypes
    )
    return PolicyModel(datatypes, tuple(variables), DEFINITIONS)


phrases = st.one_of(
    st.sampled_from(AWKWARD),
    st.builds(lambda a, b: f"{a} {b}", st.sampled_from(AWKWARD), st.sampled_from(AWKWARD)),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)


@st.composite
def rules(draw: st.DrawFn, sort: Sort = BOOL, depth: int = 3) -> Term:
    """A well-sorted term over BASE, at most `depth` operators deep."""

    def inner(sort: Sort) -> Term:
        return draw(rules(sort, depth - 1))

    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(_leaves(sort))
    if sort.is_enumeration:
        return ite(inner(BOOL), inner(sort), inner(sort))
    choice = draw(st.integers(0, 10))
    if sort == BOOL:
        if choice == 0:
            return not_(inner(BOOL))
        if choice <= 3:
            join = draw(st.sampled_from([and_, or_]))
            return join(*(inner(BOOL) for _ in range(draw(st.integers(2, 4)))))
        if choice == 4:
            return draw(st.sampled_from([implies, implies, xor, eq]))(inner(BOOL), inner(BOOL))
        if choice == 5:
            kind = draw(st.sampled_from([TRIP.sort, GRADE.sort, LEVEL.sort]))
            compare = draw(st.sampled_from([eq, distinct]))
            return compare(*(inner(kind) for _ in range(draw(st.integers(2, 3)))))
        if choice == 6:
            return ite(inner(BOOL), inner(BOOL), inner(BOOL))
        number = draw(st.sampled_from([INT, REAL]))
        compare = draw(st.sampled_from([lt, le, gt, ge, eq, distinct]))
        left = draw(_symbols(number)) if draw(st.booleans()) else inner(number)
        right = draw(_leaves(number)) if draw(st.booleans()) else inner(number)
        return compare(left, right)
    if choice <= 2:
        return draw(st.sampled_from([add, sub, mul]))(inner(sort), inner(sort))
    if choice == 3:
        return draw(st.sampled_from([add, mul, sub]))(inner(sort), inner(sort), inner(sort))
    if choice == 4:
        return neg(inner(sort))
    if choice == 5:
        return ite(inner(BOOL), inner(sort), inner(sort))
    if choice == 6 and sort == REAL:
        return div(inner(REAL), real(draw(numbers.filter(bool))))
    if choice == 7 and sort == REAL:
        return to_real(inner(INT))
    if sort == REAL:
        return mul(real(draw(st.sampled_from(["0.75", "0.5", "1/3", "2", "100"]))), inner(REAL))
    amount = inner(REAL)
    rounded = [to_int(amount), neg(to_int(neg(amount))), to_int(add(amount, real("1/2")))]
    return draw(st.sampled_from(rounded))


def _leaves(sort: Sort) -> st.SearchStrategy[Term]:
    return st.one_of(_symbols(sort), _constants(sort))


def _symbols(sort: Sort) -> st.SearchStrategy[Term]:
    return st.sampled_from([s.symbol for s in (*VARIABLES, *DEFINITIONS) if s.sort == sort])


def _constants(sort: Sort) -> st.SearchStrategy[Term]:
    if sort == BOOL:
        return st.builds(boolean, st.booleans())
    if sort == INT:
        return numbers.map(lambda number: integer(int(number)))
    if sort == REAL:
        return numbers.map(lambda number: Literal(number, REAL))
    datatype = BASE.datatype_by_id[sort.key]
    return st.sampled_from([member(datatype.id, value.id) for value in datatype.values])
