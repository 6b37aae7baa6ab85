"""A policy model in structured English: rules, terms, values, cases, defaults.

Terms are said in normal form, so that two rules that read alike are alike.
Every sentence is exact: what it says is the term, no more and no less.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from policywright.english.clauses import Conditions
from policywright.english.default_sentences import render_default
from policywright.english.layout import lay_out
from policywright.english.mistakable import mistakable_terms, sayable_terms
from policywright.english.phrases import draft_phrases, value_phrase
from policywright.english.sayings import Sayings
from policywright.english.values import quantity_text
from policywright.english.words import capitalise, join_words
from policywright.model import Definition, Kind, PolicyModel, Rule, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Term, eq, fold

__all__ = [
    "render_case",
    "render_default",
    "render_definition",
    "render_rule",
    "render_sentence",
    "render_term",
    "render_value",
]

# Beyond these a sentence helps no reader, and a hostile term would cost without end.
MAX_DEPTH = 40
MAX_SIZE = 20_000
MAX_TRIES = 4
TOO_LARGE = (
    "This rule is too long or too deeply nested to be said in English; "
    "read its SMT-LIB, and split it into several rules."
)
MISTAKABLE = (
    "This rule cannot be said in English without a second meaning; read its SMT-LIB, and give its "
    "variables, values and units other words."
)


def render_rule(model: PolicyModel, rule: Rule) -> str:
    """The rule as a sentence, or as a sentence with indented lists."""
    if rule.kind is Kind.DEFAULT and rule.choice is not None and rule.outcome:
        return render_default(model, rule)
    return render_sentence(model, rule.term)


def render_sentence(model: PolicyModel, term: Term) -> str:
    """A condition as a statement: a capital first, a full stop last."""
    return capitalise(_say(model, term, "."))


def render_term(model: PolicyModel, term: Term) -> str:
    """A condition as a clause, without capital and full stop; or an amount as a noun phrase."""
    if term.sort == BOOL:
        return _say(model, term, "")
    too_large = _too_large(term)
    return too_large or Conditions(Sayings(model)).amount(normal_form(term), "")


def render_definition(model: PolicyModel, definition: Definition) -> str:
    """What a named term stands for, as a sentence."""
    return render_sentence(model, eq(definition.symbol, definition.term))


def render_value(
    model: PolicyModel, variable: Variable | Definition, value: bool | int | Fraction | str
) -> str:
    """A value of a variable: `EUR 1,000.01`, `6 months`, `7.5%`, `domestic`, `yes`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        datatype = model.datatype_by_id[variable.sort.key]
        return value_phrase(datatype.value(value))
    return quantity_text(value, variable.unit if isinstance(variable, Variable) else "")


def render_case(model: PolicyModel, values: Mapping[str, bool | int | Fraction | str]) -> str:
    """What holds in a case: a clause for each variable that has a value, in the model's order."""
    clauses = []
    symbols: list[Variable | Definition] = [*model.variables, *model.definitions]
    for symbol in symbols:
        if symbol.id not in values:
            continue
        value, phrases = values[symbol.id], draft_phrases(symbol)
        if isinstance(value, bool):
            clauses.append(phrases.text if value else phrases.negative)
        else:
            clauses.append(f"{phrases.text} is {render_value(model, symbol, value)}")
    return join_words(clauses)


def _say(model: PolicyModel, term: Term, end: str) -> str:
    """A condition in words that say this and nothing else.

    Phrases that could be taken for something else where they stand are put in
    quotation marks, then all of them.
    """
    too_large = _too_large(term)
    if too_large:
        return too_large
    term = normal_form(term)
    quoted: frozenset[Term] = frozenset()
    for _ in range(MAX_TRIES):
        text = lay_out(Conditions(Sayings(model, quoted)).block(term), end)
        mistakable = mistakable_terms(model, term, text)
        if not mistakable:
            return text
        quoted = quoted | mistakable if not mistakable <= quoted else sayable_terms(term)
    return MISTAKABLE


def is_said(text: str) -> bool:
    """Whether a text is a rendering; else it says why there is none."""
    return text not in (MISTAKABLE, TOO_LARGE)


def _too_large(term: Term) -> str:
    depth, size = fold(
        term,
        lambda _, below: (
            1 + max((d for d, _ in below), default=0),
            1 + sum(s for _, s in below),
        ),
    )
    if depth <= MAX_DEPTH and size <= MAX_SIZE:
        return ""
    return TOO_LARGE
