"""Approving a list of rules at once: only what one by one would be approved just the same.

The request carries each rule with the content that was listed. Taken are rules that lint
finds nothing wrong with and that the person opened as they stand, and textual repeats of a
rule that they approved. Each gets a decision and an audit row of its own, all or none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from policies.approving import authors_of, required_of
from policies.audit import Change, record_all
from policies.composing import Composition, compose, live_rules
from policies.models import Policy, Rule, Sentence, User
from policies.sources import sentences_by_lineage
from policywright.lint import Severity
from policywright.normal import normal_form
from policywright.termjson import term_to_json
from vetting.decisions import english_of
from vetting.hidden import unread_in
from vetting.lint import hint_of, severities_of
from vetting.lock import locked
from vetting.models import Decision, Verdict
from vetting.opened import opened_by
from vetting.refusals import RefusedError
from vetting.review import Enough, ReviewState, RuleReview, rule_states


@dataclass(frozen=True)
class Listed:
    """A rule of a list; `why` says what keeps it from being approved with the others, if anything.

    `is_done` says that the person approved this content before, `repeats` names the rule that
    it repeats, where the person did not open it.
    """

    uid: str
    hash: str
    name: str
    english: str
    why: str = ""
    is_done: bool = False
    repeats: str = ""

    @property
    def is_taken(self) -> bool:
        return not self.why and not self.is_done


class NotAllError(RefusedError):
    """Something of the list cannot be approved with the others; nothing was."""

    def __init__(self, listed: list[Listed]) -> None:
        super().__init__("nothing was approved: the list is not what it was. Read it as it is now.")
        self.listed = listed


def look_at(policy: Policy, user: User, asked: Mapping[str, str]) -> list[Listed]:
    """What would become of each rule; `asked` has the content hash that was listed by uid."""
    return list(_Draft(policy, user, compose(policy), asked).listed())


def approve_listed(policy: Policy, user: User, asked: Mapping[str, str]) -> list[Decision]:
    """Approve all that `asked` lists, each for itself; what the person approved before stays.

    Raises NotAllError, with how each stands, if one of them cannot be taken.
    """
    with locked(policy) as row:
        draft = _Draft(row, user, compose(row), asked)
        listed = list(draft.listed())
        if any(one.why for one in listed):
            raise NotAllError(listed)
        taken = [one for one in listed if one.is_taken]
        decisions = Decision.objects.bulk_create(
            Decision(
                policy=row,
                rule=draft.rows[one.uid],
                verdict=Verdict.APPROVE,
                content_hash=one.hash,
                content=draft.composition.contents[one.uid],
                english=one.english,
                reason=_reason(one, len(taken)),
                by=user,
            )
            for one in taken
        )
        changes = [Change("approve-rule", f"rule:{one.uid}", new_hash=one.hash) for one in taken]
        record_all(row, user, changes, is_locked=True)
    return decisions


def _reason(one: Listed, count: int) -> str:
    if one.repeats:
        return f"A repeat of `{one.repeats}`, approved unopened in a list of {count:,}."
    return f"Approved in a list of {count:,}."


class _Draft:
    """What is known of a draft for one person; a number of queries that no list makes grow."""

    def __init__(
        self, policy: Policy, user: User, composition: Composition, asked: Mapping[str, str]
    ) -> None:
        self.policy, self.user, self.composition, self.asked = policy, user, composition, asked
        self.rows = {row.uid: row for row in live_rules(policy)}
        self._reviews = rule_states(policy, composition)
        self._opened = opened_by(user, policy)
        self._required, self._enough = required_of(policy), Enough(policy)
        hint = hint_of(policy)
        self._lint = severities_of(hint, policy) if hint else None
        own = {uid for uid, one in self._reviews.items() if self._approved_by_me(one)}
        looked_at = (own | set(asked)) & self.rows.keys()
        lineages = {source.lineage for uid in looked_at for source in self.rows[uid].sources.all()}
        self._sentences = sentences_by_lineage(policy, lineages)
        self._unread = {one.sentence.lineage for one in unread_in(policy, self._sentences.values())}
        self._repeated = {key: uid for uid in own if (key := self._key(uid)) is not None}

    def listed(self) -> Iterator[Listed]:
        for uid, shown in self.asked.items():
            row, review = self.rows.get(uid), self._reviews.get(uid)
            if row is None or review is None:
                yield Listed(uid, shown, "A rule", "", "it is not in the draft any more")
                continue
            english = english_of(row, self.composition)
            why, repeats = self._why(row, review, shown), ""
            is_done = not why and self._approved_by_me(review)
            if not why and not is_done and (uid, review.hash) not in self._opened:
                repeats = self._repeats(uid)
                why = "" if repeats else "you did not open it as it stands"
            yield Listed(uid, review.hash or shown, row.name, english, why, is_done, repeats)

    def _why(self, row: Rule, review: RuleReview, shown: str) -> str:
        """What keeps a rule from being taken, apart from that it was not opened."""
        if review.state is ReviewState.BROKEN:
            return "it does not fit its declarations"
        if review.hash != shown:
            return "it changed after it was listed"
        if self._approved_by_me(review):
            return ""
        if review.questions:
            return "a question about it is open"
        sources = {source.lineage for source in row.sources.all()}
        if not sources & self._sentences.keys():
            return "it stands in no sentence"
        if sources & self._unread:
            return "a sentence of it holds characters that nobody sees"
        if self._lint is None:
            return "lint has not checked the draft as it stands"
        if (worst := self._lint.get(row.uid)) in (Severity.ERROR, Severity.WARNING):
            return f"lint found {'an error' if worst is Severity.ERROR else 'a warning'}"
        return self._whose(row, review)

    def _whose(self, row: Rule, review: RuleReview) -> str:
        authors = authors_of(row.author_id, row.changed_by_id)
        if authors == {self.user.pk} and not review.approvals and self._enough.asks_second:
            return "you changed it last, and a second person is asked for"
        required = self._required.get(row.uid)
        if required and self.user.pk not in required:
            return "its section names somebody else"
        return ""

    def _approved_by_me(self, review: RuleReview) -> bool:
        return any(one.by_id == self.user.pk for one in review.approvals)

    def _repeats(self, uid: str) -> str:
        """The name of a rule that the person approved, of which this one is a textual repeat."""
        key = self._key(uid)
        other = self._repeated.get(key) if key is not None else None
        return "" if other is None else self.rows[other].name

    def _key(self, uid: str) -> str | None:
        """What repeats have alike: kind, logic, and sentences with their lead-ins, word by word.

        Headings differ with the place. None for a rule of no present sentence.
        """
        rule, own = self.composition.model.rule_by_id.get(uid), self._texts(uid)
        if rule is None or not own:
            return None
        return json.dumps([rule.kind.value, term_to_json(normal_form(rule.term)), own])

    def _texts(self, uid: str) -> list[list[object]]:
        sources = self.rows[uid].sources.all()
        found: Collection[Sentence] = [
            self._sentences[one.lineage] for one in sources if one.lineage in self._sentences
        ]
        return sorted([one.text, list(one.context)] for one in found)
