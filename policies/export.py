"""The `.smt2` file of a policy: what any SMT solver reads, the same bytes each time.

Declarations, then each rule named, its source sentence above it, assumptions
and defaults marked by their kind. The header says which policy and version it
is, what the file cannot express (the sentences it is subject to), and which
conditions were added to rules because of the section they stand in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from policywright.model import PolicyModel
from policywright.smtlib import print_model


@dataclass(frozen=True)
class SubjectTo:
    """A binding sentence that no rule carries, with the names of the outcomes it limits."""

    sentence: str
    outcomes: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class ScopeOf:
    """A section that applies under a condition, in English, and the names of its rules."""

    section: str
    english: str
    rules: tuple[str, ...]


def export_smt2(
    policy_model: PolicyModel,
    *,
    policy: str,
    version: int | None = None,
    record_sha256: str = "",
    subject_to: Sequence[SubjectTo] = (),
    scopes: Sequence[ScopeOf] = (),
) -> bytes:
    """The file in UTF-8. Without a version it is a draft, and says so."""
    header = [f"policy: {_one_line(policy)}"]
    if version is None:
        header.append("draft: nobody has approved this file as a whole")
    else:
        header += [f"version: {version}", f"record: sha256 {record_sha256}"]
    for scope in scopes:
        rules = ", ".join(scope.rules) or "no rule"
        said = f"{_one_line(scope.section)} applies only if: {_one_line(scope.english)}"
        header.append(f"scope: {said} (part of {_one_line(rules)})")
    for limit in subject_to:
        outcomes = ", ".join(limit.outcomes) or "the whole policy"
        header.append(f"subject to: {_one_line(limit.sentence)} (limits {_one_line(outcomes)})")
    return print_model(policy_model, header=header).encode()


def export_filename(slug: str, version: int | None = None) -> str:
    """`travel-v1.smt2`; a draft is `travel-draft.smt2`. A slug holds no path."""
    return f"{slug}-v{version}.smt2" if version is not None else f"{slug}-draft.smt2"


def _one_line(text: str) -> str:
    """Text that stays inside its comment, whatever it holds."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)
