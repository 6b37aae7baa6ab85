"""Where a policy stands, as JSON for other programs: counts and links, no text and no names.

The keys stay as they are; more may come. Who was here last is on the page alone: what reads
this may keep it for years, and when somebody worked is that person's own affair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from django.http import JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from policies.access import MemberRequest, policy_view
from policies.models import Policy
from policies.roles import Action
from vetting.coverage import cover_all
from vetting.in_the_way import in_the_way
from vetting.lint import LintHint, hint_of, open_in
from vetting.review import ReviewState
from vetting.sentences import SentenceState
from vetting.threads import open_threads
from vetting.tiers import tiers_now
from vetting.views.front import last_version, page_of


@policy_view(Action.VIEW)
@require_GET
def standing_json(request: MemberRequest, policy: Policy) -> JsonResponse:
    def link(path: str) -> str:
        return request.build_absolute_uri(path)

    cover, hint = cover_all(policy), hint_of(policy)
    outline, last = cover.outline, last_version(policy)
    told = {
        "policy": {
            "slug": policy.slug,
            "name": policy.name,
            "archived": policy.archived_at is not None,
            "url": link(reverse("policy", args=[policy.slug])),
        },
        "revision": policy.revision,
        "sentences": _counts(SentenceState, (one.state for one in cover.sentences)),
        "rules": _counts(ReviewState, (one.state for one in outline.rules.values())),
        "open_questions": sum(one.is_open for one in outline.questions),
        "lint": _lint(policy, hint),
        "scenario_tiers": [
            {
                "tier": one.number,
                "made": one.is_made,
                "cases": one.cases,
                "agreeing": one.agreeing,
                "disagreeing": one.disagreeing,
                "unanswered": one.unanswered,
            }
            for one in tiers_now(policy)
        ],
        "open_threads": open_threads(policy).count(),
        "in_the_way": [
            {
                "kind": one.kind,
                "state": _key(one.state),
                "count": one.count,
                "url": link(page_of(policy, one.kind)),
            }
            for one in in_the_way(policy, cover, hint)
        ],
        "last_version": last
        and {
            "number": last.number,
            "published_at": last.published_at.isoformat(),
            "sha256": last.sha256,
            "url": link(reverse("version", args=[policy.slug, last.number])),
        },
    }
    return JsonResponse(told, headers={"Cache-Control": "private, no-store"})


def _counts(states: type[StrEnum], found: Iterable[StrEnum]) -> dict[str, int]:
    """Every state has its key, also where nothing is in it."""
    counts = Counter(found)
    return {state.name.lower(): counts[state] for state in states}


def _key(state: str) -> str:
    """A state as its key, of a rule or a sentence; empty stays empty."""
    known: dict[str, str] = {str(one): one.name.lower() for one in (*ReviewState, *SentenceState)}
    return known.get(state, "")


def _lint(policy: Policy, hint: LintHint | None) -> dict[str, int] | None:
    """None while the draft is not checked as it is; warnings are those that nobody silenced."""
    if hint is None:
        return None
    return {"errors": hint.errors, "warnings": open_in(policy, hint) - hint.errors}
