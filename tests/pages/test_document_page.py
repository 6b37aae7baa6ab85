"""A document's page: as its author laid it out, paged by section, with one sentence beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from policies.document_store import add_document
from policies.models import (
    AuditRow,
    Document,
    DocumentRevision,
    Policy,
    Rule,
    SectionScope,
    Sentence,
    Statement,
    Unit,
    User,
)
from policies.present import sentence_hash
from tests.vetting.in_sections import Leave, make_leave
from vetting.models import SentenceMark

HTML = """<!doctype html><title>Benefits</title><h1>Benefits</h1>
<h2>1 Leave</h2><p>Leave is granted if:</p>
<ol type=a><li>the form is signed, either:<ol type=i><li>by hand; or</li><li>by key;</li></ol></li>
<li>section 2 says so.</li></ol><p>Section 9 is silent.</p>
<h2>2 Days</h2><table><tr><th>Region</th><th>Days</th></tr>
<tr><td>Abroad</td><td>25 days</td></tr></table>"""


@pytest.fixture
def benefits(travel: Policy, alice: User) -> DocumentRevision:
    return add_document(travel, alice, title="Benefits", data=HTML.encode(), filename="b.html")


@pytest.fixture
def leave(policy: Policy, alice: User, bob: User) -> Leave:
    return make_leave(policy, alice, bob)


def page_of(revision: DocumentRevision) -> str:
    policy = revision.document.policy
    return f"/policies/{policy.slug}/documents/{revision.document_id}/"


def open_at(client: Client, revision: DocumentRevision, beginning: str, **headers: str) -> str:
    sentence = revision.sentences.get(text__startswith=beginning)
    response = client.get(f"{page_of(revision)}?sentence={sentence.lineage}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_lists_and_tables_are_lists_and_tables(benefits: DocumentRevision, alices: Client) -> None:
    page = alices.get(page_of(benefits)).content.decode()
    assert re.search(r'<th scope="col">Region</th>', page)
    nested = page[page.index('<ul class="items">') :]
    nested = nested[: nested.index("Section 9")]
    assert nested.count('<ul class="items">') == 2
    assert nested.count("<li>") == 4
    assert '<span class="marker">i.</span>' in nested
    assert page.count('class="pick"') == benefits.sentences.count() + 1, "a row has two cells"
    assert "<h1>Benefits</h1>" in page
    assert "<h2>Benefits</h2>" not in page, "the title is not said twice"


def test_a_row_is_read_with_its_header(benefits: DocumentRevision, alices: Client) -> None:
    page = open_at(alices, benefits, "Abroad")
    assert page.count('aria-current="true"') >= 2, "both cells of the row"
    assert re.search(r"<dt>Region</dt><dd>Abroad</dd>\s*<dt>Days</dt><dd>25 days</dd>", page)


def test_what_a_sentence_refers_to_is_a_link_or_said_to_be_missing(
    benefits: DocumentRevision, alices: Client
) -> None:
    page = open_at(alices, benefits, "section 2 says")
    row = benefits.sentences.get(text__startswith="Abroad")
    assert f'<dt>‘section 2’</dt><dd><a href="?sentence={row.lineage}#s{row.ordinal}">' in page
    assert "Leads in" in page
    page = open_at(alices, benefits, "Section 9")
    assert "This document has no such part." in page


def test_htmx_gets_the_panel_alone(benefits: DocumentRevision, alices: Client) -> None:
    page = open_at(alices, benefits, "Abroad", **{"hx-request": "true", "hx-target": "panel"})
    assert page.lstrip().startswith("<aside")
    assert "<html" not in page


def test_a_sentence_shows_its_rule_in_english_and_leads_to_its_card(
    travel: Policy, rule: Rule, alices: Client
) -> None:
    source = rule.sources.get()
    page = open_at(alices, source.revision, source.quote[:20])
    assert "If the cost of the trip is more than EUR 1,000" in page
    assert f'/review/{rule.uid}/#here" data-key="v"' in page


def test_words_that_no_rule_carries_are_underlined_in_the_text(
    travel: Policy, alices: Client
) -> None:
    statement = Statement.objects.exclude(words=[]).first()
    assert statement is not None
    assert statement.sentence is not None
    start, end = statement.words[0]
    words = escape(statement.sentence.text[start:end])
    page = alices.get(page_of(statement.sentence.revision)).content.decode()
    assert f"<u>{words}</u>" in page[page.index("<article") :]


def test_a_hostile_document_is_text(travel: Policy, alice: User, alices: Client) -> None:
    text = "# <img src=x onerror=alert(1)>\n\nOne <script>alert(2)</script> is \u202edue.\n"
    revision = add_document(travel, alice, title="Bad", data=text.encode(), filename="b.md")
    for page in (
        alices.get(page_of(revision)).content.decode(),
        open_at(alices, revision, "One"),
        alices.get(f"{page_of(revision)}sections/1/not-binding/").content.decode(),
        alices.get(f"{page_of(revision)}sections/1/scope/").content.decode(),
    ):
        assert "<img" not in page
        assert "<script>alert" not in page
        assert "\u202e" not in page


# --- what a page costs ---


def write_long(policy: Policy, user: User, sections: int) -> DocumentRevision:
    parts = [
        f"# {number} Part\n\n" + "\n\n".join(f"Rule {number}-{at} is a rule." for at in range(20))
        for number in range(sections)
    ]
    text = "\n\n".join(parts).encode()
    title = f"Long {sections}"
    revision = add_document(policy, user, title=title, data=text, filename="long.md")
    span = revision.spans.first()
    assert span is not None
    unit = Unit.objects.create(policy=policy, span=span, formalizer="by hand")
    Statement.objects.bulk_create(
        Statement(unit=unit, sentence=row, state="abstained", reason="no", words=[[0, 4]])
        for row in revision.sentences.all()
    )
    return revision


@pytest.mark.parametrize("sections", [4, 60])
def test_a_page_asks_at_most_fifteen_queries_whatever_the_length(
    leave: Leave,
    client_of: Callable[[User], Client],
    django_assert_max_num_queries: Any,
    sections: int,
) -> None:
    scope = {"english": "The country is Germany.", "content_hash": "pw1:0"}
    revision = write_long(leave.policy, leave.alice, sections)
    SectionScope.objects.create(
        document=revision.document,
        headings=["1 Part"],
        term=["literal", "Bool", "true"],
        created_by=leave.alice,
        **scope,
    )
    client = client_of(leave.alice)
    with django_assert_max_num_queries(15):
        page = client.get(page_of(revision)).content.decode()
    assert page.count('class="pick"') == 60
    assert page.count("<li class=") == sections, "the contents name every section"
    last = revision.sections.order_by("ordinal").last()
    assert last is not None
    with django_assert_max_num_queries(15):
        page = client.get(f"{page_of(revision)}?section={last.ordinal}").content.decode()
    assert f"Rule {sections - 1}-19 is a rule." in re.sub("</?u>", "", page)
    sentence = revision.sentences.order_by("ordinal").last()
    assert sentence is not None
    # With the threads on it, whose it is, and what is new for the person.
    with django_assert_max_num_queries(33):
        client.get(f"{page_of(revision)}?sentence={sentence.lineage}")


def test_no_page_loads_the_sentences_of_the_whole_document(
    leave: Leave, client_of: Callable[[User], Client], django_assert_max_num_queries: Any
) -> None:
    revision = write_long(leave.policy, leave.alice, 30)
    client = client_of(leave.alice)
    with django_assert_max_num_queries(15) as asked:
        client.get(page_of(revision))
    table = Sentence._meta.db_table
    assert not [one["sql"] for one in asked.captured_queries if f'FROM "{table}"' in one["sql"]]


# --- what a person does there ---


def test_a_mark_leads_to_the_next_sentence_that_waits(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.bob)
    sentence = leave.sentence("This text")
    address = f"{page_of(leave.revision)}sentences/{sentence.lineage}/"
    sent = {"kind": "not_binding", "reason": "a greeting", "shown": sentence_hash(sentence)}
    response = client.post(f"{address}mark/", sent)
    following = leave.sentence("We thank")
    assert response["Location"].endswith(f"?sentence={following.lineage}#s{following.ordinal}")
    page = open_at(client, leave.revision, "This text")
    assert "a greeting" in page
    assert "Bob said on" in page
    client.post(f"{address}unmark/", {"shown": sentence_hash(sentence)})
    assert SentenceMark.objects.filter(lineage=sentence.lineage).count() == 2


def test_a_refusal_stands_in_the_panel_and_keeps_what_was_typed(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.bob)
    sentence = leave.sentence("This text")
    address = f"{page_of(leave.revision)}sentences/{sentence.lineage}/mark/"
    moved = client.post(address, {"kind": "binding", "reason": "hard <b>", "shown": "pw1:0"})
    assert moved.status_code == 409
    page = moved.content.decode()
    assert "hard &lt;b&gt;" in page
    assert "This sentence changed after you opened the page" in page
    refused = client.post(address, {"kind": "binding", "shown": sentence_hash(sentence)})
    assert refused.status_code == 422
    assert not SentenceMark.objects.exists()


def test_a_section_is_marked_from_a_page_that_lists_each_sentence(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.bob)
    address = f"{page_of(leave.revision)}sections/2/not-binding/"
    page = client.get(address).content.decode()
    ticked = re.findall(r'value="([^"]+)" checked', page)
    assert len(ticked) == 2
    apart = re.search(r'name="sentence" value="([^"]+)"> <span>Questions', page)
    assert apart is not None
    refused = client.post(address, {"sentence": [*ticked, apart[1]], "reason": ""})
    assert refused.status_code == 422
    assert refused.content.decode().count(" checked") == 3
    before = AuditRow.objects.count()
    done = client.post(address, {"sentence": ticked, "reason": "background"}, follow=True)
    assert "Marked as not binding: 2 sentences" in done.content.decode()
    assert SentenceMark.objects.count() == 2
    assert AuditRow.objects.count() == before + 2
    again = client.get(address).content.decode()
    assert "2 more sentences of this section have a rule or a mark" in again


def test_a_scope_is_read_saved_approved_and_shown(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.alice)
    address = f"{page_of(leave.revision)}sections/3/scope/"
    read = client.post(f"{address}read/", {"english": "the country is Germany", "shown": ""})
    page = read.content.decode()
    hash_read = re.search(r'name="read" value="([^"]+)"', page)
    assert hash_read is not None
    unseen = client.post(
        f"{address}save/", {"english": "the country is France", "shown": "", "read": hash_read[1]}
    )
    assert unseen.status_code == 422
    saved = client.post(
        f"{address}save/",
        {"english": "the country is Germany", "shown": "", "read": hash_read[1]},
        follow=True,
    ).content.decode()
    assert "and the length of the leave is more than 30 days" in saved
    scope = SectionScope.objects.get()
    sent = {"scope": scope.uid, "shown": scope.content_hash, "verdict": "approve"}
    approved = client.post(f"{address}decide/", sent, follow=True).content.decode()
    assert "Approved by Alice" in approved
    page = client.get(page_of(leave.revision)).content.decode()
    assert "This section applies only if: <em>The country is Germany.</em>" in page
    card = client.get(f"/policies/travel/review/{leave.rule('long').uid}/").content.decode()
    assert "The scope of ‘Leave › Germany’ is part of it: The country is Germany." in card
    by_uid = client.get(f"/policies/travel/scopes/{scope.uid}/")
    assert by_uid["Location"] == address
    ended = client.post(f"{address}end/", {"scope": scope.uid}, follow=True).content.decode()
    assert "Taken back" in ended


def test_sentences_are_joined_and_split_from_the_panel(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.alice)
    sentence = leave.sentence("This text")
    address = f"{page_of(leave.revision)}sentences/{sentence.lineage}/"
    done = client.post(f"{address}join/", {"revision": "1"}, follow=True).content.decode()
    assert "Joined." in done
    joined = leave.sentence("This text")
    assert joined.text.endswith("everybody.")
    assert f"?sentence={joined.lineage}" in done
    stale = client.post(f"{address}join/", {"revision": "1"}, follow=True)
    assert "later revision" in stale.content.decode()
    page = open_at(client, leave.latest(), "This text")
    places = re.findall(r'name="at" value="(\d+)"><span>We<', page)
    split = f"{page_of(leave.revision)}sentences/{joined.lineage}/split/"
    refused = client.post(split, {"revision": "2"})
    assert refused.status_code == 422
    client.post(split, {"revision": "2", "at": places[0]})
    assert (
        leave.sentence("We thank").lineage
        == leave.revision.sentences.get(text__startswith="We thank").lineage
    )


def test_a_rule_is_given_another_sentence_and_shown_beside_it(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.alice)
    rule = leave.rule("long")
    address = f"/policies/travel/review/{rule.uid}/sources/"
    found = client.get(address, {"q": "thank everybody"}).content.decode()
    value = re.search(r'name="sentence" value="([^"]+)"', found)
    assert value is not None
    sent = {"sentence": value[1], "part": "limits", "q": "thank"}
    card = client.post(f"{address}add/", sent, follow=True).content.decode()
    assert "it limits this rule" in card
    assert "We thank everybody." in card
    page = open_at(client, leave.latest(), "We thank")
    assert "it limits this rule" in page
    shown = leave.composition().hashes[rule.uid]
    gone = {"lineage": value[1].split(":")[0], "shown": shown}
    client.post(f"{address}remove/", gone)
    assert rule.sources.count() == 1
    here = f"{page_of(leave.revision)}sentences/{leave.sentence('We thank').lineage}/source/"
    sent = {"rule": rule.uid, "part": "defines", "shown": value[1].split(":", 1)[1]}
    assert (
        "is read beside this sentence too" in client.post(here, sent, follow=True).content.decode()
    )


def test_rules_of_ranked_documents_show_the_rank(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    other = add_document(
        leave.policy, leave.alice, title="Annex", data=b"Long leave is rare.", filename="a.txt"
    )
    sentence = other.sentences.get()
    client = client_of(leave.alice)
    rule = leave.rule("long")
    value = f"{sentence.lineage}:{sentence_hash(sentence)}"
    card = client.post(
        f"/policies/travel/review/{rule.uid}/sources/add/",
        {"sentence": value, "part": "states"},
        follow=True,
    ).content.decode()
    assert "Ranked 1: " in card
    assert "Ranked 2: " in card
    assert "Rank settles nothing by itself" in card
    page = client.get(page_of(other)).content.decode()
    assert "The first ranks highest." in page


# --- who may do it ---

ACTS = ("mark", "unmark", "join", "split", "source")
SECTION_ACTS = ("not-binding", "scope/read", "scope/save", "scope/decide", "scope/end")


def test_a_viewer_reads_and_comments_only(
    leave: Leave, client_of: Callable[[User], Client]
) -> None:
    leave.policy.memberships.filter(user=leave.bob).update(role="viewer")
    client = client_of(leave.bob)
    page = open_at(client, leave.revision, "We thank")
    lineage = leave.sentence("We thank").lineage
    forms = page[page.index("<article") :].split('method="post"')[1:]
    assert [one.split('"')[1].rsplit("/", 3)[1:] for one in forms] == [[lineage, "start", ""]]
    base = page_of(leave.revision)
    for act in ACTS:
        assert client.post(f"{base}sentences/{lineage}/{act}/").status_code == 403
    for act in SECTION_ACTS:
        assert client.post(f"{base}sections/2/{act}/").status_code == 403
    for act in ("add", "remove"):
        address = f"/policies/travel/review/{leave.rule('long').uid}/sources/{act}/"
        assert client.post(address).status_code == 403


def test_fr_50_nothing_of_another_policy_is_reached(
    leave: Leave, travel_of_another: Policy, client_of: Callable[[User], Client]
) -> None:
    client = client_of(leave.alice)
    foreign = Document.objects.get(policy=travel_of_another)
    base = f"/policies/travel/documents/{foreign.pk}/"
    sentence = Sentence.objects.filter(revision__document=foreign).first()
    rule = Rule.objects.filter(policy=travel_of_another).first()
    assert sentence is not None
    assert rule is not None
    assert client.get(base).status_code == 404
    for act in ACTS:
        assert client.post(f"{base}sentences/{sentence.lineage}/{act}/").status_code == 404
        own = f"{page_of(leave.revision)}sentences/{sentence.lineage}/{act}/"
        assert client.post(own).status_code == 404
    for act in SECTION_ACTS:
        assert client.post(f"{base}sections/1/{act}/").status_code == 404
        assert client.post(f"{page_of(leave.revision)}sections/99/{act}/").status_code == 404
    own = f"/policies/travel/review/{rule.uid}/sources/"
    assert client.get(own).status_code == 404
    mine = leave.rule("long")
    value = f"{sentence.lineage}:{sentence_hash(sentence)}"
    refused = client.post(
        f"/policies/travel/review/{mine.uid}/sources/add/", {"sentence": value, "part": "states"}
    )
    assert refused.status_code == 422
    assert mine.sources.count() == 1


@pytest.fixture
def travel_of_another(db: None) -> Policy:
    from tests.in_browser.making import draft_travel

    made = draft_travel()
    assert made.slug != "travel"
    return made


@pytest.mark.parametrize("lineage", ["%00", "x" * 500, "0" * 32])
def test_hostile_ids_of_the_url_lead_nowhere(
    leave: Leave, client_of: Callable[[User], Client], lineage: str
) -> None:
    client = client_of(leave.alice)
    base = page_of(leave.revision)
    huge = f"/policies/travel/documents/{10**30}/"
    assert client.get(huge).status_code == 404
    assert client.get(f"{base}?sentence={lineage}").status_code == 302
    assert client.get(f"{base}?section={10**30}").status_code == 200
    for address in (base, huge):
        for act in ACTS:
            response = client.post(f"{address}sentences/{lineage}/{act}/")
            assert response.status_code == 404
        for act in SECTION_ACTS:
            response = client.post(f"{address}sections/{10**30}/{act}/")
            assert response.status_code == 404
    assert client.get(f"/policies/travel/scopes/{lineage}/").status_code == 404
