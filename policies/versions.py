"""Freezes a version: the one way by which anything is published.

Whoever calls hands over what people said; every hash is computed again here, from
the rows, and what does not fit refuses the version as a whole. Only
`vetting.publishing` may import this module; an import contract holds it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from policies.approving import asks_second_person, authors_of, missing, required_of
from policies.audit import record as record_audit
from policies.composing import Composition, compose
from policies.export import export_smt2
from policies.models import Delegation, Policy, Rule, Sentence, User, Version
from policies.present import present_sentences, question_hash, sentence_hash
from policies.version_record import (
    FORMAT,
    Accounted,
    Said,
    SentenceSaid,
    VersionRecord,
    canonical_bytes,
    person,
    record_content,
    scopes_in,
    subject_to,
)
from policywright.errors import ReadError
from policywright.hashing import content_hash, rule_content
from policywright.model import Kind, PolicyModel
from policywright.smtlib import read


class FreezeRefusedError(Exception):
    """A record that does not hold; `reasons` are sentences, and nothing was saved."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = tuple(reasons)


def freeze_version(record: VersionRecord) -> Version:
    """Freeze the draft as it is now, inside the caller's transaction, under the policy's lock.

    What is frozen already, with nothing said since, gives that version again.
    Raises FreezeRefusedError with every reason: a rule, assumption or default
    without a named approval of its present content, or without that of a second person
    or of somebody whom its section names, a sentence without an end, a mark or an answer
    that was given to other words.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("a version is frozen in the transaction that holds the policy's lock")
    policy = Policy.objects.select_for_update(no_key=True).get(pk=record.policy.pk)
    composition = compose(policy)
    present = present_sentences(policy)
    reasons = [*_rules(record, composition), *_sentences(record, composition, present)]
    reasons += [*_questions(record, composition), *_scopes(record, composition)]
    reasons += _people(policy, record, composition)
    if reasons:
        raise FreezeRefusedError(reasons)
    content = record_content(record, composition, present)
    last = policy.versions.order_by("-number").first()
    if last is not None and json.loads(last.record)["content"] == content:
        return last
    return _freeze(policy, record, composition, present, content, last.number + 1 if last else 1)


def _freeze(
    policy: Policy,
    record: VersionRecord,
    composition: Composition,
    present: Sequence[Sentence],
    content: dict[str, Any],
    number: int,
) -> Version:
    at = timezone.now()
    published = {"by": person(record.published_by), "at": at.isoformat()}
    data = {"format": FORMAT, "version": number, "published": published, "content": content}
    record_bytes = canonical_bytes(data)
    record_sha256 = hashlib.sha256(record_bytes).hexdigest()
    smt2 = export_smt2(
        composition.model,
        policy=policy.name,
        version=number,
        record_sha256=record_sha256,
        subject_to=subject_to(record, composition, present),
        scopes=scopes_in(composition),
    )
    _check_reads_back(smt2, composition.model)
    version = Version.objects.create(
        policy=policy,
        number=number,
        record=record_bytes.decode(),
        record_sha256=record_sha256,
        smt2=smt2,
        sha256=hashlib.sha256(smt2).hexdigest(),
        published_by=record.published_by,
        published_at=at,
    )
    record_audit(
        policy, record.published_by, "publish", f"version:{number}", new_hash=record_sha256
    )
    return version


def _rules(record: VersionRecord, composition: Composition) -> Iterator[str]:
    model = composition.model
    for uid, problem in composition.broken.items():
        yield f"a rule of the draft ({uid}) does not fit its declarations: {problem}"
    if not any(rule.kind in (Kind.RULE, Kind.DEFINITION) for rule in model.rules):
        yield "this policy has no rules"
    for rule in model.rules:
        approval = record.approvals.get(rule.id)
        if approval is None or not _named(approval.by):
            yield f"{rule.kind.value} `{rule.name}` has no named approval"
        elif approval.what != "approve" or approval.content_hash != composition.hashes[rule.id]:
            yield f"{rule.kind.value} `{rule.name}` was approved with another content"
    for uid in record.approvals.keys() - model.rule_by_id.keys():
        yield f"the record approves a rule that is not in the draft ({uid})"


def _people(policy: Policy, record: VersionRecord, composition: Composition) -> Iterator[str]:
    """Whose approval is missing, by the rows as they are."""
    rows = Rule.objects.filter(policy=policy, retired_at=None)
    changed = {uid: own for uid, *own in rows.values_list("uid", "author", "changed_by")}
    required, asks_second = required_of(policy), asks_second_person(policy)
    delegations = list(Delegation.objects.filter(policy=policy))
    for rule in composition.model.rules:
        named = f"{rule.kind.value} `{rule.name}`"
        present = composition.hashes[rule.id]
        said = record.approvals_of(rule.id)
        more = [one for one in said if one is not record.approvals.get(rule.id)]
        if any(one.what != "approve" or one.content_hash != present for one in more):
            yield f"{named} was approved with another content"
        for one in said:
            if one.on_behalf_of and not any(_lets(given, one) for given in delegations):
                yield f"{named} was approved by {one.by} for {one.on_behalf_of}, who did not ask so"
        lacks = missing(
            [one.approver for one in said],
            authors_of(*changed[rule.id]),
            required.get(rule.id, ()),
            asks_second=asks_second,
        )
        if lacks.second:
            yield f"{named} was approved only by whoever changed it last"
        if lacks.people:
            yield f"{named} lacks the approval of somebody whom its section names"


def _lets(given: Delegation, said: Said) -> bool:
    """Whether by this delegation the one let the other approve at that time."""
    return (
        (given.to_id, given.person_id) == said.approver
        and given.created_at <= said.at
        and (given.ended_at is None or given.ended_at >= said.at)
        and given.until >= timezone.localdate(said.at)
    )


def _named(user: User) -> bool:
    return bool(user.pk) and bool(str(user).strip()) and User.objects.filter(pk=user.pk).exists()


def _sentences(
    record: VersionRecord, composition: Composition, present: Sequence[Sentence]
) -> Iterator[str]:
    said = {one.lineage: one for one in record.sentences}
    for sentence in present:
        one = said.get(sentence.lineage)
        if one is None:
            yield f"nothing is said of the sentence '{sentence.text}'"
        elif not _holds(one, sentence, composition):
            yield f"what is said of the sentence '{sentence.text}' does not hold as it stands"
    if len(record.sentences) != len(present):
        yield "the record does not speak of each present sentence once"


def _holds(said: SentenceSaid, sentence: Sentence, composition: Composition) -> bool:
    """Whether a sentence ends as the record says: by rules that quote it, or by a mark on it."""
    if said.mark is not None and said.mark.content_hash != sentence_hash(sentence):
        return False
    rules = [composition.model.rule_by_id.get(uid) for uid in said.rules]
    place = (sentence.start, sentence.end, sentence.text)
    quoted = [
        rule is not None and place in [(s.start, s.end, s.quote) for s in rule.sources]
        for rule in rules
    ]
    if said.state is Accounted.EXPRESSED:
        return bool(quoted) and all(quoted)
    return all(quoted) and said.mark is not None and _named(said.mark.by)


def _questions(record: VersionRecord, composition: Composition) -> Iterator[str]:
    for question in record.questions:
        rule = composition.model.rule_by_id.get(question.rule)
        present = question_hash(question.text, question.readings, rule.sources if rule else ())
        if rule is None or question.answer.content_hash != present:
            yield f"the answer to '{question.text}' was given to other words"


def _scopes(record: VersionRecord, composition: Composition) -> Iterator[str]:
    for scope in composition.scopes:
        approval = record.scopes.get(scope.uid)
        if scope.term is None:
            yield f"the scope of '{scope.section}' does not fit its declarations: {scope.problem}"
        elif approval is None or not _named(approval.by):
            yield f"the scope of '{scope.section}' has no named approval"
        elif approval.what != "approve" or approval.content_hash != scope.hash:
            yield f"the scope of '{scope.section}' was approved with another content"


def _check_reads_back(smt2: bytes, policy_model: PolicyModel) -> None:
    """A second net: the file, read again, holds the same rules with the same content."""
    try:
        again = read(smt2.decode())
    except ReadError as error:
        raise FreezeRefusedError([f"the exported file cannot be read back: {error}"]) from error
    before, after = (
        [(rule.id, content_hash(rule_content(model, rule))) for rule in model.rules]
        for model in (policy_model, again)
    )
    if before != after:
        raise FreezeRefusedError(["the exported file does not read back as the same rules"])
