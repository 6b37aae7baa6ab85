"""A model as JSON, and lint in a process of its own that is ended when the clock runs out."""

from __future__ import annotations

import json

import pytest

from policywright.lint import lint, silence_hash
from policywright.linting import LintNotDoneError, lint_apart
from policywright.model import PolicyModel
from policywright.modeljson import model_from_json, model_to_json
from policywright.smtlib import read

TEXT = """
(declare-datatype Fare ((basic) (flexible)))
; variable: {"role": "fact", "phrase": "the fare"}
(declare-const fare Fare)
; variable: {"role": "fact", "unit": "EUR"}
(declare-const price Real)
; variable: {"role": "fact"}
(declare-const late Bool)
; variable: {"role": "outcome"}
(declare-const due Bool)
(define-fun dear () Bool (> price 100.5))
(assert (! (=> (and late dear) (not due)) :named too-late))
(assert (! (=> (= fare flexible) due) :named flexible-fare))
; kind: assumption
(assert (! (>= price 0.0) :named prices))
"""


@pytest.fixture(scope="module")
def model() -> PolicyModel:
    return read(TEXT)


def test_a_model_comes_back_from_json_as_it_was(model: PolicyModel) -> None:
    assert model_from_json(json.loads(json.dumps(model_to_json(model)))) == model


def test_the_process_tells_what_lint_says_here(model: PolicyModel) -> None:
    told = lint_apart({"model": model_to_json(model), "complete": [], "ranks": {}})
    report = lint(model)
    assert [one["code"] for one in told["diagnostics"]] == [d.code for d in report.diagnostics]
    assert told["limits"] == list(report.limits)
    clash, first = told["diagnostics"][0], report.diagnostics[0]
    assert (clash["code"], clash["rules"]) == ("conflict", ["too-late", "flexible-fare"])
    assert clash["silence"] == silence_hash(model, first)
    assert "`too-late` and `flexible-fare`" in clash["message"]
    assert "the fare is flexible" in clash["case"]
    assert [fix["label"] for fix in clash["fixes"]] == [fix.label for fix in first.fixes]


def test_past_the_deadline_there_is_a_sentence_and_no_process(model: PolicyModel) -> None:
    request = {"model": model_to_json(model), "complete": [], "ranks": {}}
    with pytest.raises(LintNotDoneError, match="not checked within 0 seconds"):
        lint_apart(request, deadline_s=0, look_s=0.001)
    with pytest.raises(LintNotDoneError, match="cancelled"):
        lint_apart(request, cancelled=lambda: True, look_s=0.001)


def test_a_model_that_does_not_fit_together_is_named(model: PolicyModel) -> None:
    data = model_to_json(model)
    data["variables"] = data["variables"][1:]
    with pytest.raises(LintNotDoneError, match="`fare` is not declared"):
        lint_apart({"model": data, "complete": [], "ranks": {}})
