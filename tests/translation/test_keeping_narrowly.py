"""A unit is kept by composing only what it can touch: the rows are those of composing everything.

Random units, with what people do in between (defaults, scopes, merges), are kept twice
from the same start: narrowly, and with the whole draft settled after each. All that is
kept must be the same, to the order of the audit rows.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from policies import editing as editing_module
from policies.composing import Composition, compose
from policies.editing import Edit, editing
from policies.models import (
    AuditRow,
    Merge,
    Policy,
    Rule,
    RuleRevision,
    RuleSource,
    SectionScope,
    Sentence,
    Span,
    Variable,
)
from policywright.model import Datatype, DefaultChoice, Kind, PolicyModel, Role, Value
from policywright.model import Variable as ModelVariable
from policywright.sorts import BOOL, INT, REAL
from policywright.terms import (
    Term,
    and_,
    eq,
    gt,
    implies,
    integer,
    member,
    not_,
    or_,
    real,
)
from tests.translation.conftest import add_document
from translation import integration
from translation.formalizers import RuleDraft, Run, StatementDraft, UnitDraft
from translation.integration import keep_unit

pytestmark = pytest.mark.django_db

TEXT = """# Travel

Trips are short. Trips are cheap.

# Phones

Phones ring. Phones are blue.

## Abroad

Calls from abroad are long.
"""

NAMES = ("allowed", "cost", "days", "kind", "manager", "paid")
SORTS = ((BOOL, Role.FACT, ""), (BOOL, Role.OUTCOME, ""), (INT, Role.FACT, "days"))
SORTS += ((REAL, Role.FACT, "EUR"), (REAL, Role.DERIVED, "EUR"))  # type: ignore[assignment]
VALUES = (("RED", "BLUE"), ("RED", "OTHER"), ("cost", "BLUE"))
STEPS = 14


class Story:
    """What happens to a policy, the same for the same seed and the same rows."""

    def __init__(self, policy: Policy, spans: list[Span], seed: int) -> None:
        self.policy, self.spans, self.chance = policy, spans, random.Random(seed)
        self.number = 0

    def run(self) -> None:
        acts: list[Callable[[], None]] = [self.set_default, self.scope, self.merge, self.undo]
        for _ in range(STEPS):
            if self.chance.random() < 0.7:
                self.keep()
            else:
                self.chance.choice(acts)()

    def keep(self) -> None:
        self.number += 1
        span = self.chance.choice(self.spans)
        sentences = list(
            Sentence.objects.filter(
                revision=span.revision, start__gte=span.start, end__lte=span.end
            ).order_by("ordinal")
        )
        keep_unit(span, sentences, self.draft(len(sentences)))

    def draft(self, sentences: int) -> UnitDraft:
        known = compose(self.policy).model
        datatypes = [self.datatype(n) for n in range(self.chance.choice((0, 0, 1)))]
        variables = self.variables(datatypes)
        every = [*known.variables, *variables]
        used = self.chance.sample(every, min(len(every), 5))
        rules = [
            self.rule(known, datatypes, used, sentences)
            for _ in range(self.chance.randint(1, 3) if used else 0)
        ]
        statements: tuple[StatementDraft, ...] = ()
        run = Run(f"by-hand-{self.number}")
        return UnitDraft(run, statements, tuple(datatypes), tuple(variables), tuple(rules))

    def datatype(self, number: int) -> Datatype:
        values = tuple(Value(f"new-v{number}{n}", n) for n in self.chance.choice(VALUES))
        return Datatype(f"new-d{number}", self.chance.choice(("Colour", "Kind")), values)

    def variables(self, datatypes: list[Datatype]) -> list[ModelVariable]:
        names = self.chance.sample(NAMES, self.chance.randint(0, 3))
        found = []
        for number, name in enumerate(names):
            sort, role, unit = self.chance.choice(SORTS)
            if datatypes and self.chance.random() < 0.4:
                sort, role, unit = datatypes[0].sort, Role.FACT, ""
            found.append(ModelVariable(f"new-{number}", name, sort, role, unit))
        return found

    def rule(
        self,
        known: PolicyModel,
        datatypes: list[Datatype],
        used: list[ModelVariable],
        sentences: int,
    ) -> RuleDraft:
        by_id = {d.id: d for d in (*known.datatypes, *datatypes)}
        outcomes = [v for v in used if v.role is Role.OUTCOME] or used
        one, other = (self.literal(self.chance.choice(used), by_id) for _ in range(2))
        condition = self.chance.choice((one, and_(one, other), or_(one, not_(other))))
        conclusion = self.literal(self.chance.choice(outcomes), by_id)
        term = self.chance.choice((implies(condition, conclusion), implies(conclusion, condition)))
        stated = self.chance.sample(range(sentences), self.chance.randint(1, sentences))
        kind = self.chance.choice((Kind.RULE, Kind.RULE, Kind.DEFINITION))
        return RuleDraft(self.chance.choice(("r", "s")), term, kind, tuple(stated))

    def literal(self, variable: ModelVariable, datatypes: dict[str, Datatype]) -> Term:
        symbol = variable.symbol
        if variable.sort == BOOL:
            return self.chance.choice((symbol, not_(symbol)))
        if variable.sort == INT:
            return gt(symbol, integer(self.chance.randint(1, 2)))
        if variable.sort == REAL:
            return gt(symbol, real(Fraction(self.chance.randint(1, 2), 2)))
        value = self.chance.choice(datatypes[variable.sort.key].values)
        return eq(symbol, member(variable.sort.key, value.id))

    def set_default(self) -> None:
        live = Rule.objects.filter(policy=self.policy, retired_at=None, kind=Kind.DEFAULT)
        taken = set(live.values_list("outcome", flat=True))
        rows = Variable.objects.filter(policy=self.policy, sort="Bool").exclude(uid__in=taken)
        row = self.pick(rows)
        if row is not None:
            with editing(self.policy, None):
                Rule.objects.create(
                    policy=self.policy,
                    name=f"default-{row.uid}",
                    kind=Kind.DEFAULT,
                    position=self.chance.choice((0, 10**6)),
                    outcome=row.uid,
                    choice=self.chance.choice(list(DefaultChoice)).value,
                )

    def scope(self) -> None:
        """Sometimes about an outcome, which no service would write but a role may become."""
        row = self.pick(Variable.objects.filter(policy=self.policy, sort="Bool"))
        headings = self.chance.choice((["Travel"], ["Phones"], ["Phones", "Abroad"]))
        there = SectionScope.objects.filter(headings=headings, retired_at=None)
        if row is not None and not there.exists():
            with editing(self.policy, None):
                SectionScope.objects.create(
                    document=self.spans[0].revision.document,
                    headings=headings,
                    term=["symbol", row.uid],
                    created_by=self.policy.created_by,
                )

    def merge(self) -> None:
        """A later one into an earlier one of its sort."""
        into = self.pick(self.unmerged())
        if into is None:
            return
        same = {"sort": into.sort, "unit": into.unit, "role": into.role}
        row = self.pick(self.unmerged().filter(pk__gt=into.pk, **same))
        if row is not None:
            with editing(self.policy, None):
                Merge.objects.create(policy=self.policy, from_uid=row.uid, into_uid=into.uid)

    def undo(self) -> None:
        row = self.pick(Merge.objects.filter(policy=self.policy, undone_at=None))
        if row is not None:
            with editing(self.policy, None):
                Merge.objects.filter(pk=row.pk).update(undone_at=timezone.now())

    def unmerged(self) -> Any:
        merged = Merge.objects.filter(policy=self.policy, undone_at=None)
        return Variable.objects.filter(policy=self.policy).exclude(
            uid__in=merged.values("from_uid")
        )

    def pick(self, rows: Any) -> Any:
        found = list(rows.order_by("pk"))
        return self.chance.choice(found) if found else None


def kept(policy: Policy) -> dict[str, Any]:
    """All that settling writes, without row ids and times."""
    rules = Rule.objects.filter(policy=policy)
    revisions = RuleRevision.objects.filter(rule__policy=policy).order_by("pk")
    parts = ("rule__uid", "number", "content_hash", "content", "term", "cause")
    audit = AuditRow.objects.filter(policy=policy).order_by("sequence")
    return {
        "revision": Policy.objects.get(pk=policy.pk).revision,
        "rules": list(rules.order_by("uid").values_list("uid", "name", "term", "content_hash")),
        "revisions": list(revisions.values_list(*parts)),
        "audit": [(row.action, named(row.object), row.old_hash, row.new_hash) for row in audit],
        "sources": list(
            RuleSource.objects.filter(rule__policy=policy)
            .order_by("pk")
            .values_list("rule__uid", "lineage", "quote")
        ),
        "merges": list(
            Merge.objects.filter(policy=policy).order_by("pk").values_list("from_uid", "into_uid")
        ),
        "scopes": list(SectionScope.objects.order_by("pk").values_list("content_hash", "english")),
    }


def named(thing: str) -> str:
    """Rules and scopes by their uid; the rest has row ids, which differ."""
    kind = thing.partition(":")[0]
    return thing if kind in ("rule", "scope") else kind


@pytest.fixture
def spans(policy: Policy) -> list[Span]:
    revision = add_document(policy, TEXT)
    return list(Span.objects.filter(revision=revision).order_by("ordinal"))


@pytest.fixture
def same_uids(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """`same_uids(seed)`: ids of rows are the same from then on."""

    def begin(seed: int) -> None:
        chance = random.Random(f"uids-{seed}")
        monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=chance.getrandbits(128)))

    return begin


class _UndoError(Exception):
    """Takes the rows of a story back."""


def told(policy: Policy, spans: list[Span], seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        with transaction.atomic():
            Story(policy, spans, seed).run()
            found = kept(policy)
            raise _UndoError
    except _UndoError:
        return found


def all_that_is_said(keeping: Any, terms: Any) -> dict[tuple[str, ...], Rule]:
    composition = compose(keeping.policy)
    rows = {row.uid: row for row in Rule.objects.filter(policy=keeping.policy)}
    return {
        integration._meaning(
            composition.own_term(rule.id), rule.kind, composition.scope_of.get(rule.id, ())
        ): rows[rule.id]
        for rule in reversed(composition.model.rules)
        if rule.kind is not Kind.DEFAULT
    }


@pytest.mark.parametrize("seed", range(12))
def test_narrowly_kept_units_leave_the_rows_that_settling_everything_would(
    policy: Policy,
    spans: list[Span],
    same_uids: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    same_uids(seed)
    narrow = told(policy, spans, seed)
    settle = editing_module._settle

    def settle_all(edit: Edit) -> Composition:
        edit.touched = None
        return settle(edit)

    same_uids(seed)
    monkeypatch.setattr(editing_module, "_settle", settle_all)
    monkeypatch.setattr(integration._Keeping, "_rules_that_may_say", all_that_is_said)
    assert narrow == told(policy, spans, seed)
    assert len(narrow["revisions"]) >= 5
