"""Helpers: a policy model grown sentence by sentence, and what was drafted as text."""

from __future__ import annotations

import re
from pathlib import Path

from policywright.english import render_sentence
from policywright.english.draft import draft
from policywright.english.drafts import Abstention, Draft, SourceSentence
from policywright.model import PolicyModel, Rule
from policywright.terms import Term

EXAMPLES = Path(__file__).parents[3] / "examples"
FIXTURES = Path(__file__).parents[2] / "fixtures" / "english"


def drafted(text: str, *headings: str, known: PolicyModel | None = None) -> Draft:
    """The draft of a sentence that must not abstain."""
    result = draft(SourceSentence(text, headings), known or PolicyModel())
    assert isinstance(result, Draft), result
    return result


def abstained(text: str, *headings: str, known: PolicyModel | None = None) -> Abstention:
    """The abstention on a sentence that must not be drafted."""
    result = draft(SourceSentence(text, headings), known or PolicyModel())
    assert isinstance(result, Abstention), [r.term for r in result.rules]
    return result


def grown(known: PolicyModel, found: Draft) -> PolicyModel:
    """The model with a draft's variables and rules added."""
    rules = tuple(
        Rule(f"r{len(known.rules) + i}", rule.name, rule.term, rule.kind)
        for i, rule in enumerate(found.rules)
    )
    return PolicyModel(
        known.datatypes + found.datatypes,
        known.variables + found.variables,
        known.definitions,
        known.rules + rules,
    )


def model_of(*texts: str, headings: tuple[str, ...] = ()) -> PolicyModel:
    """Sentences drafted one after the other, each over what the ones before it made."""
    model = PolicyModel()
    for text in texts:
        model = grown(model, drafted(text, *headings, known=model))
    return model


def english(text: str, *headings: str, known: PolicyModel | None = None) -> str:
    """The drafted rule in English."""
    known = known or PolicyModel()
    found = drafted(text, *headings, known=known)
    return render_sentence(grown(known, found), found.rules[0].term)


def term_of(model: PolicyModel, number: int = 0) -> Term:
    return model.rules[number].term


def sentences_of(path: Path) -> list[SourceSentence]:
    """The sentences of an example; its Markdown holds headings and paragraphs only."""
    headings: dict[int, str] = {}
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        title = re.fullmatch(r"(#+) (.*)", block.strip())
        if title:
            level = len(title[1])
            headings = {n: text for n, text in headings.items() if n < level}
            headings[level] = title[2]
            continue
        above = tuple(headings[n] for n in sorted(headings))
        for text in re.split(r"(?<=\.) (?=[A-Z])", block.strip()):
            found.append(SourceSentence(text, above))
    return found


def report(path: Path) -> tuple[str, PolicyModel]:
    """What is drafted from an example, as a text that a policy expert can read."""
    model, lines = PolicyModel(), []
    for sentence in sentences_of(path):
        lines.append(f"> {sentence.text}")
        result = draft(sentence, model)
        if isinstance(result, Abstention):
            words = ", ".join(word.text for word in result.words)
            lines += [f"left to a person ({result.kind}): {words or result.reason}", ""]
            continue
        model = grown(model, result)
        for rule in result.rules:
            lines.append(f"{rule.kind} {rule.name}:")
            lines += _indented(render_sentence(model, rule.term))
        for question in result.questions:
            lines.append(f"question ({question.kind}): {question.text}")
            for reading in question.readings:
                lines.append(f"  {reading.label}:")
                lines += _indented(render_sentence(model, reading.term), 4)
        lines.append("")
    return "\n".join(lines), model


def _indented(text: str, by: int = 2) -> list[str]:
    return [" " * by + line for line in text.splitlines()]
