"""How people come in: invitations by e-mail, and what was tried at the door."""

from __future__ import annotations

from django.db import models

from policies.models.people import Policy, User, new_uid
from policies.roles import Role


class Invitation(models.Model):
    """A role on a policy, offered to an e-mail address by a link; see `policies.inviting`.

    It is open until it is accepted, revoked or past `expires_at`; the row stays. Sending it
    again sets `sent_at` and `expires_at` anew, and the link is the same. `sent_at` is null
    while its message could not be sent.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="invitations")
    uid = models.CharField(max_length=32, default=new_uid, unique=True)
    email = models.EmailField()
    role = models.CharField(max_length=12, choices=[(r.value, r.value) for r in Role])
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "email", "role"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="one_open_invitation",
            )
        ]

    def __str__(self) -> str:
        return f"invitation {self.uid[:8]}: {self.role} of {self.policy_id}"


class Tried(models.Model):
    """One try at the door that failed or is under way, for `policies.throttling`.

    `key` is a keyed hash of an address or a network, so that the table names nobody.
    """

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["kind", "key", "at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"
