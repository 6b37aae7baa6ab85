"""A policy once more, to go on from: its documents and its draft, and nobody's word about them.

Taken over are the latest revision of each document, what the formalizers said of its
sentences, datatypes, variables, live rules, merges in force and scopes. Every row has a uid
of its own, and what names another names the new one. Not taken over are approvals, marks,
answers, comments, scenarios, versions, history, and people.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from policies.audit import record
from policies.editing import editing
from policies.models import (
    Datatype,
    DatatypeValue,
    Document,
    DocumentRevision,
    Merge,
    Policy,
    Rule,
    RuleSource,
    Section,
    SectionScope,
    Sentence,
    Span,
    Statement,
    Unit,
    User,
    Variable,
)
from policies.models.people import new_uid
from policies.people import create_policy
from policies.present import sentence_hash
from policies.sources import BULKY, latest_revisions, load_pointed

_BATCH = 500


@dataclass
class _Names:
    """What stands for what: uids and lineages by the old ones, rows by the old ids."""

    uids: dict[str, str] = field(default_factory=dict)
    documents: dict[int, Document] = field(default_factory=dict)
    # By the old document: a source may name an older revision, which is not taken over.
    revisions: dict[int, DocumentRevision] = field(default_factory=dict)
    sentences: dict[str, Sentence] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)

    def new(self, uid: str) -> str:
        return self.uids.setdefault(uid, new_uid())

    def told(self, value: Any) -> Any:
        """JSON with each known uid in it replaced, as a key, too."""
        if isinstance(value, str):
            return self.uids.get(value, value)
        if isinstance(value, list):
            return [self.told(one) for one in value]
        if isinstance(value, dict):
            return {self.told(key): self.told(one) for key, one in value.items()}
        return value


def duplicate_policy(policy: Policy, by: User, *, name: str) -> Policy:
    """The new policy, which `by` owns and nobody else is on."""
    with transaction.atomic():
        # Nobody changes it while it is copied.
        source = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        copy = create_policy(by, name=name, formalizer=source.formalizer)
        kept = ("translators", "forbids_external_models", "abbreviations", "needs_second_person")
        for one in kept:
            setattr(copy, one, getattr(source, one))
        copy.save(update_fields=kept)
        with editing(copy, by, cause="the policy was duplicated from another") as edit:
            names = _Names()
            _copy_documents(source, edit.policy, by, names)
            _copy_statements(source, edit.policy, names)
            _copy_declarations(source, edit.policy, names)
            _copy_merges(source, edit.policy, by, names)
            _copy_scopes(source, by, names)
            _copy_rules(source, edit.policy, by, names)
            record(edit.policy, by, "duplicate-policy", f"policy:{source.pk}")
    return copy


def _copy_documents(source: Policy, copy: Policy, by: User, names: _Names) -> None:
    latest = set(latest_revisions(source))
    for document in source.documents.all():
        made = Document.objects.create(policy=copy, title=document.title, rank=document.rank)
        names.documents[document.pk] = made
        for revision in document.revisions.filter(pk__in=latest):
            _copy_revision(revision, made, by, names)


def _copy_revision(old: DocumentRevision, document: Document, by: User, names: _Names) -> None:
    """The first revision of the copy; what was joined or split by hand stays so."""
    suffix = PurePosixPath(old.filename).suffix
    new = DocumentRevision.objects.create(
        document=document,
        number=1,
        filename=f"{slugify(document.title)[:100] or 'document'}-1{suffix}",
        created_by=by,
        **_fields(old, ("blob_id", "media_type", *BULKY)),
    )
    names.revisions[old.document_id] = new
    parts = ("ordinal", "start", "end", "text", "headings", "context", "number", "page", "pointed")
    before = list(old.sentences.order_by("ordinal"))
    rows = [
        Sentence(revision=new, lineage=names.new(one.lineage), **_fields(one, parts))
        for one in before
    ]
    rows = Sentence.objects.bulk_create(rows, batch_size=_BATCH)
    names.sentences |= {one.lineage: row for one, row in zip(before, rows, strict=True)}
    load_pointed(rows)
    hashes = {row.lineage: sentence_hash(row) for row in rows}
    cut = ("ordinal", "level", "part", "headings", "page", "first", "start", "text", "content")
    sections = [
        Section(
            revision=new,
            sentences=[[names.new(old_), hashes[names.new(old_)]] for old_, _ in one.sentences],
            **_fields(one, cut),
        )
        for one in old.sections.order_by("ordinal")
    ]
    Section.objects.bulk_create(sections, batch_size=200)
    spans = [
        Span(revision=new, **_fields(one, ("ordinal", "start", "end")))
        for one in old.spans.order_by("ordinal")
    ]
    Span.objects.bulk_create(spans, batch_size=_BATCH)


def _copy_statements(source: Policy, copy: Policy, names: _Names) -> None:
    """What was said of sentences that are still there, so that none is formalized again.

    Prompts, replies, tokens and cost stay with the policy that paid for them.
    """
    spans = _spans_by_revision(names)
    said = Statement.objects.filter(
        unit__policy=source, sentence__revision__document__policy=source
    ).select_related("unit", "sentence")
    made: dict[tuple[int, int], Unit] = {}
    rows = []
    for one in said.order_by("pk"):
        sentence = names.sentences.get(one.sentence.lineage) if one.sentence else None
        if sentence is None:
            continue
        starts, of_revision = spans[sentence.revision_id]
        span = of_revision[bisect_right(starts, sentence.start) - 1]
        key = (one.unit_id, span.pk)
        if key not in made:
            made[key] = Unit.objects.create(
                policy=copy,
                span=span,
                formalizer=one.unit.formalizer,
                prompt_version=one.unit.prompt_version,
            )
            names.units.setdefault(one.unit_id, made[key])
        parts = _fields(one, ("quote", "state", "reason", "words"))
        rows.append(Statement(unit=made[key], sentence=sentence, **parts))
    Statement.objects.bulk_create(rows, batch_size=_BATCH)


def _spans_by_revision(names: _Names) -> dict[int, tuple[list[int], list[Span]]]:
    found = {}
    for revision in names.revisions.values():
        spans = list(revision.spans.order_by("start"))
        found[revision.pk] = ([one.start for one in spans], spans)
    return found


def _copy_declarations(source: Policy, copy: Policy, names: _Names) -> None:
    for datatype in source.datatypes.prefetch_related("values"):
        made = Datatype.objects.create(
            policy=copy,
            uid=names.new(datatype.uid),
            **_fields(datatype, ("name", "description")),
        )
        DatatypeValue.objects.bulk_create(
            DatatypeValue(
                datatype=made,
                uid=names.new(value.uid),
                **_fields(value, ("name", "phrase", "position")),
            )
            for value in datatype.values.all()
        )
    parts = ("name", "role", "unit", "description", "phrase", "negative_phrase")
    Variable.objects.bulk_create(
        (
            Variable(
                policy=copy,
                uid=names.new(one.uid),
                sort=names.told(one.sort),
                **_fields(one, parts),
            )
            for one in source.variables.order_by("pk")
        ),
        batch_size=_BATCH,
    )


def _copy_merges(source: Policy, copy: Policy, by: User, names: _Names) -> None:
    Merge.objects.bulk_create(
        (
            Merge(
                policy=copy,
                from_uid=names.new(one.from_uid),
                into_uid=names.new(one.into_uid),
                values=names.told(one.values),
                evidence=names.told(one.evidence),
                by=by if one.by_id else None,
            )
            for one in source.merges.filter(undone_at=None).order_by("pk")
        ),
        batch_size=_BATCH,
    )


def _copy_scopes(source: Policy, by: User, names: _Names) -> None:
    rows = SectionScope.objects.filter(document__policy=source, retired_at=None).order_by("pk")
    for one in rows:
        SectionScope.objects.create(
            document=names.documents[one.document_id],
            uid=names.new(one.uid),
            headings=one.headings,
            term=names.told(one.term),
            created_by=by,
        )


def _copy_rules(source: Policy, copy: Policy, by: User, names: _Names) -> None:
    before = list(source.rules.filter(retired_at=None).prefetch_related("sources__revision"))
    made = Rule.objects.bulk_create(
        (
            Rule(
                policy=copy,
                uid=names.new(one.uid),
                term=names.told(one.term),
                outcome=names.told(one.outcome),
                unit=names.units.get(one.unit_id or 0),
                author=by if one.author_id else None,
                changed_by=by if one.changed_by_id else None,
                **_fields(one, ("name", "kind", "position", "choice")),
            )
            for one in before
        ),
        batch_size=_BATCH,
    )
    RuleSource.objects.bulk_create(
        _sources(zip(before, made, strict=True), names), batch_size=_BATCH
    )


def _sources(pairs: Iterable[tuple[Rule, Rule]], names: _Names) -> Iterable[RuleSource]:
    """A sentence that is in no latest revision is named still, and is in none of the copy."""
    for old, new in pairs:
        for one in old.sources.all():
            yield RuleSource(
                rule=new,
                lineage=names.new(one.lineage),
                revision=names.revisions[one.revision.document_id],
                **_fields(one, ("part", "start", "end", "quote")),
            )


def _fields(row: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
