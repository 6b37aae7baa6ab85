"""What an engineer imports: load a policy file, check facts and a claim against it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from policywright.files import read_text, with_roles
from policywright.findings import Finding, check_claim
from policywright.model import PolicyModel
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
