"""The sentences of a passage, drafted in order: each over what those before it declared.

A list is read as a whole: items that are conditions of one rule together with
their lead-in, all others one by one behind it. A lead-in says what its items say,
so it is drafted as soon as all of them are. `In that case` leans on the sentence
before. Names of rules do not repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from policywright.english.draft import draft, draft_text
from policywright.english.drafts import (
    Abstention,
    AbstentionKind,
    Draft,
    DraftedQuestion,
    DraftedRule,
    SourceSentence,
)
from policywright.english.lead_ins import LeadIn, item_text
from policywright.model import Datatype, PolicyModel, Rule, Variable

_IN_ITEMS = Abstention(
    AbstentionKind.NOT_UNDERSTOOD, "it leads into a list, and not every item of it was understood"
)


@dataclass(frozen=True, slots=True)
class PassageRule:
    """A rule with the indexes of the sentences it comes from, and what its words leave open."""

    rule: DraftedRule
    sentences: tuple[int, ...]
    questions: tuple[DraftedQuestion, ...] = ()


@dataclass(slots=True)
class Passage:
    """What was drafted; `abstentions` holds, by index, the sentences left to a person."""

    rules: list[PassageRule] = field(default_factory=list)
    abstentions: dict[int, Abstention] = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    datatypes: tuple[Datatype, ...] = ()


class PassageDrafting:
    """Drafts the sentences of one passage over a policy model, step by step."""

    def __init__(self, sentences: Sequence[SourceSentence], known: PolicyModel) -> None:
        self.sentences = sentences
        self.model = known
        self.passage = Passage()

    def step(self, index: int) -> int:
        """Draft the sentence at `index`, or the list it leads into; the index of the next."""
        items = self._items_of(index)
        if not items:
            self._keep(self._draft_alone(index), (index,))
            return index + 1
        lead_in = LeadIn(*self.sentences[items[0]].context)
        if lead_in.together and all(len(self.sentences[i].context) == 2 for i in items):
            texts = [item_text(self.sentences[i].text)[0] for i in items]
            whole = draft_text(lead_in.with_items(texts), self.sentences[index], self.model)
            self._keep(_without_places(whole), (index, *items))
            return items[-1] + 1
        self._one_by_one(index, items)
        return items[-1] + 1

    def _one_by_one(self, index: int, items: Sequence[int]) -> None:
        first = len(self.passage.rules)
        for item in items:
            self._keep(self._draft_alone(item), (item,))
        if any(item in self.passage.abstentions for item in items):
            self.passage.abstentions[index] = _IN_ITEMS
            return
        for at in range(first, len(self.passage.rules)):
            found = self.passage.rules[at]
            self.passage.rules[at] = replace(found, sentences=(index, *found.sentences))

    def _items_of(self, index: int) -> list[int]:
        """The items behind a lead-in; a sentence that is none has none."""
        text = " ".join(self.sentences[index].text.split())
        rest = range(index + 1, len(self.sentences))
        return list(takewhile(lambda i: text in self.sentences[i].context[::2], rest))

    def _draft_alone(self, index: int) -> Draft | Abstention:
        sentence = self.sentences[index]
        if index and not sentence.before:
            sentence = replace(sentence, before=self._before(index))
        return draft(sentence, self.model)

    def _before(self, index: int) -> str:
        """The sentence before, if it stands under the same headings and in the same list."""
        sentence, before = self.sentences[index], self.sentences[index - 1]
        together = (sentence.headings, sentence.context) == (before.headings, before.context)
        return before.text if together else ""

    def _keep(self, found: Draft | Abstention, sentences: tuple[int, ...]) -> None:
        if isinstance(found, Abstention):
            self.passage.abstentions.update(dict.fromkeys(sentences, found))
            return
        for number, rule in enumerate(found.rules):
            questions = tuple(q for q in found.questions if q.rule_index == number)
            self.passage.rules.append(PassageRule(rule, sentences, questions))
        self.passage.variables += found.variables
        self.passage.datatypes += found.datatypes
        taken = len(self.model.rules)
        rules = [
            Rule(f"new-rule-{taken + n}", r.name, r.term, r.kind) for n, r in enumerate(found.rules)
        ]
        self.model = PolicyModel(
            (*self.model.datatypes, *found.datatypes),
            (*self.model.variables, *found.variables),
            self.model.definitions,
            (*self.model.rules, *rules),
        )


def draft_passage(sentences: Sequence[SourceSentence], known: PolicyModel) -> Passage:
    """Draft all sentences of a passage over a policy model."""
    drafting = PassageDrafting(sentences, known)
    index = 0
    while index < len(sentences):
        index = drafting.step(index)
    return drafting.passage


def _without_places(found: Draft | Abstention) -> Draft | Abstention:
    """Words of a text that was put together have no place in one sentence."""
    if isinstance(found, Draft):
        return found
    words = tuple(replace(word, start=0, end=0) for word in found.words)
    return Abstention(found.kind, found.reason, words)
