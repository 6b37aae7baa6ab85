"""Documents as rows: from an upload of 274 pages to its document page, of each format.

An upload is kept, read by the runner's own step in its bounded process, split and
stored, on SQLite in a folder of its own. Then one word is changed and the file is
uploaded as a revision. Last its document page is asked for, as a browser would: the
seconds until all of it is there, and the queries that it took.

    python -m benchmarks.stored_documents [--pages N] [FORMAT...]
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from typing import Any

from benchmarks.documents import MAKERS, make_sections

REQUESTS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", default=list(MAKERS), metavar="FORMAT")
    parser.add_argument("--pages", type=int, default=274)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _make_database(folder)
        print("| format | sentences | stored s | queries | revision s | page s | queries |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for name in given.formats:
            print(_measure(name, given.pages), flush=True)


def _make_database(folder: str) -> None:
    os.environ["POLICYWRIGHT_VAR"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.conf import settings
    from django.core.management import call_command

    django.setup()
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)


def _measure(name: str, pages: int) -> str:
    """One line of the table."""
    from policies.models import User
    from policies.people import create_policy

    sections = make_sections(pages)
    owner = User.objects.create_user(f"{name}@example.org", "a long enough secret")
    policy = create_policy(owner, name=f"Rules in {name}")
    stored_s, queries, upload = _upload(policy, owner, MAKERS[name](sections), name)
    revision = upload.revision
    sections[0].paragraphs[0] = sections[0].paragraphs[0].replace("must", "shall", 1)
    changed = MAKERS[name](sections)
    document = revision.document
    revision_s, _, second = _upload(policy, owner, changed, name, document=document, after=1)
    assert second.revision.number == 2, second.problem
    page_s, page_queries = _page(policy, owner, document)
    return (
        f"| {name} | {revision.sentences.count():,} | {stored_s:.1f} | {queries} | "
        f"{revision_s:.1f} | {page_s:.2f} | {page_queries} |"
    )


def _upload(
    policy: Any, owner: Any, data: bytes, name: str, **fields: Any
) -> tuple[float, int, Any]:
    """Seconds from the upload to the stored revision, queries, and the upload."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from policies.intake import start_upload
    from policies.jobs.embedded import run_urgent

    began = time.perf_counter()
    with CaptureQueriesContext(connection) as captured:
        upload = start_upload(policy, owner, data=data, filename=f"rules.{name}", **fields)
        run_urgent("benchmark")
    seconds = time.perf_counter() - began
    upload.refresh_from_db()
    assert upload.revision is not None, upload.problem
    return seconds, len(captured), upload


def _page(policy: Any, owner: Any, document: Any) -> tuple[float, int]:
    """Seconds of a request of the document page, the middle one of some, and its queries."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client()
    client.force_login(owner)
    seconds = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        with CaptureQueriesContext(connection) as captured:
            response = client.get(f"/policies/{policy.slug}/documents/{document.pk}/")
        seconds.append(time.perf_counter() - began)
        assert response.status_code == 200
    return statistics.median(seconds), len(captured)


if __name__ == "__main__":
    main()
