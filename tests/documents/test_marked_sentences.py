"""200 sentences of the corpus, marked by hand, beside where the splitter cuts.

The file of marks holds no text: for each block a hash of its words (blanks collapsed,
the marker left out) and where its sentences begin. About half of the blocks were
drawn at random and half where four splitters disagreed. The errors of the others on
the same blocks are in benchmarks/README.md.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from documents import read
from documents.editing import content_start
from documents.sentences import split_sentences
from tests.documents.reference import SHARED

MARKS = Path(__file__).parents[1] / "fixtures" / "documents" / "marked_sentences.json"

# Cuts that we make and no reader would, and cuts that we do not make.
ERRORS = (0, 0)


def test_the_splitter_cuts_200_marked_sentences_as_counted() -> None:
    marks = json.loads(MARKS.read_text())
    assert sum(len(mark["begins"]) for mark in marks) == 200
    folder = SHARED / "corpus" / "policies"
    if not folder.exists():
        pytest.skip("needs the corpus of the reference texts, which is not here")
    blocks: dict[tuple[str, str], str] = {}
    for name in {mark["file"] for mark in marks}:
        document = read((folder / name).read_bytes(), filename=name)
        for block in document.blocks:
            words = " ".join(document.text[content_start(block) : block.end].split())
            blocks[(name, hashlib.sha256(words.encode()).hexdigest()[:16])] = words
    needless = missed = 0
    for mark in marks:
        words = blocks[(mark["file"], mark["block"])]
        found = {start for start, _ in split_sentences(words)}
        needless += len(found - set(mark["begins"]))
        missed += len(set(mark["begins"]) - found)
    assert (needless, missed) == ERRORS
