"""Candidates for a merge: same sort, compatible unit, near in words or in meaning, and no more."""

from __future__ import annotations

import itertools
import time

import pytest

from benchmarks.merging import judge, made
from policywright.model import Datatype, Value
from translation.merging.candidates import KEPT, Candidate, Described, find_candidates
from translation.merging.embedding import WordLlamaEmbedder
from translation.merging.values import datatype_candidates, pair_values

EMBEDDER = WordLlamaEmbedder()


def found(*variables: Described) -> list[Candidate]:
    return find_candidates(variables, EMBEDDER)


def real(id: str, name: str, unit: str = "EUR", says: str = "", **parts: str) -> Described:
    return Described(id, name, parts.pop("sort", "Real"), unit, description=says, **parts)


def test_one_thing_in_other_words_is_a_proposal() -> None:
    (one,) = found(
        real("a", "costEur", says="the total cost of the trip"),
        real("b", "totalTripCost", says="what the whole trip costs"),
    )
    assert (one.first, one.second, one.is_proposal) == ("a", "b", True)
    assert one.nearness >= EMBEDDER.near


def test_another_sort_or_unit_is_none() -> None:
    cost = real("a", "tripCost", says="the total cost of the trip")
    assert found(cost, real("b", "tripCost", "USD", says="the total cost of the trip")) == []
    assert found(cost, real("b", "tripCost", says=cost.description, sort="Int")) == []


def test_a_unit_in_another_spelling_is_compatible_and_none_at_all_too() -> None:
    share = real("a", "uptime", "%", says="the uptime of the service")
    assert found(share, real("b", "serviceUptime", "percent", says="the uptime of the service"))
    (unknown,) = found(share, real("b", "serviceUptime", "", says="the uptime of the service"))
    assert unknown.is_proposal


def test_what_looks_alike_and_differs_is_kept_apart_with_its_reason() -> None:
    (one,) = found(
        Described("a", "managerApproved", "Bool", description="the manager approved the trip"),
        Described("b", "directorApproved", "Bool", description="the director approved the trip"),
    )
    assert not one.is_proposal
    assert [str(contrast) for contrast in one.apart] == ["manager / director"]


def test_each_variable_keeps_its_nearest_few_whatever_the_order_they_come_in() -> None:
    variables = [
        real(str(index), f"tripCost{index}", says="the total cost of the trip")
        for index in range(12)
    ]
    pairs = found(*variables)
    for variable in variables:
        own = [pair for pair in pairs if variable.id in (pair.first, pair.second)]
        assert 0 < len([pair for pair in own if not pair.is_proposal]) <= KEPT
    assert pairs == found(*variables)


def test_nothing_comes_of_nothing() -> None:
    assert found() == []
    assert found(real("a", "cost")) == []


def test_the_default_loads_without_network_and_without_torch() -> None:
    import sys

    EMBEDDER.embed(["x"])
    assert "torch" not in sys.modules
    assert EMBEDDER.embed([]).shape == (0, 256)
    assert EMBEDDER.embed([""]).shape == (1, 256)


def test_the_hundred_pairs_stay_as_good_as_they_were_measured() -> None:
    """benchmarks/README.md says how they were chosen."""
    counts = judge(EMBEDDER)
    assert sum(counts[key] for key in ("tp", "fp", "fn", "tn")) == 100
    assert counts["tp"] / (counts["tp"] + counts["fp"]) >= 0.90
    assert counts["tp"] / (counts["tp"] + counts["fn"]) >= 0.70


def test_the_cost_grows_with_the_number_of_variables_not_of_pairs() -> None:
    took = []
    for count in (500, 2_000):
        variables = made(count)
        began = time.process_time()
        find_candidates(variables, EMBEDDER)
        took.append(time.process_time() - began)
    # Four times the variables; sixteen times would be every pair.
    assert took[1] < 10 * took[0] + 0.5
    assert took[1] < 20


def test_values_are_paired_by_name_and_by_phrase() -> None:
    first = datatype("Destination", ("domestic", ""), ("abroad", "an international trip"))
    second = datatype(
        "TripKind", ("DOMESTIC", ""), ("intl", "an international trip"), ("local", "")
    )
    paired = pair_values(first, second)
    assert paired == {
        "TripKind.DOMESTIC": "Destination.domestic",
        "TripKind.intl": "Destination.abroad",
    }
    (candidate,) = datatype_candidates([first, second])
    assert (candidate.first, candidate.second) == ("Destination", "TripKind")
    assert dict(candidate.pairs) == paired


def test_datatypes_with_one_value_in_common_are_no_candidates() -> None:
    first = datatype("Colour", ("red", ""), ("other", ""))
    second = datatype("Shape", ("round", ""), ("other", ""))
    assert list(datatype_candidates([first, second])) == []


def datatype(name: str, *values: tuple[str, str]) -> Datatype:
    return Datatype(
        name, name, tuple(Value(f"{name}.{value}", value, phrase) for value, phrase in values)
    )


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[:3])
def test_a_candidate_names_first_what_was_declared_first(order: tuple[int, ...]) -> None:
    variables = [
        real(str(place), f"{word}Cost", says="the total cost of the trip")
        for place, word in zip(order, ("trip", "travel", "journey"), strict=True)
    ]
    places = {variable.id: place for place, variable in enumerate(variables)}
    for one in found(*variables):
        assert places[one.first] < places[one.second]


def test_a_fact_and_an_outcome_are_one_only_if_they_are_called_so() -> None:
    (one,) = found(
        Described("a", "managerApproved", "Bool", phrase="a line manager has approved the trip"),
        Described("b", "tripApproved", "Bool", role="outcome", phrase="the trip is approved"),
    )
    assert [str(contrast) for contrast in one.apart] == ["fact / outcome"]
    (one,) = found(
        Described("a", "tripApproved", "Bool", phrase="a line manager has approved the trip"),
        Described("b", "approvedTrip", "Bool", role="outcome", phrase="the trip is approved"),
    )
    assert one.is_proposal
