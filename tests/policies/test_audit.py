"""The audit chain: one a policy, without gaps, and what was altered is found."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, connections, transaction

from policies.append_only import create_statements, drop_statements
from policies.audit import chain_hash, first_broken_link, record
from policies.models import AuditRow, Policy


@pytest.fixture
def chain(policy, alice) -> list[AuditRow]:
    return [record(policy, alice, f"act-{n}", f"rule:{n}", new_hash=f"h{n}") for n in range(5)]


@contextmanager
def guards_off() -> Iterator[None]:
    """As somebody with all rights on the database would do it."""
    with connection.cursor() as cursor:
        for statement in drop_statements(AuditRow._meta.db_table, connection.vendor):
            cursor.execute(statement)
        yield
        for statement in create_statements(AuditRow, connection.vendor):
            cursor.execute(statement)


def test_a_chain_is_ordered_by_sequence_and_verifies(policy, chain):
    assert [row.sequence for row in chain] == [1, 2, 3, 4, 5]
    assert [row.previous_hash for row in chain] == ["", *(row.row_hash for row in chain[:-1])]
    assert first_broken_link(policy) is None


@pytest.mark.parametrize(
    "change",
    [
        {"action": "nothing"},
        {"object": "rule:9"},
        {"old_hash": "x"},
        {"new_hash": ""},
        {"actor": None},
        {"at": "2020-01-01T00:00:00Z"},
        {"sequence": 9},
        {"previous_hash": ""},
        {"row_hash": "0" * 64},
    ],
)
def test_a_row_altered_past_the_guards_is_found(policy, chain, change):
    with guards_off():
        AuditRow.objects.filter(pk=chain[2].pk).update(**change)
    broken = first_broken_link(policy)
    assert broken is not None
    # With its sequence changed the row goes missing where it was.
    assert broken.pk == (chain[3].pk if "sequence" in change else chain[2].pk)


def test_a_row_that_was_taken_out_is_found(policy, chain):
    with guards_off():
        AuditRow.objects.filter(pk=chain[1].pk)._raw_delete("default")
    assert first_broken_link(policy) == chain[2]


def test_a_chain_written_anew_without_the_key_is_found(policy, chain, settings):
    kept, settings.AUDIT_KEY = settings.AUDIT_KEY, "a guess"
    with guards_off():
        previous = ""
        for row in chain:
            row.action, row.previous_hash = "act-0", previous
            previous = row.row_hash = chain_hash(row)
            AuditRow.objects.filter(pk=row.pk).update(
                action=row.action, previous_hash=row.previous_hash, row_hash=row.row_hash
            )
    assert first_broken_link(policy) is None
    settings.AUDIT_KEY = kept
    assert first_broken_link(policy) == chain[0]


def test_each_policy_has_a_chain_of_its_own(policy, chain, alice):
    other = Policy.objects.create(slug="other", name="Other", created_by=alice)
    first = record(other, alice, "act", "rule:1")
    assert (first.sequence, first.previous_hash) == (1, "")
    assert record(policy, None, "act", "rule:1").sequence == 6
    assert first_broken_link(other) is first_broken_link(policy) is None


def test_a_row_holds_ids_and_hashes_and_no_text(chain):
    texts = {"action", "object", "old_hash", "new_hash", "previous_hash", "row_hash"}
    fields = AuditRow._meta.local_fields
    assert {f.name for f in fields if "Char" in type(f).__name__} == texts
    assert not any("Text" in type(field).__name__ for field in fields)


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_no_row_is_written(policy, alice):
    with pytest.raises(RuntimeError, match="in the transaction of its change"):
        record(policy, alice, "act", "rule:1")
    assert not AuditRow.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_leave_no_gap_and_a_failed_one_leaves_no_row(policy, alice):
    errors: list[Exception] = []

    def write() -> None:
        try:
            for number in range(20):
                _write_or_fail(policy, alice, fails=number % 5 == 4)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    sequences = AuditRow.objects.filter(policy=policy).values_list("sequence", flat=True)
    assert list(sequences) == list(range(1, 3 * 16 + 1))
    assert first_broken_link(policy) is None


def _write_or_fail(policy, alice, *, fails: bool) -> None:
    try:
        with transaction.atomic():
            record(policy, alice, "act", "rule:1")
            if fails:
                raise ZeroDivisionError
    except ZeroDivisionError:
        assert fails
