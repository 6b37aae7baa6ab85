"""An answer becomes a scenario: what a person said of a case is held against every change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from policies.editing import editing
from policies.models import (
    AuditRow,
    DatatypeValue,
    Membership,
    Merge,
    Rule,
    SectionScope,
    User,
)
from policies.retiring import restore_rule
from policies.roles import Role
from policywright.smtlib import read_term
from policywright.termjson import term_to_json
from tests.vetting.conftest import (
    COST,
    SERVICE,
    SERVICE_LATER,
    SERVICE_RULE,
    Draft,
    draft_rule,
)
from translation.models import Question, QuestionKind
from vetting.answering import answer_question
from vetting.declarations import NewVariable, add_variable, edit_variable, variable_hash
from vetting.edits import edit_rule
from vetting.models import Scenario
from vetting.publishing import PublishRefusedError, blockers, publish, standing, untold
from vetting.questions import open_questions, parting_of, question_states
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState
from vetting.scenarios import Result, Run, run_in_force, scenarios_in_force

pytestmark = pytest.mark.django_db


def answer(draft: Draft, reading: int) -> None:
    now = question_states(draft.policy, draft.composition())[0]
    answer_question(draft.policy, draft.alice, now.question, reading, shown_hash=now.shown_hash)


def run(draft: Draft) -> Run:
    (found,) = run_in_force(draft.policy, draft.composition()).values()
    return found


def edit(draft: Draft, smtlib: str) -> None:
    rule = draft.rule("service")
    edit_rule(draft.policy, draft.bob, rule, smtlib=smtlib, shown_hash=draft.review("service").hash)


def test_the_case_is_made_whole_and_each_reading_says_something_else_of_it(draft: Draft) -> None:
    (asked,) = open_questions(draft.policy, draft.composition())
    parting = parting_of(asked, draft.composition())
    values = {draft.variable("tenureMonths").uid: 6}
    international = draft.variable("destination").uid
    assert {uid: value for uid, value in parting.case.items() if uid != international} == values
    assert parting.case.keys() == {*values, international}
    assert [str(one.kind) for one in parting.said] == ["SATISFIABLE", "INVALID"]


@pytest.mark.parametrize(
    ("reading", "expected", "says"),
    [(0, "SATISFIABLE", "nothing follows"), (1, "INVALID", "the trip is not approved")],
)
def test_an_answer_becomes_a_scenario_that_holds(
    draft: Draft, reading: int, expected: str, says: str
) -> None:
    answer(draft, reading)
    (one,) = scenarios_in_force(draft.policy, draft.composition())
    assert one.scenario.expected == expected
    assert one.scenario.english == (
        f"the destination is international and completed service is 6 months: {says}"
    )
    assert one.scenario.by == draft.alice
    assert AuditRow.objects.filter(
        action="add-scenario", object=f"scenario:{one.scenario.uid}"
    ).exists()
    assert run(draft) == Run(Result.HOLDS)


def test_the_default_may_decide_a_case_of_which_nothing_follows(draft: Draft) -> None:
    draft.answer_all(0)
    assert run(draft).result is Result.HOLDS


def test_another_sentence_may_decide_a_case_of_which_nothing_follows(draft: Draft) -> None:
    answer(draft, 0)
    draft_rule(draft, "abroad", "(=> (= destination international) (not tripApproved))", COST)
    assert run(draft).result is Result.HOLDS
    draft_rule(draft, "again", "(=> (= destination international) (not tripApproved))", SERVICE)
    assert run(draft).result is Result.FAILS


def test_an_edit_that_contradicts_the_answer_is_seen(draft: Draft) -> None:
    answer(draft, 1)
    edit(draft, SERVICE_RULE)
    found = run(draft)
    assert found.result is Result.FAILS
    assert found.why
    edit(draft, SERVICE_LATER)
    assert run(draft).result is Result.HOLDS


def test_rules_that_clash_in_the_case_are_no_proof(draft: Draft) -> None:
    answer(draft, 1)
    draft_rule(draft, "abroad", "(=> (= destination international) tripApproved)", COST)
    found = run(draft)
    assert found.result is Result.FAILS
    assert "contradict" in found.why


def test_the_scope_of_its_section_is_part_of_what_is_in_order(draft: Draft) -> None:
    answer(draft, 1)
    scope = SectionScope.objects.create(
        document=draft.sentences[SERVICE].revision.document,
        headings=["Approval"],
        term=term_to_json(read_term("(>= costEur 10.0)", draft.composition().model)),
        created_by=draft.alice,
    )
    assert draft.composition().scope_of[draft.rule("service").uid] == (scope.uid,)
    assert run(draft).result is Result.HOLDS


def _approve_by_both(draft: Draft, name: str) -> None:
    """Alice wrote it, and Bob changed what it rests on: neither is alone enough."""
    draft.approve(name, draft.alice)
    draft.approve(name, draft.bob)


def test_a_contradicted_answer_keeps_the_draft_from_being_published(ready: Draft) -> None:
    edit(ready, SERVICE_LATER)
    ready.approve("service", ready.alice)
    _approve_by_both(ready, "approved")
    assert not blockers(ready.policy)
    with pytest.raises(PublishRefusedError) as refused:
        publish(ready.bob, ready.policy, shown_revision=ready.revision())
    (blocker,) = refused.value.blockers
    assert blocker.sentence == (
        "An answer does not hold any more: 'the destination is international and completed "
        "service is 6 months: nothing follows'."
    )
    assert (blocker.kind, blocker.id) == ("rule", ready.rule("service").uid)
    answer(ready, 1)
    publish(ready.bob, ready.policy, shown_revision=ready.revision())


def test_an_answer_that_fits_no_more_keeps_nothing_and_is_named_beside_the_button(
    ready: Draft, client_of: Callable[[User], Client]
) -> None:
    tenure = ready.variable("tenureMonths")
    new = NewVariable("tenureMonths", "Int", unit="years", phrase="completed service")
    edit_variable(ready.policy, ready.bob, tenure, new, shown_hash=variable_hash(tenure))
    for name in ("service", "approved"):
        _approve_by_both(ready, name)
    now, runs = standing(ready.policy), run_in_force(ready.policy, ready.composition())
    assert not blockers(ready.policy, now, runs)
    said = (
        "'the destination is international and completed service is 6 months: nothing follows': "
        "what its words mean has changed since; answer the question again."
    )
    (one,) = untold(ready.policy, now, runs)
    assert (one.sentence, one.kind, one.id) == (said, "rule", ready.rule("service").uid)
    Membership.objects.create(policy=ready.policy, user=ready.bob, role=Role.OWNER)
    page = client_of(ready.bob).get(f"/policies/{ready.policy.slug}/versions/").content.decode()
    assert "It could not be told whether this still holds" in page
    assert "Publish version 1" in page


def test_another_answer_puts_another_scenario_in_force_and_the_first_back(draft: Draft) -> None:
    for reading, expected in ((1, "INVALID"), (0, "SATISFIABLE"), (1, "INVALID")):
        answer(draft, reading)
        (one,) = scenarios_in_force(draft.policy, draft.composition())
        assert one.scenario.expected == expected
        assert run(draft).result is Result.HOLDS
    assert Scenario.objects.count() == 3


def test_the_rule_as_it_was_edited_says_something_of_the_case_too(draft: Draft) -> None:
    edit(draft, "(=> (< tenureMonths 7) (not tripApproved))")
    answer(draft, 2)
    (one,) = scenarios_in_force(draft.policy, draft.composition())
    assert one.scenario.expected == "INVALID"


def test_a_case_whose_words_mean_something_else_does_not_fit_and_is_answered_again(
    draft: Draft,
) -> None:
    answer(draft, 1)
    tenure = draft.variable("tenureMonths")
    new = NewVariable("tenureMonths", "Int", unit="years", phrase="completed service")
    edit_variable(draft.policy, draft.bob, tenure, new, shown_hash=variable_hash(tenure))
    assert run(draft).result is Result.UNFIT
    answer(draft, 1)
    assert run(draft).result is Result.HOLDS


def test_a_stored_case_tells_what_each_reading_says_and_its_rules_go_and_come_back(
    draft: Draft,
) -> None:
    """The rows of further translators: the whole case, the claim, what the solver told."""
    whole = ask_of_translators(draft)
    (asked,) = [
        one for one in open_questions(draft.policy, draft.composition()) if len(one.rules) > 1
    ]
    parting = parting_of(asked, draft.composition())
    assert [str(one.kind) for one in parting.said] == ["SATISFIABLE", "INVALID"]
    assert draft.review("short").state is ReviewState.QUESTION_OPEN
    with pytest.raises(RefusedError, match="open question"):
        draft.approve("short")

    def choose(reading: int) -> None:
        now = {one.question.pk: one for one in question_states(draft.policy, draft.composition())}
        shown = now[whole.pk].shown_hash
        answer_question(draft.policy, draft.alice, whole, reading, shown_hash=shown)

    choose(1)
    assert not Rule.objects.filter(name="short", retired_at=None).exists()
    choose(1)
    choose(0)
    assert draft.rule("short").uid in draft.composition().hashes
    assert draft.review("short").state is ReviewState.WAITING
    choose(1)
    assert not Rule.objects.filter(name="short", retired_at=None).exists()


def test_a_rule_that_came_back_in_another_way_goes_again_with_the_same_answer(draft: Draft) -> None:
    whole, short = ask_of_translators(draft), draft.rule("short")

    def choose() -> None:
        now = {one.question.pk: one for one in question_states(draft.policy, draft.composition())}
        shown = now[whole.pk].shown_hash
        answer_question(draft.policy, draft.alice, whole, 1, shown_hash=shown)

    choose()
    with editing(draft.policy, draft.bob, cause="undone") as undone:
        short.refresh_from_db()
        restore_rule(undone, short)
    choose()
    assert not Rule.objects.filter(name="short", retired_at=None).exists()
    assert whole.answers.last().retired == [short.uid]


def test_an_answer_is_refused_if_a_rule_that_would_go_changed_meanwhile(draft: Draft) -> None:
    whole = ask_of_translators(draft)
    shown = {
        one.question.pk: one.shown_hash for one in open_questions(draft.policy, draft.composition())
    }
    rule = draft.rule("short")
    changed = "(=> (< tenureMonths 2) (not tripApproved))"
    edit_rule(draft.policy, draft.bob, rule, smtlib=changed, shown_hash=draft.review("short").hash)
    with pytest.raises(MovedError):
        answer_question(draft.policy, draft.alice, whole, 1, shown_hash=shown)


def test_a_rule_that_two_answers_retire_comes_back_with_the_second_of_them(draft: Draft) -> None:
    first = ask_of_translators(draft)
    second = ask_of_translators(draft, draft.rule("short"), "Asked once more: approved?")

    def choose(question: Question, reading: int) -> bool:
        now = {one.question.pk: one for one in question_states(draft.policy, draft.composition())}
        shown = now[question.pk].shown_hash
        answer_question(draft.policy, draft.alice, question, reading, shown_hash=shown)
        return Rule.objects.filter(name="short", retired_at=None).exists()

    assert not choose(first, 1)
    assert not choose(second, 1)
    assert not choose(first, 0)  # the second still says that it goes
    assert choose(second, 0)


def test_a_question_without_facts_becomes_a_scenario_that_holds(draft: Draft) -> None:
    model = draft.composition().model
    outcome = draft.variable("tripApproved").uid
    rule = draft_rule(draft, "plain", "(not tripApproved)", SERVICE)
    told = {"claim": ["symbol", outcome], "translations": 1, "retires": []}
    asked = Question.objects.create(
        policy=draft.policy,
        rule=rule,
        kind=QuestionKind.READING,
        text="Whatever the case: is the trip approved?",
        boundary={},
        readings=[
            {"label": "the draft", "term": rule.term, "says": "INVALID", **told},
            {
                "label": "a translator",
                "term": term_to_json(read_term("tripApproved", model)),
                "says": "VALID",
                **told,
            },
        ],
    )
    now = {one.question.pk: one for one in question_states(draft.policy, draft.composition())}
    answer_question(draft.policy, draft.alice, asked, 0, shown_hash=now[asked.pk].shown_hash)
    (scenario,) = Scenario.objects.all()
    assert scenario.english.startswith("Whatever the case: ")
    assert run(draft).result is Result.HOLDS


def ask_of_translators(draft: Draft, short: Rule | None = None, text: str = "") -> Question:
    """Two drafted rules of one sentence, and a translator that reads one in the place of both."""
    short = short or draft_rule(
        draft, "short", "(=> (< tenureMonths 1) (not tripApproved))", SERVICE
    )
    model = draft.composition().model
    ids = {name: draft.variable(name).uid for name in ("tenureMonths", "tripApproved")}
    both = {"claim": ["symbol", ids["tripApproved"]], "translations": 1}
    return Question.objects.create(
        policy=draft.policy,
        rule=draft.rule("service"),
        kind=QuestionKind.READING,
        text=text or "With exactly 6 months of service, and all else in order: approved?",
        boundary={
            ids["tenureMonths"]: "6",
            draft.variable("destination").uid: international(draft),
        },
        readings=[
            {
                "label": "the draft",
                "term": term_to_json(read_term(SERVICE_RULE, model)),
                "says": "SATISFIABLE",
                "retires": [],
                **both,
            },
            {
                "label": "a translator",
                "term": term_to_json(read_term(SERVICE_LATER, model)),
                "says": "INVALID",
                "retires": [short.uid],
                **both,
            },
        ],
    )


def international(draft: Draft) -> str:
    return DatatypeValue.objects.get(datatype__policy=draft.policy, name="international").uid


def test_readings_that_a_merge_made_one_are_told_apart_by_no_case(draft: Draft) -> None:
    with editing(draft.policy, draft.alice, cause="declared") as made:
        for name in ("chiefAgrees", "bossAgrees"):
            add_variable(made, NewVariable(name, "Bool"))
    chief, boss = (draft.variable(name).uid for name in ("chiefAgrees", "bossAgrees"))
    terms = ["(=> chiefAgrees tripApproved)", "(=> bossAgrees tripApproved)"]
    rule = draft_rule(draft, "agreed", terms[0], COST)
    model = draft.composition().model
    claim = term_to_json(read_term("tripApproved", model))

    def asked(boundary: dict[str, str]) -> Question:
        return Question.objects.create(
            policy=draft.policy,
            rule=rule,
            kind=QuestionKind.READING,
            text="If the chief agrees: approved?",
            boundary=boundary,
            readings=[
                {
                    "label": "one of two",
                    "term": term_to_json(read_term(term, model)),
                    "claim": claim,
                    "says": says,
                    "translations": 1,
                }
                for term, says in zip(terms, ("VALID", "SATISFIABLE"), strict=True)
            ],
        )

    questions = [asked({chief: "true"}), asked({chief: "true", boss: "false"})]

    def partings() -> list[bool]:
        composition = draft.composition()
        states = {one.question: one for one in question_states(draft.policy, composition)}
        return [parting_of(states[one], composition) is not None for one in questions]

    assert partings() == [True, True]
    Merge.objects.create(policy=draft.policy, from_uid=boss, into_uid=chief, by=draft.alice)
    assert partings() == [False, False]
