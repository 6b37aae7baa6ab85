"""The tab 'Scenarios': the answer comes before the finding, and a disagreement leads on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from policies.composing import compose
from policies.models import Job, Policy, Rule, User
from policies.people import add_person
from policies.roles import Role
from policywright.findings import FindingKind
from policywright.model import DefaultChoice
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import run
from tests.loans import RULES, draft_loans, right_model, rule_of
from tests.pages.feedback import work
from vetting.cases_answered import CaseReview, CaseState, case_states
from vetting.edits import edit_rule
from vetting.models import Comment, Scenario
from vetting.suites import SuiteCase, suite_now

Clients = Callable[[User], Client]
SLIP = "(=> (and (>= loanDays 14) (not consent)) (not loanAllowed))"
CLAIM = (
    "If what you meant differs from these rules by one edit of these kinds, one of your "
    "answers would have disagreed."
)


@pytest.fixture
def loans(alice: User) -> Policy:
    return draft_loans(alice)


@pytest.fixture
def slipped(alice: User) -> Policy:
    return draft_loans(alice, long_loan=SLIP)


def make(client: Client, policy: Policy, tiers: int = 1) -> str:
    """Check the draft, make the cases, and give the address of the tab."""
    client.get(f"/policies/{policy.slug}/lint/")
    work()
    address = f"/policies/{policy.slug}/scenarios/"
    for tier in range(tiers):
        client.post(f"{address}start/", {"tiers": tier + 1})
        work()
    return address


def reviews(policy: Policy) -> dict[str, CaseReview]:
    composition = compose(policy)
    return case_states(policy, composition, suite_now(policy, composition))


def cases(policy: Policy) -> list[SuiteCase]:
    return [one.case for one in reviews(policy).values()]


def meant(policy: Policy, case: SuiteCase) -> FindingKind:
    """What the document means, by the rules as they should be."""
    asked = Expectation(case.facts, case.claim, FindingKind.UNDECIDED)
    return next(iter(run(right_model(policy), [asked]))).found


def answer(client: Client, address: str, case: SuiteCase, said: str, **more: str) -> str:
    data = {"said": said, "shown": case.shown, "seen": ""} | more
    page = client.post(f"{address}cases/{case.key}/answer/", data, follow=True)
    return page.content.decode()


def first_disagreement(client: Client, policy: Policy, address: str) -> tuple[SuiteCase, str]:
    """Every case answered as the document means it; the first that turns out otherwise."""
    found = [
        (case, page)
        for case in cases(policy)
        if "disagree" in (page := answer(client, address, case, meant(policy, case)))
    ]
    return found[0]


def body(page: str) -> str:
    """What a person sees: without tokens, keys and addresses."""
    main = page.split("<main", 1)[1].split("<dialog", 1)[0]
    return re.sub(r'(value|action|href)="[^"]*"', "", main)


def test_each_tier_has_its_count_and_one_button(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, loans)
    page = alices.get(address).content.decode()
    assert len(re.findall("Answer the cases", page)) == 1
    assert len(re.findall("> Start<|>Start<", page)) == 1
    assert "for which cases are not made yet" in page
    assert "After the kinds above." in page
    assert "constant one step off" in page
    assert CLAIM not in page


def test_the_page_claims_what_it_does_only_once_all_is_answered_and_agrees(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, loans)
    every = cases(loans)
    for place, case in enumerate(every):
        page = alices.get(address).content.decode()
        assert CLAIM not in page
        assert f"{place} of {len(every)} cases" in page
        assert "You and the rules agree" in answer(alices, address, case, meant(loans, case))
    page = alices.get(address).content.decode()
    assert CLAIM in page
    assert "‘Boundaries and outcomes’" in page
    assert "said of ‘Boundaries and outcomes’:" in page
    assert (
        "No case is left to answer." in alices.get(f"{address}next/", follow=True).content.decode()
    )


def test_what_the_rules_mention_nowhere_is_left_to_the_words_that_no_rule_carries(
    travel: Policy, alice: User, client_of: Clients
) -> None:
    page = client_of(alice).get(f"/policies/{travel.slug}/scenarios/").content.decode()
    assert "What the rules mention nowhere" in page
    assert "left to the marking of words that no rule carries" in page


def test_nothing_of_the_finding_is_shown_before_the_answer(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    """Of one case two policies that say the opposite of it show the very same page."""
    alices = client_of(alice)
    turned = {
        name.replace("-", "_"): text.replace("(not loanAllowed)", "loanAllowed")
        for name, (_, text) in RULES.items()
    }
    opposite = draft_loans(alice, choice=DefaultChoice.REFUSED, **turned)
    for policy in (loans, opposite):
        make(alices, policy)
    by_name = {_named(loans, one): one for one in cases(loans)}
    pairs = [
        (by_name[name], other)
        for other in cases(opposite)
        if (name := _named(opposite, other)) in by_name
    ]
    assert {one.expected is other.expected for one, other in pairs} == {False}
    for pair in pairs:
        shown = []
        for policy, case in zip((loans, opposite), pair, strict=True):
            page = alices.get(f"/policies/{policy.slug}/scenarios/cases/{case.key}/")
            shown.append(re.sub(r"case \d+ of \d+", "", body(page.content.decode())))
        assert shown[0] == shown[1]
        assert "Is it so that the loan is allowed?" in shown[0]


def _named(policy: Policy, case: SuiteCase) -> str:
    model = compose(policy).model
    facts = {model.name_of(uid): str(value) for uid, value in case.facts.items()}
    return f"{sorted(facts.items())} {case.claim is None}"


def test_a_disagreement_shows_both_and_the_rule_beside_its_sentence(
    slipped: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, slipped)
    _, page = first_disagreement(alices, slipped, address)
    assert "You said" in page
    assert "The rules say" in page
    assert "A loan of more than 14 days needs the consent of the head librarian." in page
    assert "the length of the loan is at least 14 days" in page
    assert f"/review/{rule_of(slipped, 'long-loan').uid}/" in page
    tab = alices.get(address).content.decode()
    assert CLAIM not in tab
    assert "You and the rules disagree" in tab


def test_the_repair_opens_the_editor_with_its_text(
    slipped: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, slipped)
    case, _ = first_disagreement(alices, slipped, address)
    page = alices.get(
        f"{address}cases/{case.key}/repairs/", headers={"hx-request": "true"}
    ).content.decode()
    assert "<html" not in page
    forms = re.findall(r'action="([^"]+/read/)\?from=case"', page)
    assert forms
    sent = next(
        form
        for form in re.findall(r"<form.*?</form>", page, re.S)
        if "is more than 14 days and the head librarian has not consented" in form
    )
    action = re.search(r'action="([^"]+)"', sent)
    assert action is not None
    fields = dict(re.findall(r'name="(shown|english|smtlib)" value="([^"]*)"', sent))
    editor = alices.post(action[1], fields).content.decode()
    assert "Save the edit" in editor
    assert "Back to the cases" in editor
    assert "is more than 14 days and the head librarian has not consented" in editor


def test_the_repairs_on_a_page_of_their_own_stand_below_the_case(
    slipped: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, slipped)
    case, answered = first_disagreement(alices, slipped, address)
    page = alices.get(f"{address}cases/{case.key}/repairs/").content.decode()
    shown = re.search(r'<section aria-label="The case">.*?</section>', answered, re.S)
    assert shown is not None
    assert "Is it so that" in shown[0]
    assert shown[0] in page
    assert "With one of these changes the rules say what you said" in page


def test_i_was_mistaken_keeps_the_row_and_asks_again(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, loans)
    case = cases(loans)[0]
    wrong = "INVALID" if case.expected is not FindingKind.INVALID else "VALID"
    page = answer(alices, address, case, wrong)
    assert "I was mistaken" in page
    again = alices.get(f"{address}cases/{case.key}/?again=yes").content.decode()
    assert 'name="said"' in again
    seen = re.search(r'name="seen" value="([^"]+)"', again)
    assert seen is not None
    page = answer(alices, address, case, case.expected.value, seen=seen[1])
    assert "You and the rules agree" in page
    assert Scenario.objects.filter(policy=loans, case_hash=case.key).count() == 2


def test_a_comment_is_kept_with_the_sentence_and_shown_on_its_card(
    slipped: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, slipped)
    case, page = first_disagreement(alices, slipped, address)
    where = re.search(r'name="lineage" value="([^"]+)"', page)
    assert where is not None
    comment = f"{address}cases/{case.key}/comment/"
    refused = alices.post(comment, {"lineage": where[1], "text": " "})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.content.decode()
    said = "14 days <b>may</b> be meant."
    kept = alices.post(comment, {"lineage": where[1], "text": said}, follow=True)
    assert "14 days &lt;b&gt;may&lt;/b&gt; be meant." in kept.content.decode()
    assert Comment.objects.get().text == said
    card = f"/policies/{slipped.slug}/review/{rule_of(slipped, 'long-loan').uid}/"
    assert "14 days &lt;b&gt;may&lt;/b&gt; be meant." in alices.get(card).content.decode()


def test_a_case_that_is_gone_leads_back_with_a_sentence_and_keeps_what_was_said(
    slipped: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, slipped)
    case, _ = first_disagreement(alices, slipped, address)
    rows = Scenario.objects.filter(policy=slipped).count()
    edit(slipped, alice, rule_of(slipped, "reading-room"), "(=> readingRoom (not loanAllowed))")
    edit(slipped, alice, rule_of(slipped, "long-loan"), "(=> (> loanDays 30) (not loanAllowed))")
    for page in (
        alices.get(f"{address}cases/{case.key}/", follow=True),
        alices.post(f"{address}cases/{case.key}/answer/", {"said": "VALID"}, follow=True),
        alices.get(f"{address}cases/none/", follow=True),
    ):
        assert "This case is asked no more" in page.content.decode()
    assert Scenario.objects.filter(policy=slipped).count() == rows


def edit(policy: Policy, user: User, row: Rule, smtlib: str) -> None:
    shown = compose(policy).hashes[row.uid]
    edit_rule(policy, user, row, smtlib=smtlib, shown_hash=shown)


def test_what_somebody_else_answered_meanwhile_is_not_put_aside(
    loans: Policy, alice: User, bob: User, client_of: Clients
) -> None:
    add_person(loans, alice, email=bob.email, role=Role.REVIEWER)
    address = make(client_of(alice), loans)
    case = cases(loans)[0]
    said, other = case.expected.value, "IMPOSSIBLE"
    answer(client_of(bob), address, case, said)
    page = answer(client_of(alice), address, case, other)
    assert "answered this case while you read it" in page
    assert Scenario.objects.get(policy=loans).by == bob
    assert reviews(loans)[case.key].state is CaseState.AGREED
    # Knowing what he said, she may say otherwise.
    again = client_of(alice).get(f"{address}cases/{case.key}/?again=yes").content.decode()
    seen = re.search(r'name="seen" value="([^"]+)"', again)
    assert seen is not None
    assert "disagree" in answer(client_of(alice), address, case, other, seen=seen[1])


def test_a_word_that_is_no_answer_is_refused(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = make(alices, loans)
    case = cases(loans)[0]
    page = answer(alices, address, case, "MAYBE")
    assert 'role="alert"' in page
    assert 'name="said"' in page
    assert not Scenario.objects.filter(policy=loans).exists()


def test_a_viewer_reads_and_comments_and_a_stranger_sees_nothing(
    slipped: Policy, alice: User, bob: User, charlie: User, client_of: Clients
) -> None:
    add_person(slipped, alice, email=bob.email, role=Role.VIEWER)
    address = make(client_of(alice), slipped)
    case, _ = first_disagreement(client_of(alice), slipped, address)
    bobs = client_of(bob)
    page = bobs.get(address).content.decode()
    assert "Start</button>" not in page
    new = bobs.get(f"{address}cases/{case.key}/").content.decode()
    assert "You and the rules disagree" in new
    assert "I was mistaken" not in body(new)
    forms = new.split("<main", 1)[1].split("<dialog", 1)[0].split('<form method="post" action="')
    assert [one.split('"')[0] for one in forms[1:]] == [f"{address}cases/{case.key}/comment/"]
    assert bobs.post(f"{address}cases/{case.key}/answer/").status_code == 403
    assert bobs.post(f"{address}cases/{case.key}/comment/").status_code == 422
    assert bobs.post(f"{address}start/", {"tiers": "2"}).status_code == 403
    assert bobs.get(f"{address}cases/{case.key}/repairs/").status_code == 403
    for one in (address, f"{address}next/", f"{address}cases/{case.key}/"):
        assert client_of(charlie).get(one).status_code == 404


def test_it_waits_while_cases_are_made_and_can_be_cancelled(
    loans: Policy, alice: User, client_of: Clients
) -> None:
    alices = client_of(alice)
    address = f"/policies/{loans.slug}/scenarios/"
    alices.get(f"/policies/{loans.slug}/lint/")
    work()
    page = alices.post(f"{address}start/", {"tiers": "1"}, follow=True).content.decode()
    assert "The cases wait to be made." in page
    job = Job.objects.get(policy=loans, kind="suite")
    polled = alices.get(f"{address}?job={job.uid}", headers={"hx-request": "true"})
    assert "<html" not in polled.content.decode()
    cancelled = alices.post(f"{address}jobs/{job.uid}/cancel/", follow=True).content.decode()
    assert "wait to be made" not in cancelled
    assert "Start" in cancelled
    alices.post(f"{address}start/", {"tiers": "1"})
    work()
    done = alices.get(f"{address}?job={job.uid}", headers={"hx-request": "true"})
    assert done["HX-Redirect"] == address
    assert "Answer the cases" in alices.get(address).content.decode()


def test_a_draft_that_lint_finds_wrong_says_so_with_a_link(alice: User, client_of: Clients) -> None:
    policy = draft_loans(alice, in_debt="(=> (> loanDays 14) loanAllowed)")
    alices = client_of(alice)
    address = make(alices, policy)
    page = alices.get(address).content.decode()
    assert 'class="notice wrong"' in page
    assert f"/policies/{policy.slug}/lint/" in page.split("<main", 1)[1]
    assert "Answer the cases" not in page
    assert not Job.objects.filter(policy=policy, kind="suite").exists()
