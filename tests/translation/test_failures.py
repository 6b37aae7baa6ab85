"""What is counted as a run's own: the statements of the parts that it did itself."""

from __future__ import annotations

import pytest

from policies.models import Policy
from policies.models.jobs import ItemState
from tests.translation.conftest import add_document
from translation.failures import sentences_failed, statements_of
from translation.jobs import finish_inline, start_formalizing


@pytest.mark.django_db(transaction=True)
def test_what_a_later_run_made_of_a_part_that_failed_is_not_the_first_run_s(
    policy: Policy,
) -> None:
    add_document(policy, "# Fees\n\nMembers pay 4 euros.\n\n# Hours\n\nGuests leave at noon.\n")
    job = start_formalizing(policy, None)
    finish_inline(job, holder="here")
    done = statements_of(job).count()
    assert job.items.count() == 2
    assert done >= 2
    # As if the first part had failed here, and its unit were another run's.
    first = job.items.order_by("ordinal").first()
    assert first is not None
    job.items.filter(pk=first.pk).update(state=ItemState.FAILED)
    spans = {statement.unit.span_id for statement in statements_of(job)}
    assert spans == {job.items.exclude(pk=first.pk).get().payload["span"]}
    assert {one.statement.unit.span_id for one in sentences_failed(job)} <= spans
