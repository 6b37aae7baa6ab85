"""A revision by section: what a page of one section reads, and that nothing is lost in it."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from documents import view
from policies.append_only import drop_statements
from policies.document_store import add_document
from policies.models import DocumentRevision, Section
from policies.present import sentence_hash
from policies.sections import MAX_SENTENCES, read_section

TEXT = """Before the first heading stands one sentence.

# Leave

## 1 Rules

Leave is granted if:

- the form is signed; and
- section 2 says so.

## 2 Table

| Region | Days |
| --- | --- |
| Abroad | 25 days |
| Home | 30 days |
"""


@pytest.fixture
def revision(policy, alice) -> DocumentRevision:
    return add_document(policy, alice, title="Leave", data=TEXT.encode(), filename="leave.md")


def texts_of(section: Section) -> list[str]:
    document = read_section(section)
    return [document.text[one.start : one.end] for one in document.sentences]


def test_each_sentence_stands_in_one_section_with_its_lineage_and_hash(revision):
    sections = list(revision.sections.all())
    assert [(one.headings, one.level) for one in sections] == [
        ([], 0),
        (["Leave"], 1),
        (["Leave", "1 Rules"], 2),
        (["Leave", "2 Table"], 2),
    ]
    rows = list(revision.sentences.order_by("ordinal"))
    assert [text for one in sections for text in texts_of(one)] == [row.text for row in rows]
    pairs = [tuple(pair) for one in sections for pair in one.sentences]
    assert pairs == [(row.lineage, sentence_hash(row)) for row in rows]
    firsts = [one.first for one in sections]
    assert firsts == [1, 2, 2, 5]
    for section in sections:
        end = section.start + len(section.text)
        assert revision.text[section.start : end] == section.text


def test_a_section_is_viewed_alone(revision):
    rules, table = list(revision.sections.all())[2:]
    kinds = [block.kind for block in view(read_section(rules))]
    assert kinds == ["heading", "paragraph", "item", "item"]
    (reference,) = read_section(rules).references
    assert rules.text[reference.start : reference.end] == "section 2"
    assert reference.sentence == 2
    _, block = view(read_section(table))
    assert block.kind == "table"
    assert [cell.header for cell in block.rows[0].cells] == [True, True]
    assert [row.sentence for row in block.rows] == [None, 0, 1]


def test_a_long_section_is_cut_between_blocks(policy, alice):
    lines = "\n\n".join(f"Rule {number} is a rule." for number in range(250))
    revision = add_document(
        policy, alice, title="Long", data=f"# One\n\n{lines}".encode(), filename="long.md"
    )
    sections = list(revision.sections.all())
    assert [(one.part, len(one.sentences)) for one in sections] == [(1, 100), (2, 100), (3, 50)]
    assert {tuple(one.headings) for one in sections} == {("One",)}
    assert all(len(one.sentences) <= MAX_SENTENCES for one in sections)
    joined = [text for one in sections for text in texts_of(one)]
    assert joined == list(revision.sentences.order_by("ordinal").values_list("text", flat=True))


def test_revisions_of_an_older_release_are_cut_by_the_migration(revision):
    before = list(revision.sections.values_list("ordinal", "sentences", "text", "content"))
    with connection.cursor() as cursor:
        for statement in drop_statements(Section._meta.db_table, connection.vendor):
            cursor.execute(statement)
    Section.objects.all()._raw_delete("default")
    migration = import_module("policies.migrations.0003_sections")
    migration.cut_known_revisions(apps, None)
    after = list(revision.sections.values_list("ordinal", "sentences", "text", "content"))
    assert after == before
