"""What lint says of the draft, found by a job and kept by content: no page runs a solver.

A report is of exactly what was checked: the composed model, which lists of values are
complete, and the ranks of the documents. Whatever moves one of them asks for another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from policies.composing import Composition
from policies.models import Document, Policy, Rule
from policies.writing import written
from policywright.hashing import content_hash
from policywright.lint import Severity
from policywright.lint.joining import CODES
from policywright.linting import DEADLINE_S, LintNotDoneError, lint_apart
from policywright.modeljson import model_to_json
from vetting.models import LintReport, LintSilence, ValuesQuestion
from vetting.values import values_states

# A change that is undone finds its report again.
KEPT = 6
# For whoever publishes and waits.
AT_ONCE_S = 20.0
ILL_TYPED = "ill-typed"


@dataclass(frozen=True)
class Found:
    """A diagnostic as it was kept; `key` names it within its report.

    `rules` are uids, `about` those of variables and datatypes, `case` is in English, `values`
    are its values as exact text, `fixes` as `policywright.lint.telling` writes them. `silence`
    is what a silence of it is bound to, empty where it cannot have one; `silenced` is the one
    that counts.
    """

    key: str
    code: str
    severity: Severity
    message: str
    rules: tuple[str, ...]
    about: tuple[str, ...] = ()
    case: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    fixes: tuple[Mapping[str, Any], ...] = ()
    silence: str = ""
    silenced: LintSilence | None = None

    @property
    def may_be_silenced(self) -> bool:
        """An error is mended and not silenced: nothing is proved by rules that clash."""
        return bool(self.silence) and self.severity is not Severity.ERROR


@dataclass(frozen=True)
class LintNow:
    """How lint of the draft stands: `report` is None while none of this content is kept."""

    content: str
    report: LintReport | None
    found: tuple[Found, ...]

    @property
    def limits(self) -> tuple[str, ...]:
        return tuple(self.report.report["limits"]) if self.report else ()

    def of(self, severity: Severity) -> list[Found]:
        """Those that nobody silenced."""
        return [one for one in self.found if one.severity is severity and not one.silenced]

    @property
    def silenced(self) -> list[Found]:
        return [one for one in self.found if one.silenced]

    def get(self, key: str) -> Found | None:
        return next((one for one in self.found if one.key == key), None)


def lint_now(policy: Policy, composition: Composition) -> LintNow:
    """The report of this very content, if it is kept; a few queries and no solver."""
    content, _ = _request(policy, composition)
    return _now(policy, composition, content, _kept(policy, content))


def lint_made(policy: Policy, composition: Composition) -> LintNow:
    """As `lint_now`, and made at once where no report is kept; still None if there is no time.

    No transaction may be open.
    """
    try:
        return made_of(policy, composition, deadline_s=AT_ONCE_S)
    except LintNotDoneError:
        return lint_now(policy, composition)


def made_of(
    policy: Policy,
    composition: Composition,
    *,
    deadline_s: float = DEADLINE_S,
    cancelled: Callable[[], bool] = lambda: False,
) -> LintNow:
    """As `lint_now`, with a report: made where none of this content is kept.

    Only what differs from the last report is asked. No transaction may be open. Raises
    LintNotDoneError.
    """
    content, request = _request(policy, composition)
    report = _kept(policy, content)
    if report is None:
        made = lint_apart(request, kept=_newest(policy), deadline_s=deadline_s, cancelled=cancelled)
        report = _keep_report(policy, policy.revision, content, made)
    else:
        known_of(policy, report)
    return _now(policy, composition, content, report)


def known_of(policy: Policy, report: LintReport) -> None:
    """Of the draft as it is: a change undone finds its report by content, the hints by revision."""
    if report.revision != policy.revision:
        LintReport.objects.filter(pk=report.pk).update(revision=policy.revision)


@dataclass(frozen=True)
class LintHint:
    """The report of the draft as it is, without what it says: its id, when, and `asks`."""

    pk: int
    at: datetime
    asks: list[list[str]] = field(compare=False)

    @property
    def errors(self) -> int:
        return sum(severity == Severity.ERROR for severity, _ in self.asks)


def hint_of(policy: Policy) -> LintHint | None:
    """As far as the policy's revision tells; one query."""
    rows = LintReport.objects.filter(policy=policy, revision=policy.revision)
    found = rows.values_list("pk", "at", "asks").last()
    return LintHint(*found) if found else None


def found_of_rule(hint: LintHint, uid: str, policy: Policy) -> list[Found]:
    """What the report says of a rule; a query, and another where it is new to this process."""
    told = _by_rule(hint.pk, hint.at).get(uid, ())
    silences = silences_of(policy) if told else {}
    return [_found(one, silences) for one in told]


def severities_of(hint: LintHint, policy: Policy) -> dict[str, Severity]:
    """The worst that a report says of each rule and nobody silenced; two queries at most."""
    silences = silences_of(policy) if hint.asks else {}
    found: dict[str, Severity] = {}
    for uid, told in _by_rule(hint.pk, hint.at).items():
        own = {Severity(one["severity"]) for one in told if one["silence"] not in silences}
        worst = next((one for one in Severity if one in own), None)
        if worst is not None:
            found[uid] = worst
    return found


@lru_cache(maxsize=8)
def errors_of(hint: LintHint) -> tuple[str, ...]:
    """The sentences of the errors of a report; a query where it is new to this process."""
    row = LintReport.objects.filter(pk=hint.pk, at=hint.at).first()
    told = row.report["diagnostics"] if row else ()
    return tuple(one["message"] for one in told if one["severity"] == Severity.ERROR)


@lru_cache(maxsize=8)
def _by_rule(pk: int, at: datetime) -> dict[str, list[Mapping[str, Any]]]:
    """The diagnostics of a report by the uid of each of their rules; `at` tells what it was."""
    row = LintReport.objects.filter(pk=pk, at=at).first()
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in row.report["diagnostics"] if row else ():
        for uid in dict.fromkeys(one["rules"]):
            found.setdefault(uid, []).append(one)
    return found


def open_count(policy: Policy) -> int:
    """How many errors and warnings nobody silenced, of the draft as it is; two queries at most."""
    return open_in(policy, hint_of(policy))


def open_in(policy: Policy, last: LintHint | None) -> int:
    """As `open_count`, of what the caller looked up."""
    if last is None or not last.asks:
        return 0
    silenced = silences_of(policy)
    return sum(severity == Severity.ERROR or bound not in silenced for severity, bound in last.asks)


def found_in(report: LintReport, silences: Mapping[str, LintSilence]) -> list[Found]:
    return [_found(one, silences) for one in report.report["diagnostics"]]


def silences_of(policy: Policy) -> dict[str, LintSilence]:
    """The silences that count, by what they are bound to; one query."""
    rows = LintSilence.objects.filter(policy=policy).select_related("by").order_by("pk")
    last = {row.content_hash: row for row in rows}
    return {key: row for key, row in last.items() if row.holds}


def _kept(policy: Policy, content: str) -> LintReport | None:
    return LintReport.objects.filter(policy=policy, content_hash=content).first()


def _newest(policy: Policy) -> dict[str, Any] | None:
    """What was found last: of what no edit reached it still holds."""
    row = LintReport.objects.filter(policy=policy).order_by("-revision", "-pk").first()
    return row.report if row else None


def _now(
    policy: Policy, composition: Composition, content: str, report: LintReport | None
) -> LintNow:
    broken = _broken(policy, composition)
    found = found_in(report, silences_of(policy)) if report else []
    return LintNow(content, report, (*broken, *found))


def _found(data: Mapping[str, Any], silences: Mapping[str, LintSilence]) -> Found:
    told = json.dumps([data["code"], data["message"], data["rules"], data["about"]])
    return Found(
        hashlib.sha256(told.encode()).hexdigest()[:32],
        data["code"],
        Severity(data["severity"]),
        data["message"],
        tuple(data["rules"]),
        tuple(data["about"]),
        data["case"],
        data["values"],
        tuple(data["fixes"]),
        data["silence"],
        silences.get(data["silence"]),
    )


def _broken(policy: Policy, composition: Composition) -> list[Found]:
    """Rules that are in no model, which lint cannot see."""
    if not composition.broken:
        return []
    rows = Rule.objects.filter(policy=policy, retired_at=None, uid__in=composition.broken)
    return [
        Found(
            row.uid,
            ILL_TYPED,
            Severity.ERROR,
            f"`{row.name}` fits its declarations no more: {composition.broken[row.uid]}.",
            (row.uid,),
        )
        for row in rows
    ]


def _request(policy: Policy, composition: Composition) -> tuple[str, dict[str, Any]]:
    """What is checked, with its hash; other checks, after an update, are other content."""
    ranks = dict(Document.objects.filter(policy=policy).values_list("title", "rank"))
    complete = [
        one.datatype.id
        for one in values_states(policy, composition)
        if (said := one.said.get(ValuesQuestion.COMPLETE)) is not None and said.holds
    ]
    model = model_to_json(composition.model)
    request = {"model": model, "complete": complete, "ranks": ranks}
    return content_hash({**request, "checks": CODES}), request


def _keep_report(policy: Policy, revision: int, content: str, report: dict[str, Any]) -> LintReport:
    asks = [
        [one["severity"], one["silence"]]
        for one in report["diagnostics"]
        if one["severity"] != Severity.NOTE
    ]
    rows = LintReport.objects.filter(policy=policy)
    with written():
        kept, _ = rows.update_or_create(
            policy=policy,
            content_hash=content,
            defaults={"revision": revision, "report": report, "asks": asks},
        )
        newest = rows.order_by("-pk").values_list("pk", flat=True)[:KEPT]
        rows.exclude(pk__in=list(newest)).delete()
    return kept
