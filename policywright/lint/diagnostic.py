"""What lint says: a diagnostic with its rules, a case or a core, and fixes; a report of them.

Nothing here is of a solver's. Rules, variables and datatypes are named by stable id;
`to_json` turns ids into the names that a file's reader knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from policywright.evaluate import Value
from policywright.findings.finding import value_to_json
from policywright.hashing import content_hash, declared_content, rule_content
from policywright.lint.fixes import Fix
from policywright.lint.tally import Tally
from policywright.model import PolicyModel
from policywright.witness import Rounded


class Severity(StrEnum):
    """Errors keep a policy from being published, warnings ask, notes tell."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Diagnostic:
    """One thing that lint found.

    `rules` are those it is about, `core` those that show it: with any of them left out
    it would not follow. `about` are variables and datatypes. `witness` is a case by
    variable id that shows it. The first of the `fixes` is the one to offer first.
    """

    code: str
    severity: Severity
    message: str
    rules: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    witness: Mapping[str, Value | Rounded] | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def all_rules(self) -> tuple[str, ...]:
        """Those it is about, then those that show it, each once."""
        return tuple(dict.fromkeys((*self.rules, *self.core)))

    def to_json(self, model: PolicyModel) -> dict[str, Any]:
        """The JSON of the command line: rules and variables by name, exact values."""
        by_id = model.rule_by_id
        return {
            "code": self.code,
            "severity": self.severity.value,
            "rules": [by_id[uid].name if uid in by_id else uid for uid in self.all_rules],
            "message": self.message,
            "witness": None if self.witness is None else _case_to_json(model, self.witness),
            "fixes": [fix.label for fix in self.fixes],
        }


@dataclass(frozen=True)
class PartReport:
    """What was found in one part of a policy, in the words of that part's own model."""

    model: PolicyModel
    diagnostics: tuple[Diagnostic, ...]
    tally: Tally


@dataclass(frozen=True)
class Report:
    """All diagnostics, errors first; `limits` are sentences about what was not decided.

    `looked_at` are the ids of the rules that were asked about; of the others an earlier
    report was taken over. `questions` is how many questions about the rules were put, to a
    solver or settled before one was asked. `parts` are what was found in each part, by key
    in document order, `whole` what was found in no part but in the policy.
    """

    diagnostics: tuple[Diagnostic, ...]
    limits: tuple[str, ...]
    looked_at: frozenset[str]
    questions: int
    parts: Mapping[str, PartReport]
    whole: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    def to_json(self, model: PolicyModel) -> list[dict[str, Any]]:
        return [diagnostic.to_json(model) for diagnostic in self.diagnostics]


def silence_hash(model: PolicyModel, diagnostic: Diagnostic) -> str:
    """What a silenced diagnostic is bound to: its code and the content of what it speaks of.

    It moves when one of these rules, variables or datatypes does, so that the silence ends
    by itself.
    """
    rules = [rule_content(model, model.rule_by_id[uid]) for uid in sorted(diagnostic.all_rules)]
    about = {uid: declared_content(model, uid) for uid in sorted(diagnostic.about)}
    return content_hash({"lint": diagnostic.code, "rules": rules, "about": about})


def _case_to_json(model: PolicyModel, case: Mapping[str, Value | Rounded]) -> dict[str, Any]:
    return {
        variable.name: value_to_json(model, variable.sort.key, case[variable.id])
        for variable in model.variables
        if variable.id in case
    }
