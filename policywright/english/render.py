"""A policy model in structured English: rules, terms, values, cases, defaults.

Terms are said in normal form, so that two rules that read alike are alike.
Every sentence is exact: what it says is the term, no more and no less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from policywright.english.clauses import Conditions
from policywright.english.layout import inline, joined, lay_out
from policywright.english.phrases import draft_phrases, phrases_of, value_phrase
from policywright.english.values import quantity_text
from policywright.english.words import capitalise, join_words
from policywright.model import DefaultChoice, Definition, Kind, PolicyModel, Rule, Variable
from policywright.normal import normal_form
from policywright.sorts import BOOL
from policywright.terms import Term, fold

# Beyond these a sentence helps no reader, and a hostile term would cost without end.
MAX_DEPTH = 40
MAX_SIZE = 20_000


def render_rule(model: PolicyModel, rule: Rule) -> str:
    """The rule as a sentence, or as a sentence with indented lists."""
    if rule.kind is Kind.DEFAULT and rule.choice is not None and rule.outcome:
        return render_default(model, rule)
    return render_sentence(model, rule.term)


def render_sentence(model: PolicyModel, term: Term) -> str:
    """A condition as a statement: a capital first, a full stop last."""
    too_large = _too_large(term)
    if too_large:
        return too_large
    return capitalise(lay_out(Conditions(model).block(normal_form(term)), "."))


def render_term(model: PolicyModel, term: Term) -> str:
    """A condition as a clause, without capital and full stop; or an amount as a noun phrase."""
    too_large = _too_large(term)
    if too_large:
        return too_large
    term = normal_form(term)
    conditions = Conditions(model)
    if term.sort != BOOL:
        return conditions.amount(term, "")
    return lay_out(conditions.block(term), "")


def render_definition(model: PolicyModel, definition: Definition) -> str:
    """What a named term stands for, as a sentence."""
    too_large = _too_large(definition.term)
    if too_large:
        return too_large
    conditions = Conditions(model)
    name, term = draft_phrases(definition).text, normal_form(definition.term)
    if term.sort != BOOL:
        return capitalise(f"{name} is {conditions.amount(term, '')}.")
    return capitalise(lay_out(joined(inline(f"{name} exactly if"), conditions.part(term)), "."))


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


def render_default(model: PolicyModel, rule: Rule) -> str:
    """What holds of an outcome where no rule speaks, with the rules that may speak."""
    phrases = phrases_of(model, rule.outcome)
    names = _rule_names(model, rule.rests_on)
    if rule.choice is DefaultChoice.APPROVED:
        return capitalise(f"{phrases.text} unless a rule forbids it{names}.")
    if rule.choice is DefaultChoice.REFUSED:
        return capitalise(f"{phrases.negative} unless a rule grants it{names}.")
    return f"Where no rule speaks, the policy does not decide whether {phrases.text}{names}."


def _rule_names(model: PolicyModel, rule_ids: Sequence[str]) -> str:
    """The rules in brackets; none at all is said too, since an empty list decides much."""
    names = [model.rule_by_id[i].name if i in model.rule_by_id else i for i in rule_ids]
    return f" ({', '.join(names)})" if names else " (no rule does so far)"


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
    return (
        "This rule is too long or too deeply nested to be said in English; "
        "read its SMT-LIB, and split it into several rules."
    )
