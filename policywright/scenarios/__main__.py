"""A process for suites: `python -m policywright.scenarios`, one request, lines of JSON in reply.

Whoever started it ends it when the clock runs out; `rlimit` decides before that.

Request                                               Reply
{"model", "tiers", "known": [keys], "seeds": [...]}   {"counts", "keys"}, then a line a part:
                                                      {"part": key, "body"}, then {"done": true}
{"do": "count", "model", "tiers"}                     {"counts", "keys"}
{"do": "run", "model", "scenarios"}                   {"runs": [{"found", "rules": [ids]}]}
{"do": "repairs", "model", "scenario", "said",        {"repairs": [EDIT and {"keeps", "of"}]}
 "edits": [EDIT], "others": [scenarios]}

A model is that of `policywright.modeljson`; bodies, edits and scenarios are those of
`partjson`. Counts are of all tiers, keys of the parts of so many `tiers`. `seeds` are
scenarios of earlier bodies: what still tells something stays, those first that come first.
`run` and `repairs` stop by themselves after `within_s` seconds: `found` is then null, with
a `problem`; so it is of a scenario that does not fit. What cannot be read at all gets
`{"problems": [sentences]}`.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from policywright.errors import ModelError, SortError
from policywright.finding_kinds import FindingKind
from policywright.model import PolicyModel
from policywright.modeljson import model_from_json
from policywright.scenarios.edits import TIERS
from policywright.scenarios.ground import Ground
from policywright.scenarios.partjson import (
    counts_to_json,
    edit_to_json,
    part_to_json,
    scenario_from_json,
    seed_from_json,
    sorts_of,
)
from policywright.scenarios.plan import Plan
from policywright.scenarios.repairs import Repair, repairs
from policywright.scenarios.running import run
from policywright.scenarios.scenario import Scenario
from policywright.termjson import term_from_json, term_to_json

WITHIN_S = 8.0


def replies(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of a reply, each as it is known."""
    try:
        model = model_from_json(request["model"])
        yield from _DO[request.get("do", "suite")](model, request)
    except (SortError, ModelError) as error:
        yield {"problems": [str(error)]}


def _count(model: PolicyModel, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield _announced(Plan(model, tiers=request["tiers"]))


def _suite(model: PolicyModel, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    plan = Plan(model, tiers=request["tiers"])
    yield _announced(plan)
    seeds = [seed_from_json(model, one) for one in request.get("seeds", ())]
    fitting = [seed for seed in seeds if seed is not None]
    for part in plan.parts(set(request["known"]), fitting):
        yield {"part": part.key, "body": part_to_json(model, part, plan.ground)}
    yield {"done": True}


def _announced(plan: Plan) -> dict[str, Any]:
    return {"counts": counts_to_json(plan.counts(), len(TIERS)), "keys": plan.keys}


def _run(model: PolicyModel, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    end = time.monotonic() + request.get("within_s", WITHIN_S)
    ids = {rule.name: rule.id for rule in model.rules}
    found: list[dict[str, Any]] = [_not_run("there was no time for it")] * len(request["scenarios"])
    fitting: list[tuple[int, Scenario]] = []
    for place, data in enumerate(request["scenarios"]):
        try:
            fitting.append((place, scenario_from_json(model, data)))
        except SortError as error:
            found[place] = _not_run(str(error))
    ran = run(model, [scenario for _, scenario in fitting])
    for place, _ in fitting:
        if time.monotonic() > end:
            break
        one = next(ran)
        found[place] = {"found": one.found.value, "rules": [ids[name] for name in one.rules]}
    yield {"runs": found}


def _not_run(why: str) -> dict[str, Any]:
    return {"found": None, "rules": [], "problem": why}


def _repairs(model: PolicyModel, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    english = {json.dumps([one["owner"], one["term"]]): one for one in request["edits"]}
    found = repairs(
        model,
        scenario_from_json(model, request["scenario"]),
        FindingKind(request["said"]),
        tried_first=[
            (one["owner"], term_from_json(one["term"], sorts_of(model))) for one in request["edits"]
        ],
        others=[scenario_from_json(model, one) for one in request["others"]],
        within_s=request.get("within_s", WITHIN_S),
    )
    ground = Ground(model)

    def described(one: Repair) -> dict[str, Any]:
        if one.mutant is not None:
            edit = edit_to_json(model, one.mutant, ground)
        else:
            edit = english[json.dumps([one.owner, term_to_json(one.term)])]
        return {**edit, "keeps": one.keeps, "of": one.of}

    yield {"repairs": [described(one) for one in found]}


_DO = {"suite": _suite, "count": _count, "run": _run, "repairs": _repairs}


if __name__ == "__main__":
    gc.disable()  # what it makes lives until its end
    for line in replies(json.load(sys.stdin)):
        print(json.dumps(line), flush=True)
