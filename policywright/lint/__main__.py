"""A lint process: `python -m policywright.lint`, one request and one reply, JSON over pipes.

Whoever started it ends it when the clock runs out; `rlimit` decides before that.

Request:  {"model", "complete": [...], "ranks": {...}}, see `policywright.modeljson`
Reply:    {"report": {...}} | {"problems": [...]}
"""

from __future__ import annotations

import json
import sys
from typing import Any

from policywright.errors import ModelError, SortError
from policywright.lint import lint
from policywright.lint.telling import report_to_json
from policywright.modeljson import model_from_json


def reply(request: dict[str, Any]) -> dict[str, Any]:
    try:
        model = model_from_json(request["model"])
    except (SortError, ModelError) as error:
        return {"problems": [str(error)]}
    report = lint(model, complete=request["complete"], ranks=request["ranks"])
    return {"report": report_to_json(model, report)}


if __name__ == "__main__":
    print(json.dumps(reply(json.load(sys.stdin)), ensure_ascii=False))
