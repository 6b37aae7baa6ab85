"""The page on what a revision changed: words, rules that lost their approval, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

from policies.document_store import add_revision
from policies.models import Document, Policy, Rule, User
from tests.in_browser.making import settle
from vetting.publishing import standing
from vetting.review import ReviewState
from vetting.revising import what_changed

TEXT = (settings.BASE_DIR / "examples" / "travel-policy.md").read_text(encoding="utf-8")


@pytest.fixture
def settled(travel: Policy) -> Policy:
    settle(travel)
    return travel


@pytest.fixture
def revise(settled: Policy, alice: User) -> Callable[[str], str]:
    """`revise(text)` adds a revision and gives the address of its changes."""

    def add(text: str) -> str:
        document = Document.objects.get(policy=settled)
        revision = add_revision(document, alice, data=text.encode(), filename="t.md")
        base = f"/policies/{settled.slug}/documents/{document.pk}/revisions/"
        return f"{base}{revision.number}/changes/"

    return add


def text_of(page: str) -> str:
    return " ".join(page.split())


def lapsed(policy: Policy) -> list[str]:
    rules = standing(policy).rules
    return [uid for uid, review in rules.items() if review.state is ReviewState.LAPSED]


def test_fr_47_a_changed_sentence_shows_its_words_and_the_rule_that_lost_its_approval(
    alices: Client, settled: Policy, revise: Callable[[str], str]
) -> None:
    old, new = "EUR 1,000", "EUR 1,500"
    assert old in TEXT
    address = revise(TEXT.replace(old, new))
    (uid,) = lapsed(settled)
    page = text_of(alices.get(address).content.decode())
    assert "<del>1,000</del> <ins>1,500</ins>" in page
    assert "1 rule lost its approval" in page
    assert f"review/{uid}/" in page
    assert f"Its sentence was &#x27;{first_sentence(old)}" in page
    back = revise(TEXT)
    assert lapsed(settled) == []
    assert "lost its approval" not in alices.get(back).content.decode()


def first_sentence(part: str) -> str:
    line = next(line for line in TEXT.splitlines() if part in line)
    return line[line.rfind(". ", 0, line.index(part)) + 1 :].strip()[:20]


def test_removed_and_added_sentences_are_listed_and_rules_of_removed_ones_named(
    alices: Client, settled: Policy, revise: Callable[[str], str]
) -> None:
    rule = Rule.objects.filter(policy=settled, retired_at=None, sources__isnull=False).first()
    assert rule is not None
    quote = rule.sources.get().quote
    address = revise(TEXT.replace(quote, "") + "\n\nThe cafeteria closes at five.\n")
    page = text_of(alices.get(address).content.decode())
    assert f"<del>{quote}</del>" in page
    assert rule.name in page
    assert "no longer in the document" in page
    assert "<ins>The cafeteria closes at five.</ins>" in page


def test_a_title_above_a_sentence_voids_its_rule_and_is_named_apart(
    settled: Policy, revise: Callable[[str], str]
) -> None:
    revise(TEXT.replace("## When a trip is approved", "## Something else"))
    document = Document.objects.get(policy=settled)
    found = what_changed(settled, document.revisions.get(number=2))
    assert found is not None
    assert not found.changed
    assert not found.removed
    assert {rule.uid for rule in found.elsewhere} == set(lapsed(settled)) != set()
    assert all("Something else" in " ".join(rule.why) for rule in found.elsewhere)


def test_the_first_revision_changed_nothing(alices: Client, settled: Policy) -> None:
    document = Document.objects.get(policy=settled)
    base = f"/policies/{settled.slug}/documents/{document.pk}/"
    assert alices.get(f"{base}revisions/1/changes/")["Location"] == base
    assert alices.get(f"{base}revisions/7/changes/").status_code == 404


def test_markup_in_a_revision_stays_text(
    alices: Client, settled: Policy, revise: Callable[[str], str]
) -> None:
    page = alices.get(revise(TEXT + "\n\nA \\<script\\>alert(1)\\</script\\> is due.\n"))
    assert "<script>alert" not in page.content.decode()
    assert "&lt;script&gt;alert" in page.content.decode()
