"""How long people worked on a policy, as their own browsers measured it."""

from __future__ import annotations

from django.db import models

from policies.models import Policy, User


class Effort(models.Model):
    """Active seconds of one person with one card on the way to a version; grows.

    `version` is the number that the next version had, `card` a rule's uid or a sentence's
    lineage, empty for the pages that are of no card. Shown to that person alone: to others
    only what `vetting.effort` sums up.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="+")
    person = models.ForeignKey(User, models.PROTECT, related_name="+")
    version = models.PositiveIntegerField()
    card = models.CharField(max_length=32, blank=True)
    seconds = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "person", "version", "card"], name="one_effort_a_card"
            )
        ]

    def __str__(self) -> str:
        return f"effort of {self.person_id} on {self.policy_id}"
