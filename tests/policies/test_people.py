"""Policies and their members: an owner always stays, and everything is in the log."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from policies.access import may, roles_of
from policies.models import AuditRow, Membership, Policy, User
from policies.people import (
    PeopleError,
    add_person,
    create_policy,
    deactivate_person,
    remove_person,
)
from policies.roles import Action, Role


def log(policy: Policy) -> list[tuple[str, str]]:
    return list(AuditRow.objects.filter(policy=policy).values_list("action", "object"))


def test_who_makes_a_policy_owns_it(alice):
    policy = create_policy(alice, name="  Travel \n policy ")
    assert (policy.name, policy.slug) == ("Travel policy", "travel-policy")
    assert roles_of(alice, policy) == {Role.OWNER}
    assert log(policy) == [
        ("create-policy", f"policy:{policy.pk}"),
        ("add-member", f"member:{alice.pk}:owner"),
    ]


def test_slugs_are_free_and_never_a_word_of_our_addresses(alice):
    names = ["Travel", "travel!", "Travel", "New", "???", "出張", "x" * 120]
    slugs = [create_policy(alice, name=name).slug for name in names]
    assert slugs == ["travel", "travel-2", "travel-3", "new-2", "policy", "policy-2", "x" * 50]


@pytest.mark.django_db(transaction=True)
def test_two_policies_of_one_name_at_once_get_two_slugs(alice):
    threads = [
        threading.Thread(target=lambda: (create_policy(alice, name="T"), connections.close_all()))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(Policy.objects.values_list("slug", flat=True)) == {"t", "t-2", "t-3"}


def test_a_person_is_found_by_address_and_added_once(policy, alice, charlie):
    for _ in range(2):
        add_person(policy, alice, email=" CHARLIE@example.org", role=Role.LEGAL)
    assert may(charlie, policy, Action.SIGN)
    assert not may(charlie, policy, Action.DECIDE)
    assert log(policy) == [("add-member", f"member:{charlie.pk}:legal")]


def test_an_address_without_an_account_is_refused_in_one_sentence(policy, alice, charlie):
    User.objects.filter(pk=charlie.pk).update(is_active=False)
    for email in ("nobody@example.org", "charlie@example.org"):
        with pytest.raises(PeopleError, match=f"Nobody with the address {email} has an account"):
            add_person(policy, alice, email=email, role=Role.VIEWER)
    assert log(policy) == []


def test_a_role_is_taken_away_once(policy, alice, bob):
    assert remove_person(policy, alice, user_id=bob.pk, role=Role.REVIEWER)
    assert not remove_person(policy, alice, user_id=bob.pk, role=Role.REVIEWER)
    assert roles_of(bob, policy) == frozenset()
    assert log(policy) == [("remove-member", f"member:{bob.pk}:reviewer")]


def test_the_last_owner_stays(policy, alice, bob):
    with pytest.raises(PeopleError, match="needs an owner"):
        remove_person(policy, alice, user_id=alice.pk, role=Role.OWNER)
    add_person(policy, alice, email=bob.email, role=Role.OWNER)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    with pytest.raises(PeopleError, match="needs an owner"):
        remove_person(policy, alice, user_id=alice.pk, role=Role.OWNER)
    User.objects.filter(pk=bob.pk).update(is_active=True)
    assert remove_person(policy, alice, user_id=alice.pk, role=Role.OWNER)


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_at_once_leave_one(policy, alice, bob):
    add_person(policy, alice, email=bob.email, role=Role.OWNER)
    refused = []

    def remove(user: User) -> None:
        try:
            remove_person(policy, user, user_id=user.pk, role=Role.OWNER)
        except PeopleError:
            refused.append(user)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=remove, args=(user,)) for user in (alice, bob)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert Membership.objects.filter(policy=policy, role=Role.OWNER).count() == 1


def test_people_are_deactivated_and_what_they_did_stays(policy, alice, bob):
    deactivate_person(bob, alice)
    assert not may(bob, policy, Action.VIEW)
    assert Membership.objects.filter(user=bob).exists()
    assert log(policy) == [("deactivate-person", f"member:{bob.pk}")]
    with pytest.raises(PeopleError, match=r"It is about Travel policy\."):
        deactivate_person(alice, None)
    assert User.objects.get(pk=alice.pk).is_active
