"""A section's sentences, for a person who says of all of it that it binds nobody.

Sentences with a word that mostly binds, or with a number, are put apart: they are
ticked one by one, if at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from policies.models import DocumentRevision, Sentence
from policies.present import sentence_hash
from policies.sources import load_pointed, slim
from vetting.coverage import Coverage, SectionCover
from vetting.sentences import UNACCOUNTED

# One page and one form hold so many; a longer section is marked by its subsections.
MAX_SENTENCES = 500
_BINDING = re.compile(
    r"\b(?:must|may|shall|only|unless|except|required?|requires|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|"
    r"percent|half|twice|first|second|third)\b|\d[\d.,]*|%",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """A sentence that nothing is said of yet; `words` are why it stands apart."""

    lineage: str
    hash: str
    number: str
    text: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class SectionToMark:
    """`others` counts the sentences that have rules or a mark already: those stay as they are."""

    title: str
    plain: tuple[Candidate, ...]
    apart: tuple[Candidate, ...]
    others: int
    too_long: bool


def section_to_mark(
    revision: DocumentRevision, coverage: Coverage, section: SectionCover
) -> SectionToMark:
    """The section with all that stands below it; two queries."""
    covered = [one for part in coverage.whole_section(section) for one in part.sentences]
    open_ = {one.ordinal for one in covered if one.state in UNACCOUNTED and not one.has_rules}
    others = len(covered) - len(open_)
    title = section.title or revision.document.title
    if len(open_) > MAX_SENTENCES:
        return SectionToMark(title, (), (), others, True)
    rows = list(slim(Sentence.objects.filter(revision=revision, ordinal__in=open_)))
    load_pointed(rows)
    found = [_candidate(row) for row in rows]
    plain = tuple(one for one in found if not one.words)
    apart = tuple(one for one in found if one.words)
    return SectionToMark(title, plain, apart, others, False)


def binding_words(text: str) -> tuple[str, ...]:
    """The words of a sentence that speak against marking it in passing, each once."""
    return tuple(dict.fromkeys(word.lower() for word in _BINDING.findall(text)))


def _candidate(row: Sentence) -> Candidate:
    words = binding_words(row.text)
    return Candidate(row.lineage, sentence_hash(row), row.number, row.text, words)
