"""A lint process: `python -m policywright.lint`, one request and one reply, JSON over pipes.

Whoever started it ends it when the clock runs out; `rlimit` decides before that.

Request:  {"model", "complete": [...], "ranks": {...}, "known": [keys of parts]}, see
          `policywright.modeljson`
Reply:    {"parts": [[key, null if known, else [tally, diagnostics]]], "whole": [diagnostics]}
          | {"problems": [...]}
"""

from __future__ import annotations

import json
import sys
from typing import Any

from policywright.errors import ModelError, SortError
from policywright.lint import lint
from policywright.lint.diagnostic import PartReport
from policywright.lint.tally import Tally
from policywright.lint.telling import report_to_json
from policywright.model import PolicyModel
from policywright.modeljson import model_from_json

_KEPT_ELSEWHERE = PartReport(PolicyModel(), (), Tally())


def reply(request: dict[str, Any]) -> dict[str, Any]:
    try:
        model = model_from_json(request["model"])
    except (SortError, ModelError) as error:
        return {"problems": [str(error)]}
    known = dict.fromkeys(request["known"], _KEPT_ELSEWHERE)
    report = lint(model, known=known, complete=request["complete"], ranks=request["ranks"])
    return report_to_json(model, report, known)


if __name__ == "__main__":
    print(json.dumps(reply(json.load(sys.stdin)), ensure_ascii=False))
