"""A local OpenAI-compatible server that answers for a made policy, each time after DELAY seconds.

    python -m benchmarks.model_server RULES DELAY

Prints its address, then serves until its standard input ends. It is a process of its own,
so that what it takes is not ours. A draft states each sentence that is asked for with its rule,
and declares what was not shown; a translator gives the rule's condition. The model
`made-3` reads one sentence in twelve with another bound, so that there is something to ask.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.units import MadePolicy, make_policy

_BLOCK = re.compile(r"<(document-[0-9a-f]{16})>\n(.*?)\n</\1>", re.DOTALL)
_ONE_IN = 12


class Answers:
    def __init__(self, made: MadePolicy) -> None:
        self.made = made
        self.by_text = {one.text: one for unit in made.units for one in unit.sentences}

    def to(self, request: dict[str, Any]) -> dict[str, Any]:
        """A chat completion for what the last data block asks."""
        asked = "\n".join(message["content"] for message in request["messages"])
        block = _BLOCK.findall(asked)[-1][1]
        declared, *sentences = [json.loads(line) for line in block.splitlines()]
        if any("translate" in one for one in sentences):
            said: Any = {"translations": [self._translated(one, request) for one in sentences]}
        else:
            known = declared["declared"]
            names = {one["name"] for one in (*known["datatypes"], *known["variables"])}
            said = {"statements": [self._stated(one, names) for one in sentences]}
        text = json.dumps(said)
        usage = {"prompt_tokens": len(asked) // 4, "completion_tokens": len(text) // 4}
        usage["total_tokens"] = sum(usage.values())
        message = {"role": "assistant", "content": text}
        return {
            "id": "made",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": usage,
        }

    def _stated(self, line: dict[str, Any], names: set[str]) -> Any:
        return self.made.statement(line["sentence"], self.by_text[line["text"]], names)

    def _translated(self, line: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
        said = self.made.smtlib(self.by_text[line["text"]].rule.term)
        if request["model"] == "made-3" and zlib.crc32(line["text"].encode()) % _ONE_IN == 0:
            said = said.replace("(> ", "(>= ", 1).replace("(< ", "(<= ", 1)
        return {"sentence": line["sentence"], "cannot": False, "reason": "", "conditions": [said]}


def serve(answers: Answers, delay_s: float) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            came = time.monotonic()
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(answers.to(request)).encode()
            time.sleep(max(delay_s - (time.monotonic() - came), 0))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet: the benchmark's own lines are read."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> None:
    rules, delay_s = int(sys.argv[1]), float(sys.argv[2])
    server = serve(Answers(make_policy(rules)), delay_s)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
