"""What LiteLLM takes by itself: the very requests of a run, sent again without us around them.

    python -m benchmarks.litellm_alone ADDRESS THREADS < REQUESTS

REQUESTS is a JSON list of {"model", "messages", "schema"}; the server at ADDRESS answers at
once. Prints the CPU seconds of importing LiteLLM and of all the calls.
"""

from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def main() -> None:
    address, threads = sys.argv[1], int(sys.argv[2])
    requests: list[dict[str, Any]] = json.load(sys.stdin)
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    began = time.process_time()
    import litellm

    litellm.suppress_debug_info = True
    imported = time.process_time()

    def ask(request: dict[str, Any]) -> None:
        schema = {"name": "policy_unit", "strict": True, "schema": request["schema"]}
        litellm.completion(
            model=request["model"],
            messages=request["messages"],
            max_tokens=8000,
            max_retries=0,
            temperature=0,
            response_format={"type": "json_schema", "json_schema": schema},
            api_base=address,
            api_key="none",
            timeout=60,
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(ask, requests))
    took = {"import_s": imported - began, "calls_s": time.process_time() - imported}
    print(json.dumps({**took, "calls": len(requests)}))


if __name__ == "__main__":
    main()
