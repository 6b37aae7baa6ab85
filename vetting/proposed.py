"""What a text for a rule is read as, and what saving it would do; nothing is saved here.

Each function reads like the service that saves, and refuses the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from policies.composing import Composition, compose, compose_rows, declared_in, live_rules
from policies.models import Document, Policy, Rule, Sentence
from policies.scoping import Scope, scoped
from policywright.english import render_sentence
from policywright.model import Kind
from policywright.model import Rule as ModelRule
from policywright.normal import normal_form
from policywright.smtlib import print_term
from policywright.terms import Term
from vetting.consequences import Consequences, consequences_of_edit, consequences_of_rule
from vetting.edges import EdgeCase, edge_cases
from vetting.edits import check_shown, editable, is_said_by, sentences_of
from vetting.scenario_changes import changed_scenarios
from vetting.scopes import approvals_in_section, read_scope
from vetting.written import read_written, reading_hash, written


@dataclass(frozen=True)
class Proposed:
    """One text as it was read.

    `read_as` goes into the form that saves. `unchanged` says that the rule says
    the very same already. `edges` are the cases at the edge of a new rule,
    `scopes` the conditions that its section adds, in English.
    """

    composition: Composition
    english: str
    smtlib: str
    read_as: str
    unchanged: bool
    edges: tuple[EdgeCase, ...]
    consequences: Consequences
    scopes: tuple[str, ...] = ()


def propose_edit(
    policy: Policy, rule: Rule, *, english: str = "", smtlib: str = "", shown_hash: str
) -> Proposed:
    """See `vetting.edits.edit_rule`, whose refusals these are."""
    text = written(english=english, smtlib=smtlib)
    composition = compose(policy)
    present = editable(policy, rule)
    term = read_written(text, composition.model)
    unchanged = is_said_by(composition, present, term)
    if not unchanged:
        check_shown(present, composition, shown_hash, text)
    consequences = consequences_of_edit(policy, composition, present, term)
    scopes = composition.scopes_of(present.uid)
    return _proposed(composition, term, consequences, unchanged=unchanged, scopes=scopes)


def propose_rule(
    policy: Policy, *, lineages: Sequence[str], english: str = "", smtlib: str = ""
) -> Proposed:
    """See `vetting.edits.add_rule`, whose refusals these are."""
    return _propose_new(policy, Kind.RULE, english, smtlib, sentences_of(policy, lineages))


def propose_assumption(policy: Policy, *, english: str = "", smtlib: str = "") -> Proposed:
    """See `vetting.assumptions.add_assumption`, whose refusals these are."""
    return _propose_new(policy, Kind.ASSUMPTION, english, smtlib)


def propose_scope(
    policy: Policy, document: Document, headings: Sequence[str], *, english: str, smtlib: str
) -> Proposed:
    """See `vetting.scopes.write_scope`, whose refusals these are."""
    composition = compose(policy)
    term = read_scope(policy, composition, document, headings, english, smtlib)
    path = tuple(headings)
    known = [
        one for one in composition.scopes if (one.document, one.headings) == (document.pk, path)
    ]
    same = any(one.term and normal_form(one.term) == normal_form(term) for one in known)
    consequences = Consequences(
        (),
        tuple(approvals_in_section(policy, composition, document, path)),
        changed_scenarios(policy, composition, _with_scope(policy, document, path, term)),
    )
    return _proposed(composition, term, consequences, unchanged=same)


def _with_scope(
    policy: Policy, document: Document, path: tuple[str, ...], term: Term
) -> Composition:
    """The draft as it would be with another scope of a section."""
    declared = declared_in(policy)
    others = [one for one in declared.scopes if (one.document, one.headings) != (document.pk, path)]
    scope = Scope("new", document.pk, document.title, path, term, "", declared.base)
    scopes = sorted([*others, scope], key=lambda one: len(one.headings))
    rows = list(live_rules(policy))
    return compose_rows(policy, rows, replace(declared, scopes=tuple(scopes)))


def _propose_new(
    policy: Policy, kind: Kind, english: str, smtlib: str, sentences: Sequence[Sentence] = ()
) -> Proposed:
    composition = compose(policy)
    term = read_written(written(english=english, smtlib=smtlib), composition.model)
    scopes, _ = composition.scopes_at(sentences)
    consequences = consequences_of_rule(policy, composition, kind, scoped(term, scopes))
    return _proposed(composition, term, consequences, kind=kind, scopes=scopes)


def _proposed(
    composition: Composition,
    term: Term,
    consequences: Consequences,
    *,
    unchanged: bool = False,
    kind: Kind | None = None,
    scopes: Sequence[Scope] = (),
) -> Proposed:
    model = composition.model
    whole = ModelRule("new", "new", scoped(term, scopes), kind or Kind.RULE)
    edges = edge_cases(model, whole) if kind else []
    return Proposed(
        composition,
        render_sentence(model, term),
        print_term(model, term),
        reading_hash(term),
        unchanged,
        tuple(edges),
        consequences,
        tuple(render_sentence(model, one.term) for one in scopes if one.term is not None),
    )
