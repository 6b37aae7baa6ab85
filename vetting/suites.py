"""The suite of the draft: its cases, kept by what they rest on; made by a job, never by a page.

The job runs `policywright.suiting` in a process of its own. Each part is saved as it comes,
so a worker that was killed goes on where it was, and after an edit only those parts are
made again that the edit touches. What was made before is tried first, the cases that people
answered before others, so that they are asked about the same cases again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from policies.composing import Composition, compose
from policies.jobs import Context, JobError, cancel_job, register, retry_failed, start_job
from policies.models import Job, Policy, User
from policies.models.jobs import ItemState, JobState
from policies.writing import written
from policywright.english.words import capitalise
from policywright.errors import SortError
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.lint import Severity
from policywright.model import Kind, PolicyModel
from policywright.modeljson import model_to_json
from policywright.scenarios import (
    TIERS,
    EditKind,
    Scenario,
    say_question,
    say_scenario,
    scenario_content,
)
from policywright.scenarios.partjson import scenario_from_json
from policywright.suiting import SuiteNotMadeError, suite_apart
from policywright.terms import Term
from vetting.lint import LintNow, lint_made, lint_now
from vetting.models import SuitePart, SuiteReport
from vetting.refusals import RefusedError
from vetting.scenario_rows import case_hash
from vetting.scenarios import own_in_force

KIND = "suite"
# So many drafts' suites: a change that is undone finds its suite again.
KEPT = 6
NO_RULES = "this policy has no rule yet; write or draft at least one."
NOT_CHECKED = (
    "The rules could not be checked for clashes in time, and cases of rules that clash show "
    "nothing. Open Lint, and start this again once it is done."
)
_AT_ONCE = 500


@dataclass(frozen=True)
class SuiteCase:
    """A case of the suite over the present declarations; `key` is its case hash.

    `expected` is what the policy says of it: nothing of it is shown before the person
    answered. It is the first to tell `told` edits apart. `tier` is from 0 on.
    """

    key: str
    facts: Mapping[str, Value]
    claim: Term | None
    expected: FindingKind
    tier: int
    told: int
    model: PolicyModel = field(repr=False, compare=False)
    read_edits: Callable[[], Sequence[Mapping[str, Any]]] = field(repr=False, compare=False)

    @cached_property
    def tells(self) -> tuple[Mapping[str, Any], ...]:
        """The edits that it tells apart, as `policywright.suiting` writes them; one query."""
        return tuple(self.read_edits())

    @cached_property
    def english(self) -> str:
        """The case with what is expected: nothing for somebody who has not answered."""
        return say_scenario(self.model, Scenario(self.facts, self.claim, self.expected))

    @cached_property
    def question(self) -> str:
        return say_question(self.model, self.facts, self.claim)

    @property
    def shown(self) -> str:
        """A hash of what the page shows of it, for the form that answers."""
        return content_hash([self.key, self.question])


@dataclass(frozen=True)
class KindScore:
    """Of one kind of edit: how many there are, are the same policy, are told apart, are open.

    `tier` is that of a case, from 0 on: edits of assumptions are of the last, whatever their kind.
    """

    tier: int
    kind: str
    mutants: int
    equivalent: int
    killed: int
    undecided: int


@dataclass(frozen=True)
class SuiteNow:
    """How the suite of the draft stands.

    `blocked` is one sentence why there can be none, or empty. `tiers_made` are the tiers of
    which every part is there, 0 of none; `tiers_before` those that were asked for before the
    last edits, so that a page may ask for them again. `counts` are the edits of each tier, from
    1 on, by kind, None until the first job looked. `cases` come tier by tier, and within one
    the case first that tells most edits apart. `parts_left` are still to be made; `job` is the
    last one about this content.
    """

    content: str
    blocked: str
    tiers_made: int
    tiers_before: int
    counts: Mapping[int, Mapping[str, int]] | None
    cases: tuple[SuiteCase, ...]
    by_kind: tuple[KindScore, ...]
    limits: tuple[str, ...]
    parts_left: int = 0
    job: Job | None = field(default=None, compare=False)

    @cached_property
    def by_key(self) -> Mapping[str, SuiteCase]:
        return {case.key: case for case in self.cases}

    def get(self, key: str) -> SuiteCase | None:
        return self.by_key.get(key)


def register_suite() -> None:
    register(KIND, handle=_make, save=_settle)


def suite_now(policy: Policy, composition: Composition) -> SuiteNow:
    """What is kept of the suite of this very content; some queries and no solver."""
    content = suite_content(composition.model)
    reports = list(SuiteReport.objects.filter(policy=policy).order_by("-at", "-pk"))
    own = sorted((r for r in reports if r.content_hash == content), key=lambda r: r.tiers)
    before = next((r.tiers for r in reports if r.content_hash != content and r.tiers), 0)
    made = _made(policy, own)
    whole = [report for report in own if report.tiers and made >= set(report.report["keys"])]
    shown = next(iter([*whole[::-1], *own]), None)
    parts = _parts(policy, shown.report["keys"]) if shown else []
    return SuiteNow(
        content,
        blocked_by(composition, lint_now(policy, composition)),
        whole[-1].tiers if whole else 0,
        before,
        _counts(own[-1].report) if own else None,
        tuple(_cases(policy, composition.model, parts)),
        tuple(_by_kind(parts)),
        tuple(dict.fromkeys(limit for part in parts for limit in part.body["limits"])),
        len(set(own[-1].report["keys"]) - made) if own else 0,
        _jobs(policy, content).first(),
    )


def start_suite(policy: Policy, user: User | None, tiers: int) -> Job:
    """Make the first `tiers` tiers, or of 0 count the edits; gives the job under way, if any.

    A job about an earlier draft is cancelled, one that failed is tried again. Raises
    RefusedError with the sentence of `blocked`, or for a tier that there is not.
    """
    if not 0 <= tiers <= len(TIERS):
        raise RefusedError(f"there are {len(TIERS)} tiers; choose one of them.")
    composition = compose(policy)
    blocked = blocked_by(composition, lint_now(policy, composition))
    if blocked:
        raise RefusedError(blocked)
    content = suite_content(composition.model)
    jobs = _jobs(policy, content)
    for job in jobs.filter(state=JobState.OPEN):
        if job.settings["tiers"] >= tiers:
            return job
    last = jobs.filter(settings__tiers=tiers).first()
    if last is not None and last.state == JobState.DONE:
        if user is not None and last.items.filter(state=ItemState.FAILED).exists():
            retry_failed(last, user)
            return last
        if _is_whole(policy, content, tiers):
            return last
    if user is not None:
        for old in Job.objects.filter(policy=policy, kind=KIND, state=JobState.OPEN):
            cancel_job(old, user)
    return start_job(
        policy,
        user,
        KIND,
        [("suite", {"tiers": tiers})],
        key=f"{content}|{tiers}|{jobs.count()}",
        settings={"content": content, "tiers": tiers},
    )


def suite_content(model: PolicyModel) -> str:
    """What a suite is of; other kinds of edits, after an update, are other content."""
    kinds = [kind.value for kind in EditKind]
    return content_hash({"suite": model_to_json(model), "kinds": kinds})


def blocked_by(composition: Composition, lint: LintNow) -> str:
    """One sentence why the draft can have no suite; empty where it can, or nobody knows yet."""
    kinds = {rule.kind for rule in composition.model.rules}
    errors = lint.of(Severity.ERROR)
    if errors:
        more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
        found = errors[0].message.rstrip(".")
        return f"lint finds an error{more}, and cases of such rules show nothing: {found}."
    return "" if kinds & {Kind.RULE, Kind.DEFINITION} else NO_RULES


def _jobs(policy: Policy, content: str) -> QuerySet[Job]:
    rows = Job.objects.filter(policy=policy, kind=KIND, settings__content=content)
    return rows.order_by("-pk")


def _is_whole(policy: Policy, content: str, tiers: int) -> bool:
    report = SuiteReport.objects.filter(policy=policy, content_hash=content, tiers=tiers).first()
    return report is not None and _made(policy, [report]) >= set(report.report["keys"])


def _made(policy: Policy, reports: Sequence[SuiteReport]) -> set[str]:
    if not reports:
        return set()
    return set(SuitePart.objects.filter(policy=policy).values_list("key", flat=True))


def _parts(policy: Policy, keys: Sequence[str]) -> list[SuitePart]:
    """Those that are there, in order, without the edits."""
    found: dict[str, SuitePart] = {}
    for start in range(0, len(keys), _AT_ONCE):
        rows = SuitePart.objects.filter(policy=policy, key__in=keys[start : start + _AT_ONCE])
        found.update((row.key, row) for row in rows.defer("edits"))
    return [found[key] for key in keys if key in found]


def _cases(policy: Policy, model: PolicyModel, parts: Sequence[SuitePart]) -> Iterator[SuiteCase]:
    places = [
        (data, part, place) for part in parts for place, data in enumerate(part.body["scenarios"])
    ]
    places.sort(key=lambda one: (one[0]["tier"], -one[0]["told"]))
    seen: set[str] = set()
    for data, part, place in places:
        try:
            scenario = scenario_from_json(model, data)
        except SortError:
            continue  # it is of other declarations: never of this content
        key = case_hash(scenario_content(model, scenario))
        if key in seen:
            continue
        seen.add(key)
        yield SuiteCase(
            key,
            scenario.facts,
            scenario.claim,
            scenario.expected,
            data["tier"],
            data["told"],
            model,
            _reader(policy, part.key, place),
        )


def _reader(policy: Policy, key: str, place: int) -> Callable[[], list[Mapping[str, Any]]]:
    def read() -> list[Mapping[str, Any]]:
        edits = SuitePart.objects.filter(policy=policy, key=key).values_list("edits", flat=True)
        found: list[Mapping[str, Any]] = next(iter(edits), [[]] * (place + 1))[place]
        return found

    return read


def _by_kind(parts: Iterable[SuitePart]) -> Iterator[KindScore]:
    names = ("mutants", "equivalent", "killed", "undecided")
    total: dict[tuple[int, str], list[int]] = {}
    for part in parts:
        for tier, kinds in part.body["tally"].items():
            for kind, tally in kinds.items():
                sums = total.setdefault((int(tier) - 1, kind), [0] * len(names))
                for place, name in enumerate(names):
                    sums[place] += tally[name]
    for tier in range(len(TIERS)):
        for kind in EditKind:
            if (tier, kind.value) in total:
                yield KindScore(tier, kind.value, *total[tier, kind.value])


def _counts(report: Mapping[str, Any]) -> dict[int, dict[str, int]]:
    return {int(tier): kinds for tier, kinds in report["counts"].items()}


def _make(payload: dict[str, Any], context: Context) -> None:
    """Save what the process tells as it comes; other workers may do the same with no harm."""
    policy, tiers = Policy.objects.get(pk=context.policy.pk), payload["tiers"]
    composition = compose(policy)
    model = composition.model
    lint = lint_made(policy, composition)
    if lint.report is None:
        raise JobError(NOT_CHECKED)
    blocked = blocked_by(composition, lint)
    if blocked:
        raise JobError(capitalise(blocked))
    content = suite_content(model)

    def keep_counts(counted: dict[str, Any]) -> None:
        with written():
            SuiteReport.objects.update_or_create(
                policy=policy,
                content_hash=content,
                tiers=tiers,
                defaults={
                    "revision": policy.revision,
                    "report": {"counts": counted["counts"], "keys": counted["keys"]},
                },
            )

    def keep_part(key: str, body: dict[str, Any]) -> None:
        edits = [one.pop("tells") for one in body["scenarios"]]
        for one, tells in zip(body["scenarios"], edits, strict=True):
            one["told"] = len(tells)
        with written():
            SuitePart.objects.get_or_create(
                policy=policy, key=key, defaults={"body": body, "edits": edits}
            )

    request: dict[str, Any] = {"model": model_to_json(model), "tiers": tiers}
    try:
        if tiers:
            known = SuitePart.objects.filter(policy=policy).values_list("key", flat=True)
            request |= {"known": list(known), "seeds": _seeds(policy)}
            suite_apart(
                request,
                cancelled=context.cancelled,
                on_counts=keep_counts,
                on_part=keep_part,
            )
        else:
            keep_counts(suite_apart({**request, "do": "count"}, cancelled=context.cancelled))
    except SuiteNotMadeError as error:
        raise JobError(str(error)) from error


def _seeds(policy: Policy) -> list[dict[str, Any]]:
    """The cases of the last suite there was, those first that people answered."""
    last = SuiteReport.objects.filter(policy=policy, tiers__gt=0).order_by("-at", "-pk").first()
    if last is None:
        return []
    answered = {_said(one.scenario.facts, one.scenario.claim) for one in own_in_force(policy)}
    parts = _parts(policy, last.report["keys"])
    cases = [one for part in parts for one in part.body["scenarios"]]
    return sorted(cases, key=lambda one: _said(one["facts"], one["claim"]) not in answered)


def _said(facts: Any, claim: Any) -> str:
    return json.dumps([facts, claim], sort_keys=True)


def _settle(context: Context, result: None) -> None:
    """Let go of the oldest reports, and of the parts that none of the others needs."""
    reports = SuiteReport.objects.filter(policy=context.policy)
    contents = reports.order_by("-at", "-pk").values_list("content_hash", flat=True)
    newest = list(dict.fromkeys(contents))[:KEPT]
    reports.exclude(content_hash__in=newest).delete()
    needed = {key for report in reports.all() for key in report.report["keys"]}
    parts = SuitePart.objects.filter(policy=context.policy)
    gone = [pk for pk, key in parts.values_list("pk", "key") if key not in needed]
    for start in range(0, len(gone), _AT_ONCE):
        parts.filter(pk__in=gone[start : start + _AT_ONCE]).delete()
