"""A run with several translators: what is kept, what is asked, and how far they agree.

Over real HTTP; every reply is hand-written, and chosen by the model that is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from policies.composing import compose, renamed
from policies.jobs import Context
from policies.models import Item, Merge, Policy, Rule, Unit, User, Variable
from policies.models.jobs import ItemState, JobState
from policywright.model import PolicyModel
from tests.llm_server import Answer, fails, llm_server, says
from tests.translation.conftest import add_document
from tests.translation.replies import reply, rule, statement, variable
from translation.ensemble.agreement import (
    Agreement,
    agreement,
    agreement_of,
    agreements_of,
    term_hash,
)
from translation.formalizing import formalize_span
from translation.jobs import finish_inline, start_formalizing
from translation.models import (
    Attempt,
    Comparison,
    ModelReply,
    Purpose,
    Question,
    QuestionKind,
    Translation,
    TranslationState,
)

pytestmark = pytest.mark.django_db(transaction=True)

SERVICE = "Staff may travel abroad only after six months of service."
DRAFT = "(=> (and isAbroad (< serviceMonths 6)) (not tripApproved))"
ALIKE = "(=> tripApproved (or (not isAbroad) (>= serviceMonths 6)))"
STRICTER = "(=> (and isAbroad (<= serviceMonths 6)) (not tripApproved))"
YEAR = "(=> (< serviceMonths 12) (not tripApproved))"

VARIABLES = [
    variable("serviceMonths", "Int", unit="months"),
    variable("isAbroad"),
    variable("tripApproved", role="outcome") | {"phrase": "the trip is approved"},
]
DRAFTED = reply(statement(1, SERVICE, variables=VARIABLES, rules=[rule("service", DRAFT)]))


def translated(*conditions: str, cannot: str = "", sentence: int = 1) -> dict[str, Any]:
    one = {"sentence": sentence, "cannot": bool(cannot), "reason": cannot}
    return {"translations": [one | {"conditions": list(conditions)}]}


def answers(drafted: Any, **others: Any) -> Callable[[dict[str, Any]], Answer]:
    """`draft` answers what it is asked to draft; each other model by its name."""

    def choose(asked: dict[str, Any]) -> Answer:
        said = drafted if asked["model"] == "draft" else others[asked["model"]]
        return said if isinstance(said, Answer) else says(said)

    return choose


def run(
    policy: Policy, user: User, settings: Any, drafted: Any, **others: Any
) -> list[dict[str, Any]]:
    """Formalize the policy's documents with these translators; the requests that were sent."""
    with llm_server(says({}), choose=answers(drafted, **others)) as server:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        settings.POLICYWRIGHT_LLM_RETRIES = 0
        policy.formalizer = "litellm:openai/draft"
        policy.translators = [f"litellm:openai/{name}" for name in others]
        policy.save()
        job = start_formalizing(policy, user)
        finish_inline(job, holder="test")
        job.refresh_from_db()
        assert job.state == JobState.DONE
        return server.requests


def test_each_translation_is_kept_with_how_it_stands_to_the_rule(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    requests = run(
        policy, alice, settings, DRAFTED,
        same=translated(ALIKE), other=translated(STRICTER),
        silent=translated(cannot="It is not said whose service."), broken=fails(500),
        inventing=translated("(=> seniority tripApproved)"),
    )  # fmt: skip
    drafted = Rule.objects.get()
    rows = {row.translator.rpartition("/")[2]: row for row in Translation.objects.all()}
    assert {name: (row.state, row.comparison) for name, row in rows.items()} == {
        "same": (TranslationState.TRANSLATED, Comparison.SAME),
        "other": (TranslationState.TRANSLATED, Comparison.DIFFERS),
        "silent": (TranslationState.ABSTAINED, Comparison.NONE),
        "broken": (TranslationState.FAILED, Comparison.NONE),
        "inventing": (TranslationState.FAILED, Comparison.NONE),
    }
    for row in rows.values():
        assert row.unit == Unit.objects.get()
        assert row.sentence.text == SERVICE
        assert row.rules == {drafted.uid: term_hash(drafted.term)}
    assert rows["silent"].reason == "It is not said whose service."
    assert "`seniority` is not declared" in rows["inventing"].reason
    assert rows["broken"].reason.endswith(".")
    # One question each, one more to the one that invented a variable.
    assert [one["model"] for one in requests] == [
        "draft", "same", "other", "silent", "broken", "inventing", "inventing",
    ]  # fmt: skip
    assert Attempt.objects.filter(purpose=Purpose.TRANSLATE).count() == 6
    assert agreement_of(drafted) == Agreement(same=2, count=6, differ=1, abstained=1, failed=2)


def test_a_difference_is_one_question_at_the_bound_with_both_readings(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(ALIKE), b=translated(STRICTER))
    question = Question.objects.get()
    uids = dict(Variable.objects.values_list("name", "uid"))
    assert question.kind == QuestionKind.READING
    assert question.text == (
        "If the serviceMonths is exactly 6 months, and all else is in order: is the trip approved?"
    )
    assert question.boundary == {uids["serviceMonths"]: "6", uids["isAbroad"]: "true"}
    first, second = question.readings
    drafted = Rule.objects.get()
    assert first == {
        "label": "2 of 3 translations read it so, the draft among them",
        "term": drafted.term,
        "retires": [],
        "claim": ["symbol", uids["tripApproved"]],
        "says": "SATISFIABLE",
        "translations": 2,
    }
    assert second["term"] == Translation.objects.get(comparison=Comparison.DIFFERS).terms[0]
    assert (second["says"], second["translations"]) == ("INVALID", 1)


def test_translators_that_agree_leave_no_question(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT), b=translated(ALIKE))
    assert not Question.objects.exists()
    found = agreement_of(Rule.objects.get())
    assert found == Agreement(same=3, count=3)
    assert found.all_agree
    assert found.share == 1


def test_the_settings_translators_are_asked_where_a_policy_names_none(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    settings.POLICYWRIGHT_TRANSLATORS = ("builtin",)
    run(policy, alice, settings, DRAFTED)
    assert [row.translator for row in Translation.objects.all()] == ["builtin"]


def test_a_bound_names_what_a_declared_variable_was_merged_into(
    policy: Policy, alice: User, settings: Any
) -> None:
    other = "Staff with less than a year of service fly with a colleague."
    alone = "(=> (and (< serviceMonths 12) (not hasColleague)) (not tripApproved))"
    declared = [*VARIABLES, variable("hasColleague")]
    again = reply(statement(1, other, variables=declared, rules=[rule("alone", alone)]))
    wider = "(=> (and (<= serviceMonths 12) (not hasColleague)) (not tripApproved))"
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT))
    add_document(policy, other, title="More")
    run(policy, alice, settings, again, a=translated(wider))
    question = Question.objects.get()
    composition = compose(policy)
    assert set(question.boundary) <= set(composition.model.variable_by_id)
    assert "12" in question.boundary.values()


def test_a_case_and_its_readings_speak_of_the_same_variables_whatever_is_merged(
    policy: Policy, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not shown and is declared again is joined; that can be undone later."""
    monkeypatch.setattr("translation.formalizing.declarations_for", lambda *_: PolicyModel())
    other = "Staff with less than a year of service stay at home."
    again = reply(statement(1, other, variables=VARIABLES, rules=[rule("home", YEAR)]))
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT))
    add_document(policy, other, title="More")
    run(policy, alice, settings, again, a=translated(YEAR.replace("<", "<=")))
    assert Merge.objects.count() == 3
    question = Question.objects.get()
    for merged in (compose(policy).canonical_uid, {}):
        read = str(renamed([reading["term"] for reading in question.readings], merged))
        case = [merged.get(uid, uid) for uid in question.boundary]
        assert all(uid in read for uid in case)
    assert "12" in question.boundary.values()


def test_a_rule_that_another_sentence_states_as_well_does_not_go(
    policy: Policy, alice: User, settings: Any
) -> None:
    other = "Staff never go abroad, and stay at home in their first half year."
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT))
    add_document(policy, other, title="More")
    rules = [
        rule("never", "(=> isAbroad (not tripApproved))"),
        rule("stated", DRAFT),
        rule("home", YEAR),
    ]
    drafted = reply(statement(1, other, variables=VARIABLES, rules=rules))
    run(policy, alice, settings, drafted, a=translated("(=> (> serviceMonths 6) tripApproved)"))
    question = Question.objects.get()
    rows = {row.name: row for row in Rule.objects.all()}
    assert rows["service"].sources.count() == 2
    assert question.rule == rows["never"]
    assert question.readings[1]["retires"] == [rows["home"].uid]


def test_a_reading_in_the_place_of_several_rules_names_those_that_go(
    policy: Policy, alice: User, settings: Any
) -> None:
    two = [rule("one", "(=> isAbroad (not tripApproved))"), rule("two", DRAFT)]
    add_document(policy, SERVICE)
    drafted = reply(statement(1, SERVICE, variables=VARIABLES, rules=two))
    run(policy, alice, settings, drafted, a=translated("(=> (> serviceMonths 6) tripApproved)"))
    question = Question.objects.get()
    one, two_row = Rule.objects.order_by("pk")
    assert question.rule == one
    assert question.readings[1]["retires"] == [two_row.uid]


def test_the_same_question_of_a_rule_is_not_kept_twice(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(STRICTER))
    add_document(policy, SERVICE, title="The same once more")
    run(policy, alice, settings, DRAFTED, a=translated(STRICTER))
    assert Rule.objects.count() == 1
    assert Translation.objects.count() == 2
    assert Question.objects.count() == 1
    assert agreement_of(Rule.objects.get()) == Agreement(same=1, count=2, differ=1)


def test_the_same_words_with_another_reading_are_another_question(
    policy: Policy, alice: User, settings: Any
) -> None:
    """Both cases lie at six months, and only one of the readings is offered by the first."""
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(STRICTER))
    add_document(policy, SERVICE, title="The same once more")
    run(policy, alice, settings, DRAFTED, a=translated(STRICTER.replace("6", "8")))
    first, second = Question.objects.all()
    assert first.rule == second.rule
    assert first.text == second.text
    assert first.readings != second.readings


def test_what_was_asked_is_kept_and_not_asked_again(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    with llm_server(fails(500), choose=answers(DRAFTED, a=translated(ALIKE))) as server:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        policy.formalizer, policy.translators = "litellm:openai/draft", ["litellm:openai/a"] * 2
        policy.save()
        job = start_formalizing(policy, alice)
        item = job.items.get()
        Item.objects.filter(pk=item.pk).update(state=ItemState.RUNNING, holder="first", fence=1)
        context = Context(item.pk, item.key, "first", 1, 1, job)
        first = formalize_span(dict(item.payload), context)
        assert len(server.requests) == ModelReply.objects.count() == 3
        # As after a kill before anything of it was kept: all replies are in the table.
        item.refresh_from_db()
        second = formalize_span(dict(item.payload), context)
        assert len(server.requests) == 3
    assert [one.comparison for one in second.ensemble.translations] == [Comparison.SAME] * 2
    assert len(first.ensemble.translations) == 2


def test_agreement_is_said_only_of_the_term_that_was_compared(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT), b=translated(STRICTER))
    row = Rule.objects.get()
    before = row.term
    assert agreement_of(row) == Agreement(same=2, count=3, differ=1)
    row.term = Translation.objects.get(comparison=Comparison.DIFFERS).terms[0]
    row.save()
    assert agreement_of(row) is None
    assert agreements_of([row]) == {}
    row.term = before
    row.save()
    assert agreement_of(row) == Agreement(same=2, count=3, differ=1)


def test_translations_cannot_be_changed(policy: Policy, alice: User, settings: Any) -> None:
    add_document(policy, SERVICE)
    run(policy, alice, settings, DRAFTED, a=translated(DRAFT))
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE translation_translation SET comparison = 'differs'")


def row_of(name: str, comparison: str, state: str = "translated", unit: int = 1) -> Translation:
    term = ["symbol", "x"]
    return Translation(
        unit_id=unit, translator=name, state=state, comparison=comparison,
        rules={"r": term_hash(term)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], None),
        ([row_of("a", "same")], Agreement(2, 2)),
        ([row_of("a", "same"), row_of("b", "undecided")], Agreement(2, 3, undecided=1)),
        ([row_of("a", "none", "abstained")], Agreement(1, 2, abstained=1)),
        # Sentences of one group: what was compared counts, not the one that was left out.
        ([row_of("a", "none", "abstained"), row_of("a", "same")], Agreement(2, 2)),
        (
            [row_of("a", "none", "abstained"), row_of("a", "none", "failed")],
            Agreement(1, 2, failed=1),
        ),
        # The unit that came last counts.
        ([row_of("a", "same"), row_of("a", "differs", unit=2)], Agreement(1, 2, differ=1)),
    ],
)
def test_agreement_over_rows(rows: list[Translation], expected: Agreement | None) -> None:
    assert agreement("r", {"r": term_hash(["symbol", "x"])}, rows) == expected


def test_rows_of_another_term_say_nothing() -> None:
    assert agreement("r", {"r": term_hash(["symbol", "y"])}, [row_of("a", "same")]) is None
    assert agreement("r", {}, [row_of("a", "same")]) is None


def test_of_rules_compared_together_one_that_is_edited_or_gone_leaves_nothing_known(
    policy: Policy, alice: User, settings: Any
) -> None:
    two = [rule("one", "(=> isAbroad (not tripApproved))"), rule("two", DRAFT)]
    add_document(policy, SERVICE)
    drafted = reply(statement(1, SERVICE, variables=VARIABLES, rules=two))
    run(policy, alice, settings, drafted, a=translated("(=> isAbroad (not tripApproved))"))
    one, other = Rule.objects.order_by("pk")
    assert agreement_of(one) == agreement_of(other) == Agreement(same=2, count=2)
    Rule.objects.filter(pk=other.pk).update(term=one.term)
    assert agreement_of(one) is None
    Rule.objects.filter(pk=other.pk).update(term=other.term)
    assert agreement_of(one) == Agreement(same=2, count=2)
    Rule.objects.filter(pk=other.pk).update(retired_at=timezone.now())
    assert agreement_of(one) is None


def test_a_model_translates_what_the_built_in_drafted(
    policy: Policy, alice: User, settings: Any
) -> None:
    add_document(policy, "Trips exceeding EUR 1,000 require line-manager approval.")
    other = "(=> (and (>= {0} 1000.0) (not {1})) (not {2}))"

    def choose(asked: dict[str, Any]) -> Answer:
        block = asked["messages"][1]["content"].splitlines()[1]
        return says(translated(other.format(*named(json.loads(block)["declared"]))))

    def named(declared: dict[str, Any]) -> list[str]:
        """The amount, the fact and the outcome, of the three that there are."""
        kinds = (("Real", "fact"), ("Bool", "fact"), ("Bool", "outcome"))
        found = {(one["sort"], one["role"]): one["name"] for one in declared["variables"]}
        return [found[kind] for kind in kinds]

    with llm_server(says({}), choose=choose) as server:
        settings.POLICYWRIGHT_LLM_API_BASE = server.base_url
        policy.formalizer, policy.translators = "builtin", ["litellm:openai/a"]
        policy.save()
        finish_inline(start_formalizing(policy, alice), holder="test")
    assert len(server.requests) == 1
    question = Question.objects.get(kind=QuestionKind.READING)
    assert question.text == (
        "If the cost of the trip is exactly EUR 1,000, and all else is in order: "
        "does the trip comply with this policy?"
    )
    assert [reading["translations"] for reading in question.readings] == [1, 1]
