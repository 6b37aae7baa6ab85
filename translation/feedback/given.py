"""What a model is shown of some rules: each as it stands, beside its sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.composing import Composition
from policies.composing_part import restricted
from policies.models import Policy, Rule
from policies.sources import sentences_by_lineage
from policywright.english import render_sentence
from policywright.model import Kind, PolicyModel
from policywright.smtlib import print_term
from policywright.terms import Term, symbols
from translation.declared import choose
from translation.formalizers import SentenceText, SpanText
from translation.spans import sentence_text

# So many rules may be spoken of at once; the answer has to fit into one reply.
MAX_RULES = 20


@dataclass(frozen=True)
class GivenRule:
    """A rule as it stands, without the scopes of its sections: those are added by themselves."""

    uid: str
    name: str
    kind: Kind
    hash: str
    term: Term
    smtlib: str
    english: str
    scopes: tuple[str, ...]
    sentences: tuple[SentenceText, ...]


@dataclass(frozen=True)
class Given:
    """All that a model is asked with. `case` is as in `Feedback.case`.

    `shown` holds the declarations that it sees, `known` all of them: what it writes is
    typed against those, so that no name is taken twice.
    """

    wrong: str
    rules: tuple[GivenRule, ...]
    case: Mapping[str, Any]
    shown: PolicyModel
    known: PolicyModel


def given_rules(
    policy: Policy, composition: Composition, uids: Sequence[str]
) -> tuple[GivenRule, ...]:
    """Those of the uids that can be spoken of: live, not broken, and no default."""
    model = composition.model
    rows = Rule.objects.filter(policy=policy, uid__in=uids, retired_at=None)
    by_uid = {row.uid: row for row in rows.prefetch_related("sources")}
    lineages = {source.lineage for row in by_uid.values() for source in row.sources.all()}
    present = sentences_by_lineage(policy, lineages)
    found = []
    for uid in dict.fromkeys(uids):
        row, term, rule = by_uid.get(uid), composition.own_term(uid), model.rule_by_id.get(uid)
        if row is None or term is None or rule is None or rule.kind is Kind.DEFAULT:
            continue
        scopes = [one.term for one in composition.scopes_of(uid) if one.term is not None]
        sentences = [present.get(source.lineage) for source in row.sources.all()]
        found.append(
            GivenRule(
                uid,
                row.name,
                rule.kind,
                composition.hashes[uid],
                term,
                print_term(model, term),
                render_sentence(model, term),
                tuple(render_sentence(model, scope) for scope in scopes),
                tuple(sentence_text(one) for one in sentences if one is not None),
            )
        )
    return tuple(found)


def give(
    composition: Composition, rules: Sequence[GivenRule], wrong: str, case: Mapping[str, Any]
) -> Given:
    model = composition.model
    known = PolicyModel(model.datatypes, model.variables, model.definitions)
    return Given(wrong, tuple(rules), case, _that_matter(model, rules, wrong, case), known)


def _that_matter(
    model: PolicyModel, rules: Sequence[GivenRule], wrong: str, case: Mapping[str, Any]
) -> PolicyModel:
    """The variables of these rules, and what the sentences and the person's words are near."""
    own = {symbol.id for rule in rules for symbol in symbols(rule.term)}
    words = " ".join([wrong, *case.get("facts", ())])
    sentences = [one for rule in rules for one in rule.sentences]
    near = choose(model, SpanText("", (SentenceText(words), *sentences)), own)
    return restricted(model, own.union(near))
