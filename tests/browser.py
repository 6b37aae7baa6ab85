"""Chromium, driven by Playwright, on the live server.

A page fails its test when the content security policy blocked something or a
script raised. `page.wait_for_function` never returns under that policy (it
evaluates in the page): wait with `expect(locator)`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Chromium.app/Contents/MacOS/Chromium"
HINT = (
    "Browser tests need Chromium, which was not found: "
    "apt-get install chromium (Debian), brew install --cask chromium (macOS)."
)
FIXTURES = {"browser", "new_page", "page", "page_without_script"}


def find_chromium() -> str | None:
    return next((path for name in (*NAMES, MAC) if (path := shutil.which(name))), None)


@pytest.hookimpl(tryfirst=True)  # before `-m` picks by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if find_chromium() is None:
        terminalreporter.write_line(HINT)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        if os.environ.get("CI") == "true":
            pytest.fail(HINT)
        pytest.skip(HINT)
    # Playwright's loop runs in this thread, and Django refuses rows beside a running loop.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    arguments = ["--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield chromium
        chromium.close()


def _press_when_it_listens(page: Page) -> None:
    """A page shows its text before it listens to keys; no person is that quick."""
    for name in ("press", "type"):
        act = getattr(page.keyboard, name)

        def patient(*given: Any, act: Callable[..., None] = act, **options: Any) -> None:
            page.wait_for_load_state()
            act(*given, **options)

        setattr(page.keyboard, name, patient)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`new_page(color_scheme="dark", ...)`: a page in a context of its own, see Playwright.

    `watched=False` is for a test that expects the policy to block something.
    """
    contexts: list[Any] = []
    complaints: list[str] = []

    def note_message(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            complaints.append(message.text)

    def note_error(error: Error) -> None:
        complaints.append(str(error))

    def open_page(*, watched: bool = True, **options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        _press_when_it_listens(page)
        if watched:
            page.on("console", note_message)
            page.on("pageerror", note_error)
        return page

    yield open_page
    for context in contexts:
        # A page that is left tells its seconds; of what it is about, the rows are going now.
        context.set_offline(True)
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def page_without_script(new_page: Callable[..., Page]) -> Page:
    return new_page(java_script_enabled=False)
