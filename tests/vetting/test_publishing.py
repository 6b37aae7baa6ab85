"""Publishing: refused for each thing that is missing, frozen once nothing is."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import DatabaseError, connection, transaction

from policies.audit import first_broken_link
from policies.editing import DraftMovedError
from policies.export import export_filename
from policies.models import AuditRow, Policy, Statement, User, Variable, Version
from policies.models.draft import StatementState
from policies.present import sentence_hash
from policies.version_record import Accounted, VersionRecord
from policies.versions import FreezeRefusedError, freeze_version
from policywright.hashing import rule_hash
from policywright.model import Kind
from policywright.smtlib import read
from tests.vetting.conftest import COST, COST_RULE, REASONABLE, SENTENCES, WELCOME, Draft
from vetting import publishing
from vetting.assumptions import add_assumption
from vetting.decisions import reject, withdraw
from vetting.edits import edit_rule
from vetting.marks import withdraw_mark
from vetting.publishing import Blocker, PublishRefusedError, blockers, publish

pytestmark = pytest.mark.django_db


def publish_now(draft: Draft, user: User | None = None) -> Version:
    return publish(user or draft.alice, draft.policy, shown_revision=draft.revision())


def refusal(draft: Draft) -> list[Blocker]:
    with pytest.raises(PublishRefusedError) as refused:
        publish_now(draft)
    assert not Version.objects.exists()
    assert list(refused.value.blockers) == blockers(draft.policy)
    return list(refused.value.blockers)


def test_a_fresh_draft_says_everything_that_is_missing(draft: Draft) -> None:
    found = [(one.kind, one.sentence) for one in refusal(draft)]
    values = "The values of `Destination` (domestic and international)"
    assert found == [
        ("rule", "Rule `cost` waits for a decision."),
        ("rule", "Assumption `cost-range` waits for a decision."),
        ("rule", "Default `approved` waits for a decision."),
        ("question", "A question is open: With exactly 6 months of service: approved, or not?"),
        ("datatype", f"{values}: nobody said whether they are all that there are."),
        ("datatype", f"{values}: nobody said whether two can hold at once."),
        ("sentence", f"'{REASONABLE}' has no rule, and nothing is said of it."),
        ("sentence", f"'{WELCOME}' has no rule, and nothing is said of it."),
    ]


def unapprove(draft: Draft, name: str) -> str:
    rule = draft.rule(name)
    withdraw(draft.policy, draft.bob, rule, shown_hash=draft.review(name).hash)
    return rule.uid


def lapse(draft: Draft) -> str:
    Variable.objects.filter(policy=draft.policy, name="costEur").update(description="new")
    return draft.rule("cost").uid


def break_sort(draft: Draft) -> str:
    Variable.objects.filter(policy=draft.policy, name="costEur").update(sort="Int")
    return draft.rule("cost").uid


def unmark(draft: Draft) -> str:
    sentence = draft.sentences[WELCOME]
    withdraw_mark(draft.policy, draft.bob, sentence, shown_hash=sentence_hash(sentence))
    return sentence.lineage


def assume(draft: Draft) -> str:
    return add_assumption(draft.policy, draft.alice, smtlib="(< costEur 1000000.0)").uid


@pytest.mark.parametrize(
    ("undo", "kind", "said"),
    [
        (lambda d: unapprove(d, "cost"), "rule", "Rule `cost` waits for a decision."),
        (lambda d: unapprove(d, "cost-range"), "rule", "Assumption `cost-range` waits"),
        (lambda d: unapprove(d, "approved"), "rule", "Default `approved` waits"),
        (assume, "rule", "Assumption `assumption-1` waits for a decision."),
        (lapse, "rule", "Rule `cost` changed after it was approved; read it again."),
        (break_sort, "rule", "A rule does not fit its declarations; edit it or reject it."),
        (unmark, "sentence", f"'{WELCOME}' has no rule, and nothing is said of it."),
    ],
)
def test_publishing_is_refused_for_each_missing_thing_with_its_reason(
    ready: Draft, undo: Callable[[Draft], str], kind: str, said: str
) -> None:
    target = undo(ready)
    found = refusal(ready)
    assert any(b.kind == kind and b.id == target and said in b.sentence for b in found)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (StatementState.ABSTAINED, "the formalizer abstained"),
        (StatementState.FAILED, "formalizing it failed"),
    ],
)
def test_a_sentence_that_the_formalizer_left_keeps_a_draft_from_being_published(
    ready: Draft, formalized: Callable[..., Statement], state: StatementState, said: str
) -> None:
    unmark(ready)
    formalized(WELCOME, state)
    assert said in refusal(ready)[0].sentence


def test_fr_01_a_policy_without_rules_is_not_published(policy: Policy, alice: User) -> None:
    with pytest.raises(PublishRefusedError, match="no rules"):
        publish(alice, policy, shown_revision=policy.revision)


def test_fr_31_whatever_is_drafted_nothing_is_approved_by_itself(
    ready: Draft, formalized: Callable[..., Statement]
) -> None:
    unmark(ready)
    formalized(WELCOME, StatementState.FORMALIZED, "approved by the document itself")
    assert [one.kind for one in refusal(ready)] == ["sentence"]


def test_a_ready_draft_becomes_version_1_with_its_bytes_and_their_hashes(ready: Draft) -> None:
    assert blockers(ready.policy) == []
    version = publish_now(ready)
    assert version.number == 1
    assert version.sha256 == hashlib.sha256(bytes(version.smt2)).hexdigest()
    assert version.record_sha256 == hashlib.sha256(version.record.encode()).hexdigest()
    row = AuditRow.objects.get(action="publish")
    assert (row.object, row.new_hash, row.actor) == (
        "version:1",
        version.record_sha256,
        ready.alice,
    )
    assert first_broken_link(ready.policy) is None


def test_the_record_holds_who_approved_what_as_they_saw_it(ready: Draft) -> None:
    content = json.loads(publish_now(ready).record)["content"]
    rule = next(one for one in content["rules"] if one["name"] == "cost")
    assert rule["approval"]["by"]["name"] == "Bob"
    assert rule["approval"]["english"] == rule["english"]
    assert rule["approval"]["hash"] == rule["hash"]
    assert rule["sources"][0]["quote"] == COST
    assert rule["author"]["name"] == "Alice"
    assert content["assumptions"] == ["cost-range"]
    assert [one["state"] for one in content["sentences"]] == [
        "expressed",
        "expressed",
        "binding, but not expressed",
        "not binding",
    ]
    assert content["sentences"][3]["mark"]["reason"] == "read by Alice"
    assert content["subject_to"] == [
        {"sentence": REASONABLE, "outcomes": ["tripApproved"], "reason": "read by Alice"}
    ]
    assert content["questions"][0]["chosen"] == "six months are enough"
    text = "\n".join(SENTENCES)
    assert content["documents"][0]["text_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert len(content["decisions"]) == 4


def test_the_file_reads_back_as_the_approved_rules(ready: Draft) -> None:
    text = bytes(publish_now(ready).smt2).decode()
    model, again = ready.composition().model, read(text)
    assert [rule_hash(again, rule) for rule in again.rules] == [
        rule_hash(model, rule) for rule in model.rules
    ]
    kinds = [rule.kind for rule in again.rules]
    assert kinds == [Kind.RULE, Kind.RULE, Kind.ASSUMPTION, Kind.DEFAULT]
    assert f'"quote": "{COST}"' in text
    assert f'subject to: "{REASONABLE}" (limits "tripApproved")' in text


def test_the_file_loads_in_both_solvers(ready: Draft, tmp_path) -> None:
    path = tmp_path / export_filename("travel", 1)
    path.write_bytes(bytes(publish_now(ready).smt2))
    # Solvers run in processes of their own: this one is the web server's.
    for script in (Z3, CVC5):
        found = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
        )
        assert found.stdout.split() == ["sat", "4"]


Z3 = """
import sys, z3
solver = z3.Solver()
solver.from_file(sys.argv[1])
print(solver.check(), len(solver.assertions()))
"""
CVC5 = """
import sys, cvc5
terms = cvc5.TermManager()
solver = cvc5.Solver(terms)
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
symbols = parser.getSymbolManager()
while not (command := parser.nextCommand()).isNull():
    answer = command.invoke(solver, symbols)
    assert 'error' not in answer, answer
print(solver.checkSat(), len(solver.getAssertions()))
"""


def test_fr_55_publishing_twice_gives_the_same_version_and_the_same_bytes(ready: Draft) -> None:
    revision = ready.revision()
    first = publish(ready.alice, ready.policy, shown_revision=revision)
    second = publish(ready.alice, ready.policy, shown_revision=revision)
    assert (first.pk, bytes(first.smt2)) == (second.pk, bytes(second.smt2))
    assert AuditRow.objects.filter(action="publish").count() == 1


def test_a_changed_draft_becomes_the_next_version_and_the_first_stays(ready: Draft) -> None:
    first = publish_now(ready)
    rule = ready.rule("cost")
    text = COST_RULE.replace("1000.0", "1500.0")
    shown = ready.review("cost").hash
    edit_rule(ready.policy, ready.alice, rule, smtlib=text, shown_hash=shown)
    with pytest.raises(PublishRefusedError):
        publish_now(ready)
    ready.approve_all()
    second = publish_now(ready)
    assert second.number == 2
    assert b"1500.0" in bytes(second.smt2)
    first.refresh_from_db()
    assert b"1000.0" in bytes(first.smt2)


def test_a_rule_that_left_is_in_the_records_history_only(ready: Draft) -> None:
    shown = ready.review("service").hash
    reject(ready.policy, ready.bob, ready.rule("service"), reason="too vague", shown_hash=shown)
    # Alice chose the default, and Bob took a rule from it.
    ready.approve("approved", ready.bob)
    ready.approve("approved", ready.alice)
    sentence = ready.sentences[SENTENCES[1]]
    assert [one.id for one in refusal(ready)] == [sentence.lineage]


def test_a_page_that_is_out_of_date_publishes_nothing(ready: Draft) -> None:
    shown = ready.revision()
    add_assumption(ready.policy, ready.bob, smtlib="(< costEur 1000000.0)")
    with pytest.raises(DraftMovedError):
        publish(ready.alice, ready.policy, shown_revision=shown)


def record_of(draft: Draft) -> VersionRecord:
    return publishing._record(draft.alice, draft.policy, draft.standing())


def freeze(record: VersionRecord) -> Version:
    with transaction.atomic():
        return freeze_version(record)


def test_freezing_refuses_a_record_without_a_named_approval_of_each_rule(ready: Draft) -> None:
    record = record_of(ready)
    for name in ("cost", "cost-range", "approved"):
        uid = ready.rule(name).uid
        without = {key: said for key, said in record.approvals.items() if key != uid}
        with pytest.raises(FreezeRefusedError, match=f"`{name}` has no named approval"):
            freeze(replace(record, approvals=without))
        nobody = replace(record.approvals[uid], by=User(email="ghost@example.org"))
        with pytest.raises(FreezeRefusedError, match=f"`{name}` has no named approval"):
            freeze(replace(record, approvals={**record.approvals, uid: nobody}))
        forged = replace(record.approvals[uid], content_hash="pw1:0")
        with pytest.raises(FreezeRefusedError, match=f"`{name}` was approved with another"):
            freeze(replace(record, approvals={**record.approvals, uid: forged}))
    assert not Version.objects.exists()


def test_freezing_refuses_what_changed_behind_the_record(ready: Draft) -> None:
    record = record_of(ready)
    lapse(ready)
    with pytest.raises(FreezeRefusedError, match="`cost` was approved with another content"):
        freeze(record)


def test_freezing_refuses_sentences_that_do_not_end_as_the_record_says(ready: Draft) -> None:
    record = record_of(ready)
    with pytest.raises(FreezeRefusedError, match="nothing is said of the sentence"):
        freeze(replace(record, sentences=record.sentences[1:]))
    other = replace(record.sentences[3], rules=record.sentences[0].rules, state=Accounted.EXPRESSED)
    with pytest.raises(FreezeRefusedError, match="does not hold"):
        freeze(replace(record, sentences=[*record.sentences[:3], other]))
    unsaid = replace(record.sentences[3], mark=None)
    with pytest.raises(FreezeRefusedError, match="does not hold"):
        freeze(replace(record, sentences=[*record.sentences[:3], unsaid]))


def test_freezing_refuses_an_answer_to_other_words(ready: Draft) -> None:
    record = record_of(ready)
    other = replace(record.questions[0], text="With exactly 7 months?")
    with pytest.raises(FreezeRefusedError, match="other words"):
        freeze(replace(record, questions=[other]))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE policies_version SET sha256 = ''",
        "DELETE FROM policies_version",
        "UPDATE vetting_decision SET verdict = 'approve'",
        "DELETE FROM vetting_decision",
        "DELETE FROM vetting_sentencemark",
        "UPDATE vetting_answer SET reading = 1",
        "DELETE FROM policies_auditrow",
    ],
)
def test_raw_sql_that_changes_what_was_said_fails(ready: Draft, statement: str) -> None:
    publish_now(ready)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
