"""What a thread is about, as its pages say it: a rule, or a sentence, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from policies.models import Policy, Rule, Sentence
from policies.sources import latest_revisions
from vetting.models import Thread
from vetting.thread_models import About
from vetting.views.review import card_url

_KEY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Subject:
    """`url` is empty for what left the draft or the document; `text` is a sentence's."""

    about: About
    key: str
    name: str = ""
    text: str = ""
    url: str = ""
    rule: Rule | None = None


def subject_of(policy: Policy, key: str) -> Subject | None:
    """The rule or sentence of that key, also one that is gone; None for what never was."""
    if not _KEY.fullmatch(key):
        return None
    rule = policy.rules.filter(uid=key).first()
    if rule is not None:
        return _of_rule(policy, rule)
    return _of_sentences(policy, [key]).get(key)


def subjects_of(policy: Policy, threads: Sequence[Thread]) -> dict[int, Subject]:
    """By the thread's id; two queries. A case's thread is about its rule or sentence."""
    lineages = {one.lineage for one in threads if one.lineage and one.rule is None}
    sentences = _of_sentences(policy, lineages) if lineages else {}
    nothing = Subject(About.SENTENCE, "")
    return {
        one.pk: _of_rule(policy, one.rule) if one.rule else sentences.get(one.lineage, nothing)
        for one in threads
    }


def subjects_by_key(policy: Policy, things: Collection[tuple[str, str]]) -> dict[str, Subject]:
    """Of assignments: what is given, by its key, of `(about, key)`; three queries at most."""
    wanted: dict[str, list[str]] = {}
    for about, key in things:
        wanted.setdefault(about, []).append(key)
    found: dict[str, Subject] = {}
    if keys := wanted.get(About.RULE):
        found |= {one.uid: _of_rule(policy, one) for one in policy.rules.filter(uid__in=keys)}
    if keys := wanted.get(About.SENTENCE):
        found |= _of_sentences(policy, keys)
    if keys := wanted.get(About.THREAD):
        rows = list(policy.threads.filter(uid__in=keys).select_related("rule"))
        of = subjects_of(policy, rows)
        for row in rows:
            url = reverse("thread", args=[policy.slug, row.uid])
            found[row.uid] = replace(of[row.pk], about=About.THREAD, url=url)
    return found


def _of_rule(policy: Policy, rule: Rule) -> Subject:
    url = "" if rule.retired_at else card_url(policy, rule.uid)
    return Subject(About.RULE, rule.uid, name=rule.name, url=url, rule=rule)


def _of_sentences(policy: Policy, lineages: Collection[str]) -> dict[str, Subject]:
    """As each stands in its latest revision, or stood last."""
    present = set(latest_revisions(policy))
    rows = Sentence.objects.filter(revision__document__policy=policy, lineage__in=lineages)
    found: dict[str, Subject] = {}
    fields = ("lineage", "revision", "revision__document", "text")
    for lineage, revision, document, text in rows.order_by("revision__number").values_list(*fields):
        page = reverse("document", args=[policy.slug, document])
        url = f"{page}?sentence={lineage}" if revision in present else ""
        if url or not (lineage in found and found[lineage].url):
            found[lineage] = Subject(About.SENTENCE, lineage, text=text, url=url)
    return found
