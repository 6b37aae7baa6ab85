"""What a reader found survives the row it is kept in, in any release's shape."""

from __future__ import annotations

import pytest

from documents import Block, BlockKind, Heading, Note, NoteKind, read
from policies.document_store import add_document
from policies.models import DocumentRevision
from policies.structures import from_json, stored_document, to_json

PAGE = b"""<!doctype html><title>T</title><h1>Fees</h1>
<p>"Child" means a person under 12.<sup><a href="#n1">1</a></sup>
A child pays as section 2 says.</p>
<p id="n1">1. At the time of the visit.</p>
<h2>1 Times</h2><ul><li>Ring; and</li><li>wait.</li></ul>
<h2>2 Prices</h2>
<table><tr><th>Age</th><th colspan="2">Fee</th></tr><tr><td rowspan="2">under 12</td><td>5</td>
<td>EUR</td></tr><tr><td>6</td><td>USD</td></tr></table>"""
MARKDOWN = b"""# Trips

"Trip" means a journey of a day.[^1]

1. Trips above EUR 1,000 need approval.
   - Say so; or
   - wait.

| City | Limit |
| --- | --- |
| Rome | 100 |

[^1]: Or of two.
"""


@pytest.mark.parametrize(("name", "data"), [("t.html", PAGE), ("t.md", MARKDOWN)])
def test_a_stored_document_is_the_one_that_was_read(policy, alice, name, data):
    found = read(data, filename=name)
    add_document(policy, alice, title="T", data=data, filename=name)
    revision = DocumentRevision.objects.get()
    stored = stored_document(revision, revision.sentences.order_by("ordinal"))
    for part in ("text", "headings", "blocks", "sentences", "notes", "links"):
        assert getattr(stored, part) == getattr(found, part)
    assert stored.definitions == found.definitions != ()
    assert stored.references == found.references
    assert any(sentence.pointed for sentence in stored.sentences)
    assert any(block.cells for block in stored.blocks)


def test_a_field_that_has_its_default_is_left_out():
    block = Block(BlockKind.PARAGRAPH, 3, 9, 0, "")
    assert to_json([block]) == [
        {"kind": "paragraph", "start": 3, "end": 9, "level": 0, "marker": ""}
    ]


def test_rows_of_the_first_release_are_read():
    assert from_json(
        Block, [{"kind": "item", "start": 0, "end": 5, "level": 1, "marker": "-"}]
    ) == (Block(BlockKind.ITEM, 0, 5, 1, "-"),)
    row = {"level": 1, "start": 0, "end": 5, "title": "Times"}
    assert from_json(Heading, [row]) == (Heading(1, 0, 5, "Times"),)
    note = {"kind": "picture", "start": 1, "end": 1, "message": "A picture."}
    assert from_json(Note, [note]) == (Note(NoteKind.PICTURE, 1, 1, "A picture."),)


@pytest.mark.parametrize("row", [{"start": 1}, {"level": 1, "start": 0, "end": 1, "name": "x"}])
def test_a_row_of_another_shape_is_refused(row):
    with pytest.raises(ValueError, match="not the fields of a Heading"):
        from_json(Heading, [row])
