"""Scopes of sections: 'applies where the country is DE', added to each rule of the section.

A scope covers a section and all below it. A rule takes a scope if every one of its
sentences lies in it. Where one sentence lies in it and another does not, the rule is
in no policy model until a person decides: nothing is narrowed or widened silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from policies.models import Policy, SectionScope, Sentence
from policywright.errors import SortError
from policywright.hashing import content_hash, rule_content
from policywright.model import PolicyModel, Rule, check_term
from policywright.termjson import term_from_json
from policywright.terms import Apply, Op, Term, and_, implies


@dataclass(frozen=True)
class Scope:
    """A section's condition as it stands; `term` is None where it no longer fits: `problem` says.

    `base` holds the declarations that its hash covers.
    """

    uid: str
    document: int
    document_title: str
    headings: tuple[str, ...]
    term: Term | None
    problem: str
    base: PolicyModel

    @property
    def section(self) -> str:
        """How the section is called: its path, or the document where it is the whole of it."""
        return " › ".join(self.headings) or self.document_title

    def covers(self, sentence: Sentence) -> bool:
        depth = len(self.headings)
        own = sentence.revision.document_id == self.document
        return own and tuple(sentence.headings[:depth]) == self.headings

    @cached_property
    def content(self) -> dict[str, Any]:
        """What an approval of the scope is bound to: the section, the condition, its words."""
        assert self.term is not None
        said = rule_content(self.base, Rule(self.uid, "scope", self.term))
        parts = ("term", "symbols", "datatypes")
        return {"scope": list(self.headings), **{part: said[part] for part in parts}}

    @cached_property
    def hash(self) -> str:
        """The present content hash; empty for one that does not fit its declarations."""
        return "" if self.term is None else content_hash(self.content)


def present_scopes(policy: Policy, base: PolicyModel, rename: Any) -> tuple[Scope, ...]:
    """The scopes in force, the outer ones first; one query. `rename` resolves merges."""
    rows = SectionScope.objects.filter(document__policy=policy, retired_at=None)
    found = [_scope(row, base, rename) for row in rows.select_related("document").order_by("pk")]
    return tuple(sorted(found, key=lambda one: len(one.headings)))


def scopes_of_rule(
    scopes: Sequence[Scope], sentences: Sequence[Sentence]
) -> tuple[tuple[Scope, ...], str]:
    """The scopes that a rule of these sentences takes, and what is wrong, empty if nothing is."""
    taken = []
    for scope in scopes:
        inside = [scope.covers(sentence) for sentence in sentences]
        if not any(inside):
            continue
        if not all(inside):
            return (), (
                f"one of its sentences lies in the section '{scope.section}', which applies only "
                "under a condition, and another does not; take one of them away, or write a rule "
                "for each"
            )
        if scope.term is None:
            return (), f"the scope of its section '{scope.section}' does not fit: {scope.problem}"
        taken.append(scope)
    return tuple(taken), ""


def scoped(term: Term, scopes: Iterable[Scope]) -> Term:
    """The term under the conditions of its scopes: `(=> a b)` becomes `(=> (and scope a) b)`."""
    conditions = [scope.term for scope in scopes if scope.term is not None]
    if not conditions:
        return term
    if isinstance(term, Apply) and term.op is Op.IMPLIES:
        condition, consequence = term.args
        return implies(and_(*conditions, condition), consequence)
    return implies(and_(*conditions), term)


def read_scope_term(data: Any, base: PolicyModel) -> Term | str:
    """A scope's condition of its JSON, or what keeps it from being one."""
    sorts: Mapping[str, Any] = {variable.id: variable.sort for variable in base.variables}
    try:
        term = term_from_json(data, sorts)
    except SortError as error:
        return str(error)
    problems = check_term(base, term, what="the scope")
    return "; ".join(problems) or term


def _scope(row: SectionScope, base: PolicyModel, rename: Any) -> Scope:
    found = read_scope_term(rename(row.term), base)
    term, problem = (None, found) if isinstance(found, str) else (found, "")
    return Scope(
        row.uid, row.document_id, row.document.title, tuple(row.headings), term, problem, base
    )
