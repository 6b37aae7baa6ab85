"""Makes rows for tests, in a line each."""

from __future__ import annotations

from typing import Any

from policies.models import DocumentRevision, Policy, Rule, Sentence, Variable


def make_variable(policy: Policy, name: str, sort: str = "Bool", **fields: Any) -> Variable:
    fields.setdefault("role", "fact")
    return Variable.objects.create(policy=policy, name=name, sort=sort, **fields)


def make_rule(policy: Policy, name: str, term: Any = None, **fields: Any) -> Rule:
    """A rule with a term as JSON by uid; `true` where none is given."""
    term = ["literal", "Bool", "true"] if term is None else term
    return Rule.objects.create(policy=policy, name=name, term=term, **fields)


def source_from(rule: Rule, revision: DocumentRevision, text: str) -> Sentence:
    """Name the sentence that begins with `text` as a source of the rule."""
    sentence = revision.sentences.get(text__startswith=text)
    rule.sources.create(
        lineage=sentence.lineage,
        revision=revision,
        start=sentence.start,
        end=sentence.end,
        quote=sentence.text,
    )
    return sentence
