"""FR-44: a rule of a sentence with characters that nobody sees waits for a person's word."""

from __future__ import annotations

import pytest
from django.test import Client

from policies.composing import compose
from policies.document_store import add_document, add_revision
from policies.models import AuditRow, Policy, Rule, User
from policies.present import sentence_hash
from tests.approving import approve
from tests.policies.making import make_rule, make_variable, source_from
from vetting.hidden import confirm_hidden, hidden_in, unread_of_rule
from vetting.models import Decision, HiddenRead
from vetting.refusals import MovedError, RefusedError

# A zero width space, a number turned round by an override, and a Cyrillic letter.
ZERO_WIDTH = "Trips need app\u200broval."
OVERRIDE = "The limit is \u202e005\u202c euros."
LOOK_ALIKE = "The b\u043eard decides."
TEXT = f"# Rules\n\n{ZERO_WIDTH}\n\n{OVERRIDE}\n\n{LOOK_ALIKE}\n\nNothing is hidden here.\n"


@pytest.fixture
def document(policy: Policy, alice: User):
    revision = add_document(policy, alice, title="T", data=TEXT.encode(), filename="t.md")
    return revision.document


@pytest.fixture
def rule_of(policy: Policy, document):
    """`rule_of("Trips")` is a rule of the sentence that begins so."""
    outcome = make_variable(policy, "due", role="outcome")

    def make(beginning: str) -> Rule:
        rule = make_rule(policy, f"rule-{beginning.split()[-1].lower()}", ["symbol", outcome.uid])
        source_from(rule, document.revisions.get(number=1), beginning)
        return rule

    return make


def shown(policy: Policy, rule: Rule) -> str:
    return compose(policy).hashes[rule.uid]


def confirm(policy: Policy, user: User, rule: Rule) -> None:
    for one in unread_of_rule(policy, rule):
        confirm_hidden(policy, user, one.sentence.lineage, shown_hash=one.hash)


@pytest.mark.parametrize(
    ("beginning", "named"),
    [("Trips", "ZERO WIDTH SPACE"), ("The limit", "RIGHT-TO-LEFT OVERRIDE"), ("The b", "CYRILLIC")],
)
def test_fr_44_no_rule_of_such_a_sentence_is_approved_before_somebody_has_read_it(
    policy: Policy, alice: User, bob: User, rule_of, beginning: str, named: str
) -> None:
    rule = rule_of(beginning)
    (unread,) = unread_of_rule(policy, rule)
    assert named in " ".join(unread.found)
    with pytest.raises(RefusedError, match="characters that nobody sees"):
        approve(policy, alice, rule, shown_hash=shown(policy, rule))
    assert not Decision.objects.exists()
    confirm(policy, bob, rule)
    assert unread_of_rule(policy, rule) == []
    approve(policy, alice, rule, shown_hash=shown(policy, rule))
    assert Decision.objects.get().by == alice
    assert HiddenRead.objects.get().by == bob
    assert AuditRow.objects.filter(action="confirm-hidden", actor=bob).count() == 1


def test_a_rule_of_another_sentence_is_not_held_back(policy: Policy, alice: User, rule_of) -> None:
    rule = rule_of("Nothing")
    assert approve(policy, alice, rule, shown_hash=shown(policy, rule))


def test_the_word_is_given_once_and_only_where_something_is_hidden(
    policy: Policy, alice: User, bob: User, rule_of, document
) -> None:
    rule = rule_of("Trips")
    sentence = rule.sources.get()
    for user in (alice, bob):
        present = document.revisions.get().sentences.get(lineage=sentence.lineage)
        shown_hash = sentence_hash(present)
        confirm_hidden(policy, user, sentence.lineage, shown_hash=shown_hash)
    assert HiddenRead.objects.get().by == alice
    plain = document.revisions.get().sentences.get(text__startswith="Nothing")
    assert hidden_in(plain) == ()
    with pytest.raises(RefusedError, match="no hidden characters"):
        confirm_hidden(policy, alice, plain.lineage, shown_hash=sentence_hash(plain))
    with pytest.raises(MovedError, match="changed after you opened"):
        confirm_hidden(policy, alice, sentence.lineage, shown_hash="pw1:other")
    with pytest.raises(MovedError):
        confirm_hidden(policy, alice, "nowhere", shown_hash="pw1:other")


def test_a_changed_sentence_asks_again_and_a_clean_one_does_not(
    policy: Policy, alice: User, rule_of, document
) -> None:
    rule = rule_of("Trips")
    confirm(policy, alice, rule)
    again = TEXT.replace("Trips need", "All trips need")
    add_revision(document, alice, data=again.encode(), filename="t.md")
    assert len(unread_of_rule(policy, rule)) == 1
    clean = again.replace("\u200b", "")
    add_revision(document, alice, data=clean.encode(), filename="t.md")
    assert unread_of_rule(policy, rule) == []


def test_what_is_hidden_beside_a_sentence_counts_too(
    policy: Policy, alice: User, rule_of, document
) -> None:
    rule = rule_of("Nothing")
    titled = TEXT.replace("# Rules", "# Ru\u200bles")
    add_revision(document, alice, data=titled.encode(), filename="t.md")
    assert len(unread_of_rule(policy, rule)) == 1


def test_the_card_names_the_characters_and_offers_approval_only_then(
    policy: Policy, alice: User, rule_of, client_of
) -> None:
    rule = rule_of("The limit")
    client: Client = client_of(alice)
    address = f"/policies/travel/review/{rule.uid}/"
    page = client.get(address).content.decode()
    assert "RIGHT-TO-LEFT OVERRIDE" in page
    assert "\u202e" not in page
    assert f"{address}approve/" not in page
    (unread,) = unread_of_rule(policy, rule)
    sent = {"lineage": unread.sentence.lineage, "shown": unread.hash}
    page = client.post(f"{address}hidden/", sent, follow=True).content.decode()
    assert f"{address}approve/" in page
    refused = client.post(f"{address}hidden/", sent | {"shown": "pw1:other"})
    assert refused.status_code == 409
