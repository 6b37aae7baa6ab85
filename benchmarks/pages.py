"""How fast pages come while a policy is reviewed, and how that grows: `python -m benchmarks.pages`.

Per size (`--sizes 147,489,1467`; the last is the goal's): a policy under review as rows, from
`large_policy.py`, in a database of its own, asked through all middlewares by Django's client,
signed in as the owner. `empty` is a page of Django's with nothing on it behind the same
middlewares and sign-in, asked in turn with the others in the same run.

Processor time of the process, which is what the server does until the first byte: the median
of `--times` requests, after two that are not counted (a process reads declarations, sections
and templates once). Approving is another rule each time, and the card that follows it.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from benchmarks.large_policy import OWNER, make_large_policy
from benchmarks.translation_rows import make_database

SIZES = "147,489,1467"


@dataclass
class Page:
    """What was measured of one address."""

    name: str
    ms: list[float] = field(default_factory=list)
    queries: int = 0
    kilobytes: float = 0.0

    @property
    def median(self) -> float:
        return statistics.median(self.ms)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure pages.")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_database(folder)
        print("| rules | page | ms | to an empty page | queries | KB |")
        print("| --- | --- | --- | --- | --- | --- |")
        for size in options.sizes.split(","):
            measure(int(size), options.times)


def measure(size: int, times: int) -> None:
    """Print the rows of one size."""
    policy = make_large_policy(size, name=f"Handbook {size}")
    client = _client()
    pages = _pages(policy, client)
    # As the server does once it has loaded (`config.wsgi`).
    gc.collect()
    gc.freeze()
    measured = {name: Page(name) for name in pages}
    for turn in range(times + 2):
        for name, asked in pages.items():
            _ask(measured[name], asked, counted=turn > 1)
    empty = measured["empty"].median
    for page in measured.values():
        ratio = page.median / empty
        print(
            f"| {size:,} | {page.name} | {page.median:.1f} | {ratio:.0f} | {page.queries} "
            f"| {page.kilobytes:.0f} |"
        )


def _ask(page: Page, asked: Callable[[], Any], *, counted: bool) -> None:
    from django.db import connection

    count = 0

    def counting(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += not sql.startswith(("SAVEPOINT", "RELEASE", "BEGIN"))
        return execute(sql, params, many, context)

    begun = time.process_time()
    with connection.execute_wrapper(counting):
        response = asked()
    took = time.process_time() - begun
    assert response.status_code in (200, 302), (page.name, response.status_code)
    if counted:
        page.ms.append(took * 1000)
        page.queries, page.kilobytes = count, len(response.content) / 1024


def _pages(policy: Any, client: Any) -> dict[str, Callable[[], Any]]:
    from vetting.queue import build_queue

    base = f"/policies/{policy.slug}/"
    cards = build_queue(policy).cards
    middle = [card.key for card in cards if card.is_rule]
    card = f"{base}review/{middle[len(middle) // 2]}/"
    silent = [card.key for card in cards if not card.is_rule]
    sentence = f"{base}review/{silent[len(silent) // 2]}/"
    document = policy.documents.get().pk
    waiting = [one.key for one in cards if one.is_rule and one.waits]
    approving = _Approving(client, policy, waiting)
    addresses = {
        "empty": "/empty/",
        "review card of a rule": card,
        "review card of a sentence": sentence,
        "front page": base,
        "the queue as a list": f"{base}review/list/",
        "the queue by risk": f"{base}review/list/?order=risk&state=waits",
        "the queue, words looked for": f"{base}review/list/?find=matter",
        "versions": f"{base}versions/",
        "document": f"{base}documents/{document}/",
        "glossary": f"{base}glossary/",
        "lint": f"{base}lint/",
        "scenarios": f"{base}scenarios/",
    }
    pages = {name: _get(client, address) for name, address in addresses.items()}
    return pages | {"approve": approving.approve, "the card after it": approving.go_on}


def _get(client: Any, address: str) -> Callable[[], Any]:
    return lambda: client.get(address)


class _Approving:
    """Another rule each time, as its card showed it, and where that leads."""

    def __init__(self, client: Any, policy: Any, waiting: list[str]) -> None:
        from policies.composing import compose

        self._client, self._base = client, f"/policies/{policy.slug}/review/"
        self._hashes = compose(policy).hashes
        self._waiting = iter(waiting)
        self._next = ""

    def approve(self) -> Any:
        key = next(self._waiting)
        sent = {"shown": self._hashes[key]}
        response = self._client.post(f"{self._base}{key}/approve/", sent)
        self._next = response["Location"].split("#")[0]
        return response

    def go_on(self) -> Any:
        return self._client.get(self._next)


def _client() -> Any:
    from django.conf import settings
    from django.http import HttpResponse
    from django.test import Client
    from django.urls import include, path

    from policies.models import User

    settings.ALLOWED_HOSTS = ["testserver"]
    if not isinstance(settings.ROOT_URLCONF, ModuleType):
        urls = ModuleType("benchmarked_urls")
        urls.urlpatterns = [  # type: ignore[attr-defined]
            path("empty/", lambda request: HttpResponse(str(request.user))),
            path("", include(settings.ROOT_URLCONF)),
        ]
        settings.ROOT_URLCONF = urls
    client = Client()
    client.force_login(User.objects.get(email=OWNER))
    return client


if __name__ == "__main__":
    main()
