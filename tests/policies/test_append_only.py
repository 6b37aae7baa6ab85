"""Rows that are written once: no code, no bulk update and no raw SQL changes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Model

from policies.append_only import (
    AppendOnly,
    AppendOnlyError,
    append_only_models,
    create_statements,
)
from policies.audit import record
from policies.document_store import add_document
from policies.models import (
    AuditRow,
    Datatype,
    Job,
    RuleRevision,
    Section,
    SectionScope,
    Sentence,
    Span,
    Statement,
    Unit,
    Version,
)
from tests.policies.making import make_rule
from translation.models import (
    Attempt,
    ChangeChoice,
    Feedback,
    ModelReply,
    ProposedChange,
    Question,
    Translation,
)
from vetting.models import (
    Answer,
    Comment,
    Decision,
    HiddenRead,
    LintSilence,
    Scenario,
    ScenarioWithdrawal,
    ScopeDecision,
    SentenceMark,
    Thread,
    ThreadClosing,
    ValuesSaid,
)
from vetting.thread_models import Assignment, Mention

GUARDED = append_only_models(apps.get_models())


@pytest.fixture
def rows(policy, alice) -> dict[type[Model], Model]:
    """One row of each guarded table."""
    revision = add_document(policy, alice, title="T", data=b"A is B.", filename="t.txt")
    sentence, span = Sentence.objects.get(), Span.objects.get()
    rule = make_rule(policy, "rule")
    unit = Unit.objects.create(policy=policy, span=span, formalizer="built-in")
    question = Question.objects.create(policy=policy, rule=rule, kind="boundary", readings=[])
    hashed = {"content_hash": "pw1:0"}
    scope = SectionScope.objects.create(
        document=revision.document, term=["x"], created_by=alice, **hashed
    )
    job = Job.objects.create(policy=policy, kind="revise", key="0")
    feedback = Feedback.objects.create(policy=policy, text="wrong", rules=[], job=job, by=alice)
    change = ProposedChange.objects.create(feedback=feedback, rule=rule, model="m")
    scenario = Scenario.objects.create(policy=policy, facts={}, content={}, by=alice, **hashed)
    thread = Thread.objects.create(policy=policy, lineage=sentence.lineage, by=alice)
    comment = Comment.objects.create(thread=thread, text="Why?", by=alice)
    made = [
        feedback,
        change,
        ChangeChoice.objects.create(change=change, chosen="accepted", by=alice),
        revision,
        Section.objects.get(),
        sentence,
        span,
        unit,
        question,
        AuditRow.objects.get(),
        Statement.objects.create(unit=unit, state="formalized"),
        RuleRevision.objects.create(rule=rule, number=1, content={}, cause="made", **hashed),
        Version.objects.create(
            policy=policy,
            number=1,
            record="{}",
            record_sha256="0",
            smt2=b"",
            sha256="0",
            published_by=alice,
            published_at=datetime.now(UTC),
        ),
        Decision.objects.create(
            policy=policy, rule=rule, verdict="approve", content={}, by=alice, **hashed
        ),
        SentenceMark.objects.create(
            policy=policy,
            lineage=sentence.lineage,
            sentence=sentence,
            kind="binding",
            by=alice,
            **hashed,
        ),
        ScopeDecision.objects.create(
            policy=policy, scope=scope, verdict="approve", content={}, by=alice, **hashed
        ),
        HiddenRead.objects.create(
            policy=policy, lineage=sentence.lineage, sentence=sentence, by=alice, **hashed
        ),
        Answer.objects.create(question=question, reading=0, by=alice, **hashed),
        scenario,
        ScenarioWithdrawal.objects.create(scenario=scenario, by=alice),
        thread,
        comment,
        Mention.objects.create(comment=comment, user=alice, start=0, end=3),
        Assignment.objects.create(policy=policy, about="rule", key=rule.uid, to=alice, by=alice),
        ThreadClosing.objects.create(thread=thread, by=alice),
        ValuesSaid.objects.create(
            policy=policy,
            datatype=Datatype.objects.create(policy=policy, name="Cabin"),
            question="complete",
            holds=True,
            by=alice,
            **hashed,
        ),
        LintSilence.objects.create(
            policy=policy, code="implied", holds=True, message="m", by=alice, **hashed
        ),
        ModelReply.objects.create(policy=policy, key="0", model="m", messages=[], text="{}"),
        Attempt.objects.create(policy=policy, purpose="draft", model="m"),
        Translation.objects.create(
            unit=unit, sentence=sentence, translator="m", state="abstained", comparison="none"
        ),
    ]
    return {type(row): row for row in made}


def refused(*statement) -> None:
    with (
        pytest.raises(DatabaseError, match="never changed or deleted"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(*statement)


def test_every_guarded_table_is_tried_below(rows):
    assert set(rows) == set(GUARDED)
    assert {AuditRow, Version, Decision, SentenceMark, Answer, RuleRevision} <= set(GUARDED)


@pytest.mark.parametrize("model", GUARDED)
def test_raw_sql_neither_updates_nor_deletes(rows, model):
    table, row = model._meta.db_table, rows[model]
    for field in model._meta.local_fields:
        refused(f'UPDATE "{table}" SET "{field.column}" = "{field.column}"')
    refused(f'UPDATE "{table}" SET "id" = 7 WHERE "id" = %s', [row.pk])
    refused(f'DELETE FROM "{table}"')
    refused(f'DELETE FROM "{table}" WHERE "id" = %s', [row.pk])
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL truncates")
@pytest.mark.parametrize("model", GUARDED)
def test_raw_sql_does_not_truncate(rows, model):
    # Else PostgreSQL refuses for another reason: checks that wait for the commit.
    connection.check_constraints()
    refused(f'TRUNCATE "{model._meta.db_table}" CASCADE')


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite replaces on insert")
@pytest.mark.parametrize("model", GUARDED)
def test_raw_sql_does_not_replace(rows, model):
    table = model._meta.db_table
    columns = ", ".join(f'"{field.column}"' for field in model._meta.local_fields)
    refused(f'INSERT OR REPLACE INTO "{table}" ({columns}) SELECT {columns} FROM "{table}"')
    refused(f'UPDATE OR REPLACE "{table}" SET "id" = "id"')
    refused(f'UPDATE OR IGNORE "{table}" SET "id" = "id"')
    others = columns.replace('"id", ', "")
    if any(isinstance(one, models.UniqueConstraint) for one in model._meta.constraints):
        refused(f'REPLACE INTO "{table}" ({others}) SELECT {others} FROM "{table}"')


@pytest.mark.parametrize("model", GUARDED)
def test_the_orm_neither_updates_nor_deletes(rows, model):
    row = rows[model]
    for change in (row.save, row.delete):
        with pytest.raises(AppendOnlyError):
            change()
    field = model._meta.local_fields[1]
    for change in (
        lambda: model.objects.filter(pk=row.pk).update(**{field.attname: models.F(field.attname)}),
        lambda: model.objects.filter(pk=row.pk)._raw_delete(using="default"),
        lambda: model.objects.bulk_update([row], [field.name]),
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            change()


def test_the_guards_are_put_on_again_after_a_migration(rows):
    table = AuditRow._meta.db_table
    with connection.cursor() as cursor:
        name = f"append_only_update_{table}" if connection.vendor == "sqlite" else "append_only_row"
        on = "" if connection.vendor == "sqlite" else f' ON "{table}"'
        cursor.execute(f'DROP TRIGGER "{name}"{on}')
        cursor.execute(f'UPDATE "{table}" SET "action" = "action"')
    for _ in range(2):
        call_command("migrate", verbosity=0)
        refused(f'UPDATE "{table}" SET "action" = "action"')


def test_rows_can_still_be_added(rows, policy, alice):
    assert record(policy, alice, "more", "policy:1").sequence == 2


def test_a_key_that_the_guard_cannot_read_is_an_error():
    class Odd(AppendOnly):
        class Meta:
            app_label = "policies"
            managed = False
            constraints = [
                models.UniqueConstraint(
                    fields=["id"], condition=models.Q(id__gt=1), name="only_some"
                )
            ]

    try:
        with pytest.raises(NotImplementedError, match="only_some"):
            create_statements(Odd, "sqlite")
    finally:
        del apps.all_models["policies"]["odd"]
        apps.clear_cache()
