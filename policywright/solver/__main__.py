"""A solver process: `python -m policywright.solver`, JSON lines over pipes, one thread.

Each request names a policy by a key of the caller's choosing, and brings its text
where this process does not hold it yet. Models are kept up to a number. Whoever
started the process ends it when the clock runs out; `rlimit` decides before that.

Request:  {"id", "policy", "text"?, "facts", "claim", "rlimit"?, "evidence"?}
       or {"id", "policy", "text"?, "given": {name: value}, "asked"?, "start"?, "count"?,
           "derived"?, "deadline_s"?} to play: values as `played_to_json` writes them
       or {"id", "text", "first": [...], "second": [...], "rlimit"?} to compare: not kept
Reply:    {"id", "finding": {...}} | {"id", "comparison": {...}} | {"id", "played": {...}}
       or {"id", "problems": [...]} | {"id", "unknown_policy": true}
"""

from __future__ import annotations

import gc
import json
import sys
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from policywright.comparison import comparison_to_json
from policywright.english.findings import render_finding
from policywright.errors import ReadError
from policywright.findings import WarmChecker, find
from policywright.findings.comparing import compare
from policywright.model import PolicyModel
from policywright.playground import A_PAGE, DEADLINE_S, Names, played_to_json
from policywright.playground.play import play
from policywright.smtlib import Answer, read, read_term
from policywright.smtlib.reader import read_facts
from policywright.solver import DEFAULT_RLIMIT

KEPT = 8
"""Policies held at once."""


class Answers:
    """Answers requests, holding the models it was given last."""

    def __init__(self) -> None:
        self._checkers: OrderedDict[str, WarmChecker] = OrderedDict()

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request; never raises for what a caller may send."""
        try:
            if "first" in request:
                return {"id": request.get("id"), "comparison": _comparison(request)}
            checker = self._checker(request)
            if checker is None:
                return {"id": request.get("id"), "unknown_policy": True}
            if "given" in request:
                return {"id": request.get("id"), "played": _played(checker.model, request)}
            return {"id": request.get("id"), "finding": _finding(checker, request)}
        except ReadError as error:
            return {"id": request.get("id"), "problems": [str(p) for p in error.problems]}
        except (KeyError, TypeError, ValueError) as error:
            problem = f"the request is not complete: {type(error).__name__} {error}"
            return {"id": request.get("id"), "problems": [problem]}

    def _checker(self, request: dict[str, Any]) -> WarmChecker | None:
        key = str(request["policy"])
        if key not in self._checkers:
            if "text" not in request:
                return None
            self._checkers[key] = WarmChecker(read(request["text"]))
            if len(self._checkers) > KEPT:
                self._checkers.popitem(last=False)
            # What is loaded stays: no collection need walk through it again.
            gc.freeze()
        self._checkers.move_to_end(key)
        return self._checkers[key]


def _finding(checker: WarmChecker, request: dict[str, Any]) -> dict[str, Any]:
    model = checker.model
    answer = Answer(read_facts(request["facts"], model), read_term(request["claim"], model))
    rlimit = int(request.get("rlimit", DEFAULT_RLIMIT))
    if request.get("evidence", True):
        finding = find(model, answer, rlimit=rlimit)
    else:
        checker.rlimit = rlimit
        finding = checker.check(answer.facts, answer.claim)
    return finding.to_json(model, render_finding(model, answer, finding))


def _played(model: PolicyModel, request: dict[str, Any]) -> dict[str, Any]:
    names = Names(model)
    given = {
        (variable := names.variable(name)).id: names.value(variable, value)
        for name, value in request["given"].items()
    }
    asked = request.get("asked")
    played = play(
        model,
        given,
        asked=None if asked is None else [names.variable(name).id for name in asked],
        start=int(request.get("start", 0)),
        count=int(request.get("count", A_PAGE)),
        derived=bool(request.get("derived", False)),
        deadline_s=float(request.get("deadline_s", DEADLINE_S)),
    )
    return played_to_json(model, played)


def _comparison(request: dict[str, Any]) -> dict[str, Any]:
    """What is compared is seldom asked about again, so nothing of it stays."""
    model = read(request["text"])
    sides = [[read_term(text, model) for text in request[side]] for side in ("first", "second")]
    rlimit = int(request.get("rlimit", DEFAULT_RLIMIT))
    return comparison_to_json(model, compare(model, *sides, rlimit=rlimit))


def replies(lines: Iterable[str]) -> Iterator[str]:
    answers = Answers()
    for line in lines:
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            yield json.dumps({"id": None, "problems": ["a request is one JSON object a line"]})
        else:
            yield json.dumps(answers.reply(request), ensure_ascii=False)


if __name__ == "__main__":
    for text in replies(sys.stdin):
        print(text, flush=True)
