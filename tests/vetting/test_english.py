"""Rules are written and edited in English by the same services, with the same refusals."""

from __future__ import annotations

import pytest

from policies.models import AuditRow, Variable
from policywright.english import render_rule
from policywright.smtlib import print_term
from tests.vetting.conftest import COST_RULE, REASONABLE, Draft
from vetting.assumptions import add_assumption
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.edits import add_rule, edit_rule
from vetting.english import complete, fact_from_words, phrase_warnings
from vetting.proposed import propose_assumption, propose_edit, propose_rule
from vetting.refusals import (
    AmbiguousError,
    MovedError,
    NotReadableError,
    NotSeenError,
    NotUnderstoodError,
    RefusedError,
)
from vetting.review import ReviewState

pytestmark = pytest.mark.django_db

COST_ENGLISH = (
    "If the total trip cost is more than EUR 1,000 and a line manager has not approved the trip, "
    "then the trip is not approved."
)
DEARER = COST_ENGLISH.replace("1,000", "1,500")
TWO_READINGS = (
    "The trip is approved only if a line manager has approved the trip or the total trip cost is "
    "at most EUR 1,000 and completed service is at least 6 months."
)


def shown(draft: Draft) -> str:
    return draft.composition().hashes[draft.rule("cost").uid]


def edit(draft: Draft, english: str, shown_hash: str | None = None, read_as: str = "") -> None:
    edit_rule(
        draft.policy,
        draft.alice,
        draft.rule("cost"),
        english=english,
        shown_hash=shown(draft) if shown_hash is None else shown_hash,
        read_as=read_as,
    )


def smtlib(draft: Draft, name: str) -> str:
    model = draft.composition().model
    return print_term(model, model.rule_by_id[draft.rule(name).uid].term)


def test_an_edit_in_english_changes_the_logic_and_names_its_language(draft: Draft) -> None:
    draft.approve("cost")
    edit(draft, DEARER)
    assert smtlib(draft, "cost") == COST_RULE.replace("1000.0", "1500.0")
    assert draft.rule("cost").revisions.latest("number").cause == "edited in English"
    assert draft.review("cost").state is ReviewState.LAPSED


def test_the_english_that_is_shown_says_the_rule_that_is_there(draft: Draft) -> None:
    model = draft.composition().model
    revision = draft.revision()
    for rule in model.rules:
        if rule.kind.value == "rule":
            row = draft.rule(rule.name)
            hashes = draft.composition().hashes
            edit_rule(
                draft.policy,
                draft.alice,
                row,
                english=render_rule(model, rule),
                shown_hash=hashes[row.uid],
            )
    assert draft.revision() == revision


def test_words_that_are_not_understood_are_named_exactly_and_nothing_is_saved(
    draft: Draft,
) -> None:
    text = DEARER.replace("total trip cost", "total tirp cost")
    before = smtlib(draft, "cost"), draft.revision()
    with pytest.raises(NotUnderstoodError) as refusal:
        edit(draft, text)
    (unknown,) = refusal.value.unknown
    assert text[unknown.start : unknown.end] == unknown.words == "the total tirp cost"
    assert unknown.near[0].phrase == "the total trip cost"
    assert (smtlib(draft, "cost"), draft.revision()) == before


def test_offsets_are_those_of_the_tidied_text(draft: Draft) -> None:
    with pytest.raises(NotUnderstoodError) as refusal:
        edit(
            draft,
            "\r\n  If any of the following holds:\r\n  - nobody pays;\r\n  - nobody asks,\r\n",
        )
    first = refusal.value.unknown[0]
    assert first.words.startswith("nobody")
    assert "\r" not in first.words


def test_two_readings_are_both_given_with_a_case_that_only_one_allows(draft: Draft) -> None:
    with pytest.raises(AmbiguousError) as refusal:
        edit(draft, TWO_READINGS)
    first, second = refusal.value.readings[:2]
    assert first.allows is not second.allows
    assert "completed service" in refusal.value.telling_case
    assert smtlib(draft, "cost") == COST_RULE
    edit(draft, second.english)
    assert smtlib(draft, "cost") != COST_RULE


def test_fr_46_the_second_save_is_refused_with_both_texts_in_english(draft: Draft) -> None:
    opened = shown(draft)
    edit(draft, DEARER, opened)
    mine = COST_ENGLISH.replace("1,000", "2,000")
    with pytest.raises(MovedError) as refusal:
        edit(draft, mine, opened)
    assert refusal.value.present == DEARER
    assert refusal.value.sent == mine
    with pytest.raises(MovedError):
        propose_edit(draft.policy, draft.rule("cost"), english=mine, shown_hash=opened)
    edit(draft, mine, refusal.value.present_hash)


def test_fr_55_the_same_edit_twice_leaves_one_revision(draft: Draft) -> None:
    opened = shown(draft)
    edit(draft, DEARER, opened)
    revision = draft.revision()
    edit(draft, DEARER, opened)
    assert draft.revision() == revision
    assert draft.rule("cost").revisions.count() == 2


def test_a_text_is_saved_as_it_was_read_or_not_at_all(draft: Draft) -> None:
    read = propose_edit(draft.policy, draft.rule("cost"), english=DEARER, shown_hash=shown(draft))
    assert read.english == DEARER
    assert not read.unchanged
    with pytest.raises(NotSeenError):
        edit(draft, COST_ENGLISH.replace("1,000", "15,000"), read_as=read.read_as)
    # The same words mean something else once the phrase is another variable's.
    cost, months = draft.variable("costEur"), draft.variable("tenureMonths")
    for row, phrase in ((cost, "the fare"), (months, "the total trip cost")):
        new = NewVariable(row.name, "Real", unit="EUR", phrase=phrase)
        edit_variable(draft.policy, draft.alice, row, new, shown_hash=variable_hash(row))
    with pytest.raises(NotSeenError):
        edit(draft, DEARER, read_as=read.read_as)
    assert smtlib(draft, "cost") == COST_RULE


def test_reading_changes_nothing(draft: Draft) -> None:
    before = draft.revision(), AuditRow.objects.count()
    propose_edit(draft.policy, draft.rule("cost"), english=DEARER, shown_hash=shown(draft))
    propose_rule(draft.policy, lineages=[draft.sentences[REASONABLE].lineage], english=DEARER)
    propose_assumption(draft.policy, english="The total trip cost is at most EUR 90,000.")
    assert (draft.revision(), AuditRow.objects.count()) == before


def test_what_an_edit_would_change_is_worked_out_before_it_is_made(draft: Draft) -> None:
    draft.approve_all_but_questions()
    read = propose_edit(draft.policy, draft.rule("cost"), english=DEARER, shown_hash=shown(draft))
    cases = read.consequences.cases
    assert any("EUR 1,000.01" in case.english for case in cases)
    assert {(case.before, case.after) for case in cases} == {
        ("the trip is not approved", "nothing follows")
    }
    own, default = read.consequences.approvals
    assert own.startswith("The approval that Bob gave on")
    assert "The default `approved` rests on this rule" in default
    edit(draft, DEARER)
    assert draft.review("cost").state is ReviewState.LAPSED
    assert draft.review("approved").state is ReviewState.LAPSED
    back = propose_edit(
        draft.policy, draft.rule("cost"), english=COST_ENGLISH, shown_hash=shown(draft)
    )
    assert [line for line in back.consequences.approvals if "counts again" in line]


def test_a_new_rule_says_which_defaults_would_rest_on_it(draft: Draft) -> None:
    draft.approve_all_but_questions()
    text = "If completed service is less than 3 months, then the trip is not approved."
    read = propose_rule(draft.policy, lineages=[draft.sentences[REASONABLE].lineage], english=text)
    assert [line for line in read.consequences.approvals if "`approved`" in line]
    assert [edge.follows for edge in read.edges] == ["the trip is not approved", "nothing follows"]
    add_rule(
        draft.policy,
        draft.alice,
        lineages=[draft.sentences[REASONABLE].lineage],
        english=text,
        read_as=read.read_as,
        name="short",
    )
    assert draft.review("approved").state is ReviewState.LAPSED
    assert draft.rule("short").revisions.get().cause == "written in English"


def test_an_assumption_is_written_in_english(draft: Draft) -> None:
    rule = add_assumption(
        draft.policy, draft.alice, english="The total trip cost is at most EUR 90,000."
    )
    assert smtlib(draft, rule.name) == "(<= costEur 90000.0)"


@pytest.mark.parametrize(
    "text",
    ["", "   \r\n", "This always holds.", "costEur\x00", "the cost\u202e", "If " * 9_000],
    ids=["empty", "blank", "no variable", "nul", "turned round", "long"],
)
def test_what_is_no_rule_is_refused_in_one_sentence(draft: Draft, text: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        edit(draft, text)
    assert str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert smtlib(draft, "cost") == COST_RULE


def test_smtlib_has_its_own_refusal(draft: Draft) -> None:
    with pytest.raises(NotReadableError, match="1"):
        propose_edit(draft.policy, draft.rule("cost"), smtlib="(and", shown_hash=shown(draft))


def test_a_broken_rule_is_mended_in_english(draft: Draft) -> None:
    Variable.objects.filter(policy=draft.policy, name="costEur").update(sort="Bool", unit="")
    assert draft.review("cost").state is ReviewState.BROKEN
    text = "If a line manager has not approved the trip, then the trip is not approved."
    read = propose_edit(draft.policy, draft.rule("cost"), english=text, shown_hash="")
    assert read.consequences.cases == ()
    edit(draft, text, "")
    assert draft.review("cost").state is ReviewState.WAITING


def test_completion_goes_on_from_the_words_before_the_caret(draft: Draft) -> None:
    found = complete(draft.policy, "If the total tr")
    assert found[0].text == "the total trip cost"
    assert found[0].typed == len("the total tr")
    assert complete(draft.policy, "If nobody knows what this is wh") == ()


def test_a_new_fact_takes_its_words_and_a_free_name(draft: Draft) -> None:
    fact = fact_from_words(draft.policy, "the traveller is a contractor")
    assert (fact["sort"], fact["role"]) == ("Bool", "fact")
    assert fact["negative_phrase"] == "the traveller is not a contractor"
    assert not Variable.objects.filter(policy=draft.policy, name=fact["name"]).exists()


def test_the_words_of_a_new_fact_span_the_verb_that_is_known(draft: Draft) -> None:
    with pytest.raises(NotUnderstoodError) as refusal:
        edit(draft, "If the traveller is a contractor, then the trip is not approved.")
    facts = [one.fact for one in refusal.value.unknown]
    assert facts == ["the traveller is a contractor", ""]


def test_phrases_that_clash_are_named_on_both_sides(draft: Draft) -> None:
    months, cost = draft.variable("tenureMonths"), draft.variable("costEur")
    Variable.objects.filter(pk=months.pk).update(phrase="The total trip cost")
    warnings = phrase_warnings(draft.composition().model)
    assert "tenureMonths" in warnings[cost.uid][0]
    assert warnings[months.uid] == warnings[cost.uid]
