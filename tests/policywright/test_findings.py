"""Findings: kinds, minimal rules, near scenarios, what is said when nothing decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policywright import load_policy
from policywright.evaluate import holds
from policywright.findings import Finding, FindingKind, find
from policywright.library import LoadedPolicy
from policywright.smtlib import read, read_answer
from tests.policywright.shared import article_files, shared

LOANS = Path(__file__).parents[1] / "fixtures" / "checks" / "loans.smt2"


@pytest.fixture(scope="module")
def loans() -> LoadedPolicy:
    return load_policy(LOANS)


def test_a_claim_that_a_rule_excludes_is_invalid_by_that_rule_and_its_facts(
    loans: LoadedPolicy,
) -> None:
    facts = """(assert (! (= feesOwed 35) :named owed))
        (assert (! (not rareBook) :named common)) (assert (! (not deskApproved) :named desk))"""
    finding = loans.check(facts, "loanGranted")
    assert finding.kind is FindingKind.INVALID
    assert (finding.rules, finding.facts) == (("fees-rule",), ("desk", "owed"))


def test_a_claim_that_the_closed_world_proves_is_valid(loans: LoadedPolicy) -> None:
    finding = loans.check(["(= feesOwed 35)", "(not rareBook)", "deskApproved"], "loanGranted")
    assert finding.kind is FindingKind.VALID
    assert (finding.rules, finding.facts) == (("closed-world",), ("fact-2", "fact-3"))


def test_an_open_claim_shows_two_cases_that_differ_in_the_missing_fact(
    loans: LoadedPolicy,
) -> None:
    finding = loans.check(["(= feesOwed 0)", "rareBook", "deskApproved"], "loanGranted")
    assert finding.kind is FindingKind.SATISFIABLE
    assert finding.depends_on == ("memberMonths",)
    assert finding.scenarios is not None
    differing = {
        name
        for name, value in finding.scenarios.holds.values.items()
        if finding.scenarios.fails.values[name] != value
    }
    assert differing == {"memberMonths", "loanGranted", "pickupAllowed"}
    months = [s.values["memberMonths"] for s in (finding.scenarios.holds, finding.scenarios.fails)]
    assert months == [3, 2]


def test_every_scenario_obeys_the_rules_and_the_facts(loans: LoadedPolicy) -> None:
    finding = loans.check(["(> feesOwed 10)", "rareBook"], "pickupAllowed")
    assert finding.scenarios is not None
    for witness in (finding.scenarios.holds, finding.scenarios.fails):
        values = witness.assignment()
        assert all(holds(rule.term, values, loans.model) for rule in loans.model.rules)


def test_facts_that_contradict_the_policy_are_impossible(loans: LoadedPolicy) -> None:
    facts = ["(= feesOwed 35)", "(not deskApproved)", "pickupAllowed"]
    finding = loans.check(facts, "loanGranted")
    assert finding.kind is FindingKind.IMPOSSIBLE
    assert finding.rules == ("fees-rule", "pickup-rule")
    assert finding.facts == ("fact-1", "fact-2", "fact-3")
    assert not finding.rules_clash


def test_fr_12_rules_that_contradict_each_other_are_named_not_the_facts() -> None:
    policy = read(
        "(declare-const age Int)\n(assert (! (> age 5) :named older))\n"
        "(assert (! (< age 3) :named younger))"
    )
    finding = LoadedPolicy(policy).check([], "(= age 4)")
    assert finding.kind is FindingKind.IMPOSSIBLE
    assert finding.rules == ("older", "younger")
    assert finding.rules_clash


def test_facts_that_contradict_each_other_say_so(loans: LoadedPolicy) -> None:
    finding = loans.check(["rareBook", "(not rareBook)"], "loanGranted")
    assert (finding.kind, finding.rules) == (FindingKind.IMPOSSIBLE, ())
    assert "whatever the policy says" in finding.notes[0]


def test_a_claim_true_whatever_the_policy_says_is_noted(loans: LoadedPolicy) -> None:
    finding = loans.check([], "(or rareBook (not rareBook))")
    assert (finding.kind, finding.rules, finding.facts) == (FindingKind.VALID, (), ())
    assert finding.notes == ("the claim is true whatever the policy says",)


def test_a_policy_that_decides_nothing_is_silent() -> None:
    policy = read(
        "(declare-const a Bool)\n(declare-const granted Bool)\n"
        "(assert (! (=> a (not granted)) :named only-a-ban))"
    )
    finding = LoadedPolicy(policy).check(["(not a)"], "granted")
    assert (finding.kind, finding.silent, finding.depends_on) == (FindingKind.SATISFIABLE, True, ())


def test_fr_13_the_rules_named_are_minimal_and_the_same_in_every_run() -> None:
    lines = ["(declare-const x Int)", *(f"(declare-const b{i} Bool)" for i in range(10))]
    for number in range(10):
        body = {2: "(> x 10)", 7: "(< x 5)"}.get(number, f"(=> b{number} (> x {number}))")
        lines.append(f"(assert (! {body} :named r{number}))")
    policy = LoadedPolicy(read("\n".join(lines)))
    found = {policy.check([], "b1").rules for _ in range(3)}
    assert found == {("r2", "r7")}


def test_document_order_picks_the_core_when_there_are_several() -> None:
    policy = LoadedPolicy(
        read(
            "(declare-const x Int)\n(declare-const p Bool)\n"
            "(assert (! (=> p (> x 1)) :named first))\n(assert (! (=> p (> x 2)) :named second))\n"
            "(assert (! (=> p (> x 3)) :named third))"
        )
    )
    finding = policy.check(["p"], "(> x 0)")
    assert (finding.kind, finding.rules) == (FindingKind.VALID, ("third",))


def test_fr_14_a_rule_may_be_named_like_a_variable() -> None:
    policy = read("(declare-const eligible Bool)\n(assert (! (or eligible true) :named eligible))")
    finding = LoadedPolicy(policy).check(["(not eligible)"], "(= eligible true)")
    assert finding.kind is FindingKind.INVALID
    finding = LoadedPolicy(policy).check([], "eligible")
    assert finding.kind is FindingKind.SATISFIABLE


def test_fr_17_what_the_solver_cannot_decide_is_undecided() -> None:
    policy = read(shared("cases", "files", "fr-17-slow.smt2").read_text())
    finding = LoadedPolicy(policy).check([], "(> a 100)", rlimit=500_000)
    assert finding.kind is FindingKind.UNDECIDED


def test_undecided_says_what_is_excluded_already() -> None:
    policy = LoadedPolicy(
        read(
            "(declare-const a Int)\n(declare-const b Int)\n(declare-const c Int)\n"
            "(assert (! (and (> a 1) (> b 1) (> c 1)"
            " (= (+ (* a a a) (* b b b)) (* c c c))) :named cubes))"
        )
    )
    finding = policy.check(["(< a 1000000)"], "(> a 0)", rlimit=500_000)
    assert finding.kind is FindingKind.UNDECIDED
    assert finding.excluded == (FindingKind.INVALID, FindingKind.SATISFIABLE)


def test_fr_09_no_finding_rests_on_an_invented_quotient() -> None:
    policy = LoadedPolicy(
        read(
            "(declare-const total Real)\n(declare-const claims Int)\n(declare-const audited Bool)\n"
            "(assert (! (= audited (> (/ total (to_real claims)) 100)) :named audit-rule))"
        )
    )
    finding = policy.check(["(= claims 0)", "(= total 50)"], "audited")
    assert finding.kind is FindingKind.UNDECIDED
    assert "divides" in finding.notes[0]
    finding = policy.check(["(= claims 1)", "(= total 500)"], "audited")
    assert (finding.kind, finding.rules) == (FindingKind.VALID, ("audit-rule",))
    finding = policy.check(["(= total 500)"], "audited")
    assert finding.kind is FindingKind.SATISFIABLE
    assert finding.scenarios is not None
    assert finding.scenarios.holds.values["claims"] != 0


def test_fr_11_a_value_without_a_fraction_is_shown_rounded() -> None:
    policy = read(shared("cases", "files", "fr-11-irrational.smt2").read_text())
    finding = LoadedPolicy(policy).check([], "(> side 1)")
    assert finding.kind is FindingKind.VALID
    model = read("(declare-const s Real)\n(declare-const b Bool)\n(assert (=> b (= (* s s) 2)))")
    finding = LoadedPolicy(model).check(["b"], "(> s 0)")
    assert finding.scenarios is not None
    assert finding.to_json(model)["scenarios"]["holds"]["s"] == "about 1.4142"


def test_fr_15_two_policies_with_one_datatype_name_in_one_process() -> None:
    first = "(declare-datatype Status ((open) (closed)))\n(declare-const s Status)\n"
    second = "(declare-datatype Status ((open) (closed) (paused)))\n(declare-const s Status)\n"
    rule = "(assert (! (not (= s open)) :named not-open))"
    policies = [LoadedPolicy(read(text + rule)) for text in (first, second, first)]
    kinds = [policy.check([], "(= s closed)").kind for policy in policies]
    assert kinds == [FindingKind.VALID, FindingKind.SATISFIABLE, FindingKind.VALID]


def test_fr_20_a_variable_that_does_not_matter_is_left_out_of_a_scenario() -> None:
    model = read(
        "(declare-const age Int)\n(declare-const member Bool)\n(declare-const region Int)\n"
        "(declare-const granted Bool)\n(assert (! (=> (< age 18) (not granted)) :named minors))\n"
        "(assert (! (=> member (> region 0)) :named regions))"
    )
    finding = LoadedPolicy(model).check(["(>= age 18)", "(not member)"], "granted")
    assert "region" not in finding.to_json(model)["scenarios"]["holds"]


def test_the_article_gets_its_four_findings() -> None:
    files = article_files()
    model = read(files["policy"])

    def judged(name: str) -> Finding:
        return find(model, read_answer(files[name], model))

    unapproved, approved, abroad = (judged(n) for n in ("unapproved", "approved", "abroad"))
    assert unapproved.kind is FindingKind.INVALID
    assert (unapproved.rules, unapproved.facts) == (("cost-rule",), ("fact-approval", "fact-cost"))
    assert approved.kind is FindingKind.VALID
    assert approved.rules == ("closed-world",)
    assert approved.facts == ("fact-approval", "fact-domestic")
    assert abroad.kind is FindingKind.SATISFIABLE
    assert abroad.depends_on == ("tenureMonths",)
    impossible = LoadedPolicy(model).check(
        ["(= costEur 2500)", "(not managerApproved)", "bookingAllowed"], "tripApproved"
    )
    assert impossible.kind is FindingKind.IMPOSSIBLE
    assert impossible.rules == ("booking-rule", "cost-rule")


def gold_cases() -> list[tuple[str, str, dict[str, object]]]:
    path = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "gold" / "cases.json"
    if not path.exists():
        return []
    data = json.loads(path.read_text(encoding="utf-8"))
    return [
        (case["id"], policy["smt2"], case) for policy in data.values() for case in policy["cases"]
    ]


@pytest.mark.parametrize(
    ("name", "file", "case"), gold_cases(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_gold(name: str, file: str, case: dict[str, object]) -> None:
    model = read(shared("corpus", "gold", file).read_text(encoding="utf-8"))
    finding = LoadedPolicy(model).check(case["facts"], str(case["claim"]))  # type: ignore[arg-type]
    assert finding.kind.value == case["expected"]
    if "core" in case:
        assert list(finding.rules) == sorted(case["core"])  # type: ignore[call-overload]
