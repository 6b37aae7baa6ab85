"""The record of a version: what stands in it, and its canonical form.

The higher room hands over what people said (`VersionRecord`); the rest is read
from the rows. The canonical form is JSON with sorted keys and no spaces, so that
the same content has the same bytes and the same SHA-256 everywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from policies.approving import Approver, asks_second_person
from policies.composing import Composition
from policies.export import ScopeOf, SubjectTo
from policies.models import DocumentRevision, Policy, Rule, Sentence, User
from policies.present import sentence_hash
from policies.sources import latest_revisions
from policywright.english import render_rule, render_sentence
from policywright.model import Datatype, Kind, PolicyModel, Variable
from policywright.smtlib import print_term
from policywright.termjson import term_to_json

FORMAT = "policywright record 1"
"""The first key of every record; a change of its shape gets another number."""


class Accounted(StrEnum):
    """How a sentence of a version ends."""

    EXPRESSED = "expressed"
    DEFINITION = "a definition"
    BINDING = "binding, but not expressed"
    NOT_BINDING = "not binding"


@dataclass(frozen=True)
class Said:
    """One person's word on one content: a decision, a mark or an answer; in whose place, too."""

    what: str
    content_hash: str
    by: User
    at: datetime
    reason: str = ""
    english: str = ""
    on_behalf_of: User | None = None

    @property
    def approver(self) -> Approver:
        return self.by.pk, self.on_behalf_of.pk if self.on_behalf_of else None

    def as_json(self) -> dict[str, Any]:
        # Only where it is so, so that a version without is the same as ever.
        other = {"on_behalf_of": person(self.on_behalf_of)} if self.on_behalf_of else {}
        return other | {
            "said": self.what,
            "hash": self.content_hash,
            "by": person(self.by),
            "at": self.at.isoformat(),
            "reason": self.reason,
            "english": self.english,
        }


@dataclass(frozen=True)
class SentenceSaid:
    """How a present sentence ends; `rules` are uids, `outcomes` those that it limits."""

    lineage: str
    state: Accounted
    rules: tuple[str, ...] = ()
    mark: Said | None = None
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionSaid:
    """An answered question about a live rule; `readings` as they are hashed."""

    uid: str
    rule: str
    text: str
    boundary: Mapping[str, str]
    readings: Sequence[Mapping[str, Any]]
    chosen: str
    answer: Said


@dataclass(frozen=True)
class DecisionSaid:
    """A decision of the policy's history, on a live rule or a retired one."""

    rule: str
    rule_name: str
    decision: Said


@dataclass(frozen=True)
class VersionRecord:
    """What a version rests on: who said what. `approvals` has the one that counts by
    rule uid, `scopes` that of each section's scope by its uid. `approved_by` has all the
    approvals of a rule's present content that nobody took back."""

    policy: Policy
    published_by: User
    approvals: Mapping[str, Said]
    sentences: Sequence[SentenceSaid]
    questions: Sequence[QuestionSaid]
    decisions: Sequence[DecisionSaid]
    scopes: Mapping[str, Said] = field(default_factory=dict)
    approved_by: Mapping[str, Sequence[Said]] = field(default_factory=dict)

    def approvals_of(self, uid: str) -> tuple[Said, ...]:
        """All of a rule's approvals; the one that counts where no more are told."""
        one = self.approvals.get(uid)
        return tuple(self.approved_by.get(uid, ())) or (() if one is None else (one,))


def record_content(
    record: VersionRecord, composition: Composition, present: Sequence[Sentence]
) -> dict[str, Any]:
    """All of a record but its number, time and publisher, as JSON."""
    model = composition.model
    said = {one.lineage: one for one in record.sentences}
    # Only where there are some, so that a version without is the same as ever.
    scopes = {"scopes": list(_scopes(record, composition))} if composition.scopes else {}
    second = {"second_person": True} if asks_second_person(record.policy) else {}
    return (
        scopes
        | second
        | {
            "policy": {"slug": record.policy.slug, "name": record.policy.name},
            "documents": _documents(record.policy),
            "datatypes": [_datatype(datatype) for datatype in model.datatypes],
            "variables": [_variable(model, variable) for variable in model.variables],
            "rules": _rules(record, composition),
            "assumptions": [rule.name for rule in model.rules if rule.kind is Kind.ASSUMPTION],
            "sentences": [_sentence(one, said[one.lineage], composition) for one in present],
            "questions": [_question(one, model) for one in record.questions],
            "decisions": [
                {"rule": one.rule, "name": one.rule_name, **one.decision.as_json()}
                for one in record.decisions
            ],
            "subject_to": [
                {"sentence": one.sentence, "outcomes": list(one.outcomes), "reason": one.reason}
                for one in subject_to(record, composition, present)
            ],
        }
    )


def subject_to(
    record: VersionRecord, composition: Composition, present: Sequence[Sentence]
) -> list[SubjectTo]:
    """The binding sentences that no rule carries, in reading order."""
    said = {one.lineage: one for one in record.sentences}
    return [
        SubjectTo(
            sentence.text,
            _outcome_names(said[sentence.lineage], composition),
            mark.reason,
        )
        for sentence in present
        if said[sentence.lineage].state is Accounted.BINDING
        and (mark := said[sentence.lineage].mark) is not None
    ]


def scopes_in(composition: Composition) -> list[ScopeOf]:
    """The scopes of sections, the outer ones first, with the rules that each is part of."""
    model = composition.model
    return [
        ScopeOf(
            scope.section,
            render_sentence(model, scope.term),
            tuple(rule.name for rule in model.rules if scope in composition.scopes_of(rule.id)),
        )
        for scope in composition.scopes
        if scope.term is not None
    ]


def _scopes(record: VersionRecord, composition: Composition) -> Iterator[dict[str, Any]]:
    model = composition.model
    said = zip(composition.scopes, scopes_in(composition), strict=True)
    for scope, shown in said:
        assert scope.term is not None
        yield {
            "id": scope.uid,
            "document": scope.document_title,
            "section": list(scope.headings),
            "hash": scope.hash,
            "english": shown.english,
            "smtlib": print_term(model, scope.term),
            "rules": list(shown.rules),
            "approval": record.scopes[scope.uid].as_json(),
        }


def canonical_bytes(data: Any) -> bytes:
    text = json.dumps(
        data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.encode()


def person(user: User | None) -> dict[str, Any] | None:
    return None if user is None else {"id": user.pk, "name": str(user)}


def _documents(policy: Policy) -> list[dict[str, Any]]:
    revisions = DocumentRevision.objects.filter(pk__in=latest_revisions(policy))
    revisions = revisions.select_related("document").order_by("document__rank", "document")
    return [
        {
            "title": revision.document.title,
            "rank": revision.document.rank,
            "revision": revision.number,
            "filename": revision.filename,
            "text_sha256": hashlib.sha256(revision.text.encode()).hexdigest(),
            "original_sha256": revision.blob_id,
        }
        for revision in revisions
    ]


def _datatype(datatype: Datatype) -> dict[str, Any]:
    return {
        "id": datatype.id,
        "name": datatype.name,
        "description": datatype.description,
        "values": [{"id": v.id, "name": v.name, "phrase": v.phrase} for v in datatype.values],
    }


def _variable(model: PolicyModel, variable: Variable) -> dict[str, Any]:
    sort = variable.sort
    return {
        "id": variable.id,
        "name": variable.name,
        "sort": model.datatype_by_id[sort.key].name if sort.is_enumeration else sort.key,
        "role": variable.role.value,
        "unit": variable.unit,
        "description": variable.description,
        "phrases": [variable.phrases.text, variable.phrases.negative],
    }


def _rules(record: VersionRecord, composition: Composition) -> list[dict[str, Any]]:
    rows = Rule.objects.filter(policy=record.policy, retired_at=None)
    by_uid = {row.uid: row for row in rows.select_related("author", "unit")}
    model = composition.model
    return [
        {
            "id": rule.id,
            "name": rule.name,
            "kind": rule.kind.value,
            "hash": composition.hashes[rule.id],
            "english": render_rule(model, rule),
            "smtlib": print_term(model, rule.term),
            "term": term_to_json(rule.term),
            "default": [rule.outcome, rule.choice.value, list(rule.rests_on)]
            if rule.choice
            else None,
            "sources": [
                {
                    "document": source.document,
                    "revision": source.revision,
                    "offsets": [source.start, source.end],
                    "quote": source.quote,
                    "context": list(source.context),
                }
                for source in rule.sources
            ],
            "author": person(by_uid[rule.id].author),
            "formalizer": unit.formalizer if (unit := by_uid[rule.id].unit) else None,
            "approval": record.approvals[rule.id].as_json(),
            **_more_approvals(record, rule.id),
        }
        for rule in model.rules
    ]


def _more_approvals(record: VersionRecord, uid: str) -> dict[str, Any]:
    """Where more than one person approved a rule, all of them."""
    found = record.approvals_of(uid)
    return {"approvals": [one.as_json() for one in found]} if len(found) > 1 else {}


def _sentence(sentence: Sentence, said: SentenceSaid, composition: Composition) -> dict[str, Any]:
    return {
        "lineage": sentence.lineage,
        "document": sentence.revision.document.title,
        "revision": sentence.revision.number,
        "offsets": [sentence.start, sentence.end],
        "text": sentence.text,
        "headings": sentence.headings,
        "context": sentence.context,
        "hash": sentence_hash(sentence),
        "state": said.state.value,
        "rules": [composition.model.rule_by_id[uid].name for uid in said.rules],
        "mark": said.mark.as_json() if said.mark else None,
        "outcomes": list(_outcome_names(said, composition)),
    }


def _question(question: QuestionSaid, model: PolicyModel) -> dict[str, Any]:
    return {
        "id": question.uid,
        "rule": model.rule_by_id[question.rule].name,
        "text": question.text,
        "boundary": dict(question.boundary),
        "readings": list(question.readings),
        "chosen": question.chosen,
        "answer": question.answer.as_json(),
    }


def _outcome_names(said: SentenceSaid, composition: Composition) -> tuple[str, ...]:
    uids = (composition.canonical_uid.get(uid, uid) for uid in said.outcomes)
    declared = composition.model.variable_by_id
    return tuple(dict.fromkeys(declared[uid].name for uid in uids if uid in declared))
