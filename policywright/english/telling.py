"""A case in which two readings of a text differ, found by trying values at their edges.

No solver: each variable takes the values that its comparisons name, and those
just beside them. Where the readings differ only elsewhere, none is found.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import prod

from policywright.errors import EvaluationError
from policywright.evaluate import Value, evaluate
from policywright.model import PolicyModel
from policywright.sorts import BOOL, INT, Sort
from policywright.terms import Literal, Symbol, Term, subterms

MAX_CASES = 3_000
MAX_VALUES = 12
_STEP = Fraction(1, 100)


def telling_case(model: PolicyModel, one: Term, other: Term) -> Mapping[str, Value] | None:
    """Values by variable id under which the two conditions differ; None where none was found."""
    variables = _variables(model, one, other)
    numbers = _numbers(model, one, other)
    choices = [_candidates(model, symbol.sort, numbers) for symbol in variables]
    for values in _cases(choices):
        case = dict(zip([symbol.id for symbol in variables], values, strict=True))
        try:
            if evaluate(one, case, model) is not evaluate(other, case, model):
                return case
        except EvaluationError:
            continue
    return None


def _terms(model: PolicyModel, *terms: Term) -> Iterator[Term]:
    """All subterms, those of the definitions that are used too."""
    pending, seen = list(terms), set()
    while pending:
        for node in subterms(pending.pop()):
            yield node
            if isinstance(node, Symbol) and node.id not in seen:
                seen.add(node.id)
                definition = model.definition_by_id.get(node.id)
                if definition is not None:
                    pending.append(definition.term)


def _variables(model: PolicyModel, *terms: Term) -> list[Symbol]:
    found = (node for node in _terms(model, *terms) if isinstance(node, Symbol))
    return list(dict.fromkeys(s for s in found if s.id in model.variable_by_id))


def _numbers(model: PolicyModel, *terms: Term) -> list[Fraction]:
    found = {Fraction(0), Fraction(1)}
    for node in _terms(model, *terms):
        if isinstance(node, Literal) and isinstance(node.value, (int, Fraction)):
            found.add(Fraction(node.value))
    return sorted(found)[:MAX_VALUES]


def _candidates(model: PolicyModel, sort: Sort, numbers: Sequence[Fraction]) -> list[Value]:
    if sort == BOOL:
        return [True, False]
    if sort.is_enumeration:
        return [value.id for value in model.datatype_by_id[sort.key].values]
    if sort == INT:
        whole = sorted({int(number) + step for number in numbers for step in (-1, 0, 1)})
        return [*sorted(whole, key=abs)]
    exact = sorted({number + step for number in numbers for step in (-_STEP, Fraction(0), _STEP)})
    return [*sorted(exact, key=abs)]


def _cases(choices: Sequence[Sequence[Value]]) -> Iterator[tuple[Value, ...]]:
    """All combinations where they are few, else as many drawn, the same ones every time."""
    if prod(len(values) for values in choices) <= MAX_CASES:
        yield from islice(product(*choices), MAX_CASES)
        return
    drawn = random.Random(0)
    for _ in range(MAX_CASES):
        yield tuple(drawn.choice(values) for values in choices)
