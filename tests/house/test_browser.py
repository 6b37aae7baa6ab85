"""The browser that tests drive: it is strict about the content policy, and missed out loud."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import path
from playwright.sync_api import Page, expect

ROOT = Path(__file__).resolve().parents[2]
HINT = "Browser tests need Chromium, which was not found: apt-get install chromium (Debian)"


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<!doctype html><title>Plain</title><p>A plain page.</p>")


def inline(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<!doctype html><p>Before</p><script>document.body.remove()</script>")


urlpatterns = [path("plain/", plain), path("inline/", inline)]


@pytest.fixture
def address(settings: object, live_server: object) -> str:
    settings.ROOT_URLCONF = __name__  # type: ignore[attr-defined]
    return str(live_server.url)  # type: ignore[attr-defined]


def test_a_page_opens(page: Page, address: str) -> None:
    page.goto(f"{address}/plain/")
    expect(page.get_by_text("A plain page.")).to_be_visible()


def test_a_page_opens_without_script(page_without_script: Page, address: str) -> None:
    page_without_script.goto(f"{address}/plain/")
    expect(page_without_script.get_by_text("A plain page.")).to_be_visible()


def test_an_inline_script_does_not_run(new_page: Callable[..., Page], address: str) -> None:
    page = new_page(watched=False)
    page.goto(f"{address}/inline/")
    expect(page.get_by_text("Before")).to_be_visible()


def run_pytest(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A pytest of its own, on SQLite: this one holds the test database of PostgreSQL."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    ours = ("CI", "DATABASE_URL", "POLICYWRIGHT_JOBS")
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**inherited, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


NODE = "tests/house/test_browser.py::test_a_page_opens"
NO_CHROMIUM = str(Path(sys.executable).parent)


@pytest.mark.skipif(sys.platform == "darwin", reason="Chromium is found without PATH on macOS")
def test_without_chromium_browser_tests_are_skipped_and_one_line_says_how_to_get_it() -> None:
    result = run_pytest(NODE, PATH=NO_CHROMIUM)
    assert result.returncode == 0, result.stdout
    assert "1 skipped" in result.stdout
    assert sum(HINT in line for line in result.stdout.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "darwin", reason="Chromium is found without PATH on macOS")
def test_without_chromium_ci_fails() -> None:
    result = run_pytest(NODE, PATH=NO_CHROMIUM, CI="true")
    assert result.returncode == 1
    assert HINT in result.stdout


def test_a_blocked_script_fails_the_test_that_met_it(tmp_path: Path) -> None:
    """Run in a pytest of its own, since it is the fixture that complains."""
    test = tmp_path / "test_blocked.py"
    test.write_text(
        "from tests.house.test_browser import address, urlpatterns\n"
        "pytest_plugins = ['tests.conftest']\n"
        "def test_blocked(page, address):\n"
        "    page.goto(f'{address}/inline/')\n",
        encoding="utf-8",
    )
    result = run_pytest(f"--rootdir={ROOT}", f"--config-file={ROOT}/pyproject.toml", test)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "Content Security Policy" in result.stdout
