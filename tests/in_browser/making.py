"""Brings a policy where a test begins, in a line."""

from __future__ import annotations

from policies.models import Policy, Rule, User
from tests.in_browser.conftest import OWNER
from vetting.decisions import approve
from vetting.marks import mark_sentence
from vetting.models import MarkKind
from vetting.publishing import standing
from vetting.questions import answer_question
from vetting.sentences import UNACCOUNTED


def settle(policy: Policy) -> None:
    """Answer, approve and mark everything, as the owner would."""
    owner = User.objects.get(email=OWNER)
    for question in standing(policy).questions:
        answer_question(policy, owner, question.question, 0, shown_hash=question.shown_hash)
    now = standing(policy)
    for uid, review in now.rules.items():
        approve(policy, owner, Rule.objects.get(uid=uid), shown_hash=review.hash)
    for sentence in standing(policy).sentences:
        if sentence.state in UNACCOUNTED:
            mark_sentence(
                policy,
                owner,
                sentence.sentence,
                kind=MarkKind.NOT_BINDING,
                reason="it binds nobody",
                shown_hash=sentence.hash,
            )
