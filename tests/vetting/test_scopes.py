"""A section that applies only under a condition: added to its rules, approved, published."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from policies.document_store import add_revision
from policies.models import AuditRow, Policy, SectionScope, User, Variable
from policies.present import sentence_hash
from policywright.english import render_rule
from policywright.model import DefaultChoice
from policywright.smtlib import print_term, read
from tests.approving import approve
from tests.vetting.conftest import say_all_values
from tests.vetting.in_sections import TEXT, Leave, make_leave
from vetting.assumptions import set_default
from vetting.declarations import NewVariable, edit_variable, variable_hash
from vetting.edits import edit_rule, rule_text
from vetting.models import Verdict
from vetting.publishing import PublishRefusedError, blockers, publish
from vetting.refusals import MovedError, NotUnderstoodError, RefusedError
from vetting.review import ReviewState
from vetting.rule_sources import add_source, remove_source
from vetting.scopes import decide_on_scope, retire_scope, scope_states, write_scope
from vetting.written import Language

GERMANY = ["Leave", "Germany"]
IN_GERMANY = "The country is Germany."


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    return make_leave(policy, alice, bob)


@pytest.fixture
def scoped(leave: Leave) -> SectionScope:
    """The section on Germany, with its scope."""
    return write_scope(
        leave.policy, leave.alice, leave.document, GERMANY, english="the country is Germany"
    )


def accept(leave: Leave, scope: SectionScope, verdict: Verdict = Verdict.APPROVE) -> None:
    shown = leave.composition().scopes[0].hash
    decide_on_scope(leave.policy, leave.bob, scope, verdict, shown_hash=shown)


def state_of(leave: Leave) -> str:
    return scope_states(leave.policy, leave.composition())[0].state


def test_a_scope_is_part_of_each_rule_of_its_section_and_of_what_stands_below(
    leave: Leave, scoped: SectionScope
) -> None:
    model = leave.composition().model
    said = {rule.name: print_term(model, rule.term) for rule in model.rules}
    assert said == {
        "long": "(=> (and (= country germany) (> days 30)) (not granted))",
        "parents": "(=> (and (= country germany) (and parent (< service 6))) (not granted))",
        "request": "(=> (not requested) (not granted))",
    }
    english = render_rule(model, model.rule_by_id[leave.rule("long").uid])
    assert "the country is Germany" in english


def test_the_approvals_of_its_rules_fall_and_come_back_with_the_scope(leave: Leave) -> None:
    for name in ("long", "parents", "request"):
        leave.approve(name)
    scope = write_scope(
        leave.policy, leave.alice, leave.document, GERMANY, english="the country is Germany"
    )
    states = {name: leave.review(name).state for name in ("long", "parents", "request")}
    assert states == {
        "long": ReviewState.LAPSED,
        "parents": ReviewState.LAPSED,
        "request": ReviewState.APPROVED,
    }
    retire_scope(leave.policy, leave.alice, scope)
    assert leave.review("long").state is ReviewState.APPROVED
    actions = list(AuditRow.objects.filter(policy=leave.policy).values_list("action", flat=True))
    assert actions.count("add-scope") == actions.count("retire-scope") == 1


def test_the_same_scope_again_changes_nothing(leave: Leave, scoped: SectionScope) -> None:
    rows = AuditRow.objects.count()
    again = write_scope(
        leave.policy, leave.bob, leave.document, GERMANY, english="the country is Germany"
    )
    assert (again.pk, AuditRow.objects.count()) == (scoped.pk, rows)


def test_a_scope_that_another_person_wrote_is_not_written_over(
    leave: Leave, scoped: SectionScope
) -> None:
    with pytest.raises(MovedError) as refused:
        write_scope(
            leave.policy, leave.bob, leave.document, GERMANY, english="the country is France"
        )
    assert refused.value.present == IN_GERMANY
    known = scoped.uid
    other = write_scope(
        leave.policy,
        leave.bob,
        leave.document,
        GERMANY,
        english="the country is France",
        shown_uid=known,
    )
    assert [one.uid for one in leave.composition().scopes] == [other.uid]
    scoped.refresh_from_db()
    assert scoped.retired_by == leave.bob


@pytest.mark.parametrize(
    ("headings", "english", "error", "sentence"),
    [
        (GERMANY, "the leave is granted", RefusedError, "what the policy decides"),
        (GERMANY, "the moon is full", NotUnderstoodError, "no phrases"),
        (["Leave", "Spain"], "the country is Germany", RefusedError, "no longer in the document"),
    ],
)
def test_what_no_section_can_apply_under_is_refused(
    leave: Leave, headings: list[str], english: str, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        write_scope(leave.policy, leave.alice, leave.document, headings, english=english)
    assert not SectionScope.objects.exists()


def test_scopes_of_sections_within_each_other_are_both_part_of_a_rule(
    leave: Leave, scoped: SectionScope
) -> None:
    write_scope(
        leave.policy,
        leave.alice,
        leave.document,
        [*GERMANY, "Parents"],
        english="the leave was requested",
    )
    model = leave.composition().model
    parents = model.rule_by_id[leave.rule("parents").uid]
    assert print_term(model, parents.term) == (
        "(=> (and (= country germany) requested (and parent (< service 6))) (not granted))"
    )


def test_a_rule_of_two_sections_with_different_scopes_is_named_and_in_no_model(
    leave: Leave, scoped: SectionScope
) -> None:
    rule, sentence = leave.rule("long"), leave.sentence("Leave needs")
    add_source(leave.policy, leave.alice, rule, sentence, shown_sentence=sentence_hash(sentence))
    review = leave.review("long")
    assert review.state is ReviewState.BROKEN
    assert "'Leave › Germany', which applies only under a condition" in review.problem
    remove_source(leave.policy, leave.alice, rule, sentence.lineage, shown_hash="")
    assert leave.review("long").state is ReviewState.WAITING


def test_a_rule_is_edited_without_its_scope(leave: Leave, scoped: SectionScope) -> None:
    rule = leave.rule("long")
    composition = leave.composition()
    assert "Germany" not in rule_text(rule, composition, Language.ENGLISH)
    assert rule_text(rule, composition, Language.SMTLIB) == "(=> (> days 30) (not granted))"
    before = leave.rule("long").term
    shown = composition.hashes[rule.uid]
    same = rule_text(rule, composition, Language.ENGLISH)
    edit_rule(leave.policy, leave.alice, rule, english=same, shown_hash=shown)
    assert leave.rule("long").term == before
    edit_rule(
        leave.policy,
        leave.alice,
        rule,
        smtlib="(=> (> days 40) (not granted))",
        shown_hash=shown,
    )
    model = leave.composition().model
    after = model.rule_by_id[rule.uid]
    assert print_term(model, after.term) == (
        "(=> (and (= country germany) (> days 40)) (not granted))"
    )


def test_a_default_rests_on_rules_with_their_scopes(leave: Leave, scoped: SectionScope) -> None:
    outcome = Variable.objects.get(policy=leave.policy, name="granted")
    set_default(leave.policy, leave.alice, outcome, DefaultChoice.APPROVED, name="granted-unless")
    model = leave.composition().model
    default = next(rule for rule in model.rules if rule.name == "granted-unless")
    assert "(= country germany)" in print_term(model, default.term)


def test_an_approval_is_bound_to_the_words_of_the_scope(leave: Leave, scoped: SectionScope) -> None:
    assert state_of(leave) == "waiting"
    accept(leave, scoped)
    accept(leave, scoped)
    assert scoped.decisions.count() == 1
    assert state_of(leave) == "approved"
    row = Variable.objects.get(policy=leave.policy, name="country")
    said = NewVariable("country", row.sort, phrase="the country of work")
    edit_variable(leave.policy, leave.alice, row, said, shown_hash=variable_hash(row))
    assert state_of(leave) == "waiting"
    scoped.refresh_from_db()
    assert scoped.english == "The country of work is Germany."
    assert scoped.content_hash == leave.composition().scopes[0].hash


def test_a_decision_on_another_content_is_refused(leave: Leave, scoped: SectionScope) -> None:
    with pytest.raises(MovedError):
        decide_on_scope(
            leave.policy, leave.bob, scoped, Verdict.APPROVE, shown_hash="pw1:something else"
        )
    with pytest.raises(RefusedError, match="nothing to withdraw"):
        accept(leave, scoped, Verdict.WITHDRAW)
    accept(leave, scoped)
    accept(leave, scoped, Verdict.WITHDRAW)
    assert state_of(leave) == "waiting"


def test_nothing_is_published_before_the_scope_is_approved(
    leave: Leave, scoped: SectionScope
) -> None:
    for beginning in ("This text", "We thank", "Questions"):
        leave.mark(beginning)
    for name in ("long", "parents", "request"):
        leave.approve(name)
    say_all_values(leave.policy, leave.alice)
    leave.policy.refresh_from_db()
    found = blockers(leave.policy)
    assert [(one.kind, one.id) for one in found] == [("scope", scoped.uid)]
    with pytest.raises(PublishRefusedError):
        publish(leave.alice, leave.policy, shown_revision=leave.policy.revision)
    accept(leave, scoped)
    version = publish(leave.alice, leave.policy, shown_revision=leave.policy.revision)
    text = bytes(version.smt2).decode()
    assert '; scope: "Leave › Germany" applies only if: "The country is Germany." ' in text
    assert '(part of "long, parents")' in text
    assert read(text).rule_by_id
    (record,) = json.loads(version.record)["content"]["scopes"]
    assert (record["section"], record["rules"]) == (GERMANY, ["long", "parents"])
    assert record["approval"]["by"]["name"] == "Bob"


def test_a_scope_is_approved_beside_its_rules_never_instead(
    leave: Leave, scoped: SectionScope
) -> None:
    accept(leave, scoped)
    assert leave.review("long").state is ReviewState.WAITING
    rule = leave.rule("long")
    approve(leave.policy, leave.bob, rule, shown_hash=leave.composition().hashes[rule.uid])
    decision = rule.decisions.get()
    assert "the country is Germany" in decision.english


def test_the_scope_of_a_section_that_is_gone_stands_in_the_way_until_it_is_taken_back(
    leave: Leave, scoped: SectionScope, client_of: Callable[[User], Client]
) -> None:
    accept(leave, scoped)
    text = TEXT.replace("## Germany", "## Other countries").encode()
    add_revision(leave.document, leave.alice, data=text, filename="leave.md")
    (blocker,) = [one for one in blockers(leave.policy) if one.kind == "scope"]
    assert "does not hold any more" in blocker.sentence
    client = client_of(leave.alice)
    page = client.get(f"/policies/travel/scopes/{scoped.uid}/", follow=True).content.decode()
    assert "‘Leave › Germany’ is no longer in the document" in page
    address = f"/policies/travel/documents/{leave.document.pk}/sections/0/scope/end/"
    client.post(address, {"scope": scoped.uid})
    assert not [one for one in blockers(leave.policy) if one.kind == "scope"]
