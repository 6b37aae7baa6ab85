"""One sentence in its place: what stands beside it, what it leans on, and its rules.

Everything here is worked out from the rows, for this sentence alone: at a cost that
does not grow with the document or the draft.
"""

from __future__ import annotations

from dataclasses import dataclass

from policies.composing import Composition, compose_rules
from policies.models import DocumentRevision, Policy, RuleSource, Section, Sentence, SourcePart
from policies.sections import read_section
from policies.sources import load_pointed, slim
from vetting.review import RuleReview, rule_states
from vetting.sentences import SentenceReview, sentence_state

# Of a clause that is referred to, so many sentences are named.
MAX_TARGETS = 3


@dataclass(frozen=True)
class Other:
    """Another sentence of the document, by what a link to it says."""

    lineage: str
    ordinal: int
    number: str
    text: str


@dataclass(frozen=True)
class Leaning:
    """Sentences that this one leans on; `words` are those that refer to them, where some do.

    `more` counts those that are not named.
    """

    words: str
    sentences: tuple[Other, ...]
    more: int


@dataclass(frozen=True)
class InPlace:
    """A sentence as it stands.

    `pairs` are what was read beside it: a table row's header cells with its own, or a
    list's lead-ins with their connectives (`is_row` tells them apart). `lost` are
    references to what the document does not hold. `named` has a rule's name and what the
    sentence is to it.
    """

    sentence: Sentence
    review: SentenceReview
    composition: Composition
    rules: dict[str, RuleReview]
    named: dict[str, tuple[str, SourcePart]]
    is_row: bool
    pairs: tuple[tuple[str, str], ...]
    leanings: tuple[Leaning, ...]
    lost: tuple[str, ...]
    can_split: bool


def sentence_in_place(
    policy: Policy, revision: DocumentRevision, section: int, lineage: str
) -> InPlace | None:
    """The sentence of that lineage in a section of the revision; None where it is not there."""
    sentence = slim(Sentence.objects.filter(revision=revision, lineage=lineage)).first()
    if sentence is None:
        return None
    load_pointed([sentence])
    sources = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None, lineage=lineage)
    named = {
        uid: (name, SourcePart(part))
        for uid, name, part in sources.values_list("rule__uid", "rule__name", "part")
    }
    composition = compose_rules(policy, set(named))
    rules = rule_states(policy, composition, some=True)
    review = sentence_state(policy, sentence, rules)
    row = Section.objects.get(revision=revision, ordinal=section)
    is_row, pairs = _beside(row, sentence)
    leanings, lost = _leanings(row, sentence)
    return InPlace(
        sentence,
        review,
        composition,
        {uid: rules[uid] for uid in review.rules},
        named,
        is_row,
        pairs,
        leanings,
        lost,
        can_split=not is_row and len(sentence.text.split()) > 1,
    )


def _beside(row: Section, sentence: Sentence) -> tuple[bool, tuple[tuple[str, str], ...]]:
    document = read_section(row)
    block = document.blocks[document.sentences[sentence.ordinal - row.first].block]
    if block.kind == "table_row":
        cells = [document.text[cell.start : cell.end].strip() for cell in block.cells]
        heads = list(sentence.context)
        if len(heads) < len(cells):
            heads += [""] * (len(cells) - len(heads))
        cells += [""] * (len(heads) - len(cells))
        return True, tuple(zip(heads, cells, strict=True))
    context = list(sentence.context)
    return False, tuple(zip(context[::2], [*context[1::2], ""], strict=False))


def _leanings(row: Section, sentence: Sentence) -> tuple[tuple[Leaning, ...], tuple[str, ...]]:
    """What the sentence refers to, by the words that do it, then what else it leans on."""
    referring: list[tuple[str, list[int]]] = []
    for one in read_section(row).references:
        if one.sentence == sentence.ordinal - row.first:
            words = one.label or row.text[one.start : one.end]
            referring.append((words, [index + 1 for index in one.targets]))
    lost = tuple(words for words, ordinals in referring if not ordinals)
    named = {ordinal for _, ordinals in referring for ordinal in ordinals}
    referring.append(("", [ordinal for ordinal in sentence.pointed if ordinal not in named]))
    wanted = {ordinal for _, ordinals in referring for ordinal in ordinals[:MAX_TARGETS]}
    others: dict[int, Other] = {}
    if wanted:
        found = Sentence.objects.filter(revision=sentence.revision_id, ordinal__in=wanted)
        rows = found.values_list("lineage", "ordinal", "number", "text")
        others = {other.ordinal: other for other in (Other(*fields) for fields in rows)}
    leanings = tuple(
        Leaning(
            words,
            tuple(others[key] for key in ordinals[:MAX_TARGETS] if key in others),
            max(0, len(ordinals) - MAX_TARGETS),
        )
        for words, ordinals in referring
        if ordinals
    )
    return leanings, lost
