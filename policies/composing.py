"""Composes the draft's rows into one policy model, and computes what approvals bind to.

Everything is derived from the rows as they are now: merges are resolved, defaults
generated, hashes recomputed. A rule that no longer fits its declarations is kept
as broken, with the reason, and is in no policy model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from policies.models import Datatype, DatatypeValue, Merge, Policy, Rule, Sentence, Variable
from policies.scoping import Scope, present_scopes, scoped, scopes_of_rule
from policies.sources import sentences_by_lineage, source_in
from policywright.defaults import generate_default
from policywright.errors import DefaultNotPossibleError, NameNotAllowedError, SortError
from policywright.hashing import content_hash, rule_content
from policywright.model import Datatype as ModelDatatype
from policywright.model import (
    DefaultChoice,
    Kind,
    Phrases,
    PolicyModel,
    Role,
    Source,
    Value,
    check_term,
)
from policywright.model import Rule as ModelRule
from policywright.model import Variable as ModelVariable
from policywright.names import check_name
from policywright.sorts import BUILT_IN
from policywright.termjson import parse_sort, term_from_json
from policywright.terms import TRUE, Term

# The context of a source whose sentence is in no present revision.
GONE = "no longer in the document"


@dataclass(frozen=True)
class Composition:
    """The draft as one policy model; `broken` maps a rule's uid to what is wrong with it.

    `scopes` are those in force; `scope_of` maps a rule's uid to the uids of those that
    it takes, and `own_terms` to its term without them, as it was written.
    """

    model: PolicyModel
    broken: Mapping[str, str]
    canonical_uid: Mapping[str, str]
    scopes: tuple[Scope, ...] = ()
    scope_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own_terms: Mapping[str, Term] = field(default_factory=dict)

    @cached_property
    def contents(self) -> dict[str, dict[str, Any]]:
        """What each rule's hash covers, by uid."""
        return {rule.id: rule_content(self.model, rule) for rule in self.model.rules}

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Each rule's present content hash, by uid; broken rules have none."""
        return {uid: content_hash(content) for uid, content in self.contents.items()}

    def own_term(self, uid: str) -> Term | None:
        """A rule's term as it was written, without the scopes of its sections."""
        rule = self.model.rule_by_id.get(uid)
        return None if rule is None else self.own_terms.get(uid, rule.term)

    def scopes_of(self, uid: str) -> tuple[Scope, ...]:
        taken = self.scope_of.get(uid, ())
        return tuple(scope for scope in self.scopes if scope.uid in taken)

    def scopes_at(self, sentences: Collection[Sentence]) -> tuple[tuple[Scope, ...], str]:
        """The scopes that a rule of these sentences would take, and what would be wrong."""
        return scopes_of_rule(self.scopes, list(sentences))


def compose(policy: Policy) -> Composition:
    """The draft policy model of a policy, from ten queries whatever its size."""
    return compose_rows(policy, list(live_rules(policy)), declared_in(policy))


def compose_rules(policy: Policy, uids: Collection[str]) -> Composition:
    """Some rules of the draft alone, but no defaults: those speak of all rules.

    Their content and hashes are what they are in the whole draft.
    """
    rows = live_rules(policy).filter(uid__in=uids).exclude(kind=Kind.DEFAULT)
    return compose_rows(policy, list(rows), declared_in(policy))


@dataclass(frozen=True)
class Declared:
    """What rules are composed on: declarations, merges resolved (`merged`), scopes."""

    base: PolicyModel
    merged: Mapping[str, str]
    scopes: tuple[Scope, ...]


def declared_in(policy: Policy) -> Declared:
    """From five queries whatever the size."""
    base, merged = declarations_and_merges(policy)
    return declared_with_scopes(policy, base, merged)


def declared_with_scopes(policy: Policy, base: PolicyModel, merged: Mapping[str, str]) -> Declared:
    """One query, for the scopes."""
    return Declared(base, merged, present_scopes(policy, base, lambda term: renamed(term, merged)))


def live_rules(policy: Policy) -> QuerySet[Rule]:
    return Rule.objects.filter(policy=policy, retired_at=None).prefetch_related("sources")


def compose_rows(
    policy: Policy,
    rows: Sequence[Rule],
    declared: Declared,
    wanted: Collection[str] | None = None,
    sentences: Mapping[str, Sentence] | None = None,
) -> Composition:
    """The rules of these rows; defaults are generated from all of them.

    Where `wanted` is given only those uids are in the composition. `sentences` are the
    present ones of their sources, by lineage, if the caller has them.
    """
    base, merged = declared.base, declared.merged
    if sentences is None:
        sentences = _sourced_sentences(policy, rows)
    composer = _Composer(base, merged, declared.scopes, sentences)
    rules = [rule for row in rows if row.kind != Kind.DEFAULT and (rule := composer.rule(row))]
    broken = composer.broken
    defaults = [row for row in rows if row.kind == Kind.DEFAULT]
    if defaults:
        model = base.with_rules(rules)
        found = (_default(row, model, merged, broken) for row in defaults)
        rules += [default for default in found if default is not None]
    if wanted is not None:
        rules = [rule for rule in rules if rule.id in wanted]
        broken = {uid: problem for uid, problem in broken.items() if uid in wanted}
    return Composition(
        base.with_rules(rules),
        broken,
        merged,
        declared.scopes,
        composer.scope_of,
        composer.own_terms,
    )


def compose_declarations(policy: Policy) -> PolicyModel:
    """The draft's datatypes and variables alone, from four queries whatever its size."""
    return declarations_and_merges(policy)[0]


def declarations_and_merges(policy: Policy) -> tuple[PolicyModel, dict[str, str]]:
    """As `compose_declarations`, and `resolved_merges`."""
    merged = resolved_merges(policy)
    datatypes = _datatypes(policy, merged)
    variables = _variables(policy, merged, datatypes)
    return PolicyModel(datatypes=datatypes, variables=variables), merged


def resolved_merges(policy: Policy) -> dict[str, str]:
    """Each merged uid (symbols, datatypes and values) with the one that stands for it."""
    direct: dict[str, str] = {}
    rows = Merge.objects.filter(policy=policy, undone_at=None)
    for from_uid, into_uid, values in rows.values_list("from_uid", "into_uid", "values"):
        direct[from_uid] = into_uid
        direct.update(values)
    ends = {uid: _end_of_chain(uid, direct) for uid in direct}
    return {uid: end for uid, end in ends.items() if end != uid}


def _end_of_chain(uid: str, direct: Mapping[str, str]) -> str:
    chain = [uid]
    while uid in direct:
        uid = direct[uid]
        if uid in chain:
            # A circle, which no service writes: one of it stands for all, and none is lost.
            return min(chain[chain.index(uid) :])
        chain.append(uid)
    return uid


def _datatypes(policy: Policy, merged: Mapping[str, str]) -> tuple[ModelDatatype, ...]:
    """The datatypes; one without values is left out, and rules that use it are broken.

    Rows are read as tuples here and below: of a large draft that is most of the cost.
    """
    rows = list(Datatype.objects.filter(policy=policy).values_list("uid", "name", "description"))
    own: dict[str, list[tuple[str, str, str]]] = {uid: [] for uid, *_ in rows}
    values = DatatypeValue.objects.filter(datatype__policy=policy).order_by("datatype", "position")
    for datatype, *value in values.values_list("datatype__uid", "uid", "name", "phrase"):
        if value[0] not in merged:
            own[datatype].append((value[0], value[1], value[2]))
    # A datatype's values, then of those merged into it what is merged into none of them.
    joined = {uid: list(own[uid]) for uid, *_ in rows if uid not in merged}
    for uid, *_ in rows:
        if uid in merged:
            joined.setdefault(merged[uid], []).extend(own[uid])
    taken: set[str] = set()
    return tuple(
        ModelDatatype(uid, free_name(name, taken), _values(joined[uid]), description)
        for uid, name, description in rows
        if joined.get(uid) and uid not in merged
    )


def _values(rows: Sequence[tuple[str, str, str]]) -> tuple[Value, ...]:
    taken: set[str] = set()
    return tuple(Value(uid, free_name(name, taken), phrase) for uid, name, phrase in rows)


def _variables(
    policy: Policy, merged: Mapping[str, str], datatypes: tuple[ModelDatatype, ...]
) -> tuple[ModelVariable, ...]:
    """The variables; one whose sort does not exist is left out, as above."""
    taken = {value.name for datatype in datatypes for value in datatype.values}
    sorts = {*BUILT_IN, *(datatype.id for datatype in datatypes)}
    rows = Variable.objects.filter(policy=policy).values_list(
        "uid", "name", "sort", "role", "unit", "description", "phrase", "negative_phrase"
    )
    return tuple(
        ModelVariable(
            uid,
            free_name(name, taken),
            parse_sort(merged.get(sort, sort)),
            Role(role),
            unit,
            description,
            Phrases(phrase, negative),
        )
        for uid, name, sort, role, unit, description, phrase, negative in rows
        if uid not in merged and merged.get(sort, sort) in sorts
    )


def free_name(name: str, taken: set[str]) -> str:
    """The name, or one like it that is allowed and free; it is taken from then on.

    Services let no other name in; a row that someone wrote past them must not
    keep the whole draft from being read.
    """
    try:
        base = check_name(name)
    except NameNotAllowedError as error:
        base = error.suggestion
    number, free = 1, base
    while free in taken:
        number += 1
        free = f"{base}{number}"
    taken.add(free)
    return free


class _Composer:
    """Makes rules of rows, and keeps what it found on the way."""

    def __init__(
        self,
        base: PolicyModel,
        merged: Mapping[str, str],
        scopes: tuple[Scope, ...],
        sentences: Mapping[str, Sentence],
    ) -> None:
        self.base, self.merged, self.scopes, self.sentences = base, merged, scopes, sentences
        self.sorts = {variable.id: variable.sort for variable in base.variables}
        self.broken: dict[str, str] = {}
        self.scope_of: dict[str, tuple[str, ...]] = {}
        self.own_terms: dict[str, Term] = {}

    def rule(self, row: Rule) -> ModelRule | None:
        """None for a rule that is broken."""
        try:
            term = term_from_json(renamed(row.term, self.merged), self.sorts)
            check_name(row.name, "rule")
        except (SortError, NameNotAllowedError) as error:
            self.broken[row.uid] = str(error)
            return None
        own = [self.sentences.get(source.lineage) for source in row.sources.all()]
        scopes, problem = scopes_of_rule(self.scopes, [one for one in own if one is not None])
        problems = [*check_term(self.base, term), *([problem] if problem else [])]
        if problems:
            self.broken[row.uid] = "; ".join(problems)
            return None
        if scopes:
            self.scope_of[row.uid] = tuple(scope.uid for scope in scopes)
            self.own_terms[row.uid] = term
        sources = present_sources(row, self.sentences)
        return ModelRule(row.uid, row.name, scoped(term, scopes), Kind(row.kind), sources)


def _default(
    row: Rule, model: PolicyModel, merged: Mapping[str, str], broken: dict[str, str]
) -> ModelRule | None:
    outcome = merged.get(row.outcome, row.outcome)
    if outcome not in model.variable_by_id:
        broken[row.uid] = "the outcome of this default is no longer declared"
        return None
    choice = DefaultChoice(row.choice)
    try:
        generated = generate_default(model, outcome, choice)
    except DefaultNotPossibleError as error:
        broken[row.uid] = str(error)
        return None
    return ModelRule(
        row.uid,
        row.name,
        generated.term if choice is not DefaultChoice.OPEN else TRUE,
        Kind.DEFAULT,
        outcome=outcome,
        choice=choice,
        rests_on=generated.rests_on,
    )


def present_sources(row: Rule, sentences: Mapping[str, Sentence]) -> tuple[Source, ...]:
    """A rule's sources as their sentences are now; a sentence that is gone says so.

    What it says is hashed, so an approval does not outlive its sentence.
    """
    present = ((source, sentences.get(source.lineage)) for source in row.sources.all())
    return tuple(
        Source("", str(source.revision_id), source.start, source.end, source.quote, (GONE,))
        if sentence is None
        else source_in(sentence, source.part)
        for source, sentence in present
    )


def _sourced_sentences(policy: Policy, rows: Sequence[Rule]) -> dict[str, Sentence]:
    """Each sourced lineage's sentence in its document's latest revision."""
    lineages = {source.lineage for row in rows for source in row.sources.all()}
    return sentences_by_lineage(policy, lineages) if lineages else {}


def renamed(data: Any, merged: Mapping[str, str]) -> Any:
    """The term's JSON with merged ids replaced by those that stand for them."""
    if isinstance(data, list):
        return [renamed(item, merged) for item in data]
    return merged.get(data, data) if isinstance(data, str) else data
