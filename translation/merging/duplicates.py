"""Rules that say the same: equal normal forms, found after merging made their symbols one."""

from __future__ import annotations

import json
from collections.abc import Iterable

from policywright.model import Kind, Rule
from policywright.normal import canonical, normal_form
from policywright.terms import Term


def meaning(term: Term, kind: Kind) -> tuple[str, str]:
    """Equal for two rules that are one: the normal form, and what kind of assertion it is."""
    return json.dumps(canonical(normal_form(term))), kind.value


def duplicates(rules: Iterable[Rule]) -> list[tuple[Rule, ...]]:
    """The rules that say the same, each list in the order given; defaults are left out."""
    groups: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        if rule.kind is not Kind.DEFAULT:
            groups.setdefault(meaning(rule.term, rule.kind), []).append(rule)
    return [tuple(group) for group in groups.values() if len(group) > 1]
