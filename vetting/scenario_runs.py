"""What a policy says of cases: asked of a solver process, and kept by what it rests on.

The key of what is kept covers the case and the part of the policy that has a say in it, so
nothing kept is ever stale, and after an edit only that is asked again which the edit reaches.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from policies.models import Policy
from policies.writing import written
from policywright.findings import FindingKind
from policywright.model import Kind, PolicyModel, Rule
from policywright.per_model import PerModel
from policywright.scenarios import Scenario, run_keys, say_said
from policywright.smtlib import print_model, print_term
from policywright.solver_pool import POOL
from policywright.solving import SolverGoneError, SolverProcess
from policywright.terms import TRUE, Term
from vetting.models import ScenarioRun

# The least that one question gets, so that a page with little time left asks at all.
LEAST_S = 0.2
# Of a policy; the oldest are let go.
KEPT = 20_000
_AT_ONCE = 500

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class Asked:
    """A case put to a policy model; `under` are conditions that hold of it beside its facts."""

    model: PolicyModel
    scenario: Scenario
    under: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Ran:
    """What was found, in the words of a scenario, with the uids of a minimal set of rules."""

    finding: FindingKind
    rules: tuple[str, ...] = ()


def say_ran(model: PolicyModel, claim: Term | None, ran: Ran) -> str:
    """What was found as a clause, with the rules by which it is so."""
    names = [f"`{model.rule_by_id[uid].name}`" for uid in ran.rules if uid in model.rule_by_id]
    listed = ", ".join(names)
    if ran.finding is FindingKind.UNDECIDED:
        return "the solver did not decide it"
    if ran.finding is FindingKind.IMPOSSIBLE and listed:
        return f"this case cannot happen: it contradicts {listed}, or they contradict each other"
    said = say_said(model, claim, ran.finding)
    return f"{said}, by {listed}" if listed else said


def run_asked(
    policy: Policy,
    asked: Mapping[Key, Asked],
    *,
    seconds: float,
    stop: Callable[[], bool] = lambda: False,
) -> dict[Key, Ran]:
    """What was found of each within the time; those that are kept are not asked.

    No transaction may be open. What the solver did not decide is not kept.
    """
    end = time.monotonic() + seconds
    keys = _keys(asked)
    known = _known(policy, keys.values())
    found = {one: known[key] for one, key in keys.items() if key in known}
    rest = [one for one in asked if one not in found]
    new: dict[str, Ran] = {}
    try:
        for one, ran in _answers({one: asked[one] for one in rest}, end, stop):
            found[one] = ran
            if ran.finding is not FindingKind.UNDECIDED:
                new[keys[one]] = ran
    finally:
        _keep(policy, new)
    return found


def kept_runs(policy: Policy, asked: Mapping[Key, Asked]) -> dict[Key, Ran]:
    """Those that are kept; one query for some hundreds, and no solver."""
    keys = _keys(asked)
    known = _known(policy, keys.values())
    return {one: known[key] for one, key in keys.items() if key in known}


def touched(before: Mapping[Key, Asked], after: Mapping[Key, Asked]) -> list[Key]:
    """Those of which something else may be found, in the order of `before`."""
    old, new = _keys(before), _keys(after)
    return [one for one in before if one in after and old[one] != new[one]]


def _keys(asked: Mapping[Key, Asked]) -> dict[Key, str]:
    """The key of each; those over one model and the same conditions are looked at together."""
    groups: dict[tuple[int, tuple[Term, ...]], list[Key]] = {}
    for one, question in asked.items():
        groups.setdefault((id(question.model), question.under), []).append(one)
    found: dict[Key, str] = {}
    for (_, under), members in groups.items():
        model = _assuming(asked[members[0]].model, under)
        keys = run_keys(model, [asked[one].scenario for one in members])
        found.update(zip(members, keys, strict=True))
    return found


def _assuming(model: PolicyModel, under: Sequence[Term]) -> PolicyModel:
    if not under:
        return model
    rules = [Rule(f"under-{n}", f"under-{n}", t, Kind.ASSUMPTION) for n, t in enumerate(under)]
    return model.with_rules((*model.rules, *rules))


def _known(policy: Policy, keys: Sequence[str] | Any) -> dict[str, Ran]:
    wanted = list(dict.fromkeys(keys))
    found: dict[str, Ran] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        rows = ScenarioRun.objects.filter(policy=policy, key__in=wanted[start : start + _AT_ONCE])
        for key, data in rows.values_list("key", "found"):
            found[key] = Ran(FindingKind(data["finding"]), tuple(data["rules"]))
    return found


def _keep(policy: Policy, new: Mapping[str, Ran]) -> None:
    if not new:
        return
    with written():
        ScenarioRun.objects.bulk_create(
            [
                ScenarioRun(
                    policy=policy,
                    key=key,
                    found={"finding": ran.finding.value, "rules": list(ran.rules)},
                )
                for key, ran in new.items()
            ],
            batch_size=_AT_ONCE,
            ignore_conflicts=True,
        )
        rows = ScenarioRun.objects.filter(policy=policy)
        oldest = rows.order_by("-pk").values_list("pk", flat=True)[KEPT : KEPT + 1]
        for pk in oldest:
            rows.filter(pk__lte=pk).delete()


@dataclass(frozen=True)
class _Text:
    """A model as the solver process reads it; one model is asked about many cases."""

    text: str
    key: str
    by_name: Mapping[str, str]


def _told(model: PolicyModel) -> _Text:
    text = print_model(model)
    key = hashlib.sha256(text.encode()).hexdigest()
    return _Text(text, key, {rule.name: rule.id for rule in model.rules})


_text = PerModel(_told)


def _answers(
    asked: Mapping[Key, Asked], end: float, stop: Callable[[], bool]
) -> Iterator[tuple[Key, Ran]]:
    if not asked:
        return
    with POOL.solver() as solver:
        usual_s = solver.deadline_s
        try:
            for one, question in asked.items():
                left_s = end - time.monotonic()
                if left_s <= 0 or stop():
                    return
                solver.deadline_s = min(usual_s, max(left_s, LEAST_S))
                try:
                    yield one, _ask(solver, question)
                except SolverGoneError:
                    continue
        finally:
            solver.deadline_s = usual_s


def _ask(solver: SolverProcess, asked: Asked) -> Ran:
    model, scenario = asked.model, asked.scenario
    told = _text(model)
    terms = [*scenario.fact_terms(model), *asked.under]
    facts = "\n".join(f"(assert {print_term(model, term)})" for term in terms)
    claim = print_term(model, TRUE if scenario.claim is None else scenario.claim)
    finding = solver.check(told.key, told.text, facts=facts, claim=claim, evidence=False)
    kind = FindingKind(finding["finding"])
    if scenario.claim is None and kind is FindingKind.VALID:
        return Ran(FindingKind.SATISFIABLE)
    rules = [told.by_name[name] for name in finding["rules"] if name in told.by_name]
    return Ran(kind, tuple(dict.fromkeys(rules)))
