"""In which order repairs are offered: nobody is to leave out a rule that has one word wrong."""

from __future__ import annotations

from policywright.findings import FindingKind
from policywright.scenarios import Scenario
from policywright.scenarios.repairs import repairs
from policywright.smtlib import read
from policywright.terms import TRUE

LOANS = """(declare-const days Int)
(declare-const consent Bool)
(declare-const allowed Bool)
(assert (! (=> (and (>= days 14) (not consent)) (not allowed)) :named long-loan))
(assert (! (=> (or (< days 14) consent) allowed) :named short-loan))
"""


def test_a_rule_left_out_comes_behind_the_other_repairs_that_keep_as_many_answers() -> None:
    model = read(LOANS)
    days, consent, allowed = model.variables
    asked = Scenario({days.id: 14, consent.id: False}, allowed.symbol, FindingKind.INVALID)
    offered = repairs(
        model,
        asked,
        FindingKind.SATISFIABLE,
        tried_first=[(model.rules[0].id, TRUE)],
        within_s=60,
    )
    gone = [place for place, one in enumerate(offered) if one.term == TRUE]
    alike = [one for one in offered if one.keeps == offered[0].keeps]
    assert len(alike) == len(offered) > 1
    assert gone == [len(offered) - 1]
