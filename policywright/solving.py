"""Asks a solver process, and ends it when the clock runs out.

A check in a process of its own cannot take its caller down, leak into another
check, or run on for ever: past the deadline the process is killed, the caller
gets UNDECIDED, and the next question starts a new one.
"""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from policywright.comparison import (
    Comparison,
    Same,
    Undecided,
    comparison_from_json,
    written_alike,
)
from policywright.errors import PolicywrightError, Problem, ReadError
from policywright.evaluate import Value
from policywright.model import Kind, PolicyModel, Rule
from policywright.playground import A_PAGE, Played, given_to_json, played_from_json
from policywright.playground import DEADLINE_S as PLAY_S
from policywright.smtlib import print_model, print_term
from policywright.terms import TRUE, Symbol, Term, subterms

DEADLINE_S = 10.0
COMMAND = (sys.executable, "-m", "policywright.solver")


class SolverGoneError(PolicywrightError):
    """A solver process ended without an answer, twice in a row."""


class SolverProcess:
    """One process, one question at a time; for one thread. Use as a context manager."""

    def __init__(self, *, deadline_s: float = DEADLINE_S, command: Sequence[str] = COMMAND) -> None:
        self.deadline_s, self._command = deadline_s, tuple(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def __enter__(self) -> SolverProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def check(
        self,
        key: str,
        text: str,
        *,
        facts: str,
        claim: str,
        evidence: bool = True,
        rlimit: int | None = None,
    ) -> dict[str, Any]:
        """The finding as the command line's JSON; `key` stands for `text` from then on.

        UNDECIDED if there is no answer within the deadline. Raises ReadError for facts,
        claim or a policy that cannot be read, SolverGoneError if the process keeps ending.
        """
        request: dict[str, Any] = {"facts": facts, "claim": claim, "evidence": evidence}
        if rlimit is not None:
            request["rlimit"] = rlimit
        reply = self._reply(key, text, request)
        if reply is None:
            return _undecided(self.deadline_s)
        finding: dict[str, Any] = reply["finding"]
        return finding

    def play(
        self,
        key: str,
        text: str,
        model: PolicyModel,
        given: Mapping[str, Value],
        *,
        asked: Sequence[str] | None = None,
        start: int = 0,
        count: int = A_PAGE,
        derived: bool = False,
    ) -> Played | None:
        """What `policywright.playground.play` finds of a model, printed as `text`.

        None if there is no answer within the deadline. Raises ReadError for a policy that
        cannot be read, KeyError for an id that there is not, SolverGoneError.
        """
        request = {
            "given": given_to_json(model, given),
            "asked": None if asked is None else [model.name_of(uid) for uid in asked],
            "start": start,
            "count": count,
            "derived": derived,
            # Its own clock comes first: what was found until then is told.
            "deadline_s": min(PLAY_S, self.deadline_s * 0.6),
        }
        reply = self._reply(key, text, request)
        return None if reply is None else played_from_json(model, reply["played"])

    def compare(
        self, model: PolicyModel, first: Sequence[Term], second: Sequence[Term]
    ) -> Comparison:
        """Compare conditions over a model, as `policywright.findings.comparing.compare` does.

        Of the model's rules only its assumptions count. Undecided if there is no answer
        within the deadline. Raises SolverGoneError.
        """
        if written_alike(first, second):
            return Same()
        spoken_of = _only_spoken_of(model, [*first, *second])
        sides = {
            side: [print_term(spoken_of, term) for term in terms]
            for side, terms in (("first", first), ("second", second))
        }
        reply = _checked(self._ask({"text": print_model(spoken_of), **sides}))
        if reply is None:
            return Undecided(_no_answer(self.deadline_s))
        return comparison_from_json(model, reply["comparison"])

    def _reply(self, key: str, text: str, request: dict[str, Any]) -> dict[str, Any] | None:
        """The reply about a policy, its text sent where it is new; None past the deadline."""
        reply = self._ask({"policy": key, **request})
        if reply is not None and reply.get("unknown_policy"):
            reply = self._ask({"policy": key, "text": text, **request})
        return _checked(reply)

    def close(self) -> None:
        """End the process; nothing of it is left."""
        process, self._process, self._rest = self._process, None, b""
        if process is not None:
            process.kill()
            process.communicate()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The reply; None if the deadline passed, and the process is gone."""
        for _ in range(2):
            process = self._running()
            assert process.stdin is not None
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                line = self._line(process)
            except BrokenPipeError:
                line = b""
            if line is None:
                self.close()
                return None
            if line:
                reply: dict[str, Any] = json.loads(line)
                return reply
            self.close()
        raise SolverGoneError("the solver process ended without an answer; try again")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        """One line of output; empty if the process ended, None if the deadline passed."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(self.deadline_s):
                    return None
                chunk = process.stdout.read(1 << 16)
                if not chunk:
                    return b""
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _undecided(deadline_s: float) -> dict[str, Any]:
    note = _no_answer(deadline_s)
    return {
        "finding": "UNDECIDED",
        "rules": [],
        "facts": [],
        "excluded": [],
        "english": f"This was not decided, for or against. Note: {note}.",
        "notes": [note],
    }


def _checked(reply: dict[str, Any] | None) -> dict[str, Any] | None:
    """The reply; ReadError for one that names problems."""
    if reply is not None and "problems" in reply:
        raise ReadError([Problem(0, 0, problem) for problem in reply["problems"]])
    return reply


def _no_answer(deadline_s: float) -> str:
    return f"there was no answer within {deadline_s:g} seconds"


def _only_spoken_of(model: PolicyModel, terms: Sequence[Term]) -> PolicyModel:
    """The model with its assumptions, and of the rest what these and the terms speak of."""
    assumed = [rule for rule in model.rules if rule.kind is Kind.ASSUMPTION]
    taken = {rule.name for rule in assumed}
    name = next(name for n in count() if (name := f"no-say{n or ''}") not in taken)
    # A file holds at least one assertion; one that is no assumption has no say.
    rules = [*assumed, Rule(name, name, TRUE)]
    if model.definitions:
        return model.with_rules(rules)
    nodes = [node for t in (*terms, *(r.term for r in assumed)) for node in subterms(t)]
    used = {node.id for node in nodes if isinstance(node, Symbol)}
    sorts = {node.sort.key for node in nodes}
    return PolicyModel(
        tuple(datatype for datatype in model.datatypes if datatype.id in sorts),
        tuple(variable for variable in model.variables if variable.id in used),
        rules=tuple(rules),
    )
