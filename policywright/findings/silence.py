"""Whether any values of the unstated facts decide a claim, or the policy is silent about it.

Fixing every fact as in a case and asking for the other side gives such values as an
unsat core, or shows that this case stays open: then new values of few outcomes turn
it into a case of the other side. Every case that the same new values would turn is
ruled out with it, until a deciding case is found or none is left.

Once every fact is fixed, only the rules that reach the claim through variables
that are no facts have a say: the inner rules. So cases are looked for among them,
and what they give is asked of the whole slice.
"""

from __future__ import annotations

from collections.abc import Mapping

from policywright.definitions import written_out
from policywright.evaluate import Value
from policywright.findings.minimal import minimal_core
from policywright.findings.new_values import new_values
from policywright.findings.questions import Deciding, Questions
from policywright.model import Role
from policywright.solver import Session, compiled
from policywright.terms import Literal, Term, and_, eq, not_, substitute
from policywright.witness import Rounded, Witness

MAX_CASES = 60
"""Cases ruled out on each side before the search for a deciding one is given up."""


def inner_questions(questions: Questions) -> Questions:
    """The same claim among the inner rules; the questions themselves if these are most."""
    session, model = questions.session, questions.model
    prepared, claim = compiled(model), questions.terms[-1]
    rules, reached = _inner(questions)
    if len(rules) * 2 > len(session.rules):
        return questions
    given = [term for term in questions.given if prepared.symbols(term) & reached]
    inner = Session(
        prepared, rules, [*given, claim, not_(claim)], rlimit=session.rlimit, beside=session
    )
    *held, holds, fails = inner.added
    terms = [*(prepared.rule_terms[number] for number in rules), *given, claim]
    return Questions(inner, model, terms, (holds, fails), [*rules, *held])


def decided_by(
    questions: Questions, inner: Questions, case: Witness, side: bool
) -> Deciding | None:
    """Few facts whose values in this case decide the claim, each needed; None if it is open."""
    facts = [v for v in inner.facts if not isinstance(case.values[v.id], Rounded)]
    numbers, opposite = inner.as_in(case, facts), inner.side(not side)
    core = inner.clash([*numbers, opposite])
    if core is None:
        return None
    needed, _ = minimal_core(numbers, [opposite], core, inner.clash)
    facts = [v for v, number in zip(facts, numbers, strict=True) if number in needed]
    if inner is not questions:
        numbers, opposite = questions.as_in(case, facts), questions.side(not side)
        found = questions.clash([*numbers, opposite])
        assert found is not None, "facts decide among some of the rules, and not among all"
        needed, _ = minimal_core(numbers, [opposite], found, questions.clash)
        facts = [v for v, number in zip(facts, numbers, strict=True) if number in needed]
    return Deciding(tuple(facts), case, side)


def search_cases(questions: Questions, inner: Questions) -> tuple[Deciding | None, bool]:
    """(what decides the claim in some case, whether it is certain that nothing does)."""
    for side in (True, False):
        blocked: list[int] = []
        while (case := inner.possible([inner.side(side), *blocked])) is not None:
            if len(blocked) >= MAX_CASES:
                return None, False
            changed = _sibling(inner, case, side)
            if changed is None:
                whole = _in_whole(questions, inner, case, side)
                if isinstance(whole, Witness):
                    return decided_by(questions, inner, whole, side), False
                blocked.append(inner.session.add(not_(and_(*whole))))
                continue
            exact = {i: v for i, v in changed.items() if not isinstance(v, Rounded)}
            if len(exact) < len(changed) or not inner.session.is_whole:
                return None, False
            blocked.append(_rule_out(inner, exact, not side))
    return None, True


def _sibling(inner: Questions, case: Witness, side: bool) -> Mapping[str, Value | Rounded] | None:
    """New values of few variables that turn a case into one of the other side, facts alike.

    None where these facts leave no such case: they decide.
    """
    fixed = inner.as_in(case, inner.facts)
    others = [v for v in inner.others if not isinstance(case.values[v.id], Rounded)]
    keep = dict(zip(inner.as_in(case, others), others, strict=True))
    while (core := inner.clash([*fixed, *keep, inner.side(not side)])) is not None:
        used = core & keep.keys()
        if not used:
            return None
        for number in used:
            del keep[number]
    other, kept = inner.session.witness(), set(keep.values())
    return {v.id: other.values[v.id] for v in inner.others if v not in kept}


def _inner(questions: Questions) -> tuple[list[int], set[str]]:
    """The inner rules in document order, and all symbols that they and the claim read."""
    prepared = compiled(questions.model)
    by_id, rules_of = questions.model.variable_by_id, prepared.rules_of
    given = [prepared.symbols(term) for term in questions.given]
    others = {v.id for v in questions.others}
    reached = set(prepared.symbols(questions.terms[-1]))
    rules: set[int] = set()
    pending = list(reached)
    while pending:
        symbol_id = pending.pop()
        variable = by_id.get(symbol_id)
        if variable is None or variable.role is Role.FACT:
            continue
        new = [number for number in rules_of.get(symbol_id, ()) if number not in rules]
        rules.update(new)
        groups = [prepared.rule_symbols[number] for number in new]
        groups += [symbols for symbols in given if symbol_id in symbols]
        for symbols in groups:
            pending += symbols - reached
            reached |= symbols
    # What binds facts alone rules out cases early; all of it is asked of the whole slice.
    for number in questions.session.rules:
        symbols = prepared.rule_symbols[number]
        if number not in rules and symbols & reached and not symbols & others:
            rules.add(number)
    return sorted(rules), reached


def _in_whole(
    questions: Questions, inner: Questions, case: Witness, side: bool
) -> Witness | list[Term]:
    """A case of the whole slice with the same facts; else values of facts that rule them out."""
    if inner is questions:
        return case
    numbers = questions.as_in(case, inner.facts)
    core = questions.clash([*numbers, questions.side(side)])
    if core is None:
        return questions.session.witness()
    exact = case.assignment()
    clashing = [
        eq(v.symbol, Literal(exact[v.id], v.sort))
        for v in inner.facts
        if v.id in exact and questions.as_in(case, [v])[0] in core
    ]
    assert clashing, "a side that was possible is not so whatever the facts are"
    return clashing


def _rule_out(inner: Questions, changed: Mapping[str, Value], side: bool) -> int:
    """Exclude each case that these new values turn into one of `side`, whatever its facts."""
    model, prepared = inner.model, compiled(inner.model)
    new = new_values(inner, changed)
    touched = [t for t in inner.terms[:-1] if prepared.symbols(t) & new.keys()]
    claim = inner.terms[-1] if side else not_(inner.terms[-1])
    turned = [substitute(written_out(model, term), new) for term in (*touched, claim)]
    return inner.session.add(not_(and_(*turned)))
