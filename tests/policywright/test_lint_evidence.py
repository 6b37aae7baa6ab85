"""What lint shows is so: cores are minimal and clash alone, cases replay, both solvers agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.synthetic import Synthetic
from policywright.definitions import written_out
from policywright.errors import DefaultNotPossibleError, DivisionByZeroError
from policywright.evaluate import Value, evaluate, holds
from policywright.lint import Diagnostic, Report, Severity, component, lint, proposed
from policywright.lint.boxes import never_meet
from policywright.lint.nearby import Nearby
from policywright.lint.parts import parts_of
from policywright.lint.pieces import implications
from policywright.lint.reduced import reduced
from policywright.lint.scan import Scan
from policywright.model import PolicyModel, Role, Rule, Variable
from policywright.normal import normal_form
from policywright.roles import guess_roles
from policywright.smtlib import print_model
from policywright.solver import LARGE, Status, ask, compiled, open_session
from policywright.sorts import BOOL, REAL
from policywright.terms import Literal, Term, and_, div, eq, gt, implies, not_, symbols
from policywright.witness import Rounded
from tests.policywright.generated import BASE, assignments, models, terms
from tests.policywright.solvers import cvc5_answer

RLIMIT = 3_000_000
slow_draws = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def facts_of(model: PolicyModel, case: Mapping[str, Value | Rounded]) -> list[Term]:
    by_id = model.variable_by_id
    exact = {uid: value for uid, value in case.items() if not isinstance(value, Rounded)}
    return [eq(by_id[uid].symbol, Literal(value, by_id[uid].sort)) for uid, value in exact.items()]


def assert_minimal(model: PolicyModel, core: Sequence[str], fixed: Sequence[Term]) -> None:
    """The rules clash with what is fixed, and no longer without any one of them."""
    rules = [model.rule_by_id[uid].term for uid in core]
    assert ask(model, [*rules, *fixed]) is Status.UNSAT
    for left_out in range(len(rules)):
        rest = [term for number, term in enumerate(rules) if number != left_out]
        assert ask(model, [*rest, *fixed]) is not Status.UNSAT


def check_evidence(model: PolicyModel, report: Report) -> None:
    for diagnostic in report.diagnostics:
        check_one(model, diagnostic)


def check_one(model: PolicyModel, found: Diagnostic) -> None:
    if found.code == "contradiction":
        assert_minimal(model, found.core, [])
    elif found.code == "conflict":
        assert found.witness is not None
        facts = facts_of(model, found.witness)
        assert_minimal(model, found.core, facts)
        limits = [r.term for r in model.rules if speaks_of_facts(model, r.term)]
        assert ask(model, [*limits, *facts]) is Status.SAT
        assert all(model.variable_by_id[uid].role is Role.FACT for uid in found.witness)
    elif found.code == "implied":
        assert_minimal(model, found.core, [not_(model.rule_by_id[found.rules[0]].term)])
    elif found.code == "one-value":
        assert found.witness is not None
        assert_minimal(model, found.core, [not_(term) for term in facts_of(model, found.witness)])
    elif found.code == "division-by-zero":
        assert found.witness is not None
        case = {uid: v for uid, v in found.witness.items() if not isinstance(v, Rounded)}
        with pytest.raises(DivisionByZeroError):
            evaluate(model.rule_by_id[found.rules[0]].term, case, model)
    elif found.code == "idle-part":
        rule, shorter = model.rule_by_id[found.rules[0]], found.fixes[0].rules[0]
        assert_minimal(model, found.core, [not_(eq(rule.term, shorter.term))])
    elif found.code == "never-applies":
        term = normal_form(written_out(model, model.rule_by_id[found.rules[0]].term))
        rules = [model.rule_by_id[uid].term for uid in found.core]
        met_never = [
            and_(*parts)
            for parts, _ in implications(term)
            if parts and ask(model, [*rules, and_(*parts)]) is Status.UNSAT
        ]
        assert met_never
    elif found.code == "missing-domain" and found.witness:
        (value,) = found.witness.values()
        assert not isinstance(value, (Rounded, str))
        assert value < 0
        part = part_with(model, found.about[0])
        facts = facts_of(model, found.witness)
        assert ask(model, [*(rule.term for rule in part.rules), *facts]) is not Status.UNSAT
    elif found.code == "threshold-gap":
        assert found.witness is not None
        part = part_with(model, found.about[0])
        facts = facts_of(model, found.witness)
        assert can_be_two(part, facts, model.variable_by_id[found.about[0]])
    elif found.code == "threshold-touch":
        assert found.witness is not None
        assert set(found.witness) == set(found.about)


def part_with(model: PolicyModel, uid: str) -> PolicyModel:
    """The rules that share variables with one: others may contradict each other meanwhile."""
    return next(p.model for p in parts_of(model, {}) if uid in p.model.variable_by_id)


def can_be_two(model: PolicyModel, facts: Sequence[Term], variable: Variable) -> bool:
    """Whether two values of a variable are possible where some facts hold."""
    session = open_session(model, [*facts, eq(variable.symbol, variable.symbol)])
    if session.check([*session.rules, *session.added]) is not Status.SAT:
        return False
    value = session.witness().assignment()[variable.id]
    other = not_(eq(variable.symbol, Literal(value, variable.sort)))
    rules = [rule.term for rule in model.rules]
    return ask(model, [*rules, *facts, other]) is not Status.UNSAT


def speaks_of_facts(model: PolicyModel, term: Term) -> bool:
    read = [symbol.id for symbol in symbols(written_out(model, term))]
    return all(model.variable_by_id[uid].role is Role.FACT for uid in read)


@slow_draws
@given(models())
def test_evidence_holds_for_made_policies(model: PolicyModel) -> None:
    check_evidence(model, lint(model, rlimit=RLIMIT))


@st.composite
def odd_policies(draw: st.DrawFn) -> PolicyModel:
    """Any roles, and divisions by whatever comes."""
    model = draw(models())
    roles = st.sampled_from(list(Role))
    variables = tuple(replace(variable, role=draw(roles)) for variable in model.variables)
    rules = list(model.rules)
    for i in range(draw(st.integers(0, 2))):
        quotient = div(draw(terms(REAL, 2)), draw(terms(REAL, 2)))
        term = implies(draw(terms(BOOL, 1)), gt(quotient, draw(terms(REAL, 1))))
        rules.append(Rule(f"d{i}", f"division {i}", term))
    return PolicyModel(model.datatypes, variables, model.definitions, tuple(rules))


@slow_draws
@given(odd_policies())
def test_evidence_and_every_fix_hold_for_odd_policies(model: PolicyModel) -> None:
    report = lint(model, rlimit=RLIMIT)
    check_evidence(model, report)
    for diagnostic in report.diagnostics:
        assert diagnostic.to_json(model)["code"] == diagnostic.code
        for fix in diagnostic.fixes:
            with suppress(DefaultNotPossibleError):
                assert isinstance(proposed(model, fix), PolicyModel)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_evidence_holds_for_a_policy_of_sections(seed: int) -> None:
    model = with_roles(Synthetic(60, seed).model())
    report = lint(model)
    check_evidence(model, report)
    assert {"conflict", "implied"} <= {d.code for d in report.diagnostics}


@pytest.mark.parametrize(
    ("rules", "large"), [(130, 100), pytest.param(270, LARGE, marks=pytest.mark.slow)]
)
def test_evidence_holds_where_one_component_is_large(
    rules: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(component, "LARGE", large)
    model = with_roles(Synthetic(rules, 4, hubs=8).model())
    assert any(one.is_large for one in Scan(model).components)
    report = lint(model)
    assert {"conflict", "implied"} <= {d.code for d in report.diagnostics}
    check_evidence(model, report)


def test_a_report_is_the_same_each_time() -> None:
    model = with_roles(Synthetic(80, 5).model())
    again = PolicyModel(model.datatypes, model.variables, (), model.rules)
    assert lint(model).to_json(model) == lint(again).to_json(again)


def test_cvc5_agrees_that_rules_contradict_each_other_and_that_others_do_not() -> None:
    model = with_roles(Synthetic(40, 6).model())
    assert cvc5_answer(print_model(model)) == "sat"
    assert not [d for d in lint(model).errors if d.code == "contradiction"]
    denied = Rule("denied", "denied", not_(model.rules[0].term))
    broken = model.with_rules([*model.rules, denied])
    (found, *_) = [d for d in lint(broken).errors if d.code == "contradiction"]
    core = broken.with_rules([broken.rule_by_id[uid] for uid in found.core])
    assert cvc5_answer(print_model(core)) == "unsat"


@given(terms(), assignments(), st.data())
def test_a_term_with_values_put_in_means_the_same(
    term: Term, case: dict[str, Value], data: st.DataObject
) -> None:
    model = BASE
    written = written_out(model, term)
    some = data.draw(st.sets(st.sampled_from(sorted(case))))
    by_id = model.variable_by_id
    values = {uid: Literal(case[uid], by_id[uid].sort) for uid in some}
    assert holds(reduced(written, values), case) is holds(written, case)


@given(st.lists(terms(depth=1), min_size=2, max_size=4), assignments())
def test_conditions_said_never_to_meet_are_met_in_no_case(
    parts: list[Term], case: dict[str, Value]
) -> None:
    if never_meet(parts):
        assert not all(holds(part, case, BASE) for part in parts)


def test_a_case_found_nearby_is_one_of_all_rules() -> None:
    model = with_roles(Synthetic(40, 7).model())
    prepared = compiled(model)
    made = Synthetic(40, 7)
    start = {uid: values[0] for uid, values in made.values.items()}
    found = 0
    for number, rule in enumerate(model.rules):
        case = Nearby(prepared).find([start], [not_(rule.term)], without=(number,))
        if case is not None:
            found += 1
            broken = [r.id for r in model.rules if not holds(r.term, case)]
            assert broken == [rule.id]
    assert found > 10


def test_errors_come_first() -> None:
    order = list(Severity)
    severities = [
        order.index(d.severity) for d in lint(with_roles(Synthetic(60).model())).diagnostics
    ]
    assert severities == sorted(severities)


def with_roles(model: PolicyModel) -> PolicyModel:
    """Roles as they are guessed for a file that gives none."""

    guessed = guess_roles([replace(v, role_guessed=True) for v in model.variables], model.rules)
    return PolicyModel(model.datatypes, guessed, (), model.rules)
