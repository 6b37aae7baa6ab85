"""Whose approval a rule lacks, in sentences, and in whose place a person may give it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from policies.approving import Approver, Missing, authors_of, delegations_to, required_of
from policies.models import Policy, Rule, User
from vetting.refusals import RefusedError
from vetting.review import Enough, RuleReview, approver

ONLY_AUTHOR = (
    "you changed this rule last, and this policy asks for a second person: somebody else approves "
    "it first."
)


def check_second_person(
    policy: Policy, user: User, rule: Rule, approved: Collection[Approver]
) -> None:
    """RefusedError where the person alone changed the rule last and nobody else approved it.

    Roles make no difference, nor does a comment of somebody else.
    """
    authors = authors_of(rule.author_id, rule.changed_by_id)
    others = {by for by, _ in approved if by != user.pk}
    if authors == {user.pk} and not others and Enough(policy).asks_second:
        raise RefusedError(ONLY_AUTHOR)


def check_stands_for(policy: Policy, user: User, rule: Rule, person: User | None) -> None:
    """RefusedError unless a section of the rule names the person, and they let this user act."""
    if person is None:
        return
    if person.pk not in required_of(policy, [rule.uid]).get(rule.uid, frozenset()):
        raise RefusedError(f"this rule does not need {person}; approve it as yourself.")
    if not delegations_to(policy, user).filter(person=person).exists():
        raise RefusedError(
            f"you may not approve in the place of {person}: what let you do so has ended, or never "
            "was. Ask them for it, or approve as yourself."
        )


@dataclass(frozen=True)
class Part:
    """What is left to one person: `waits` says what the rule's approvals lack, if anything.

    `is_own` says that somebody else has to approve it first, `may_approve` that an approval
    of their own may be given, `stands_for` are those in whose place they may give one.
    """

    waits: str = ""
    is_own: bool = False
    may_approve: bool = False
    stands_for: tuple[User, ...] = ()

    @property
    def is_alone(self) -> bool:
        return not self.stands_for


def part_of(policy: Policy, user: User, rule: Rule, review: RuleReview, *, is_named: bool) -> Part:
    """For the card of a rule; no query where the person did not change it and none is named.

    `is_named` says that some section of the policy names somebody.
    """
    approved = [approver(one) for one in review.approvals]
    names = names_of([review.missing])
    waits = f"It {what_is_missing(review.missing, names)}." if review.missing else ""
    try:
        check_second_person(policy, user, rule, approved)
    except RefusedError:
        return Part(waits, is_own=True)
    others = _stands_for(policy, user, rule, review) if is_named else []
    is_new = user.pk not in {by for by, _ in approved}
    return Part(waits, False, is_new, tuple(others))


def _stands_for(policy: Policy, user: User, rule: Rule, review: RuleReview) -> list[User]:
    required = required_of(policy, [rule.uid]).get(rule.uid, frozenset())
    said = {one for pair in review.approvals for one in approver(pair)}
    wanted = required - said - {user.pk}
    if not wanted:
        return []
    return [one.person for one in delegations_to(policy, user).filter(person__in=wanted)]


def names_of(found: Iterable[Missing]) -> dict[int, str]:
    """The names of the people that are missing; one query where there are any."""
    people = {person for one in found for person in one.people}
    return {one.pk: str(one) for one in User.objects.filter(pk__in=people)} if people else {}


def what_is_missing(one: Missing, names: Mapping[int, str]) -> str:
    """`waits for a second person and for Carol, whom its section names`: after the rule's name."""
    parts = ["a second person (whoever changed it last may not be the only one to approve it)"]
    named = " and ".join(names[person] for person in one.people)
    parts = [*parts[: one.second], *([f"{named}, named by its section"] if named else [])]
    return f"waits for {'; and for '.join(parts)}"
