"""What makes a rule's approval enough: a second person, and those whom its sections name.

Four eyes: where a policy asks for a second person, nobody who changed a rule last is the
only one to approve it. A section may name people whose approval its rules need; each of them
may let another approve in their place, up to a day. Who approved what is the higher room's
to say; what is missing is told here, for its pages and for whatever freezes a version.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from policies.archived import refuse_archived
from policies.audit import record
from policies.models import (
    Delegation,
    Document,
    Policy,
    RuleSource,
    SectionApprover,
    Sentence,
    User,
)
from policies.people import PeopleError
from policies.roles import MATRIX, Action
from policies.sources import latest_revisions

# One who approved, and in whose place, by their ids.
Approver = tuple[int, int | None]


@dataclass(frozen=True)
class Missing:
    """What a rule's approvals lack: a second person, or the people with these ids."""

    second: bool = False
    people: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.second or bool(self.people)


NOTHING = Missing()


def missing(
    approved: Collection[Approver],
    authors: Collection[int],
    required: Collection[int],
    *,
    asks_second: bool,
) -> Missing:
    """What approvals lack; `authors` changed the rule last, `required` are named by its sections.

    Whoever approves in another's place is still the person who did it.
    """
    people = {by for by, _ in approved}
    said = people | {other for _, other in approved if other is not None}
    alone = asks_second and any(not people - {author} for author in authors)
    return Missing(alone, tuple(sorted(set(required) - said)))


def authors_of(author: int | None, changed_by: int | None) -> frozenset[int]:
    """Who changed a rule last, by its two columns; nobody, for an unedited draft."""
    return frozenset(one for one in (author, changed_by) if one is not None)


def deciders(policy: Policy) -> QuerySet[User]:
    """The people who may approve, each once."""
    roles = [role.value for role in MATRIX[Action.DECIDE]]
    members = User.objects.filter(
        is_active=True, memberships__policy=policy, memberships__role__in=roles
    )
    return members.distinct().order_by("email")


def asks_second_person(policy: Policy) -> bool:
    """The policy's setting; where it has none, once two people may decide. One query then."""
    chosen = policy.needs_second_person
    return deciders(policy).count() > 1 if chosen is None else chosen


def choose_second_person(policy: Policy, by: User, *, needs: bool | None, shown: str) -> None:
    """Set whether a second person is needed; null leaves it to how many may decide.

    `shown` is the setting as the page showed it, see `setting_shown`. Raises PeopleError.
    """
    with transaction.atomic():
        row = _locked(policy)
        if row.needs_second_person == needs:
            return
        if setting_shown(row) != shown:
            raise PeopleError("Somebody changed this setting after you opened the page.")
        row.needs_second_person = policy.needs_second_person = needs
        row.save(update_fields=["needs_second_person"])
        told = {None: "by-number", True: "yes", False: "no"}[needs]
        record(row, by, "set-second-person", f"second-person:{told}")


def setting_shown(policy: Policy) -> str:
    return {None: "", True: "yes", False: "no"}[policy.needs_second_person]


def required_of(policy: Policy, uids: Collection[str] | None = None) -> dict[str, frozenset[int]]:
    """By a live rule's uid the people whose approval it needs; a query where nobody is named.

    A rule is in a section where one of its sentences is.
    """
    rows = approvers(policy).values_list("document", "headings", "person")
    named = [(document, tuple(headings), person) for document, headings, person in rows]
    if not named:
        return {}
    sources = RuleSource.objects.filter(rule__policy=policy, rule__retired_at=None)
    if uids is not None:
        sources = sources.filter(rule__uid__in=uids)
    pairs = list(sources.values_list("rule__uid", "lineage"))
    sentences = Sentence.objects.filter(
        revision__in=latest_revisions(policy), revision__document__in={one[0] for one in named}
    )
    if uids is not None:
        sentences = sentences.filter(lineage__in={lineage for _, lineage in pairs})
    places = sentences.values_list("lineage", "revision__document", "headings")
    asked = {
        lineage: {
            person
            for of, path, person in named
            if of == document and tuple(headings[: len(path)]) == path
        }
        for lineage, document, headings in places
    }
    found: dict[str, frozenset[int]] = {}
    for uid, lineage in pairs:
        people = asked.get(lineage)
        if people:
            found[uid] = found.get(uid, frozenset()) | people
    return found


def approvers(policy: Policy) -> QuerySet[SectionApprover]:
    """Those whom the policy's sections name now."""
    return SectionApprover.objects.filter(document__policy=policy, ended_at=None)


def name_approver(
    policy: Policy, by: User, *, document: Document, headings: Iterable[str], person: User
) -> SectionApprover:
    """The rules of a section need that person's approval from now on; a second time is once.

    Raises PeopleError for somebody who may not decide.
    """
    path = list(headings)
    with transaction.atomic():
        row = _locked(policy)
        _check_decides(row, person)
        same = approvers(row).filter(document=document, person=person)
        for one in same:
            if one.headings == path:
                return one
        made = SectionApprover.objects.create(
            document=document, headings=path, person=person, added_by=by
        )
        record(row, by, "name-approver", f"approver:{made.uid}:{person.pk}")
    return made


def end_approver(policy: Policy, by: User, uid: str) -> None:
    """The section names that person no more."""
    with transaction.atomic():
        row = _locked(policy)
        found = approvers(row).filter(uid=uid).first()
        if found is not None:
            found.ended_by, found.ended_at = by, timezone.now()
            found.save(update_fields=["ended_by", "ended_at"])
            record(row, by, "end-approver", f"approver:{uid}:{found.person_id}")


def delegate(policy: Policy, person: User, *, to: User, until: date) -> Delegation:
    """Let somebody approve in one's place up to and with a day; it takes the place of another.

    Raises PeopleError for oneself, a day that is past, or somebody who may not decide.
    """
    if to.pk == person.pk:
        raise PeopleError("You approve in your own place anyway; choose somebody else.")
    if until < timezone.localdate():
        raise PeopleError("That day is past; choose today or a later one.")
    with transaction.atomic():
        row = _locked(policy)
        _check_decides(row, person)
        _check_decides(row, to)
        same = Delegation.objects.filter(
            policy=row, person=person, to=to, until=until, ended_at=None
        ).first()
        if same is not None:
            return same
        for old in Delegation.objects.filter(policy=row, person=person, to=to, ended_at=None):
            _end(row, person, old)
        made = Delegation.objects.create(policy=row, person=person, to=to, until=until)
        record(row, person, "delegate", f"delegation:{made.uid}:{to.pk}")
    return made


def end_delegation(policy: Policy, person: User, uid: str) -> None:
    """Only whoever gave it takes it back; what was approved meanwhile stays."""
    with transaction.atomic():
        row = _locked(policy)
        found = Delegation.objects.filter(policy=row, person=person, uid=uid, ended_at=None).first()
        if found is not None:
            _end(row, person, found)


def delegations_to(policy: Policy, person: User) -> QuerySet[Delegation]:
    """Those by which the person may approve in another's place today."""
    rows = Delegation.objects.filter(
        policy=policy, to=person, ended_at=None, until__gte=timezone.localdate()
    )
    return rows.filter(person__in=deciders(policy)).select_related("person")


def _end(policy: Policy, by: User, one: Delegation) -> None:
    one.ended_at = timezone.now()
    one.save(update_fields=["ended_at"])
    record(policy, by, "end-delegation", f"delegation:{one.uid}:{one.to_id}")


def _locked(policy: Policy) -> Policy:
    row = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
    refuse_archived(row)
    return row


def _check_decides(policy: Policy, person: User) -> None:
    if not deciders(policy).filter(pk=person.pk).exists():
        raise PeopleError(f"{person} may not approve on this policy; make them a reviewer first.")
