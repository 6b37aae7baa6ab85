"""What people change about themselves: their name, their address, their time zone.

Another address counts once a link that was sent to it was followed. The link is signed and
names the address it replaces, so that it works once, and none is left over of an older wish.
"""

from __future__ import annotations

import contextlib

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.urls import reverse

from policies.audit import record
from policies.mail import MailError, check_server, link, send
from policies.models import Policy, User

_SALT = "policies.profile.address"


class AddressError(Exception):
    """A link that changes no address; the message is one sentence for the page."""


def ask_for_address(user: User, email: str) -> None:
    """Send the link to the new address; raises MailError.

    Nothing is sent to an address that has an account, and the page says the same: so it does
    while the mail server is away.
    """
    check_server()
    email = User.objects.normalize_email(email)
    if User.objects.filter(email=email).exists():
        return
    token = signing.dumps([user.pk, user.email, email], salt=_SALT)
    path = reverse("confirm-address", args=[token])
    send(email, "address", {"name": str(user), "old": user.email, "link": link(path)})


def address_of(user: User, token: str) -> str:
    """The address that the link stands for; raises AddressError where it does not work."""
    try:
        pk, old, new = signing.loads(token, salt=_SALT, max_age=settings.PASSWORD_RESET_TIMEOUT)
    except (signing.BadSignature, ValueError) as error:
        raise AddressError(
            "This link does not work: it is older than a day, or was not copied whole. "
            "Ask for another one on your profile."
        ) from error
    if pk != user.pk:
        raise AddressError(
            "This link is for another account than the one you are signed in with. "
            "Sign in with that one, then open the link again."
        )
    if old != user.email:
        raise AddressError("This link was used before. Your address is as your profile shows it.")
    return str(new)


def take_address(user: User, token: str) -> str:
    """Sign in with the new address from now on; raises AddressError, and gives the address."""
    new = address_of(user, token)
    old = user.email
    try:
        with transaction.atomic():
            # In one order, so that two of them do not wait for each other.
            for policy in Policy.objects.filter(memberships__user=user).distinct().order_by("pk"):
                record(policy, user, "change-address", f"member:{user.pk}", even_archived=True)
            if not User.objects.filter(pk=user.pk, email=old).update(email=new):
                raise AddressError("This link was used before.")
    except IntegrityError as error:
        raise AddressError(
            f"{new} has an account of its own by now, so nothing was changed."
        ) from error
    user.email = new
    # Whoever lost the account hears of it; the change stands whether or not this leaves.
    with contextlib.suppress(MailError):
        send(old, "address_changed", {"name": str(user), "old": old, "new": new})
    return new
