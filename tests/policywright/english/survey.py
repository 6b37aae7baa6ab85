"""What drafting makes of whole documents, printed for a person who reads every rule.

    python -m tests.policywright.english.survey DOCUMENT.txt ...

Of each document: its sentences with what was drafted from them, or why nothing was
and which words stood in the way; then the counts.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from documents import read
from policywright.english import render_sentence
from policywright.english.drafts import SourceSentence
from policywright.english.passage import Passage, PassageDrafting
from policywright.model import PolicyModel


@dataclass
class Survey:
    """The sentences of one document, what was drafted from them, and the model they grew."""

    name: str
    sentences: list[SourceSentence]
    passage: Passage = field(default_factory=Passage)
    model: PolicyModel = field(default_factory=PolicyModel)
    times_ms: list[float] = field(default_factory=list)

    @property
    def abstained(self) -> int:
        return len(self.passage.abstentions)

    @property
    def drafted(self) -> int:
        return len(self.sentences) - self.abstained


def source_sentences(data: bytes, filename: str) -> list[SourceSentence]:
    document = read(data, filename=filename)
    return [
        SourceSentence(document.text[s.start : s.end], s.headings, s.context)
        for s in document.sentences
    ]


def survey(name: str, sentences: list[SourceSentence]) -> Survey:
    """Draft a whole document as one passage."""
    drafting = PassageDrafting(sentences, PolicyModel())
    found = Survey(name, sentences, drafting.passage)
    index = 0
    while index < len(sentences):
        started = time.perf_counter()
        following = drafting.step(index)
        elapsed = (time.perf_counter() - started) * 1000
        found.times_ms += [elapsed / (following - index)] * (following - index)
        index = following
    found.model = drafting.model
    return found


def survey_file(path: Path) -> Survey:
    return survey(path.stem, source_sentences(path.read_bytes(), path.name))


def lines_of(found: Survey, *, abstentions: bool = True) -> list[str]:
    lines = [f"== {found.name}"]
    for index, sentence in enumerate(found.sentences):
        text = " ".join(sentence.text.split())
        abstention = found.passage.abstentions.get(index)
        if abstention is None:
            lines += [f"+ {text}", *_rules_of(found, index)]
        elif abstentions:
            words = ", ".join(word.text for word in abstention.words)
            lines += [f"- {text}", f"    {abstention.kind}: {abstention.reason} [{words}]"]
    median = statistics.median(found.times_ms) if found.times_ms else 0
    lines.append(
        f"== {found.name}: {len(found.sentences)} sentences, {found.drafted} drafted, "
        f"{found.abstained} left to a person; median {median:.1f} ms, "
        f"slowest {max(found.times_ms, default=0):.0f} ms"
    )
    return lines


def _rules_of(found: Survey, index: int) -> list[str]:
    lines = []
    for one in found.passage.rules:
        if one.sentences[-1] != index:
            continue
        if len(one.sentences) > 1:
            lines.append(f"    with sentences {', '.join(str(i + 1) for i in one.sentences)}:")
        elif found.sentences[index].context:
            lines.append(f"    behind: {' | '.join(found.sentences[index].context)}")
        rendered = render_sentence(found.model, one.rule.term)
        lines += [f"    {line}" for line in rendered.splitlines()]
        for question in one.questions:
            labels = " / ".join(reading.label for reading in question.readings)
            lines.append(f"    question: {question.text} [{labels}]")
    return lines


def main() -> None:
    surveys = [survey_file(Path(name)) for name in sys.argv[1:]]
    for found in surveys:
        print("\n".join(lines_of(found)))
    total, drafted = sum(len(s.sentences) for s in surveys), sum(s.drafted for s in surveys)
    print(f"all: {total} sentences, {drafted} drafted, {total - drafted} left to a person")


if __name__ == "__main__":
    main()
