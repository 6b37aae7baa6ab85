"""The demo's web server: waitress on a socket that the caller has already bound.

`python -m config.web FD`. The port is taken once, by whoever chose it, so no
other program can slip in between. Elsewhere use `waitress-serve` itself, see
docs/operations.md.
"""

from __future__ import annotations

import socket
import sys

from waitress import serve

from config.wsgi import application

THREADS = 8
# Above Django's own limit, so that Django says the sentence.
MAX_BODY_BYTES = 64 * 1024 * 1024


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    serve(
        application,
        sockets=[listener],
        threads=THREADS,
        max_request_body_size=MAX_BODY_BYTES,
        ident=None,
    )


if __name__ == "__main__":
    main()
