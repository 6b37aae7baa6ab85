"""Edits by hand: what is refused with line and column, and what nobody loses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policies.models import Policy, Rule, Variable
from policywright.model import DefaultChoice, Kind
from tests.vetting.conftest import COST, COST_RULE, REASONABLE, Draft
from vetting.assumptions import add_assumption, add_range, set_default
from vetting.declarations import (
    NewValue,
    NewVariable,
    declare_datatype,
    declare_variable,
    edit_variable,
    variable_hash,
)
from vetting.edits import add_rule, edit_rule, rename_rule
from vetting.refusals import MovedError, NotReadableError, RefusedError
from vetting.review import ReviewState
from vetting.sentences import SentenceState

pytestmark = pytest.mark.django_db

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "files"


def names_of(filename: str) -> list[str]:
    path = SHARED / filename
    if not path.exists():
        pytest.skip(f"{filename} of the shared field reports is not here")
    return sorted(set(_strings(json.loads(path.read_text()))))


def _strings(data: object) -> list[str]:
    if isinstance(data, str):
        return [data]
    if isinstance(data, dict):
        names = data.get("names", data.get("name"))
        return _strings(names if names is not None else list(data.values()))
    return [text for item in data for text in _strings(item)] if isinstance(data, list) else []


def edit(draft: Draft, smtlib: str, shown: str | None = None) -> Rule:
    rule = draft.rule("cost")
    hash_ = draft.composition().hashes[rule.uid] if shown is None else shown
    return edit_rule(draft.policy, draft.alice, rule, smtlib=smtlib, shown_hash=hash_)


def test_fr_01_an_unknown_name_is_refused_by_line_and_column_and_nothing_is_saved(
    draft: Draft,
) -> None:
    before = draft.rule("cost").term
    with pytest.raises(NotReadableError) as refusal:
        edit(draft, "(=> (> costEur 1000.0)\n    (not tripAproved))")
    problem = refusal.value.problems[0]
    assert (problem.line, problem.column) == (2, 10)
    assert "tripAproved" in problem.message
    assert draft.rule("cost").term == before


@pytest.mark.parametrize(
    "text",
    [
        "(assert true)",
        '(include "/etc/passwd")',
        "(set-option :rlimit 1)",
        "(push 1)",
        "(exit)",
        "(declare-const x Int)",
        f"{COST_RULE} (check-sat)",
        f"{COST_RULE} {COST_RULE}",
        "",
        "true",
        "costEur",
    ],
)
def test_fr_02_only_one_condition_over_declared_names_is_a_rule(draft: Draft, text: str) -> None:
    before = draft.rule("cost").term
    with pytest.raises(RefusedError) as refusal:
        edit(draft, text)
    assert str(refusal.value)
    assert draft.rule("cost").term == before


@pytest.mark.parametrize("filename", ["fr-04-hostile-names.json", "fr-06-reserved-names.json"])
def test_fr_04_fr_06_names_that_no_script_can_hold_are_refused_with_a_suggestion(
    draft: Draft, filename: str
) -> None:
    names = [name for name in names_of(filename) if not _is_allowed(name)]
    assert len(names) > 5
    for name in names:
        with pytest.raises(RefusedError, match="would do"):
            declare_variable(draft.policy, draft.alice, NewVariable(name, "Bool"))
        with pytest.raises(RefusedError, match="would do"):
            declare_datatype(draft.policy, draft.alice, name=name, values=[NewValue("one")])
        with pytest.raises(RefusedError, match="would do"):
            declare_datatype(draft.policy, draft.alice, name="List", values=[NewValue(name)])
        if name.strip():
            with pytest.raises(RefusedError, match="would do"):
                add_assumption(draft.policy, draft.alice, smtlib="(> costEur 1.0)", name=name)
    assert draft.policy.datatypes.count() == 1


def _is_allowed(name: str) -> bool:
    from policywright.errors import NameNotAllowedError
    from policywright.names import check_name

    try:
        check_name(name)
    except NameNotAllowedError:
        return False
    return True


def test_fr_07_a_decimal_in_a_whole_variable_is_refused_and_the_sort_can_be_changed(
    draft: Draft,
) -> None:
    with pytest.raises(NotReadableError) as refusal:
        edit(draft, "(=> (= tenureMonths 2.5) (not tripApproved))")
    problem = refusal.value.problems[0]
    assert "tenureMonths" in str(problem)
    assert problem.line == 1
    months = draft.variable("tenureMonths")
    with pytest.raises(RefusedError, match=r"whole \(Int\)"):
        add_range(draft.policy, draft.alice, months, lower="2.5")


def test_fr_46_the_second_save_is_refused_with_both_texts(draft: Draft) -> None:
    shown = draft.composition().hashes[draft.rule("cost").uid]
    edit(draft, COST_RULE.replace("1000.0", "1500.0"), shown)
    mine = COST_RULE.replace("1000.0", "2000.0")
    with pytest.raises(MovedError) as refusal:
        edit(draft, mine, shown)
    assert "1500.0" in refusal.value.present
    assert refusal.value.sent == mine
    edit(draft, mine, refusal.value.present_hash)


def test_fr_46_a_description_saved_over_a_new_one_is_refused_with_both_texts(draft: Draft) -> None:
    variable = draft.variable("costEur")
    shown = variable_hash(variable)
    new = NewVariable("costEur", "Real", unit="EUR", description="by Ana")
    edit_variable(draft.policy, draft.alice, variable, new, shown_hash=shown)
    late = NewVariable("costEur", "Real", unit="EUR", description="by Ben")
    with pytest.raises(MovedError) as refusal:
        edit_variable(draft.policy, draft.bob, variable, late, shown_hash=shown)
    assert "description: by Ana" in refusal.value.present
    assert "description: by Ben" in refusal.value.sent
    assert draft.variable("costEur").description == "by Ana"


def test_fr_46_renaming_a_variable_under_an_open_form_is_noticed(draft: Draft) -> None:
    variable = draft.variable("costEur")
    shown = variable_hash(variable)
    renamed = NewVariable("price", "Real", unit="EUR", phrase="the total trip cost")
    edit_variable(draft.policy, draft.alice, variable, renamed, shown_hash=shown)
    with pytest.raises(MovedError):
        edit_variable(
            draft.policy, draft.bob, variable, NewVariable("cost", "Real"), shown_hash=shown
        )


def test_fr_55_the_same_edit_twice_leaves_one_revision(draft: Draft) -> None:
    shown = draft.composition().hashes[draft.rule("cost").uid]
    text = COST_RULE.replace("1000.0", "1500.0")
    edit(draft, text, shown)
    revision = draft.revision()
    edit(draft, text, shown)
    assert draft.rule("cost").revisions.count() == 2
    assert draft.revision() == revision


def test_an_edit_names_its_author_and_lets_the_approval_lapse(draft: Draft) -> None:
    draft.approve("cost")
    edit(draft, COST_RULE.replace("1000.0", "1500.0"))
    assert draft.rule("cost").author == draft.alice
    assert draft.review("cost").state is ReviewState.LAPSED


def test_a_default_is_not_edited_as_text(draft: Draft) -> None:
    rule = draft.rule("approved")
    shown = draft.composition().hashes[rule.uid]
    with pytest.raises(RefusedError, match="choose another default"):
        edit_rule(draft.policy, draft.alice, rule, smtlib=COST_RULE, shown_hash=shown)


def test_a_rule_is_written_for_a_sentence_with_its_own_declarations(draft: Draft) -> None:
    fact = NewVariable(
        "expenseReasonable", "Bool", phrase="the expense is reasonable",
        negative_phrase="the expense is not reasonable", description="a person judges this",
    )  # fmt: skip
    text = "(=> (not expenseReasonable) (not tripApproved))"
    lineages = [draft.sentences[REASONABLE].lineage]
    rule = add_rule(draft.policy, draft.alice, lineages=lineages, smtlib=text, variables=[fact])
    again = add_rule(draft.policy, draft.alice, lineages=lineages, smtlib=text, variables=[fact])
    assert again.pk == rule.pk
    assert rule.sources.get().quote == REASONABLE
    assert draft.sentence(REASONABLE).state is SentenceState.WAITING
    draft.approve(rule.name)
    assert draft.sentence(REASONABLE).state is SentenceState.EXPRESSED


def test_a_rule_that_cannot_be_read_declares_nothing(draft: Draft) -> None:
    lineages = [draft.sentences[REASONABLE].lineage]
    with pytest.raises(NotReadableError):
        add_rule(
            draft.policy,
            draft.alice,
            lineages=lineages,
            smtlib="(=> novel unknown)",
            variables=[NewVariable("novel", "Bool")],
        )
    assert not Variable.objects.filter(name="novel").exists()


def test_a_rule_needs_a_sentence_of_this_policy(draft: Draft) -> None:
    other = Policy.objects.create(slug="other", name="Other", created_by=draft.alice)
    for lineages in ([], ["unknown"]):
        with pytest.raises(RefusedError, match="open the sentence"):
            add_rule(draft.policy, draft.alice, lineages=lineages, smtlib=COST_RULE)
    with pytest.raises(RefusedError, match="open the sentence"):
        add_rule(other, draft.alice, lineages=[draft.sentences[COST].lineage], smtlib=COST_RULE)


def test_an_assumption_stands_in_no_sentence_and_asks_for_approval(draft: Draft) -> None:
    rule = add_assumption(draft.policy, draft.alice, smtlib="(<= tenureMonths 800)")
    assert (rule.kind, rule.name) == (Kind.ASSUMPTION, "assumption-1")
    assert draft.review("assumption-1").state is ReviewState.WAITING
    assert add_assumption(draft.policy, draft.bob, smtlib="(<= tenureMonths 800)") == rule


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        ("", "", "at least one end"),
        ("5", "4", "exchange the two"),
        ("1,000", "", "not a number"),
        ("1e3", "", "not a number"),
        ("٣", "", "not a number"),
    ],
)
def test_a_range_that_is_none_is_refused(draft: Draft, lower: str, upper: str, said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        add_range(draft.policy, draft.alice, draft.variable("costEur"), lower=lower, upper=upper)


def test_a_default_is_set_once_an_outcome_and_only_of_an_outcome(draft: Draft) -> None:
    outcome = draft.variable("tripApproved")
    row = set_default(draft.policy, draft.alice, outcome, DefaultChoice.REFUSED)
    assert row == draft.rule("approved")
    with pytest.raises(RefusedError, match="choose a variable that the policy decides"):
        set_default(draft.policy, draft.alice, draft.variable("costEur"), DefaultChoice.OPEN)


def test_a_default_that_cannot_be_made_is_refused_with_its_rule(draft: Draft) -> None:
    edit(draft, "(or managerApproved (not tripApproved) (= tripApproved managerApproved))")
    outcome = draft.variable("tripApproved")
    with pytest.raises(RefusedError, match="rule `cost` decides"):
        set_default(draft.policy, draft.alice, outcome, DefaultChoice.REFUSED)


def test_a_taken_name_is_refused_with_a_free_one(draft: Draft) -> None:
    with pytest.raises(RefusedError, match="`cost-2` would do"):
        add_assumption(draft.policy, draft.alice, smtlib="(> costEur 1.0)", name="cost")
    with pytest.raises(RefusedError, match="already"):
        declare_variable(draft.policy, draft.alice, NewVariable("costEur", "Int"))
    with pytest.raises(RefusedError, match="value of a datatype"):
        declare_variable(draft.policy, draft.alice, NewVariable("domestic", "Bool"))
    with pytest.raises(RefusedError, match="already"):
        declare_datatype(draft.policy, draft.alice, name="New", values=[NewValue("costEur")])


def test_renaming_a_rule_voids_nothing_and_is_bound_to_the_name_shown(draft: Draft) -> None:
    draft.approve("cost")
    rename_rule(draft.policy, draft.alice, draft.rule("cost"), name="dear", shown_name="cost")
    assert draft.review("dear").state is ReviewState.APPROVED
    with pytest.raises(MovedError):
        rename_rule(draft.policy, draft.bob, draft.rule("dear"), name="x", shown_name="cost")


def test_text_that_cannot_be_shown_is_refused(draft: Draft) -> None:
    new = NewVariable("fresh", "Bool", description="left\u202eright")
    with pytest.raises(RefusedError, match=r"U\+202E"):
        declare_variable(draft.policy, draft.alice, new)
