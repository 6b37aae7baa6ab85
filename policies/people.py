"""Who works on a policy: its start, its members, and leaving.

People are known by their e-mail address. They are deactivated, never deleted.
"""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from policies.audit import record
from policies.models import Membership, Policy, User
from policies.roles import Role

# Words that stand where a slug stands in our addresses.
_TAKEN = frozenset({"new"})
_MAX_SLUG = 50
NO_OWNER = "A policy needs an owner: make somebody else an owner first."


class PeopleError(Exception):
    """A change of members that cannot be made; the message is one sentence for the page."""


class NobodyError(PeopleError):
    """No account has the address: somebody with it can be invited."""


def create_policy(user: User, *, name: str, formalizer: str = "") -> Policy:
    """A new policy that the user owns; its slug is made from its name and free."""
    name = " ".join(name.split())
    stem = slugify(name)[:_MAX_SLUG].strip("-") or "policy"
    number = 2 if stem in _TAKEN else 1
    while True:
        slug = stem if number == 1 else f"{stem}-{number}"
        try:
            with transaction.atomic():
                return _create(user, name, slug, formalizer)
        except IntegrityError:
            # Taken, perhaps this very moment.
            if not Policy.objects.filter(slug=slug).exists():
                raise
            number += 1


def _create(user: User, name: str, slug: str, formalizer: str) -> Policy:
    policy = Policy.objects.create(slug=slug, name=name, formalizer=formalizer, created_by=user)
    record(policy, user, "create-policy", f"policy:{policy.pk}")
    Membership.objects.create(policy=policy, user=user, role=Role.OWNER)
    record(policy, user, "add-member", f"member:{user.pk}:{Role.OWNER}")
    return policy


def add_person(policy: Policy, by: User, *, email: str, role: Role) -> Membership:
    """Give a role to the person with that address; nothing changes if they hold it.

    Raises NobodyError if no active account has the address.
    """
    address = User.objects.normalize_email(email)
    user = User.objects.filter(email=address, is_active=True).first()
    if user is None:
        raise NobodyError(
            f"Nobody with the address {email.strip()} has an account here; invite them."
        )
    with transaction.atomic():
        Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        member, created = Membership.objects.get_or_create(policy=policy, user=user, role=role)
        if created:
            record(policy, by, "add-member", f"member:{user.pk}:{role}")
    return member


def remove_person(policy: Policy, by: User, *, user_id: int, role: Role) -> bool:
    """Take a role from a person; False if they did not hold it.

    Raises PeopleError for the last owner who can still sign in.
    """
    with transaction.atomic():
        Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        members = Membership.objects.filter(policy=policy, user=user_id, role=role)
        if not members.exists():
            return False
        if role == Role.OWNER and not _other_owners(policy, user_id):
            raise PeopleError(NO_OWNER)
        members.delete()
        record(policy, by, "remove-member", f"member:{user_id}:{role}")
    return True


def deactivate_person(user: User, by: User | None) -> None:
    """End a person's access everywhere; what they decided stays under their name.

    Raises PeopleError, naming the policy, where they are the last owner.
    """
    with transaction.atomic():
        # In one order, so that two leavers do not wait for each other.
        policies = Policy.objects.select_for_update(no_key=True).order_by("pk")
        for policy in policies.filter(pk__in=user.memberships.values("policy")):
            owns = user.memberships.filter(policy=policy, role=Role.OWNER).exists()
            if owns and not _other_owners(policy, user.pk):
                raise PeopleError(f"{NO_OWNER} It is about {policy.name}.")
            record(policy, by, "deactivate-person", f"member:{user.pk}", even_archived=True)
        User.objects.filter(pk=user.pk).update(is_active=False)
    user.is_active = False


def _other_owners(policy: Policy, user_id: int) -> bool:
    owners = Membership.objects.filter(policy=policy, role=Role.OWNER, user__is_active=True)
    return owners.exclude(user=user_id).exists()
