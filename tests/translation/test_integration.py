"""A unit's draft as rows: joined only where exactly alike, kept apart otherwise, never twice."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policies.audit import first_broken_link
from policies.composing import compose
from policies.models import (
    AuditRow,
    Datatype,
    Merge,
    Policy,
    Rule,
    RuleRevision,
    Sentence,
    Span,
    Statement,
    Unit,
    Variable,
)
from policies.models.draft import StatementState
from policywright.model import Datatype as ModelDatatype
from policywright.model import Kind, Phrases, Role, Value
from policywright.model import Variable as ModelVariable
from policywright.smtlib import print_term
from policywright.sorts import BOOL, INT, REAL
from policywright.terms import and_, eq, gt, implies, integer, member, not_, real
from tests.translation.conftest import add_document
from translation.formalizers import (
    QuestionDraft,
    Reading,
    RuleDraft,
    Run,
    StatementDraft,
    UnitDraft,
    Word,
)
from translation.integration import keep_unit
from translation.models import Question, QuestionKind

pytestmark = pytest.mark.django_db

TEXT = """# Travel

Trips over EUR 100 need approval.

# Phones

Trips over EUR 100 need approval. Costs must be reasonable.
"""

APPROVED = ModelVariable("new-1", "approved", BOOL, Role.FACT, phrases=Phrases("it is approved"))
COST = ModelVariable("new-2", "cost", REAL, Role.FACT, "EUR", "the total cost")
ALLOWED = ModelVariable("new-3", "allowed", BOOL, Role.OUTCOME)
TERM = implies(and_(gt(COST.symbol, real(100)), not_(APPROVED.symbol)), not_(ALLOWED.symbol))


def unit_draft(
    *variables: ModelVariable,
    rules: tuple[RuleDraft, ...] = (),
    formalizer: str = "by-hand",
    **parts: object,
) -> UnitDraft:
    run = Run(formalizer, "formalize-1", 2, 900, 80, Decimal("0.0125"), ({"reply": "x"},))
    return UnitDraft(run, parts.pop("statements", ()), (), variables, rules, **parts)  # type: ignore[arg-type]


def cost_draft(name: str = "cost-rule", sentence: int = 0) -> UnitDraft:
    said = StatementDraft(StatementState.FORMALIZED, sentence, "Trips over EUR 100")
    rule = RuleDraft(name, TERM, Kind.RULE, (sentence,))
    return unit_draft(APPROVED, COST, ALLOWED, rules=(rule,), statements=(said,))


def keep(span: Span, draft: UnitDraft) -> Unit | None:
    sentences = Sentence.objects.filter(
        revision=span.revision, start__gte=span.start, end__lte=span.end
    )
    return keep_unit(span, list(sentences.order_by("ordinal")), draft)


@pytest.fixture
def spans(policy: Policy) -> list[Span]:
    revision = add_document(policy, TEXT)
    return list(Span.objects.filter(revision=revision).order_by("ordinal"))


def printed(policy: Policy) -> dict[str, str]:
    composition = compose(policy)
    assert not composition.broken
    model = composition.model
    return {rule.name: " ".join(print_term(model, rule.term).split()) for rule in model.rules}


def test_a_draft_becomes_rows_that_compose_to_the_same_rule(
    policy: Policy, spans: list[Span]
) -> None:
    unit = keep(spans[0], cost_draft())
    assert printed(policy) == {
        "cost-rule": "(=> (and (> cost 100.0) (not approved)) (not allowed))"
    }
    cost = Variable.objects.get(name="cost")
    assert (cost.sort, cost.unit, cost.role) == ("Real", "EUR", "fact")
    assert cost.description == "the total cost"
    assert Variable.objects.get(name="approved").phrase == "it is approved"
    rule = Rule.objects.get()
    assert (rule.unit, rule.author, rule.kind) == (unit, None, "rule")
    assert rule.content_hash == compose(policy).hashes[rule.uid]
    source = rule.sources.get()
    sentence = Sentence.objects.get(revision=spans[0].revision, ordinal=1)
    assert (source.lineage, source.quote) == (sentence.lineage, sentence.text)
    assert source.revision.text[source.start : source.end] == source.quote


def test_what_the_run_took_is_kept_with_the_unit(policy: Policy, spans: list[Span]) -> None:
    keep(spans[0], cost_draft())
    unit = Unit.objects.get()
    assert (unit.formalizer, unit.prompt_version, unit.rounds) == ("by-hand", "formalize-1", 2)
    assert (unit.prompt_tokens, unit.completion_tokens) == (900, 80)
    assert unit.cost_usd == Decimal("0.0125")
    assert unit.log == [{"reply": "x"}]


def test_each_rule_has_its_first_revision_and_the_log_says_who_made_it(
    policy: Policy, spans: list[Span]
) -> None:
    keep(spans[0], cost_draft())
    revision = RuleRevision.objects.get()
    assert (revision.cause, revision.author) == ("formalized by by-hand", None)
    actions = list(AuditRow.objects.filter(policy=policy).values_list("action", flat=True))
    assert actions == ["add-document", "add-unit", "add-rule"]
    assert first_broken_link(policy) is None


def test_a_span_is_kept_once_by_each_formalizer(policy: Policy, spans: list[Span]) -> None:
    assert keep(spans[0], cost_draft()) is not None
    policy.refresh_from_db()
    before = policy.revision, AuditRow.objects.count(), Variable.objects.count()
    assert keep(spans[0], cost_draft("another")) is None
    policy.refresh_from_db()
    assert (policy.revision, AuditRow.objects.count(), Variable.objects.count()) == before
    assert Unit.objects.count() == Rule.objects.count() == 1


def test_what_is_exactly_alike_is_joined_and_the_rule_gains_a_source(
    policy: Policy, spans: list[Span]
) -> None:
    keep(spans[0], cost_draft())
    first = Rule.objects.get().content_hash
    keep(spans[1], cost_draft("the-same-again"))
    assert Merge.objects.count() == 3
    merge = Merge.objects.first()
    assert merge is not None
    assert merge.by is None
    assert merge.evidence["exact"] == ["name", "sort", "unit", "role"]
    rule = Rule.objects.get()
    assert rule.sources.count() == 2
    assert rule.content_hash != first
    assert len(compose(policy).model.variables) == 3
    assert len(printed(policy)) == 1


def test_a_merge_undone_keeps_both_apart(policy: Policy, spans: list[Span]) -> None:
    keep(spans[0], cost_draft())
    keep(spans[1], unit_draft(APPROVED))
    Merge.objects.update(undone_at="2030-01-01T00:00Z")
    names = {variable.name for variable in compose(policy).model.variables}
    assert names == {"approved", "approved2", "cost", "allowed"}


@pytest.mark.parametrize(
    "other",
    [
        ModelVariable("new-1", "cost", INT, Role.FACT, "EUR"),
        ModelVariable("new-1", "cost", REAL, Role.FACT, "USD"),
        ModelVariable("new-1", "cost", REAL, Role.OUTCOME, "EUR"),
    ],
)
def test_fr_34_one_name_with_two_meanings_stays_two_variables(
    policy: Policy, spans: list[Span], other: ModelVariable
) -> None:
    keep(spans[0], cost_draft())
    keep(spans[1], unit_draft(other))
    assert not Merge.objects.exists()
    assert sorted(Variable.objects.values_list("name", flat=True)) == [
        "allowed", "approved", "cost", "cost2"
    ]  # fmt: skip
    assert {v.name for v in compose(policy).model.variables} >= {"cost", "cost2"}


def season(prefix: str, *values: str) -> tuple[ModelDatatype, ModelVariable]:
    datatype = ModelDatatype(
        f"{prefix}-d", "Season", tuple(Value(f"{prefix}-{v}", v, v.lower()) for v in values)
    )
    return datatype, ModelVariable(f"{prefix}-v", "season", datatype.sort)


def season_draft(prefix: str, *values: str) -> UnitDraft:
    datatype, variable = season(prefix, *values)
    term = implies(
        eq(variable.symbol, member(datatype.id, f"{prefix}-{values[0]}")), ALLOWED.symbol
    )
    return UnitDraft(
        Run("by-hand"), (), (datatype,), (variable, ALLOWED),
        (RuleDraft("season-rule", term, Kind.RULE, (0,)),),
    )  # fmt: skip


def test_equal_enumerations_are_joined_value_by_value(policy: Policy, spans: list[Span]) -> None:
    keep(spans[0], season_draft("a", "LOW", "HIGH"))
    keep(spans[1], season_draft("b", "LOW", "HIGH"))
    model = compose(policy).model
    assert [datatype.name for datatype in model.datatypes] == ["Season"]
    assert printed(policy) == {"season-rule": "(=> (= season LOW) allowed)"}
    assert Rule.objects.get().sources.count() == 2


def test_enumerations_with_other_values_stay_apart(policy: Policy, spans: list[Span]) -> None:
    keep(spans[0], season_draft("a", "LOW", "HIGH"))
    keep(spans[1], season_draft("b", "WET", "DRY"))
    assert sorted(Datatype.objects.values_list("name", flat=True)) == ["Season", "Season2"]
    assert printed(policy) == {
        "season-rule": "(=> (= season LOW) allowed)",
        "season-rule2": "(=> (= season2 WET) allowed)",
    }


def test_a_value_called_like_a_variable_gets_another_name(
    policy: Policy, spans: list[Span]
) -> None:
    keep(spans[0], unit_draft(ModelVariable("new-1", "LOW", BOOL)))
    keep(spans[1], season_draft("a", "LOW", "HIGH"))
    assert printed(policy) == {"season-rule": "(=> (= season LOW2) allowed)"}


def test_a_variable_called_like_a_value_gets_another_name(
    policy: Policy, spans: list[Span]
) -> None:
    keep(spans[0], season_draft("a", "LOW", "HIGH"))
    keep(spans[1], unit_draft(ModelVariable("new-1", "LOW", BOOL)))
    assert "LOW2" in {variable.name for variable in compose(policy).model.variables}


def test_the_same_condition_of_another_kind_is_another_rule(
    policy: Policy, spans: list[Span]
) -> None:
    keep(spans[0], cost_draft())
    assumed = RuleDraft("cost-rule", TERM, Kind.DEFINITION, (0,))
    keep(spans[1], unit_draft(APPROVED, COST, ALLOWED, rules=(assumed,)))
    assert list(Rule.objects.values_list("name", flat=True)) == ["cost-rule", "cost-rule2"]


def test_rules_stand_in_document_order_whatever_was_kept_first(
    policy: Policy, spans: list[Span]
) -> None:
    later = RuleDraft("later", gt(COST.symbol, real(1)), Kind.RULE, (1,))
    keep(spans[1], unit_draft(COST, rules=(later,)))
    keep(spans[0], cost_draft("earlier"))
    second = Span.objects.get(revision=add_document(policy, TEXT, title="Annex"), ordinal=1)
    last = RuleDraft("last", gt(COST.symbol, real(2)), Kind.RULE, (0,))
    keep(second, unit_draft(COST, rules=(last,)))
    assert list(Rule.objects.values_list("name", flat=True)) == ["earlier", "later", "last"]


def test_a_question_is_kept_with_its_readings_and_its_edge(
    policy: Policy, spans: list[Span]
) -> None:
    months = ModelVariable("new-9", "months", INT, Role.FACT, "months")
    least = implies(ALLOWED.symbol, gt(months.symbol, integer(5)))
    more = implies(ALLOWED.symbol, gt(months.symbol, integer(6)))
    question = QuestionDraft(
        0, QuestionKind.BOUNDARY, "With exactly 6 months: allowed?", {"new-9": 6},
        (Reading("yes", least), Reading("no", more)),
    )  # fmt: skip
    rule = RuleDraft("tenure", least, Kind.RULE, (0,))
    draft = unit_draft(months, ALLOWED, rules=(rule,), questions=(question,))
    keep(spans[0], draft)
    kept = Question.objects.get()
    months_uid = Variable.objects.get(name="months").uid
    assert kept.boundary == {months_uid: "6"}
    assert kept.readings[0] == {"label": "yes", "term": Rule.objects.get().term}
    assert (kept.kind, kept.rule.name) == ("boundary", "tenure")
    keep(spans[1], draft)
    assert Question.objects.count() == 1


def test_every_statement_is_kept_with_its_reason_and_words(
    policy: Policy, spans: list[Span]
) -> None:
    statements = (
        StatementDraft(StatementState.ABSTAINED, 0, "Trips", "not understood", (Word(0, 5, "Trips"),
                       Word(0, 0, "lead-in"))),
        StatementDraft(StatementState.FAILED, None, "made up", "no source found"),
    )  # fmt: skip
    keep(spans[0], unit_draft(statements=statements))
    abstained, failed = Statement.objects.order_by("pk")
    assert (abstained.state, abstained.words) == ("abstained", [[0, 5]])
    assert abstained.sentence is not None
    assert (failed.state, failed.sentence, failed.reason) == ("failed", None, "no source found")
