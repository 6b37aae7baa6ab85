"""Invitations: a role on a policy, offered to an e-mail address by a signed link.

Whoever opens the link and has no account yet makes one, with that address and no other. Who
is signed in with that address takes the role. The link says nothing but which row it is of;
the row says whether it still counts.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from policies.archived import refuse_archived
from policies.audit import record
from policies.mail import link, send
from policies.models import Invitation, Membership, Policy, User
from policies.people import PeopleError
from policies.roles import Role

_SIGNER = signing.Signer(salt="policies.inviting")
OPEN = {"accepted_at": None, "revoked_at": None}


class InvitationError(Exception):
    """A link or a change that does not count; the message is one sentence for the page."""


class OtherPersonError(InvitationError):
    """The link is for another address than the one that somebody is signed in with."""


def invite(policy: Policy, by: User, *, email: str, role: Role) -> Invitation:
    """An open invitation of this address to this role; the one there is, if there is one.

    Its message is not sent here: see `send_invitation`. Raises PeopleError where a person
    with that address holds the role.
    """
    email = User.objects.normalize_email(email)
    with transaction.atomic():
        locked = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        refuse_archived(locked)
        if Membership.objects.filter(policy=policy, user__email=email, role=role).exists():
            raise PeopleError(f"{email} is {role} on this policy already.")
        found = Invitation.objects.filter(policy=policy, email=email, role=role, **OPEN).first()
        if found is not None:
            return found
        made = Invitation.objects.create(
            policy=policy, email=email, role=role, invited_by=by, expires_at=_end()
        )
        record(policy, by, "invite", f"invitation:{made.uid}")
    return made


def send_invitation(invitation: Invitation, by: User) -> None:
    """Send the link, and let it count for another while from now on; raises MailError.

    The row is there whether or not the message leaves, so that it can be sent again.
    """
    context = {
        "invitation": invitation,
        "policy": invitation.policy,
        "by": by,
        "days": settings.INVITATION_DAYS,
        "link": link(reverse("invitation", args=[token_of(invitation)])),
    }
    send(invitation.email, "invitation", context)
    with transaction.atomic():
        record(invitation.policy, by, "send-invitation", f"invitation:{invitation.uid}")
        open_ones = Invitation.objects.filter(pk=invitation.pk, **OPEN)
        open_ones.update(sent_at=timezone.now(), expires_at=_end())


def revoke(invitation: Invitation, by: User) -> bool:
    """Let its link count no more; False if it was accepted or revoked before."""
    with transaction.atomic():
        open_ones = Invitation.objects.filter(pk=invitation.pk, **OPEN)
        if not open_ones.update(revoked_at=timezone.now(), revoked_by=by):
            return False
        record(invitation.policy, by, "revoke-invitation", f"invitation:{invitation.uid}")
    return True


def token_of(invitation: Invitation) -> str:
    return _SIGNER.sign(invitation.uid)


def invitation_of(token: str) -> Invitation:
    """The invitation of a link that counts; raises InvitationError for any other."""
    try:
        uid = _SIGNER.unsign(token)
    except signing.BadSignature as error:
        raise InvitationError(
            "This link was not copied whole. Open it from the message itself, or ask for another."
        ) from error
    rows = Invitation.objects.select_related("policy", "invited_by")
    found = rows.filter(uid=uid).first()
    if found is None:
        raise InvitationError("This invitation is gone. Ask for another one.")
    check_open(found)
    return found


def check_open(invitation: Invitation) -> None:
    """Raises InvitationError unless the invitation can be accepted now."""
    if invitation.accepted_at is not None:
        raise InvitationError("This invitation was accepted before. Sign in to see the policy.")
    if invitation.revoked_at is not None:
        raise InvitationError("This invitation was taken back. Ask whoever sent it.")
    if invitation.expires_at <= timezone.now():
        raise InvitationError(
            f"This invitation ended after {settings.INVITATION_DAYS} days. "
            f"Ask {invitation.invited_by} to send it again."
        )
    refuse_archived(invitation.policy)


def accept(invitation: Invitation, user: User) -> None:
    """Give the person the role; raises InvitationError, and OtherPersonError."""
    if user.email != invitation.email:
        raise OtherPersonError(
            f"This invitation is for {invitation.email}, and you are signed in as {user.email}. "
            "Sign out, then open the link again."
        )
    with transaction.atomic():
        _take(invitation, user)


def accept_as_new(invitation: Invitation, *, name: str, password: str) -> User:
    """Make the account of the address, with the role; raises InvitationError."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(invitation.email, password, name=name)
            _take(invitation, user)
    except IntegrityError as error:
        raise InvitationError(
            f"{invitation.email} has an account by now. Sign in with it, then open the link again."
        ) from error
    return user


def _take(invitation: Invitation, user: User) -> None:
    policy = Policy.objects.select_for_update(no_key=True).get(pk=invitation.policy_id)
    row = Invitation.objects.select_for_update().get(pk=invitation.pk)
    check_open(row)
    Invitation.objects.filter(pk=row.pk).update(accepted_by=user, accepted_at=timezone.now())
    record(policy, user, "accept-invitation", f"invitation:{row.uid}")
    role = Role(row.role)
    _, created = Membership.objects.get_or_create(policy=policy, user=user, role=role)
    if created:
        record(policy, user, "add-member", f"member:{user.pk}:{role}")


def _end() -> datetime:
    return timezone.now() + timedelta(days=settings.INVITATION_DAYS)
