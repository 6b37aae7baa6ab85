"""A worker killed in the middle of formalizing: the next one finishes, each span once."""

from __future__ import annotations

from collections import Counter

import pytest

from policies.audit import first_broken_link
from policies.jobs import progress_of
from policies.models import Policy, Rule, Span, Unit, User
from policies.models.jobs import ItemState
from tests.policies.conftest import celery, embedded, engine, own_redis
from tests.policies.engines import Engine, wait_until
from tests.translation.conftest import add_document
from translation.jobs import start_formalizing

__all__ = ["celery", "embedded", "engine", "own_redis"]

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 24
TEXT = "\n\n".join(
    f"# Section {number}\n\nTrips exceeding EUR {number + 1},000 require line-manager approval."
    for number in range(SECTIONS)
)


def test_a_run_killed_in_the_middle_is_finished_with_each_span_formalized_once(
    policy: Policy, alice: User, engine: Engine
) -> None:
    add_document(policy, TEXT)
    job = start_formalizing(policy, alice)
    engine.start()
    wait_until(lambda: Unit.objects.count() >= 3, said=engine.logs)
    engine.kill()
    done = Unit.objects.count()
    assert 3 <= done < SECTIONS
    assert not progress_of(job).finished

    engine.start()
    wait_until(lambda: progress_of(job).finished, seconds=60, said=engine.logs)
    assert set(job.items.values_list("state", flat=True)) == {ItemState.DONE}
    units = Counter(Unit.objects.values_list("span", flat=True))
    assert units == Counter(Span.objects.values_list("pk", flat=True))
    assert Rule.objects.count() == SECTIONS
    assert first_broken_link(policy) is None
