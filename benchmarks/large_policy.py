"""A policy under review as rows, of any size: a document, its draft, and half of it decided.

The draft is that of `synthetic.py`. Each rule stands in a sentence of its own, among others
that it does not come from. The rows are written at once, and settled by the service that
settles every change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.synthetic import Synthetic

RULES, SENTENCES = 1_467, 7_000
OWNER = "owner@example.org"
PASSWORD = "a long enough secret"
_BATCH = 500


def make_large_policy(rules: int = RULES, *, hubs: int = 0, name: str = "Handbook") -> Any:
    """The policy; of other sizes the sentences and variables are in proportion.

    The first rules of every two sections are approved; of the sentences without a rule
    those of every second section are marked as not binding.
    """
    from policies.document_store import add_document
    from policies.editing import editing
    from policies.models import User
    from policies.people import create_policy

    made = Synthetic(rules, hubs=hubs)
    owner = User.objects.filter(email=OWNER).first() or User.objects.create_user(OWNER, PASSWORD)
    policy = create_policy(owner, name=name)
    text, own = _document(made, rules * SENTENCES // RULES)
    revision = add_document(policy, owner, title=name, data=text.encode(), filename="handbook.md")
    sentences = list(revision.sentences.order_by("ordinal"))
    by_text = {one.text: one for one in sentences}
    stated = [by_text[one] for one in own]
    with editing(policy, None, cause="drafted"):
        _declare(policy, made)
        _write_rules(policy, made, stated)
    policy.refresh_from_db()
    _decide(policy, owner, made)
    _mark(policy, owner, sentences, {one.pk for one in stated})
    return policy


def _document(made: Synthetic, sentences: int) -> tuple[str, list[str]]:
    """The text in Markdown, and the sentence of each rule."""

    def _share(number: int) -> int:
        return number * sentences // len(made.rules)

    lines, own = ["# Handbook"], []
    section = 0
    for number, rule in enumerate(made.rules):
        if made.section_of[number] != section:
            section = made.section_of[number]
            lines.append(f"## {section} Chapter on matters of group {section}")
        own.append(f"Under {rule.name} the office decides matter {number} as it is set out here.")
        said = [own[-1]]
        said += [
            f"For matter {number} a note of kind {other} is kept with the file for later readers."
            for other in range(_share(number + 1) - _share(number) - 1)
        ]
        lines.append(" ".join(said))
    return "\n\n".join(lines) + "\n", own


def _declare(policy: Any, made: Synthetic) -> None:
    from policies.models import Datatype, DatatypeValue, Variable

    Datatype.objects.bulk_create(
        [Datatype(policy=policy, uid=_uid(policy, d.id), name=d.name) for d in made.datatypes],
        batch_size=_BATCH,
    )
    rows = {row.uid: row for row in Datatype.objects.filter(policy=policy)}
    DatatypeValue.objects.bulk_create(
        [
            DatatypeValue(
                datatype=rows[_uid(policy, d.id)],
                uid=_uid(policy, value.id),
                name=value.name,
                position=position,
            )
            for d in made.datatypes
            for position, value in enumerate(d.values)
        ],
        batch_size=_BATCH,
    )
    Variable.objects.bulk_create(
        [
            Variable(
                policy=policy,
                uid=_uid(policy, v.id),
                name=v.name,
                sort=_uid(policy, v.sort.key) if v.sort.is_enumeration else v.sort.key,
                role=v.role.value,
                unit=v.unit,
            )
            for v in made.variables
        ],
        batch_size=_BATCH,
    )


def _write_rules(policy: Any, made: Synthetic, stated: Sequence[Any]) -> None:
    from policies.models import Rule, RuleSource
    from policywright.termjson import term_to_json

    known = {v.id for v in made.variables} | {d.id for d in made.datatypes}
    known |= {value.id for d in made.datatypes for value in d.values}

    def owned(data: Any) -> Any:
        if isinstance(data, (list, tuple)):
            return [owned(item) for item in data]
        return _uid(policy, data) if data in known else data

    Rule.objects.bulk_create(
        [
            Rule(
                policy=policy,
                uid=_uid(policy, rule.id),
                name=rule.name,
                position=number,
                term=owned(term_to_json(rule.term)),
            )
            for number, rule in enumerate(made.rules)
        ],
        batch_size=_BATCH,
    )
    rows = list(Rule.objects.filter(policy=policy).order_by("position"))
    RuleSource.objects.bulk_create(
        [
            RuleSource(
                rule=row,
                lineage=sentence.lineage,
                revision=sentence.revision,
                start=sentence.start,
                end=sentence.end,
                quote=sentence.text,
            )
            for row, sentence in zip(rows, stated, strict=True)
        ],
        batch_size=_BATCH,
    )


def _decide(policy: Any, owner: Any, made: Synthetic) -> None:
    from policies.composing import compose
    from policies.models import Rule
    from vetting.models import Decision, Verdict

    composition = compose(policy)
    assert not composition.broken, composition.broken
    rows = list(Rule.objects.filter(policy=policy).order_by("position"))
    approved = [row for row, section in zip(rows, made.section_of, strict=True) if section % 2]
    Decision.objects.bulk_create(
        [
            Decision(
                policy=policy,
                rule=row,
                verdict=Verdict.APPROVE,
                content_hash=composition.hashes[row.uid],
                content=composition.contents[row.uid],
                english="as it was displayed",
                by=owner,
            )
            for row in approved
        ],
        batch_size=_BATCH,
    )


def _mark(policy: Any, owner: Any, sentences: Sequence[Any], stated: set[int]) -> None:
    from policies.present import sentence_hash
    from vetting.models import MarkKind, SentenceMark

    SentenceMark.objects.bulk_create(
        [
            SentenceMark(
                policy=policy,
                lineage=one.lineage,
                sentence=one,
                kind=MarkKind.NOT_BINDING,
                content_hash=sentence_hash(one),
                reason="a note for readers",
                by=owner,
            )
            for one in sentences
            if one.pk not in stated and one.ordinal % 2
        ],
        batch_size=_BATCH,
    )


def _uid(policy: Any, made: str) -> str:
    """Uids are unique on a server, and two made policies have the same ids."""
    import hashlib

    return hashlib.sha256(f"{policy.pk}:{made}".encode()).hexdigest()[:32]
