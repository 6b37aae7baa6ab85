"""The coverage of a document says what the sentences' own states say, from few queries."""

from __future__ import annotations

import pytest

from policies.models import Policy, Span, Statement, Unit, User
from policies.models.draft import StatementState
from policies.present import sentence_hash
from tests.vetting.in_sections import Leave, make_leave
from translation.models import Question, QuestionKind
from vetting.answering import answer_question
from vetting.coverage import Coverage, cover, words_not_carried
from vetting.decisions import reject
from vetting.models import MarkKind
from vetting.questions import open_questions
from vetting.rule_sources import add_source
from vetting.section_marks import binding_words, section_to_mark
from vetting.sentences import sentence_states


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    return make_leave(policy, alice, bob)


def coverage(leave: Leave) -> Coverage:
    revision = leave.latest()
    return cover(leave.policy, revision)


def agree(leave: Leave) -> dict[str, str]:
    """The states by the list and by the rows, which are the same; for the test to look at."""
    exact = {
        review.sentence.lineage: str(review.state)
        for review in sentence_states(leave.policy, leave.composition())
    }
    listed = {one.lineage: str(one.state) for one in coverage(leave).sentences}
    assert listed == exact
    texts = dict(leave.latest().sentences.values_list("lineage", "text"))
    return {texts[lineage].split()[0]: state for lineage, state in exact.items()}


def ask(leave: Leave, name: str) -> Question:
    rule = leave.rule(name)
    readings = [{"label": "as drafted", "term": rule.term}, {"label": "another", "term": rule.term}]
    return Question.objects.create(
        policy=leave.policy, rule=rule, kind=QuestionKind.READING, text="Which?", readings=readings
    )


def test_the_list_says_what_the_rows_say_whatever_happens(leave: Leave) -> None:
    assert agree(leave)["Leave"] == "waiting"
    assert agree(leave)["We"] == "untouched"
    leave.approve("long")
    leave.approve("request")
    leave.mark("We thank")
    leave.mark("Questions", MarkKind.BINDING)
    leave.mark("This text", MarkKind.DEFINITION)
    states = agree(leave)
    assert states["We"] == "not binding"
    assert states["Questions"] == "binding, but not expressed"
    assert states["This"] == "a definition"
    assert states["Parents"] == "waiting"
    ask(leave, "parents")
    assert agree(leave)["Parents"] == "question open"
    (question,) = open_questions(leave.policy, leave.composition())
    answer_question(leave.policy, leave.alice, question.question, 0, shown_hash=question.shown_hash)
    assert agree(leave)["Parents"] == "waiting"
    leave.approve("parents")
    assert agree(leave)["Parents"] == "expressed"
    rule = leave.rule("long")
    shown = leave.composition().hashes[rule.uid]
    reject(leave.policy, leave.bob, rule, reason="not so", shown_hash=shown)
    assert agree(leave)["Leave"] in ("untouched", "expressed")


def test_the_latest_unit_that_speaks_of_a_sentence_counts(leave: Leave) -> None:
    span = Span.objects.filter(revision=leave.revision).first()
    assert span is not None
    sentence = leave.sentence("We thank")
    for formalizer, state, words in (
        ("first", StatementState.FAILED, [[0, 2]]),
        ("second", StatementState.ABSTAINED, [[3, 8]]),
    ):
        unit = Unit.objects.create(policy=leave.policy, span=span, formalizer=formalizer)
        Statement.objects.create(
            unit=unit, sentence=sentence, state=state, reason="no", words=words
        )
        assert agree(leave)["We"] == state.value
    lineage = sentence.lineage
    assert words_not_carried(leave.policy, [lineage]) == {lineage: ((3, 8),)}


def test_an_answer_that_does_not_count_any_more_opens_the_question(leave: Leave) -> None:
    ask(leave, "parents")
    (question,) = open_questions(leave.policy, leave.composition())
    answer_question(leave.policy, leave.alice, question.question, 0, shown_hash=question.shown_hash)
    other = leave.sentence("We thank")
    add_source(
        leave.policy,
        leave.alice,
        leave.rule("parents"),
        other,
        shown_sentence=sentence_hash(other),
    )
    assert agree(leave)["Parents"] == "question open"


def test_sections_count_and_lead_to_what_waits_next(leave: Leave) -> None:
    leave.mark("We thank")
    found = coverage(leave)
    assert [(one.title, one.waiting, len(one.sentences)) for one in found.sections] == [
        ("Leave", 0, 0),
        ("Background", 2, 3),
        ("Germany", 1, 1),
        ("Parents", 1, 1),
        ("France", 1, 1),
    ]
    assert dict(found.sections[1].counts) == {"untouched": 2, "not binding": 1}
    germany = found.sections[2]
    assert [one.title for one in found.whole_section(germany)] == ["Germany", "Parents"]
    first = found.next_waiting()
    assert first is not None
    following = found.next_waiting(first.ordinal)
    assert following is not None
    assert following.ordinal == first.ordinal + 2
    last = found.next_waiting(len(found.sentences))
    assert last == first


def test_a_section_to_mark_puts_apart_what_may_bind(leave: Leave) -> None:
    found = coverage(leave)
    to_mark = section_to_mark(leave.latest(), found, found.sections[1])
    assert [one.text for one in to_mark.plain] == [
        "This text was written by the people team.",
        "We thank everybody.",
    ]
    assert [(one.text, one.words) for one in to_mark.apart] == [
        ("Questions are answered within 3 days.", ("3",))
    ]
    germany = section_to_mark(leave.latest(), found, found.sections[2])
    assert (germany.plain, germany.apart, germany.others) == ((), (), 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("You MUST ask.", ("must",)),
        ("It may rain, but only then, unless not.", ("may", "only", "unless")),
        ("Call 555-12 or ten of us.", ("555", "12", "ten")),
        ("The mayor and the musty onlyness of dismay.", ()),
    ],
)
def test_words_that_mostly_bind_are_found_as_words(text: str, words: tuple[str, ...]) -> None:
    assert binding_words(text) == words
