"""`make demo` without a terminal: it starts, serves beside another, and stops all of itself.

Each demo here has its own var/. Its processes are found by that folder's name in
their environment, whoever their parent is.
"""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VENV = Path(sys.prefix)
ADDRESS = re.compile(r"^Policywright is at http://127\.0\.0\.1:(\d+)/", re.M)

pytestmark = pytest.mark.skipif(
    not (VENV / ".installed-run").exists(),
    reason="this environment was not made by make, and make demo would change it",
)


class Demo:
    """One `make demo`, its output in a file."""

    def __init__(self, var: Path, output: Path, **variables: str) -> None:
        self.var, self.output = var, output
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        for name in ("DATABASE_URL", "POLICYWRIGHT_JOBS", "DJANGO_SETTINGS_MODULE"):
            inherited.pop(name, None)
        with output.open("wb") as file:
            self.make = subprocess.Popen(
                ["make", "demo", f"VENV={VENV}"],
                cwd=ROOT,
                env={**inherited, "POLICYWRIGHT_VAR": str(var), **variables},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Whoever runs the tests in the background has SIGINT ignored, and so would make.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )

    def port(self) -> int:
        """The port it announces, once it does."""
        found = wait_for(lambda: ADDRESS.search(self.text()) or self.make.poll() is not None)
        assert isinstance(found, re.Match), self.text()
        return int(found[1])

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def interrupt(self) -> int:
        """Ctrl-C: the signal reaches make and what make runs."""
        os.killpg(self.make.pid, signal.SIGINT)
        return self.make.wait(timeout=30)


def wait_for(condition: Callable[[], object], seconds: float = 90) -> object:
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def processes_of(var: Path) -> list[int]:
    """Every process whose environment names this folder."""
    mark = f"POLICYWRIGHT_VAR={var}"
    if not Path("/proc/self/environ").exists():
        command = ["ps", "-axEww", "-o", "pid=,command="]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return [int(line.split()[0]) for line in lines.splitlines() if mark in line]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # it ended while we looked, or is another user's
            continue
        if mark.encode() in environment:
            found.append(int(folder.name))
    return found


def none_left(var: Path) -> bool:
    return bool(wait_for(lambda: not processes_of(var), seconds=20))


def free_port() -> int:
    """A port that is free, and so is the next one."""
    while True:
        with closing(socket.socket()) as first, closing(socket.socket()) as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
        return port


def get(port: int, path: str = "/") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        return response


def sign_in(port: int, email: str, password: str) -> str:
    """The first page that this person sees."""
    address = f"http://127.0.0.1:{port}/sign-in/"
    cookies = urllib.request.HTTPCookieProcessor()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
    with opener.open(address, timeout=10) as page:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
    assert token is not None
    form = {"username": email, "password": password, "csrfmiddlewaretoken": token[1]}
    with opener.open(address, urllib.parse.urlencode(form).encode(), timeout=10) as page:
        shown: str = page.read().decode()
    return shown


def rows(var: Path) -> dict[str, list[tuple[object, ...]]]:
    """What the examples left in the database."""
    with closing(sqlite3.connect(var / "policywright.sqlite3")) as database:
        return {
            table: database.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
            for table in ("policies_policy", "policies_documentrevision", "policies_rule")
        }


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A var/ in which the examples have been read once."""
    folder = tmp_path_factory.mktemp("demo") / "var"
    demo = Demo(folder, folder.parent / "prepared.txt", SERVE="0")
    assert demo.make.wait(timeout=110) == 0, demo.text()
    return folder


@pytest.fixture
def start(var: Path, tmp_path: Path) -> Iterator[Callable[..., Demo]]:
    """Starts a demo on the prepared folder; whatever the test leaves running is killed."""
    started: list[Demo] = []

    def start_one(**variables: str) -> Demo:
        demo = Demo(var, tmp_path / f"demo-{len(started)}.txt", **variables)
        started.append(demo)
        return demo

    yield start_one
    for pid in processes_of(var):
        os.kill(pid, signal.SIGKILL)
    for demo in started:
        demo.make.wait(timeout=10)


def test_without_serving_it_says_what_it_found_and_ends(var: Path) -> None:
    text = (var.parent / "prepared.txt").read_text(encoding="utf-8")
    assert "Travel policy" in text
    assert "Admission fees" in text
    assert "Traceback" not in text
    assert not ADDRESS.search(text)
    assert none_left(var)
    found = rows(var)
    assert len(found["policies_policy"]) >= 2
    assert found["policies_rule"]


def test_secrets_are_their_owners_alone(var: Path) -> None:
    for name in ("secret-key", "demo-password"):
        assert stat.S_IMODE((var / name).stat().st_mode) == 0o600


def test_a_second_one_takes_the_next_port_and_ctrl_c_leaves_no_process(
    var: Path, start: Callable[..., Demo]
) -> None:
    before = rows(var)
    port = free_port()
    first = start(PORT=str(port))
    assert first.port() == port
    second = start(PORT=str(port))
    assert second.port() == port + 1
    assert get(port).status < 400
    assert get(port + 1).status < 400
    logins = re.findall(r"^  (\S+@example\.org) +password: (\S+)$", first.text(), re.M)
    assert [email.split("@")[0] for email, _ in logins] == ["owner", "legal", "engineer"]
    for email, password in logins:
        assert "Travel policy" in sign_in(port, email, password)
    assert "Traceback" not in first.text() + second.text()

    first.interrupt()
    assert get(port + 1).status < 400, "the one beside it goes on"
    second.interrupt()
    assert none_left(var)
    assert rows(var) == before, "what was read once is not read again"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_to_make_alone_leaves_no_process(
    var: Path, start: Callable[..., Demo], number: signal.Signals
) -> None:
    if number is not signal.SIGTERM and sys.platform != "linux":
        pytest.skip("only Linux shows that make was told to stop")
    demo = start(PORT=str(free_port()))
    demo.port()
    demo.make.send_signal(number)
    assert none_left(var), demo.text()


def test_when_the_runner_dies_all_of_it_stops_and_says_so(
    var: Path, start: Callable[..., Demo]
) -> None:
    demo = start(PORT=str(free_port()))
    demo.port()
    (runner,) = (pid for pid in processes_of(var) if "work" in arguments_of(pid))
    os.kill(runner, signal.SIGKILL)
    assert demo.make.wait(timeout=30) != 0
    assert "the runner ended by itself" in demo.text()
    assert none_left(var)


def arguments_of(pid: int) -> list[str]:
    if (file := Path(f"/proc/{pid}/cmdline")).exists():
        return file.read_text(encoding="utf-8").split("\0")
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_a_port_that_is_none_is_one_sentence(start: Callable[..., Demo]) -> None:
    demo = start(PORT="http")
    assert demo.make.wait(timeout=60) != 0
    assert "make demo: PORT is `http`: give a number from 1 to 65535." in demo.text()
