"""The sentences that a rule comes from: one more, or one less, by hand.

A person may say that a sentence also states, limits or defines a rule. The rule is
then read beside it too, and its approval asks again, since the hash covers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policies.audit import record
from policies.composing import compose
from policies.editing import editing
from policies.models import Document, Policy, Rule, RuleSource, Sentence, SourcePart, User
from policies.present import sentence_hash
from policies.sources import latest_revisions, load_pointed, sentences_by_lineage, slim
from vetting.decisions import english_of
from vetting.edits import editable
from vetting.refusals import MovedError, RefusedError

# A search shows so many sentences; more words find fewer.
MAX_FOUND = 20


@dataclass(frozen=True)
class SourceShown:
    """A source of a rule for its card; `sentence` is None where it is in no present text."""

    lineage: str
    part: SourcePart
    quote: str
    sentence: Sentence | None

    @property
    def document(self) -> Document | None:
        return self.sentence.revision.document if self.sentence else None


def add_source(
    policy: Policy,
    user: User,
    rule: Rule,
    sentence: Sentence,
    *,
    part: str = SourcePart.STATES,
    shown_sentence: str,
) -> RuleSource:
    """Say that a sentence also states, limits or defines a rule; the same again changes nothing.

    `shown_sentence` is the sentence's hash as the page showed it. Raises MovedError if
    it changed, RefusedError for a default or an assumption, which no sentence states.
    """
    if part not in SourcePart.values:
        raise RefusedError("choose whether the sentence states, limits or defines the rule.")
    with editing(policy, user, cause="one more sentence was named") as edit:
        row = _with_sources(edit.policy, rule)
        present = sentences_by_lineage(edit.policy, [sentence.lineage]).get(sentence.lineage)
        if present is None or sentence_hash(present) != shown_sentence:
            raise MovedError(
                "this sentence changed after you opened the page; read it as it is now.",
                present=present.text if present else "",
                present_hash=sentence_hash(present) if present else "",
                sent=sentence.text,
            )
        known = row.sources.filter(lineage=present.lineage).first()
        if known is not None and known.part == part:
            edit.unchanged = True
            return known
        if known is not None:
            known.part = part
            known.save(update_fields=["part"])
        else:
            known = RuleSource.objects.create(
                rule=row,
                lineage=present.lineage,
                part=part,
                revision=present.revision,
                start=present.start,
                end=present.end,
                quote=present.text,
            )
        record(edit.policy, user, "add-source", f"rule:{row.uid}:{present.lineage}")
        return known


def remove_source(policy: Policy, user: User, rule: Rule, lineage: str, *, shown_hash: str) -> None:
    """Take a sentence away from a rule. Its last one stays: without it the rule is no rule.

    `shown_hash` is the rule's content hash as the card showed it.
    """
    with editing(policy, user, cause="a sentence was taken away") as edit:
        row = _with_sources(edit.policy, rule)
        source = row.sources.filter(lineage=lineage).first()
        if source is None:
            edit.unchanged = True
            return
        composition = compose(edit.policy)
        present = composition.hashes.get(row.uid, "")
        if present != shown_hash:
            raise MovedError(
                "someone changed this rule after you opened the page; nothing was saved.",
                present=english_of(row, composition),
                present_hash=present,
            )
        if row.sources.count() == 1:
            raise RefusedError(
                "this is the rule's only sentence; name another one first, or reject the rule."
            )
        source.delete()
        record(edit.policy, user, "remove-source", f"rule:{row.uid}:{lineage}")


def sources_of(
    policy: Policy, rule: Rule, present: Mapping[str, Sentence] | None = None
) -> list[SourceShown]:
    """The sources of a rule in its order, with their present sentences; four queries at most.

    `present` are those sentences, if the caller knows them: then it is one query.
    """
    rows = list(rule.sources.all())
    if present is None:
        present = sentences_by_lineage(policy, [row.lineage for row in rows])
    return [
        SourceShown(row.lineage, SourcePart(row.part), row.quote, present.get(row.lineage))
        for row in rows
    ]


def find_sentences(policy: Policy, words: str) -> list[Sentence]:
    """The first present sentences that hold each of the words, in reading order."""
    rows = slim(Sentence.objects.filter(revision__in=latest_revisions(policy)))
    wanted = words.replace("\0", " ").split()[:12]
    if not wanted:
        return []
    for word in wanted:
        rows = rows.filter(text__icontains=word)
    order = ("revision__document__rank", "revision__document", "ordinal")
    found = list(rows.order_by(*order)[:MAX_FOUND])
    load_pointed(found)
    return found


def _with_sources(policy: Policy, rule: Rule) -> Rule:
    row = editable(policy, rule)
    if row.kind == "assumption":
        raise RefusedError("an assumption stands in no sentence; write a rule instead.")
    return row
