"""Users, policies, and who may do what on which policy."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower

from policies.roles import Role


def new_uid() -> str:
    """A stable id: never reused, never shown as a name."""
    return uuid.uuid4().hex


class UserManager(BaseUserManager["User"]):
    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """As an address is kept and compared: in one case. Django's own leaves the name's."""
        return (email or "").strip().lower()

    def create_user(self, email: str, password: str | None = None, **extra: Any) -> User:
        user = self.model(email=self.normalize_email(email), **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **extra: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **extra)

    def get_by_natural_key(self, email: str | None) -> User:
        return self.get(email=self.normalize_email(email))


class User(AbstractUser):
    """Signs in by e-mail. People are deactivated, never deleted.

    Pages show times in `time_zone`, an IANA name; empty means that of the settings.
    """

    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    time_zone = models.CharField(max_length=64, blank=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email


class Policy(models.Model):
    """What a team owns. `revision` grows with every change of the draft.

    After an abbreviation of `abbreviations` ('Ref.') a sentence of its documents goes on.
    `formalizer` drafts its rules, `translators` translate each statement once more; both
    are named as `translation.formalizers` reads them, and empty means what the settings
    say. Where `forbids_external_models`, no text of it leaves the organisation's own hosts.
    `needs_second_person` says whether whoever changed a rule last may be the only one to
    approve it; null leaves it to `policies.approving`.
    Once `archived_at` is set it is read and exported, and nothing of it changes.
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    formalizer = models.CharField(max_length=120, blank=True)
    translators = models.JSONField(default=list, blank=True)
    forbids_external_models = models.BooleanField(default=False)
    needs_second_person = models.BooleanField(null=True)
    abbreviations = models.JSONField(default=list, blank=True)
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    archived_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name", "pk"]
        verbose_name_plural = "policies"

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One role of one person on one policy; a person may hold several."""

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=12, choices=[(r.value, r.value) for r in Role])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["policy", "user", "role"], name="one_role_once")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.policy}"
