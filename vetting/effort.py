"""What a version took: acts by the audit log, active time as browsers measured it.

Time is each person's own affair. Of others only sums are told, of a published version, and
only where at least `FEWEST` people's time is in them: of two, each would know the other's,
and a draft's would tell who is working now.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import F, Max, Sum
from django.utils import timezone

from policies.models import AuditRow, Policy, Rule, Sentence, User
from policies.writing import written
from vetting.effort_models import Effort

# What one message of a browser may add; it sends one a minute.
MOST_S = 120
FEWEST = 3

DECISIONS = frozenset(
    {
        "approve-rule",
        "reject-rule",
        "approve-scope",
        "mark-not_binding",
        "mark-binding",
        "mark-definition",
        "answer-question",
        "answer-case",
    }
)
# Once for each rule whose content an act of a person changes.
EDITS = frozenset({"change-rule"})
REVERSALS = frozenset(
    {
        "withdraw-rule",
        "withdraw-scope",
        "mark-withdrawn",
        "restore-rule",
        "undo-merge",
        "withdraw-scenario",
    }
)
_CARD = re.compile(r"[0-9a-f]{1,32}")


@dataclass(frozen=True)
class Time:
    """Active seconds, with how many cards, and the median of a card; of no card it is None."""

    seconds: int
    cards: int
    median_s: float | None


@dataclass(frozen=True)
class VersionEffort:
    """`published_at` is None of the draft; `time` where it may not be told."""

    number: int
    published_at: datetime | None
    decisions: int
    edits: int
    reversals: int
    time: Time | None


def note_effort(policy: Policy, person: User, seconds: int, card: str) -> int:
    """Add active seconds to the person's own; gives how many counted.

    No more than `MOST_S`, and no more than went by since the person's last message of any
    policy: two windows are one person. A card that the policy does not have is none.
    """
    if not 0 < seconds <= MOST_S:
        return 0
    card = card if _is_card(policy, card) else ""
    with written():
        last = Effort.objects.filter(person=person).aggregate(Max("at"))["at__max"]
        if last is not None:
            seconds = min(seconds, int((timezone.now() - last).total_seconds()))
        if seconds <= 0:
            return 0
        number = (policy.versions.aggregate(Max("number"))["number__max"] or 0) + 1
        row, _ = Effort.objects.get_or_create(
            policy=policy, person=person, version=number, card=card
        )
        # `at` is the time of the message: an update does not move it by itself.
        Effort.objects.filter(pk=row.pk).update(seconds=F("seconds") + seconds, at=timezone.now())
    return seconds


def effort_of(policy: Policy, numbers: Collection[int] | None = None) -> list[VersionEffort]:
    """Of the versions of these numbers, or of all and of the draft, the first first.

    Four queries, of tuples.
    """
    published = dict(policy.versions.order_by("number").values_list("number", "published_at"))
    every = [*published, max(published, default=0) + 1]
    wanted = every if numbers is None else [one for one in every if one in numbers]
    acts = _acts(policy, wanted)
    times = _times(policy, [one for one in wanted if one in published])
    return [
        VersionEffort(
            number,
            published.get(number),
            sum(acts[number][one] for one in DECISIONS),
            sum(acts[number][one] for one in EDITS),
            sum(acts[number][one] for one in REVERSALS),
            times.get(number),
        )
        for number in wanted
    ]


def own_time(policy: Policy, person: User) -> dict[int, Time]:
    """The person's own, by the version's number; for nobody else's eyes."""
    rows = Effort.objects.filter(policy=policy, person=person)
    return _by_version(rows.values_list("version", "card", "seconds"))


def _is_card(policy: Policy, card: str) -> bool:
    if not _CARD.fullmatch(card):
        return False
    own = Sentence.objects.filter(revision__document__policy=policy, lineage=card)
    return Rule.objects.filter(policy=policy, uid=card).exists() or own.exists()


def _acts(policy: Policy, numbers: Collection[int]) -> dict[int, dict[str, int]]:
    """How often each act was done on the way to each version."""
    found: dict[int, dict[str, int]] = {one: defaultdict(int) for one in numbers}
    if not numbers:
        return found
    rows = AuditRow.objects.filter(policy=policy)
    published = rows.filter(action="publish").order_by("sequence")
    ends = list(published.values_list("sequence", flat=True))
    first, last = min(numbers), max(numbers)
    acts = rows.filter(action__in=DECISIONS | EDITS | REVERSALS, actor__isnull=False)
    if first > 1:
        acts = acts.filter(sequence__gt=ends[first - 2])
    if last <= len(ends):
        acts = acts.filter(sequence__lt=ends[last - 1])
    for sequence, action in acts.values_list("sequence", "action"):
        number = bisect_left(ends, sequence) + 1
        if number in found:
            found[number][action] += 1
    return found


def _times(policy: Policy, numbers: Collection[int]) -> dict[int, Time]:
    """Of those versions on which enough people worked."""
    rows = Effort.objects.filter(policy=policy, version__in=numbers)
    people: dict[int, set[int]] = {}
    for number, person in rows.values_list("version", "person").distinct().order_by():
        people.setdefault(number, set()).add(person)
    told = [number for number, own in people.items() if len(own) >= FEWEST]
    sums = rows.filter(version__in=told).order_by().values("version", "card")
    return _by_version(sums.annotate(sum=Sum("seconds")).values_list("version", "card", "sum"))


def _by_version(rows: Iterable[tuple[int, str, int]]) -> dict[int, Time]:
    found: dict[int, list[tuple[str, int]]] = {}
    for number, card, seconds in rows:
        found.setdefault(number, []).append((card, seconds))
    return {number: _time(own) for number, own in found.items()}


def _time(own: Collection[tuple[str, int]]) -> Time:
    cards = [seconds for card, seconds in own if card]
    total = sum(seconds for _, seconds in own)
    return Time(total, len(cards), median(cards) if cards else None)
