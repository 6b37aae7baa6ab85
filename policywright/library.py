"""What an engineer imports: load a policy file, check facts and a claim against it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from policywright.errors import Problem, ReadError
from policywright.findings import Finding, check_claim
from policywright.model import PolicyModel, Role
from policywright.smtlib import Answer, read, read_answer, read_term
from policywright.smtlib.reader import read_facts
from policywright.solver import DEFAULT_RLIMIT


class LoadedPolicy:
    """A policy model ready for checks; immutable, safe to share between threads."""

    def __init__(self, model: PolicyModel) -> None:
        self.model = model

    def check(
        self, facts: str | Iterable[str], claim: str, *, rlimit: int = DEFAULT_RLIMIT
    ) -> Finding:
        """The finding for facts and a claim, both SMT-LIB over the policy's names.

        `facts` is assertions (`(assert (! TERM :named NAME))`, names optional) or an
        iterable of conditions; `claim` one condition. `rlimit` is in Z3's units of work.

        Raises ReadError with every problem of facts and claim.
        """
        if not isinstance(facts, str):
            facts = "\n".join(f"(assert {fact})" for fact in facts)
        answer = Answer(read_facts(facts, self.model), read_term(claim, self.model))
        return self.check_answer(answer, rlimit=rlimit)

    def check_answer(self, answer: Answer, *, rlimit: int = DEFAULT_RLIMIT) -> Finding:
        return check_claim(self.model, answer.facts, answer.claim, rlimit=rlimit)

    def read_answer(self, text: str) -> Answer:
        """The facts and the claim of an answer file; raises ReadError."""
        return read_answer(text, self.model)


def load_policy(path: str | Path, *, roles: str | Path | None = None) -> LoadedPolicy:
    """Read a policy file; `roles` is a TOML file of `fact`, `outcome`, `derived` lists.

    Raises ReadError with every problem found, OSError if a file cannot be read.
    """
    model = read(read_text(path))
    return LoadedPolicy(with_roles(model, roles) if roles is not None else model)


def read_text(path: str | Path) -> str:
    """A file's text; raises ReadError where it is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is not UTF-8 text"
        raise ReadError([Problem(0, 0, message, "save the file as UTF-8")]) from error


def with_roles(model: PolicyModel, path: str | Path) -> PolicyModel:
    """The model with the roles that a TOML file gives; raises ReadError for unknown names."""
    try:
        data: Mapping[str, object] = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ReadError([Problem(0, 0, f"the roles file is not TOML: {error}")]) from error
    roles: dict[str, Role] = {}
    problems = []
    names = {variable.name for variable in model.variables}
    for key, listed in data.items():
        if key not in [role.value for role in Role] or not isinstance(listed, list):
            problems.append(Problem(0, 0, f"`{key}` is not a list of fact, outcome or derived"))
            continue
        for name in listed:
            if name not in names:
                problems.append(
                    Problem(0, 0, f"the roles file names `{name}`, which is not a variable")
                )
            roles[str(name)] = Role(key)
    if problems:
        raise ReadError(problems)
    variables = tuple(
        replace(v, role=roles[v.name], role_guessed=False) if v.name in roles else v
        for v in model.variables
    )
    return PolicyModel(model.datatypes, variables, model.definitions, model.rules)
