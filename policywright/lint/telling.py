"""A report as JSON by stable id, part by part, for whoever shows it beside the rows of a draft.

Sentences leave out the quotes of rules, since each rule is shown with its own.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from policywright.english import render_case
from policywright.evaluate import Value
from policywright.lint.diagnostic import Diagnostic, Report, silence_hash
from policywright.lint.fixes import Fix
from policywright.lint.saying import rule_said
from policywright.model import PolicyModel
from policywright.modeljson import datatype_to_json, rule_to_json, variable_to_json
from policywright.scenarios import exact_text
from policywright.witness import Rounded


def report_to_json(
    model: PolicyModel, report: Report, known: Collection[str] = ()
) -> dict[str, Any]:
    """What `policywright.lint.joining` puts together; of the `known` parts no more than the key.

    Each diagnostic has all that a page needs to show it.
    """
    parts = [
        [
            key,
            None
            if key in known
            else [part.tally.to_json(), [_diagnostic(part.model, one) for one in part.diagnostics]],
        ]
        for key, part in report.parts.items()
    ]
    return {"parts": parts, "whole": [_diagnostic(model, one) for one in report.whole]}


def _diagnostic(model: PolicyModel, diagnostic: Diagnostic) -> dict[str, Any]:
    """`silence` is what a silence is bound to, empty where a rule is in no model."""
    by_id, case = model.rule_by_id, _exact(diagnostic)
    message = diagnostic.message
    for uid in diagnostic.all_rules:
        if uid in by_id:
            message = message.replace(rule_said(model, by_id[uid]), f"`{by_id[uid].name}`")
    fits = all(uid in by_id for uid in diagnostic.all_rules)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": message,
        "rules": list(diagnostic.all_rules),
        "about": list(diagnostic.about),
        "case": render_case(model, case),
        "values": {uid: exact_text(value) for uid, value in case.items()},
        "fixes": [_fix(fix) for fix in diagnostic.fixes],
        "silence": silence_hash(model, diagnostic) if fits else "",
    }


def _exact(diagnostic: Diagnostic) -> dict[str, Value]:
    """The witness without the numbers that no file can spell exactly."""
    case = diagnostic.witness or {}
    return {uid: value for uid, value in case.items() if not isinstance(value, Rounded)}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "kind": fix.kind.value,
        "label": fix.label,
        "rules": [rule_to_json(rule) for rule in fix.rules],
        "removed": list(fix.removed),
        "datatypes": [datatype_to_json(one) for one in fix.datatypes],
        "variables": [variable_to_json(one) for one in fix.variables],
        "default": None if fix.default is None else [fix.default[0], fix.default[1].value],
        "needs": fix.needs,
    }
