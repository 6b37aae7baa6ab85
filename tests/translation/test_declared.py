"""Which declarations a model is shown: near ones, few, and the same when asked again."""

from __future__ import annotations

import pytest

from policies.composing import compose, compose_declarations, resolved_merges
from policies.composing_part import restricted
from policies.jobs import Context, start_job
from policies.jobs.leases import claim
from policies.models import Item, Merge, Policy, Rule, Span, Variable
from policywright.model import Datatype, Phrases, PolicyModel, Role, Value
from policywright.model import Variable as ModelVariable
from policywright.sorts import BOOL, REAL
from policywright.terms import symbols
from tests.policies.making import make_variable, source_from
from tests.translation.conftest import add_document, span_of
from translation import declared
from translation.declared import choose, declarations_for
from translation.drafting import Workpiece
from translation.formalizers import CancelledError, Run
from translation.integration import keep_unit

COLOURS = Datatype("d-colour", "Colour", (Value("red", "RED", "red"), Value("blue", "BLUE")))
COUNTRY = Datatype("d-country", "Country", (Value("de", "DE", "Germany"), Value("fr", "FR")))


def model_of(*variables: ModelVariable, others: int = 400) -> PolicyModel:
    """These variables behind many that have nothing to do with anything."""
    rest = (
        ModelVariable(f"o{n}", f"unrelated{n}", BOOL, description=f"whether widget {n} turns")
        for n in range(others)
    )
    return PolicyModel((COLOURS, COUNTRY), (*rest, *variables))


COST = ModelVariable("cost", "tripCost", REAL, Role.FACT, "EUR", "the total cost of a trip")
HOME = ModelVariable("home", "homeCountry", COUNTRY.sort, phrases=Phrases("the home country"))
ALLOWED = ModelVariable("allowed", "bonusAllowed", BOOL, Role.OUTCOME, description="a bonus is")


def test_of_few_declarations_all_are_shown_in_their_order() -> None:
    model = model_of(COST, HOME, others=3)
    assert choose(model, span_of("Something else.")) == [
        *("d-colour", "d-country", "o0", "o1", "o2", "cost", "home")
    ]


def test_of_many_those_near_the_words_are_shown_with_their_datatypes_and_the_outcomes() -> None:
    model = model_of(COST, HOME, ALLOWED)
    chosen = choose(model, span_of("Trips that cost over EUR 900 from Germany need approval."))
    assert chosen == ["d-country", "cost", "home", "allowed"]


def test_what_the_rules_just_before_use_is_shown_without_a_word_in_common() -> None:
    model = model_of(COST)
    assert "o7" not in choose(model, span_of("The cost of a trip."))
    assert choose(model, span_of("The cost of a trip."), {"o7"}) == ["o7", "cost"]


def test_no_more_is_shown_than_fits_and_the_nearest_come_first() -> None:
    costs = [
        ModelVariable(f"c{n}", f"cost{n}", REAL, description="the cost of it. " * 20)
        for n in range(100)
    ]
    model = model_of(*costs, COST)
    chosen = choose(model, span_of("The total cost of a trip."))
    assert "cost" in chosen
    lengths = {one.id: declared._length(one) for one in (*model.datatypes, *model.variables)}
    shown = sum(lengths[uid] for uid in chosen)
    assert declared.MAX_CHARACTERS - max(lengths.values()) < shown <= declared.MAX_CHARACTERS


def test_the_choice_does_not_depend_on_anything_but_what_is_given() -> None:
    model = model_of(COST, HOME, ALLOWED)
    text = span_of("Trips that cost over EUR 900 from Germany need approval.")
    declared._stems.cache_clear()
    assert choose(model, text) == choose(model_of(COST, HOME, ALLOWED), text)


def test_the_choice_from_a_draft_that_grew_is_that_from_it_as_it_is() -> None:
    text = span_of("Trips that cost over EUR 900 from Germany need approval by widget 7.")
    whole = model_of(COST, HOME, ALLOWED)
    sizes = (300, 10, 402, 402, 401, 403)
    for size in sizes:
        part = PolicyModel(whole.datatypes, whole.variables[:size])
        declared._indexes.clear()
        alone = choose(part, text)
        assert set(alone) <= {*part.variable_by_id, *part.datatype_by_id}
        choose(PolicyModel(whole.datatypes[:1], part.variables[: size // 2]), text)
        assert choose(part, text) == alone
        choose(whole, text)
        assert choose(part, text) == alone


@pytest.fixture
def span(policy: Policy) -> Span:
    revision = add_document(policy, "# Travel\n\nTrips are short.\n\n# Phones\n\nPhones ring.\n")
    return Span.objects.filter(revision=revision).order_by("-ordinal")[0]


def claimed(policy: Policy, span: Span) -> Context:
    job = start_job(policy, None, "formalize", [("a", {"span": span.pk})], key="k")
    context = claim(Item.objects.get(job=job).pk, "worker")
    assert context is not None
    return context


@pytest.mark.django_db
def test_what_was_chosen_is_kept_with_the_item_and_used_again(policy: Policy, span: Span) -> None:
    first, second = make_variable(policy, "phoneRings"), make_variable(policy, "tripShort")
    context = claimed(policy, span)
    shown = declarations_for(span, span_of("Phones ring."), context)
    assert [one.id for one in shown.variables] == [first.uid, second.uid]
    payload = Item.objects.get(pk=context.item_id).payload
    assert payload == {"span": span.pk, "declared": [first.uid, second.uid]}
    make_variable(policy, "phoneSilent")
    Variable.objects.filter(pk=second.pk).delete()
    again = declarations_for(span, span_of("Phones ring."), context)
    assert [one.id for one in again.variables] == [first.uid]


@pytest.mark.django_db
def test_an_item_that_was_taken_away_keeps_nothing(policy: Policy, span: Span) -> None:
    context = claimed(policy, span)
    Item.objects.filter(pk=context.item_id).update(fence=context.fence + 1)
    with pytest.raises(CancelledError):
        declarations_for(span, span_of("Phones ring."), context)
    assert Item.objects.get(pk=context.item_id).payload == {"span": span.pk}


@pytest.mark.django_db
def test_what_the_sentences_before_it_are_about_is_looked_up_past_merges(
    policy: Policy, span: Span
) -> None:
    old, present = make_variable(policy, "journeyShort"), make_variable(policy, "tripShort")
    Merge.objects.create(policy=policy, from_uid=old.uid, into_uid=present.uid)
    rule = Rule.objects.create(policy=policy, name="r", term=["symbol", old.uid])
    source_from(rule, span.revision, "Trips are short")
    assert present.uid in declared.used_before(span, resolved_merges(policy))


def declares(name: str, unit: str) -> dict[str, object]:
    return {
        "name": name,
        "sort": "Real",
        "role": "fact",
        "unit": unit,
        "description": "what it costs",
        "phrase": "the cost",
        "negative": "",
    }


@pytest.mark.django_db
@pytest.mark.parametrize(("unit", "joined"), [("EUR", True), ("USD", False)])
def test_what_was_not_shown_and_is_declared_again_is_joined_only_if_exactly_alike(
    policy: Policy, span: Span, unit: str, joined: bool
) -> None:
    there = make_variable(policy, "cost", "Real", unit="EUR")
    outcome = make_variable(policy, "ringing", role="outcome")
    known = restricted(compose_declarations(policy), {outcome.uid})
    work = Workpiece(span_of("Phones ring."), known)
    work.take(
        [
            {
                "sentence": 1,
                "quote": "Phones ring.",
                "formalizable": True,
                "reason": "",
                "datatypes": [],
                "variables": [declares("cost", unit)],
                "open": [],
                "rules": [{"name": "r", "smtlib": "(=> (> cost 5.0) (not ringing))"}],
            }
        ]
    )
    sentences = list(span.revision.sentences.filter(text="Phones ring."))
    keep_unit(span, sentences, work.finish(Run("by-hand")))
    model = compose(policy).model
    assert [rule.name for rule in model.rules] == ["r"]
    used = {one.id for one in symbols(model.rules[0].term)}
    assert (there.uid in used) is joined
    names = {one.name: one.unit for one in model.variables if one.sort == REAL}
    assert names == ({"cost": "EUR"} if joined else {"cost": "EUR", "cost2": "USD"})
