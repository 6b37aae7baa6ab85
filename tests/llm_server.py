"""A local OpenAI-compatible server for tests: real HTTP, scripted answers.

Every answer is hand-written, none is a recording of a model. A script is a list
of answers; each request takes the next, and the last one is given again and again.
Where spans are asked for side by side, `choose` picks the answer by the request.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. `delay_s` passes before it; `drip_s` sends its body byte by byte.

    One that `hangs_up` is no answer: the connection is closed without a word.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    drip_s: float = 0.0
    hangs_up: bool = False


Choose = Callable[[dict[str, Any]], Answer]


def says(
    content: Any,
    *,
    finish_reason: str = "stop",
    prompt_tokens: int = 900,
    completion_tokens: int = 100,
    delay_s: float = 0.0,
) -> Answer:
    """A chat completion; content that is not text is sent as JSON text, None as null."""
    text = content if content is None or isinstance(content, str) else json.dumps(content)
    body = {
        "id": "hand-written",
        "object": "chat.completion",
        "created": 0,
        "model": "hand-written",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }
    return Answer(json.dumps(body).encode(), delay_s=delay_s)


def embeds(*vectors: Sequence[float], delay_s: float = 0.0) -> Answer:
    """Embeddings in OpenAI's shape, one for each text asked for."""
    data = [
        {"object": "embedding", "index": index, "embedding": list(vector)}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 9, "total_tokens": 9}
    body = {"object": "list", "data": data, "model": "hand-written", "usage": usage}
    return Answer(json.dumps(body).encode(), delay_s=delay_s)


def fails(status: int, message: str = "no", **headers: str) -> Answer:
    """An error in the shape that OpenAI's own service uses."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}})
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body.encode(), status=status, headers=named)


@dataclass
class LlmServer:
    """`requests` are the JSON bodies received, `headers` theirs, `times` when, in order."""

    base_url: str
    script: Sequence[Answer]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def llm_server(*script: Answer, choose: Choose | None = None) -> Iterator[LlmServer]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                turn = min(len(server.requests), len(server.script) - 1)
                asked = json.loads(body)
                server.requests.append(asked)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                server.times.append(time.monotonic())
            self.give(choose(asked) if choose else server.script[turn])

        def give(self, answer: Answer) -> None:
            server.stopping.wait(answer.delay_s)
            if answer.hangs_up:
                self.close_connection = True
                return
            try:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if not answer.drip_s:
                    self.wfile.write(answer.body)
                    return
                for byte in answer.body:
                    if server.stopping.wait(answer.drip_s):
                        return
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the caller gave up, as some tests mean it to

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet: pytest shows what a failing test needs."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = LlmServer(f"http://127.0.0.1:{http.server_address[1]}/v1", script)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        http.shutdown()
        thread.join()
        http.server_close()
