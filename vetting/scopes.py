"""Scopes of sections: written in English or SMT-LIB, approved like a rule, taken back.

`policies.scoping` adds a scope to the rules of its section as soon as it is written,
so whoever approves one of those rules approves it with its scope. The scope itself is
approved apart, and nothing is published before that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from policies.audit import record
from policies.composing import Composition, compose
from policies.editing import editing
from policies.models import Document, Policy, RuleSource, Section, SectionScope, User
from policies.scoping import Scope
from policies.sources import sentences_by_lineage
from policywright.english import render_sentence
from policywright.model import Role
from policywright.normal import normal_form
from policywright.termjson import term_to_json
from policywright.terms import Term, symbols
from vetting.consequences import will_not_count
from vetting.lock import locked
from vetting.models import ScopeDecision, Verdict
from vetting.refusals import MovedError, RefusedError
from vetting.review import ReviewState, rule_states
from vetting.written import read_written, written


@dataclass(frozen=True)
class ScopeReview:
    """A scope in force as it stands; `decision` is the approval that counts."""

    scope: Scope
    row: SectionScope
    english: str
    decision: ScopeDecision | None

    @property
    def is_approved(self) -> bool:
        return self.decision is not None

    @property
    def state(self) -> str:
        if self.scope.term is None:
            return "broken"
        return "approved" if self.is_approved else "waiting"


@dataclass(frozen=True)
class ScopeShown:
    """A scope for a list, by what is kept with its row."""

    uid: str
    headings: tuple[str, ...]
    english: str
    state: str


def write_scope(
    policy: Policy,
    user: User,
    document: Document,
    headings: Sequence[str],
    *,
    english: str = "",
    smtlib: str = "",
    read_as: str = "",
    shown_uid: str = "",
) -> SectionScope:
    """Let a section apply only under a condition; an empty path is the whole document.

    `shown_uid` is that of the scope that the form showed, empty for none: another
    one in force since then is a MovedError. The same condition again changes
    nothing. Raises a ReadingError for a text without one meaning.
    """
    text = written(english=english, smtlib=smtlib)
    path = list(headings)
    with editing(policy, user, cause="a section's scope was written") as edit:
        composition = compose(edit.policy)
        term = read_scope(edit.policy, composition, document, path, text.english, text.smtlib)
        if read_as:
            read_written(text, composition.model, read_as)
        rows = _live(edit.policy).filter(document=document)
        known = next((row for row in rows if row.headings == path), None)
        if known is not None and _says(composition, known, term):
            edit.unchanged = True
            return known
        if (known.uid if known else "") != shown_uid:
            raise MovedError(
                "someone changed the scope of this section after you opened the page; "
                "nothing was saved.",
                present=_english(composition, known),
                present_hash=known.uid if known else "",
                sent=text.text,
            )
        if known is not None:
            _retire(edit.policy, user, known)
        # Its hash and its English are set when the change settles, with its audit row.
        return SectionScope.objects.create(
            document=document, headings=path, term=term_to_json(term), created_by=user
        )


def retire_scope(policy: Policy, user: User, scope: SectionScope) -> None:
    """Take a scope back: its rules hold everywhere again, and ask for approval as they do."""
    with editing(policy, user, cause="a section's scope was taken back") as edit:
        row = _live(edit.policy).filter(pk=scope.pk).first()
        if row is None:
            edit.unchanged = True
            return
        _retire(edit.policy, user, row)


def decide_on_scope(
    policy: Policy, user: User, scope: SectionScope, verdict: Verdict, *, shown_hash: str
) -> ScopeDecision:
    """Approve a scope as it was shown, or withdraw that; the same twice is one row."""
    if verdict not in (Verdict.APPROVE, Verdict.WITHDRAW):
        raise RefusedError("approve the scope, or withdraw its approval; or write another one.")
    with locked(policy) as row:
        composition = compose(row)
        present = next((one for one in composition.scopes if one.uid == scope.uid), None)
        if present is None:
            raise RefusedError("this scope is no longer in force; look at the section again.")
        if present.term is None:
            raise RefusedError(f"this scope cannot be approved: {present.problem}. Write another.")
        if present.hash != shown_hash:
            raise MovedError(
                "this scope changed after you opened the page; read it as it is now.",
                present=render_sentence(composition.model, present.term),
                present_hash=present.hash,
            )
        known = scope.decisions.filter(content_hash=present.hash).order_by("-pk").first()
        if (known.verdict if known else Verdict.WITHDRAW) == verdict:
            if known is None:
                raise RefusedError("this scope is not approved; there is nothing to withdraw.")
            return known
        decision = ScopeDecision.objects.create(
            policy=row,
            scope=scope,
            verdict=verdict,
            content_hash=present.hash,
            content=present.content,
            english=render_sentence(composition.model, present.term),
            by=user,
        )
        record(row, user, f"{verdict.value}-scope", f"scope:{scope.uid}", new_hash=present.hash)
        return decision


def scope_states(policy: Policy, composition: Composition) -> list[ScopeReview]:
    """Each scope in force with the approval of its present content; two queries."""
    if not composition.scopes:
        return []
    rows = {row.uid: row for row in _live(policy).select_related("created_by", "document")}
    said: dict[tuple[int, str], ScopeDecision] = {}
    decisions = ScopeDecision.objects.filter(policy=policy, scope__retired_at=None)
    for decision in decisions.select_related("by").order_by("pk"):
        said[decision.scope_id, decision.content_hash] = decision
    found = []
    for scope in composition.scopes:
        row = rows[scope.uid]
        last = said.get((row.pk, scope.hash)) if scope.hash else None
        counts = last if last is not None and last.verdict == Verdict.APPROVE else None
        english = "" if scope.term is None else render_sentence(composition.model, scope.term)
        found.append(ScopeReview(scope, row, english, counts))
    return found


def scopes_shown(document: Document) -> list[ScopeShown]:
    """The scopes of a document, the outer ones first; one query."""
    said = ScopeDecision.objects.filter(
        scope=OuterRef("pk"), content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    rows = SectionScope.objects.filter(document=document, retired_at=None)
    rows = rows.annotate(said=Subquery(said.values("verdict")[:1])).order_by("pk")
    shown = [
        ScopeShown(row.uid, tuple(row.headings), row.english, _listed_state(row)) for row in rows
    ]
    return sorted(shown, key=lambda one: len(one.headings))


def approvals_in_section(
    policy: Policy, composition: Composition, document: Document, path: tuple[str, ...]
) -> Iterator[str]:
    """A sentence for each approval that another scope of the section would void."""
    sources: dict[str, list[str]] = {}
    rows = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None)
    for uid, lineage in rows.values_list("rule__uid", "lineage"):
        sources.setdefault(uid, []).append(lineage)
    present = sentences_by_lineage(policy, {one for own in sources.values() for one in own})
    for uid, review in rule_states(policy, composition).items():
        own = [present[one] for one in sources.get(uid, ()) if one in present]
        within = any(
            one.revision.document_id == document.pk and tuple(one.headings[: len(path)]) == path
            for one in own
        )
        if within and review.state is ReviewState.APPROVED:
            yield will_not_count(review, composition.model.rule_by_id[uid].name)


def read_scope(
    policy: Policy,
    composition: Composition,
    document: Document,
    headings: Iterable[str],
    english: str = "",
    smtlib: str = "",
) -> Term:
    """The condition that a text says, checked to be one that a section can have."""
    path = list(headings)
    if path and not _is_section(document, path):
        raise RefusedError("this section is no longer in the document; open it again.")
    term = read_written(written(english=english, smtlib=smtlib), composition.model)
    decided = [
        composition.model.name_of(symbol.id)
        for symbol in symbols(term)
        if composition.model.variable_by_id[symbol.id].role is Role.OUTCOME
    ]
    if decided:
        raise RefusedError(
            f"a section applies because of facts, and `{decided[0]}` is what the policy decides; "
            "write a rule instead."
        )
    return term


def _listed_state(row: SectionScope) -> str:
    if not row.content_hash:
        return "broken"
    verdict = row.said  # type: ignore[attr-defined]
    return "approved" if verdict == Verdict.APPROVE else "waiting"


def _is_section(document: Document, path: list[str]) -> bool:
    revision = document.revisions.order_by("number").values_list("pk", flat=True).last()
    rows = Section.objects.filter(revision=revision).values_list("headings", flat=True)
    return any(headings[: len(path)] == path for headings in rows)


def _live(policy: Policy) -> QuerySet[SectionScope]:
    return SectionScope.objects.filter(document__policy=policy, retired_at=None)


def _says(composition: Composition, row: SectionScope, term: Term) -> bool:
    scope = next(one for one in composition.scopes if one.uid == row.uid)
    return scope.term is not None and normal_form(scope.term) == normal_form(term)


def _english(composition: Composition, row: SectionScope | None) -> str:
    scope = next((one for one in composition.scopes if row and one.uid == row.uid), None)
    if scope is None or scope.term is None:
        return "This section has no scope that fits."
    return render_sentence(composition.model, scope.term)


def _retire(policy: Policy, user: User, row: SectionScope) -> None:
    row.retired_at, row.retired_by = timezone.now(), user
    row.save(update_fields=["retired_at", "retired_by"])
    record(policy, user, "retire-scope", f"scope:{row.uid}", old_hash=row.content_hash)
