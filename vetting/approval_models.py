"""What people had before them when they approved."""

from __future__ import annotations

from django.db import models

from policies.models import Rule, User


class Opened(models.Model):
    """A rule's card was shown to a person who may decide, with this content of the rule.

    Written when the card is shown, once a content: nobody approves what they did not open.
    """

    rule = models.ForeignKey(Rule, models.CASCADE, related_name="opened")
    person = models.ForeignKey(User, models.PROTECT, related_name="+")
    content_hash = models.CharField(max_length=70)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "rule", "content_hash"], name="opened_once_a_content"
            )
        ]

    def __str__(self) -> str:
        return f"rule {self.rule_id} opened by {self.person_id}"
