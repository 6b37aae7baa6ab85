"""Where a rule stands follows from decisions and the present content alone."""

from __future__ import annotations

import pytest
from django.db import connection

from policies.models import Rule, Variable
from policywright.model import DefaultChoice
from tests.vetting.conftest import COST, COST_RULE, SENTENCES, Draft, draft_rule, write_revision
from vetting.assumptions import set_default
from vetting.decisions import reject, withdraw
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.models import Decision
from vetting.review import ReviewState, rule_states
from vetting.sentences import sentence_states

pytestmark = pytest.mark.django_db


def edit_cost(draft: Draft, smtlib: str) -> None:
    rule = draft.rule("cost")
    shown = draft.composition().hashes[rule.uid]
    edit_rule(draft.policy, draft.alice, rule, smtlib=smtlib, shown_hash=shown)


def change_variable(draft: Draft, name: str, /, **parts: str) -> None:
    row = draft.variable(name)
    known = {
        "name": row.name, "sort": row.sort, "role": row.role, "unit": row.unit,
        "description": row.description, "phrase": row.phrase,
        "negative_phrase": row.negative_phrase,
    }  # fmt: skip
    new = NewVariable(**(known | parts))
    edit_variable(draft.policy, draft.alice, row, new, shown_hash=variable_hash(row))


def test_a_rule_waits_until_a_person_decides(draft: Draft) -> None:
    assert draft.review("cost").state is ReviewState.WAITING
    draft.approve("cost")
    review = draft.review("cost")
    assert (review.state, review.by) == (ReviewState.APPROVED, draft.bob)
    assert review.at is not None


def test_a_rule_with_an_open_question_says_so(draft: Draft) -> None:
    assert draft.review("service").state is ReviewState.QUESTION_OPEN


def test_a_withdrawn_approval_makes_the_rule_wait(draft: Draft) -> None:
    draft.approve("cost")
    rule = draft.rule("cost")
    withdraw(draft.policy, draft.alice, rule, shown_hash=draft.review("cost").hash)
    assert draft.review("cost").state is ReviewState.WAITING


def test_fr_47_1_an_edited_formula_voids_the_approval_and_undoing_it_gives_it_back(
    draft: Draft,
) -> None:
    draft.approve("cost")
    edit_cost(draft, COST_RULE.replace("1000.0", "1500.0"))
    review = draft.review("cost")
    assert review.state is ReviewState.LAPSED
    assert review.why == ("The rule itself was changed: its condition or what follows from it.",)
    edit_cost(draft, COST_RULE)
    assert draft.review("cost").state is ReviewState.APPROVED


def test_fr_47_2_a_changed_sort_voids_the_approval_and_undoing_it_gives_it_back(
    draft: Draft,
) -> None:
    draft.approve("cost")
    change_variable(draft, "costEur", sort="Int")
    review = draft.review("cost")
    assert review.state is ReviewState.BROKEN
    assert review.why == ("The sort of `costEur` was Real and is Int now.",)
    assert "one sort" in review.problem
    change_variable(draft, "costEur", sort="Real")
    assert draft.review("cost").state is ReviewState.APPROVED


def test_fr_47_3_an_edited_sentence_voids_the_approval_and_undoing_it_gives_it_back(
    draft: Draft,
) -> None:
    draft.approve("cost")
    lineages = {text: sentence.lineage for text, sentence in draft.sentences.items()}
    edited = COST.replace("1,000", "2,000")
    texts = (edited, *SENTENCES[1:])
    write_revision(draft.policy, draft.alice, texts, lineages | {edited: lineages[COST]})
    review = draft.review("cost")
    assert review.state is ReviewState.LAPSED
    assert review.why == (f"Its sentence was '{COST}' and is '{edited}' now.",)
    write_revision(draft.policy, draft.alice, SENTENCES, lineages)
    assert draft.review("cost").state is ReviewState.APPROVED


def test_fr_47_3_a_sentence_that_is_gone_voids_the_approval_too(draft: Draft) -> None:
    draft.approve("cost")
    lineages = {text: sentence.lineage for text, sentence in draft.sentences.items()}
    write_revision(draft.policy, draft.alice, SENTENCES[1:], lineages)
    review = draft.review("cost")
    assert review.state is ReviewState.LAPSED
    assert "'no longer in the document' stands there now" in review.why[0]


def test_fr_47_4_a_changed_description_voids_the_approval_and_undoing_it_gives_it_back(
    draft: Draft,
) -> None:
    draft.approve("cost")
    change_variable(draft, "costEur", description="with all taxes")
    review = draft.review("cost")
    assert review.state is ReviewState.LAPSED
    assert review.why == ("The description of `costEur` was empty and is 'with all taxes' now.",)
    change_variable(draft, "costEur", description="")
    assert draft.review("cost").state is ReviewState.APPROVED


@pytest.mark.parametrize(
    ("variable", "parts", "said"),
    [
        ("costEur", {"unit": "USD"}, "The unit of `costEur` was 'EUR' and is 'USD' now."),
        ("managerApproved", {"role": "derived"}, "The role of `managerApproved` was 'fact'"),
        ("costEur", {"phrase": "the fare"}, "was said as 'the total trip cost' and is said as"),
    ],
)
def test_every_part_of_a_declaration_is_named_when_it_changes(
    draft: Draft, variable: str, parts: dict[str, str], said: str
) -> None:
    draft.approve("cost")
    change_variable(draft, variable, **parts)
    assert said in draft.review("cost").why[0]


def test_a_renamed_variable_voids_nothing(draft: Draft) -> None:
    draft.approve("cost")
    change_variable(draft, "costEur", name="price")
    assert draft.review("cost").state is ReviewState.APPROVED


def test_a_changed_value_of_a_datatype_is_named(draft: Draft) -> None:
    draft.answer_all()
    draft.approve("service")
    value = draft.policy.datatypes.get().values.get(name="domestic")
    value.phrase = "at home"
    value.save()
    assert draft.review("service").why == (
        "The values of `Destination` were 'domestic, international' "
        "and are 'at home, international' now.",
    )


def test_a_default_lapses_when_its_list_of_rules_grows(draft: Draft) -> None:
    draft.answer_all()
    draft.approve_all()
    draft_rule(draft, "third", "(=> (> tenureMonths 600) (not tripApproved))", COST)
    review = draft.review("approved")
    assert review.state is ReviewState.LAPSED
    assert "The list of rules that the default rests on grew by `third`." in review.why


def test_a_default_lapses_when_a_rule_leaves_and_names_it(draft: Draft) -> None:
    draft.answer_all()
    draft.approve_all()
    rule = draft.rule("cost")
    shown = draft.review("cost").hash
    reject(draft.policy, draft.bob, rule, reason="not ours", shown_hash=shown)
    review = draft.review("approved")
    assert "The list of rules that the default rests on lost `cost`." in review.why


def test_a_default_lapses_when_another_is_chosen(draft: Draft) -> None:
    draft.approve("approved")
    outcome = draft.variable("tripApproved")
    set_default(draft.policy, draft.alice, outcome, DefaultChoice.OPEN)
    assert (
        "The default was `approved unless forbidden` and is `open` now."
        in draft.review("approved").why
    )


def test_a_bulk_update_voids_an_approval(draft: Draft) -> None:
    draft.approve("cost")
    Variable.objects.filter(policy=draft.policy).update(description="changed in bulk")
    assert draft.review("cost").state is ReviewState.LAPSED


def test_raw_sql_voids_an_approval_and_a_forged_hash_column_does_not_help(draft: Draft) -> None:
    draft.approve("cost")
    before = draft.rule("cost").content_hash
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE policies_variable SET unit = 'USD' WHERE name = 'costEur' AND policy_id = %s",
            [draft.policy.pk],
        )
        cursor.execute("UPDATE policies_rule SET content_hash = %s", [before])
    assert draft.review("cost").state is ReviewState.LAPSED


def test_an_approval_of_one_rule_is_none_of_another_with_the_same_content(draft: Draft) -> None:
    draft.approve("cost")
    twin = draft_rule(draft, "twin", COST_RULE, COST)
    assert twin.uid != draft.rule("cost").uid
    assert draft.review("twin").state is ReviewState.WAITING


def test_states_take_as_many_queries_for_many_rules_as_for_few(
    ready: Draft, django_assert_num_queries, django_assert_max_num_queries
) -> None:
    composition = ready.composition()
    with django_assert_max_num_queries(12) as few:
        rules = rule_states(ready.policy, composition)
        sentence_states(ready.policy, composition, rules)
    for number in range(25):
        bound = f"(=> (> tenureMonths {600 + number}) (not tripApproved))"
        draft_rule(ready, f"more-{number}", bound, COST)
        ready.approve(f"more-{number}")
    composition = ready.composition()
    with django_assert_num_queries(len(few) + 2):  # the lapsed default: what changed, and names
        rules = rule_states(ready.policy, composition)
        sentence_states(ready.policy, composition, rules)
    assert len(rules) == 4 + 25


def test_every_decision_keeps_the_english_and_content_it_was_made_on(draft: Draft) -> None:
    draft.approve("cost")
    decision = Decision.objects.get()
    assert decision.english == (
        "If the total trip cost is more than EUR 1,000 and a line manager has not approved the "
        "trip, then the trip is not approved."
    )
    assert decision.content["sources"][0]["quote"] == COST
    assert Rule.objects.get(pk=decision.rule_id).content_hash == decision.content_hash
