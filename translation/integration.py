"""A unit's draft becomes rows: declarations, merges, rules with sources, questions.

Written in one change of the draft, under the policy's lock, once for each span and
formalizer. Only what is exactly alike in name, sort, unit and role is joined, by a
merge row that can be undone; what shares a name and nothing more is kept apart
under two names. A rule that is there already gains a source instead of a double.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from policies.audit import Change
from policies.composing import (
    Composition,
    Declared,
    compose_rows,
    declared_with_scopes,
    free_name,
    renamed,
)
from policies.composing_part import rules_that_use_all
from policies.declared_now import declared_now, will_declare
from policies.editing import Edit, editing
from policies.models import (
    Datatype,
    DatatypeValue,
    Merge,
    Rule,
    RuleSource,
    Sentence,
    Span,
    Statement,
    Unit,
    Variable,
)
from policywright.model import Datatype as ModelDatatype
from policywright.model import Kind, Phrases, PolicyModel, Role, Value
from policywright.model import Variable as ModelVariable
from policywright.sorts import BUILT_IN
from policywright.termjson import parse_sort, term_to_json
from policywright.terms import Term, symbols
from translation.ensemble.comparing import Ensemble
from translation.ensemble.keeping import keep_translations, reading_as_json, stated_elsewhere
from translation.formalizers import QuestionDraft, RuleDraft, UnitDraft
from translation.merging.duplicates import meaning
from translation.models import Question
from translation.places import positions_of
from translation.renaming import rename_ids


def keep_unit(
    span: Span,
    sentences: Sequence[Sentence],
    draft: UnitDraft,
    ensemble: Ensemble | None = None,
) -> Unit | None:
    """Write a draft, and what further translators made of it.

    `sentences` are the rows of the span's sentences, in its order.

    None if this formalizer's unit of the span was kept before: then nothing is written.
    """
    policy = span.revision.document.policy
    formalizer = draft.run.formalizer
    with editing(policy, None, cause=f"formalized by {formalizer}") as edit:
        if Unit.objects.filter(span=span, formalizer=formalizer).exists():
            edit.unchanged = True
            return None
        unit = _Keeping(edit, span, sentences, draft, ensemble or Ensemble()).keep()
    if edit.declared is not None:
        will_declare(edit.policy, edit.declared.base, edit.declared.merged)
    return unit


class _Keeping:
    """One draft on its way into the rows. `uids` maps the draft's ids to those of rows,
    `stands_for` a row's uid to the one it is merged into."""

    def __init__(
        self,
        edit: Edit,
        span: Span,
        sentences: Sequence[Sentence],
        draft: UnitDraft,
        ensemble: Ensemble,
    ) -> None:
        self.edit, self.policy, self.span = edit, edit.policy, span
        self.sentences, self.draft, self.ensemble = sentences, draft, ensemble
        now = declared_now(edit.policy, edit.policy.revision)
        declared = declared_with_scopes(edit.policy, now.base, now.merged)
        self.present = Composition(now.base, {}, now.merged, declared.scopes)
        self.uids: dict[str, str] = {}
        self.stands_for: dict[str, str] = dict(self.present.canonical_uid)
        model = self.present.model
        self.datatype_names = {datatype.name for datatype in model.datatypes}
        self.value_names = {v.name for datatype in model.datatypes for v in datatype.values}
        self.symbol_names = {symbol.name for symbol in model.symbols}
        self.datatypes = {_shape(datatype): datatype for datatype in reversed(model.datatypes)}
        self.variables = {_alike(variable): variable for variable in reversed(model.variables)}
        self.new_datatype_rows: list[Datatype] = []
        self.new_values: list[DatatypeValue] = []
        # What stands for itself of the new datatypes; all new variables, and merges.
        self.new_datatypes: list[ModelDatatype] = []
        self.new_variables: list[Variable] = []
        self.new_merges: list[Merge] = []

    def keep(self) -> Unit:
        self.unit = self._keep_unit()
        for datatype in self.draft.datatypes:
            self._keep_datatype(datatype)
        for variable in self.draft.variables:
            self._keep_variable(variable)
        Datatype.objects.bulk_create(self.new_datatype_rows)
        DatatypeValue.objects.bulk_create(self.new_values)
        Variable.objects.bulk_create(self.new_variables)
        merges = Merge.objects.bulk_create(self.new_merges)
        made = [Change("merge", f"merge:{merge.pk}") for merge in merges]
        self.edit.changes += [Change("add-unit", f"unit:{self.unit.pk}"), *made]
        self.edit.declared = self._declared()
        rules = self._keep_rules()
        for question in (*self.draft.questions, *self.ensemble.questions):
            self._keep_question(question, rules)
        self._keep_statements()
        keep_translations(self.unit, self.ensemble, self.sentences, rules, self._as_json)
        return self.unit

    def _keep_unit(self) -> Unit:
        run = self.draft.run
        return Unit.objects.create(
            policy=self.policy,
            span=self.span,
            formalizer=run.formalizer,
            prompt_version=run.prompt_version,
            rounds=run.rounds,
            prompt_tokens=run.prompt_tokens,
            completion_tokens=run.completion_tokens,
            cost_usd=run.cost_usd,
            log=list(run.log),
        )

    def _keep_datatype(self, datatype: ModelDatatype) -> None:
        alike = self.datatypes.get(_shape(datatype))
        name = datatype.name if alike else free_name(datatype.name, self.datatype_names)
        row = Datatype(policy=self.policy, name=name, description=datatype.description)
        self.new_datatype_rows.append(row)
        self.uids[datatype.id] = row.uid
        values = [
            DatatypeValue(
                datatype=row,
                name=value.name if alike else self._free_value_name(value.name),
                phrase=value.phrase,
                position=position,
            )
            for position, value in enumerate(datatype.values, start=1)
        ]
        self.new_values += values
        self.uids.update({v.id: kept.uid for v, kept in zip(datatype.values, values, strict=True)})
        if alike:
            pairs = zip(values, alike.values, strict=True)
            self._join(row.uid, alike.id, {new.uid: old.id for new, old in pairs}, name)
        else:
            made = tuple(Value(value.uid, value.name, value.phrase) for value in values)
            self.new_datatypes.append(ModelDatatype(row.uid, name, made, row.description))

    def _keep_variable(self, variable: ModelVariable) -> None:
        sort = self.uids.get(variable.sort.key, variable.sort.key)
        alike = self.variables.get(_alike(variable, self.stands_for.get(sort, sort)))
        row = Variable(
            policy=self.policy,
            name=variable.name if alike else self._free_symbol_name(variable.name),
            sort=sort,
            role=variable.role.value,
            unit=variable.unit,
            description=variable.description,
            phrase=variable.phrases.text,
            negative_phrase=variable.phrases.negative,
        )
        self.new_variables.append(row)
        self.uids[variable.id] = row.uid
        if alike:
            self._join(row.uid, alike.id, {}, row.name)

    def _join(self, from_uid: str, into_uid: str, values: dict[str, str], name: str) -> None:
        merge = Merge(
            policy=self.policy,
            from_uid=from_uid,
            into_uid=into_uid,
            values=values,
            evidence={"exact": ["name", "sort", "unit", "role"], "name": name},
        )
        self.new_merges.append(merge)
        self.stands_for |= {from_uid: into_uid, **values}

    def _declared(self) -> Declared:
        """What is declared by now, as composing the rows again would give it."""
        base = self.present.model
        datatypes = (*base.datatypes, *self.new_datatypes)
        sorts = {*BUILT_IN, *(datatype.id for datatype in datatypes)}
        merged = self.stands_for
        variables = (
            ModelVariable(
                row.uid,
                row.name,
                parse_sort(merged.get(row.sort, row.sort)),
                Role(row.role),
                row.unit,
                row.description,
                Phrases(row.phrase, row.negative_phrase),
            )
            for row in self.new_variables
            if row.uid not in merged and merged.get(row.sort, row.sort) in sorts
        )
        model = PolicyModel(datatypes, (*base.variables, *variables))
        return Declared(model, merged, self.present.scopes)

    def _keep_rules(self) -> list[Rule]:
        """The row of each rule: a new one, or the one that says the same already."""
        live = Rule.objects.filter(policy=self.policy, retired_at=None)
        names = set(live.values_list("name", flat=True))
        terms = [rename_ids(rule.term, self.uids) for rule in self.draft.rules]
        said = [self._said(rule, term) for rule, term in zip(self.draft.rules, terms, strict=True)]
        rows = self._rules_that_may_say([rename_ids(term, self.stands_for) for term in terms])
        positions = positions_of(self.sentences) if terms else []
        new, kept = [], []
        for rule, term, one in zip(self.draft.rules, terms, said, strict=True):
            if one not in rows:
                rows[one] = Rule(
                    policy=self.policy,
                    name=free_name(rule.name, names),
                    kind=rule.kind.value,
                    position=positions[rule.sentences[0]],
                    term=term_to_json(term),
                    unit=self.unit,
                )
                new.append(rows[one])
            kept.append(rows[one])
        Rule.objects.bulk_create(new)
        gained = self._keep_sources(kept, new)
        self.edit.added = new
        self.edit.touched = {row.uid for row in (*new, *gained)}
        return kept

    def _said(self, rule: RuleDraft, term: Term) -> tuple[str, ...]:
        """Equal for two rules that are one. The same under another scope is another rule."""
        scopes, _ = self.present.scopes_at([self.sentences[index] for index in rule.sentences])
        taken = tuple(scope.uid for scope in scopes)
        return _meaning(rename_ids(term, self.stands_for), rule.kind, taken)

    def _rules_that_may_say(self, terms: Sequence[Term]) -> dict[tuple[str, ...], Rule]:
        """The rules that use all that one of these terms uses, by what they say; the first counts.

        Of a term with a symbol that was just declared, nobody can have said the same.
        """
        model, found = self.present.model, dict[str, Rule]()
        for term in terms:
            used = {symbol.id for symbol in symbols(term)}
            if used <= model.variable_by_id.keys():
                rows = rules_that_use_all(self.policy, used, self.present.canonical_uid)
                found |= {row.uid: row for row in rows}
        if not found:
            return {}
        declared = Declared(model, self.present.canonical_uid, self.present.scopes)
        composition = compose_rows(self.policy, list(found.values()), declared)
        return {
            _meaning(
                composition.own_terms.get(rule.id, rule.term),
                rule.kind,
                composition.scope_of.get(rule.id, ()),
            ): found[rule.id]
            for rule in reversed(composition.model.rules)
        }

    def _keep_sources(self, kept: Sequence[Rule], new_rules: Sequence[Rule]) -> list[Rule]:
        """Name each rule's sentences; gives the rules to which one is new."""
        made = {row.pk for row in new_rules}
        old = [row for row in kept if row.pk not in made]
        rows = RuleSource.objects.filter(rule__in=old).values_list("rule", "lineage")
        there = set(rows) if old else set()
        new = dict[tuple[int, str], RuleSource]()
        for row, rule in zip(kept, self.draft.rules, strict=True):
            for sentence in (self.sentences[index] for index in rule.sentences):
                if (row.pk, sentence.lineage) not in there:
                    new.setdefault(
                        (row.pk, sentence.lineage),
                        RuleSource(
                            rule=row,
                            lineage=sentence.lineage,
                            revision=self.span.revision,
                            start=sentence.start,
                            end=sentence.end,
                            quote=sentence.text,
                        ),
                    )
        RuleSource.objects.bulk_create(new.values())
        return [source.rule for source in new.values()]

    def _keep_question(self, question: QuestionDraft, rules: Sequence[Rule]) -> None:
        """A question that the rule has already is not asked twice."""
        rule = rules[question.rule]
        if self._is_asked(question, rule):
            return
        stay = stated_elsewhere(question, self.draft, self.sentences, rules)
        Question.objects.create(
            policy=self.policy,
            rule=rule,
            unit=self.unit,
            kind=question.kind,
            text=question.text,
            boundary={
                self.uids.get(key, key): self._exact(value)
                for key, value in question.boundary.items()
            },
            readings=[
                reading_as_json(reading, rule, rules, stay, self._as_json)
                for reading in question.readings
            ],
        )

    def _is_asked(self, question: QuestionDraft, rule: Rule) -> bool:
        """Whether the rule is asked so already, with every other reading of this question."""
        wanted = [self._as_it_is(self._as_json(one.term)) for one in question.readings[1:]]
        for known in rule.questions.filter(text=question.text):
            offered = [self._as_it_is(reading["term"]) for reading in known.readings]
            if all(one in offered for one in wanted):
                return True
        return False

    def _as_it_is(self, term: Any) -> Any:
        """A term as JSON over what its symbols are merged into."""
        return renamed(term, self.stands_for)

    def _as_json(self, term: Term) -> Any:
        return term_to_json(rename_ids(term, self.uids))

    def _exact(self, value: bool | int | Fraction | str) -> str:
        """The value as terms spell it: `true`, `6`, `1/3`, or a value's uid."""
        if isinstance(value, str):
            return self.uids.get(value, value)
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _keep_statements(self) -> None:
        Statement.objects.bulk_create(
            Statement(
                unit=self.unit,
                sentence=None if drafted.sentence is None else self.sentences[drafted.sentence],
                quote=drafted.quote,
                state=drafted.state,
                reason=drafted.reason,
                # A word of the lead-in has no place here; the reason names it.
                words=[[word.start, word.end] for word in drafted.words if word.end],
            )
            for drafted in self.draft.statements
        )

    def _free_symbol_name(self, name: str) -> str:
        """Told apart from variables and from values: a script has one name space for both."""
        taken = self.symbol_names | self.value_names
        free = free_name(name, taken)
        self.symbol_names.add(free)
        return free

    def _free_value_name(self, name: str) -> str:
        """Told apart from variables only: two datatypes may have a value of one name."""
        free = free_name(name, set(self.symbol_names))
        self.value_names.add(free)
        return free


def _meaning(term: Term, kind: Kind, scopes: tuple[str, ...]) -> tuple[str, ...]:
    return (*meaning(term, kind), *scopes)


def _shape(datatype: ModelDatatype) -> tuple[str, ...]:
    """Equal for two datatypes that are exactly alike."""
    return datatype.name, *(value.name for value in datatype.values)


def _alike(variable: ModelVariable, sort: str = "") -> tuple[str, str, str, str]:
    """Equal for two variables that are exactly alike; `sort` is the one that stands for its own."""
    return variable.name, sort or variable.sort.key, variable.unit, variable.role.value
