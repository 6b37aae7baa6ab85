"""What formalizing made of a policy, in plain lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from policies.composing import compose
from policies.models import Item, Policy, Sentence, Statement
from policies.models.draft import StatementState
from policies.models.jobs import ItemState
from policies.present import present_sentences
from policywright.english import render_rule
from translation.models import Question


def summary(policy: Policy) -> Iterator[str]:
    """Counts, the rules in English, the questions, and what was left and why."""
    sentences = present_sentences(policy)
    latest = _latest_statements(policy)
    counts = Counter(
        latest[sentence.lineage].state if sentence.lineage in latest else "not formalized yet"
        for sentence in sentences
    )
    states = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    yield f"{policy.name}: {_count(len(sentences), 'sentence')} ({states})"
    composition = compose(policy)
    model = composition.model
    yield f"  {_count(len(model.rules), 'rule')}"
    for number, rule in enumerate(model.rules, start=1):
        first, *rest = render_rule(model, rule).splitlines()
        yield f"    {number}. {first}"
        yield from (f"       {line}" for line in rest)
    yield from (f"    - broken: {cause}" for cause in composition.broken.values())
    questions = Question.objects.filter(policy=policy, rule__retired_at=None)
    yield f"  {_count(len(questions), 'question')}"
    yield from (f"    - {question.text}" for question in questions)
    left = [s for s in sentences if s.lineage in latest and _is_left(latest[s.lineage])]
    yield f"  {_count(len(left), 'sentence')} left to a person"
    for sentence in left:
        yield from _left_lines(sentence, latest[sentence.lineage])
    failed = Item.objects.filter(job__policy=policy, state=ItemState.FAILED)
    yield from (f"  Not formalized: {item.error}" for item in failed)


def _latest_statements(policy: Policy) -> dict[str, Statement]:
    """The last statement on each lineage."""
    statements = Statement.objects.filter(unit__policy=policy, sentence__isnull=False)
    return {
        statement.sentence.lineage: statement
        for statement in statements.select_related("sentence").order_by("pk")
        if statement.sentence is not None
    }


def _is_left(statement: Statement) -> bool:
    return statement.state != StatementState.FORMALIZED


def _left_lines(sentence: Sentence, statement: Statement) -> Iterator[str]:
    yield f"    - {' '.join(sentence.text.split())}"
    yield f"      {statement.reason}"
    words = [sentence.text[start:end] for start, end in statement.words]
    if words:
        yield f"      not understood: {', '.join(words)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
