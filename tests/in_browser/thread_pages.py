"""The pages of threads and of what is for a person, for pictures and for axe."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from policies.models import Rule, User
from tests.in_browser.conftest import Site
from tests.in_browser.making import OWNER
from vetting.assigning import assign
from vetting.digests import stop_token
from vetting.thread_models import About
from vetting.threads import answer_in, close_thread, start_thread


def first_rule(site: Site) -> Rule:
    rule = Rule.objects.filter(policy=site.travel, sources__isnull=False).order_by("position")[0]
    assert isinstance(rule, Rule)
    return rule


def talk(site: Site) -> tuple[Rule, str, str]:
    """Bob and the owner talk of a rule; its uid, an open thread's and a closed one's."""
    owner, bob = User.objects.get(email=OWNER), User.objects.get(email="bob@example.org")
    rule = first_rule(site)
    lineage = rule.sources.order_by("pk")[0].lineage
    asked = "Is the limit of EUR 1,000 with tax or without?\nThe old form said ‘net’."
    thread = start_thread(site.travel, bob, rule=rule, text=asked).comment.thread
    answer_in(site.travel, owner, thread, text="Net, I think. @Bob, can you ask accounting?")
    answer_in(site.travel, bob, thread, text="@Olivia Owner, they say net, https://x.example/net.")
    other = start_thread(site.travel, bob, lineage=lineage, text="Who wrote this?").comment.thread
    close_thread(site.travel, owner, other)
    assign(site.travel, bob, About.RULE, rule.uid, owner)
    assign(site.travel, bob, About.SENTENCE, lineage, owner)
    assign(site.travel, owner, About.THREAD, thread.uid, bob)
    return rule, thread.uid, other.uid


def thread_pages(site: Site) -> Iterator[tuple[str, str]]:
    """Name and path; those on which something is new come first."""
    base = f"/policies/{site.travel.slug}/"
    yield "for-you-nothing", "/for-you/"
    yield "threads-none", f"{base}threads/"
    rule, uid, closed = talk(site)
    lineage = rule.sources.order_by("pk")[0].lineage
    document = site.travel.documents.get()
    yield "for-you", "/for-you/"
    yield "threads", f"{base}threads/"
    yield "threads-closed", f"{base}threads/?show=closed"
    yield "thread", f"{base}threads/{uid}/"
    yield "thread-closed", f"{base}threads/{closed}/"
    yield "threads-about-rule", f"{base}threads/on/{rule.uid}/"
    yield "threads-about-sentence", f"{base}threads/on/{lineage}/"
    yield "review-with-threads", f"{base}review/{rule.uid}/"
    yield "document-with-threads", f"{base}documents/{document.pk}/?sentence={lineage}"
    yield "front-with-threads", base
    yield "queue-assigned", f"{base}review/list/?assigned=me"
    user = User.objects.get(email="bob@example.org")
    yield "mail-stop", reverse("mail-stop", args=[stop_token(user)])
