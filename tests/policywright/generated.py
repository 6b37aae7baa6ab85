"""Hypothesis strategies: small policy models, terms over them, assignments."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from policywright.evaluate import Value
from policywright.model import (
    Datatype,
    Definition,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Rule,
    Source,
    Variable,
)
from policywright.model import Value as DatatypeValue
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

SEASON = Datatype(
    "season",
    "Season",
    (DatatypeValue("low", "low"), DatatypeValue("high", "high"), DatatypeValue("other", "OTHER")),
)
COVER = Datatype("cover", "Cover", (DatatypeValue("c-low", "low"), DatatypeValue("none", "NONE")))

VARIABLES = (
    Variable("b1", "memberCard", BOOL, Role.FACT, phrases=Phrases("the card is shown", "")),
    Variable("b2", "granted", BOOL, Role.OUTCOME),
    Variable("i1", "ageYears", INT, Role.FACT, unit="years"),
    Variable("i2", "nights", INT, Role.FACT),
    Variable("r1", "fee", REAL, Role.DERIVED, unit="EUR"),
    Variable("r2", "|share|".strip("|"), REAL, Role.FACT, unit="share"),
    Variable("s1", "season of visit", SEASON.sort, Role.FACT),
    Variable("k1", "cover", COVER.sort, Role.FACT),
)
DEFINITIONS = (Definition("d1", "isAdult", ge(Symbol("i1", INT), integer(18)), "eighteen or more"),)
BASE = PolicyModel((SEASON, COVER), VARIABLES, DEFINITIONS)

small_integers = st.integers(-3, 8)
fractions = st.builds(Fraction, st.integers(-12, 20), st.sampled_from([1, 2, 3, 4, 100]))


def assignments() -> st.SearchStrategy[dict[str, Value]]:
    return st.fixed_dictionaries({v.id: values_of(v.sort) for v in VARIABLES})


def values_of(sort: Sort) -> st.SearchStrategy[Value]:
    if sort == BOOL:
        return st.booleans()
    if sort == INT:
        return small_integers
    if sort == REAL:
        return fractions
    datatype = SEASON if sort == SEASON.sort else COVER
    return st.sampled_from([value.id for value in datatype.values])


def _leaf(sort: Sort, with_division: bool) -> st.SearchStrategy[Term]:
    names = [v.symbol for v in (*VARIABLES, *DEFINITIONS) if v.sort == sort]
    symbols: st.SearchStrategy[Term] = st.sampled_from(names)
    if sort == BOOL:
        return st.one_of(symbols, st.builds(boolean, st.booleans()))
    if sort == INT:
        return st.one_of(symbols, st.builds(integer, small_integers))
    if sort == REAL:
        return st.one_of(symbols, st.builds(real, fractions))
    datatype = SEASON if sort == SEASON.sort else COVER
    return st.one_of(symbols, st.sampled_from([member(datatype.id, v.id) for v in datatype.values]))


@st.composite
def terms(draw: st.DrawFn, sort: Sort = BOOL, depth: int = 3, division: bool = True) -> Term:
    """A well-sorted term over BASE, at most `depth` operators deep."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(_leaf(sort, division))

    def inner(inner_sort: Sort) -> Term:
        return draw(terms(inner_sort, depth - 1, division))

    if sort == BOOL:
        choice = draw(st.integers(0, 9))
        if choice == 0:
            return not_(inner(BOOL))
        if choice <= 3:
            join = draw(st.sampled_from([and_, or_]))
            return join(*(inner(BOOL) for _ in range(draw(st.integers(2, 3)))))
        if choice == 4:
            return draw(st.sampled_from([implies, xor, eq]))(inner(BOOL), inner(BOOL))
        if choice == 5:
            enum = draw(st.sampled_from([SEASON.sort, COVER.sort]))
            return draw(st.sampled_from([eq, distinct]))(inner(enum), inner(enum))
        if choice == 6:
            return ite(inner(BOOL), inner(BOOL), inner(BOOL))
        number = draw(st.sampled_from([INT, REAL]))
        compare = draw(st.sampled_from([lt, le, gt, ge, eq, distinct]))
        return compare(inner(number), inner(number))
    if sort in (INT, REAL):
        choice = draw(st.integers(0, 7))
        if choice <= 2:
            return draw(st.sampled_from([add, sub, mul]))(inner(sort), inner(sort))
        if choice == 3:
            return neg(inner(sort))
        if choice == 4:
            return ite(inner(BOOL), inner(sort), inner(sort))
        if choice == 5:
            return to_real(inner(INT)) if sort == REAL else to_int(inner(REAL))
        if choice == 6 and sort == REAL and division:
            divisor = draw(fractions.filter(lambda f: f != 0))
            return div(inner(REAL), Literal(divisor, REAL))
        return draw(_leaf(sort, division))
    return draw(_leaf(sort, division))


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=20)


@st.composite
def models(draw: st.DrawFn) -> PolicyModel:
    """BASE with up to four rules, sources with any text in them."""
    rules = []
    for number in range(draw(st.integers(1, 4))):
        sources = draw(
            st.lists(
                st.builds(
                    Source,
                    document=texts,
                    revision=st.just("1"),
                    start=st.integers(0, 5),
                    end=st.integers(6, 9),
                    quote=texts,
                    context=st.lists(texts, max_size=2).map(tuple),
                ),
                max_size=2,
            ).map(tuple)
        )
        kind = draw(st.sampled_from([Kind.RULE, Kind.DEFINITION, Kind.ASSUMPTION]))
        name = draw(st.sampled_from(["rule", "granted", "a rule with spaces"]))
        rules.append(Rule(f"r{number}", f"{name} {number}", draw(terms()), kind, sources))
    return BASE.with_rules(rules)
