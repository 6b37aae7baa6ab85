"""`make demo`: prepare the database, read the examples, serve, and stop all of it together.

Plain Python around `manage.py`. Web server and runner are child processes, each
the head of a group of its own, so that nothing they start outlives a stop.
What is done stays done: a further start goes on where this one stopped.

    PORT   the first port to try (8000); a taken one gives the next free one
    SERVE  0 does all but serve
"""

from __future__ import annotations

import fcntl
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import FrameType

from config.environment import kept_secret

BASE_DIR = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
START_SECONDS = 60
GRACE_SECONDS = 10
LOGINS = ("owner@example.org", "legal@example.org", "engineer@example.org")


class Stopped(Exception):
    """Somebody asked us to stop: Ctrl-C, a signal, or make is gone."""


class DemoError(Exception):
    """A part of the demo failed; the message is one sentence."""


def main() -> int:
    for number in STOP_SIGNALS:
        # `nohup make demo` asks us to outlive the terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _ask_to_stop)
    # The demo brings its own runner, whatever this machine is set up for otherwise.
    os.environ["POLICYWRIGHT_JOBS"] = "embedded"
    var = Path(os.environ.get("POLICYWRIGHT_VAR") or BASE_DIR / "var").resolve()
    try:
        password = kept_secret(var / "demo-password", 12)
        prepare(var)
        if os.environ.get("SERVE", "1") != "0":
            serve(first_port(), password)
    except Stopped:
        return 0
    except DemoError as error:
        print(f"make demo: {error}", file=sys.stderr)
        return 1
    return 0


def prepare(var: Path) -> None:
    """Migrate and read the examples; two demos that start together take turns."""
    with (var / "demo.lock").open("w") as lock:
        while not locked(lock.fileno()):
            pause()
        for command in (("migrate", "--verbosity", "0"), ("load_examples",)):
            with running("manage.py", *command) as process:
                code = wait(process)
            if code:
                raise DemoError(f"`manage.py {command[0]}` failed, see above.")


def locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def first_port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise DemoError(f"PORT is `{text}`: give a number from 1 to 65535.")
    return int(text)


def serve(start: int, password: str) -> None:
    """Run web server and runner until one of them ends, which is an error, or we are stopped."""
    with ExitStack() as stack:
        listener = stack.enter_context(closing(bind(start)))
        port = listener.getsockname()[1]
        # Links in mail lead to this very demo.
        os.environ.setdefault("POLICYWRIGHT_URL", f"http://{HOST}:{port}")
        children = {
            "web server": stack.enter_context(
                running("-m", "config.web", str(listener.fileno()), keep=listener.fileno())
            ),
            "runner": stack.enter_context(running("manage.py", "work")),
        }
        wait_for_page(port, children)
        print(f"\nPolicywright is at http://{HOST}:{port}/  (Ctrl-C stops it)\n")
        for login in LOGINS:
            print(f"  {login:<22}  password: {password}")
        print(flush=True)
        while not ended(children):
            pause()
        raise DemoError(f"the {ended(children)} ended by itself, so all of it was stopped.")


def bind(start: int) -> socket.socket:
    """A listening socket on the first free port from `start` on."""
    for port in range(start, min(start + 100, 65536)):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen(128)
        except OSError:
            listener.close()
        else:
            return listener
    raise DemoError(f"no free port from {start} on: name another with `make demo PORT=9000`.")


@contextmanager
def running(*arguments: str, keep: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Our own Python on `arguments`; on leaving, its whole group is ended."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=BASE_DIR,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=() if keep is None else (keep,),
    )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask the group to end, then make it."""
    deadline = time.monotonic() + GRACE_SECONDS
    signal_group(process, signal.SIGTERM)
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    signal_group(process, signal.SIGKILL)
    process.wait()


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # macOS says the latter of a dead group
        return


def wait(process: subprocess.Popen[bytes]) -> int:
    while (code := process.poll()) is None:
        pause()
    return code


def wait_for_page(port: int, children: dict[str, subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if name := ended(children):
            raise DemoError(f"the {name} did not start, see above.")
        if status := answer(port):
            if status < 400:
                return
            raise DemoError(f"the page answered with an error ({status}), see above.")
        pause()
    raise DemoError(f"the page did not answer within {START_SECONDS} seconds.")


def answer(port: int) -> int | None:
    """The status with which the first page answers, None while nothing does."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def ended(children: dict[str, subprocess.Popen[bytes]]) -> str | None:
    return next((name for name, child in children.items() if child.poll() is not None), None)


def pause() -> None:
    """The one place where a wish to stop is heeded, so that it never cuts a step in half."""
    time.sleep(0.1)
    if _asked_to_stop or make_is_gone():
        raise Stopped


def make_is_gone() -> bool:
    """Whether the make that started us was killed, or was itself told to stop.

    Ctrl-C reaches us as well as make. `kill -INT` of make alone does not: make
    then holds the signal back and waits for us, which only Linux lets us see.
    """
    if _MAKE is None:
        return False
    if os.getppid() != _MAKE:
        return True
    try:
        status = Path(f"/proc/{_MAKE}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    blocked = next(line for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1)


def _ask_to_stop(number: int, frame: FrameType | None) -> None:
    global _asked_to_stop
    _asked_to_stop = True


_asked_to_stop = False
_MAKE = os.getppid() if "MAKELEVEL" in os.environ else None


if __name__ == "__main__":
    sys.exit(main())
