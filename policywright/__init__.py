"""A written policy as logic that a solver can check.

from policywright import load_policy

finding = load_policy("policy.smt2").check(
    facts="(assert (! (= costEur 2500) :named fact-cost))", claim="tripApproved"
)
finding.kind, finding.rules, finding.facts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policywright.library import LoadedPolicy, load_policy

__all__ = ["LoadedPolicy", "load_policy"]


def __getattr__(name: str) -> Any:
    """Load the library, and with it the solver, only when it is asked for."""
    if name in __all__:
        from policywright import library

        return getattr(library, name)
    raise AttributeError(f"module `policywright` has no attribute `{name}`")
