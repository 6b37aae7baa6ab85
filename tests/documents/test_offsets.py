"""Offsets never drift: whatever is read, places in the text are what they claim to be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import BlockKind, ReadDocument, UnreadableError, read, spans
from tests.documents.reference import SHARED

WORDS = ["Visitors", "must", "sign", "EUR 1,000", "e.g.", "leave", "(b)", "naïve", "😀", "Sec. 4"]
ENDS = [".", ";", "; and", ":", "?", ""]
MARKERS = ["", "", "- ", "* ", "1. ", "2. ", "(a) ", "(b) ", "(i) ", "4.2 ", "§ 7 ", "(a)(1) "]
TABLE = "| a | b |\n|---|---|\n| c | "
OPENERS = ["", "", "", "# ", "## ", "> ", "  ", "    ", TABLE, "<p>", "```\n"]

phrases = st.builds(
    lambda words, end: " ".join(words) + end,
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    st.sampled_from(ENDS),
)
lines = st.builds(
    lambda opener, marker, texts: opener + marker + " ".join(texts),
    st.sampled_from(OPENERS),
    st.sampled_from(MARKERS),
    st.lists(phrases, min_size=1, max_size=3),
)
documents = st.builds(
    lambda parts: "".join(line + gap for line, gap in parts),
    st.lists(st.tuples(lines, st.sampled_from(["\n", "\n\n", "\r\n", "\n===\n"])), max_size=12),
)
names = st.sampled_from(["policy.txt", "policy.md"])


def check(document: ReadDocument) -> None:
    text = document.text
    uncovered = [not character.isspace() for character in text]

    def cover(start: int, end: int) -> None:
        for at in range(start, end):
            assert uncovered[at] or text[at].isspace(), "covered twice"
            uncovered[at] = False

    last = 0
    saying = {sentence.block for sentence in document.sentences}
    for index, block in enumerate(document.blocks):
        assert last <= block.start < block.end <= len(text)
        last = block.end
        assert text.startswith(block.marker, block.start)
        cover(block.start, block.start + len(block.marker))
        if index not in saying and (
            block.kind is BlockKind.HEADING
            or (block.kind is BlockKind.TABLE_ROW and block.level == 0)
        ):
            cover(block.start + len(block.marker), block.end)
    last = 0
    for sentence in document.sentences:
        assert last <= sentence.start < sentence.end
        last = sentence.end
        block = document.blocks[sentence.block]
        assert block.start <= sentence.start
        assert sentence.end <= block.end
        quote = text[sentence.start : sentence.end]
        assert quote == quote.strip()
        cover(sentence.start, sentence.end)
        if block.kind is BlockKind.ITEM:
            assert len(sentence.context) % 2 == 0
    assert not any(uncovered), "a character belongs to no sentence, heading or marker"
    assert [h.title for h in document.headings] == [
        " ".join(text[h.start : h.end].split()) for h in document.headings
    ]


def check_spans(document: ReadDocument, limit: int) -> None:
    cut = spans(document, max_characters=limit)
    seen = [index for span in cut for index in span.sentences]
    assert seen == list(range(len(document.sentences)))
    last = 0
    for span in cut:
        assert last <= span.start < span.end
        last = span.end
        assert span.end == document.sentences[span.sentences[-1]].end
        assert span.start <= document.sentences[span.sentences[0]].start
        assert len(span.sentences) == 1 or span.end - span.start <= limit
        assert {document.sentences[index].headings for index in span.sentences} == {span.headings}


@settings(max_examples=300, deadline=None)
@given(documents, names, st.integers(1, 400))
def test_every_sentence_is_where_it_says_and_nothing_is_left_out(
    text: str, name: str, limit: int
) -> None:
    try:
        document = read(text.encode(), filename=name)
    except UnreadableError:
        # Only a document without a word to review may be refused here.
        assert not text.strip() or "no sentence" in str(_refusal(text.encode(), name))
        return
    check(document)
    check_spans(document, limit)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), names)
def test_any_text_at_all_is_read_or_refused_in_one_sentence(text: str, name: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    try:
        document = read(data, filename=name)
    except UnreadableError:
        message = str(_refusal(data, name))
        assert message.endswith(".")
        assert "\n" not in message
        return
    check(document)
    check_spans(document, 50)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=20))
def test_any_bytes_under_any_name_are_read_or_refused(data: bytes, name: str) -> None:
    try:
        document = read(data, filename=name)
    except UnreadableError:
        assert str(_refusal(data, name)).endswith(".")
        return
    check(document)


def test_the_words_of_plain_text_come_through_unchanged() -> None:
    text = "Travel\n\n1. Staff book early.\n   They ask first.\n\n(a) Trains are free."
    document = read(text.encode(), filename="a.txt")
    assert document.text.split() == text.split()


def test_every_policy_of_the_corpus_holds_together() -> None:
    paths = [
        path
        for folder in ("policies", "gold")
        for path in sorted(SHARED.joinpath("corpus", folder).glob("*"))
        if path.suffix in (".txt", ".md", ".rst", ".html", ".docx")
    ]
    if not paths:
        pytest.skip("needs the corpus of the reference texts, which is not here")
    for path in paths:
        document = read(path.read_bytes(), filename=path.name)
        check(document)
        check_spans(document, 2000)


def _refusal(data: bytes, name: str) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        read(data, filename=name)
    return caught.value
