"""Reads the example policies, formalizes them here, and prints what it found.

Safe to run again: what is there stays as people left it, and what was
interrupted goes on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from policies.document_store import add_document
from policies.models import Job, Policy, User
from policies.people import add_person, create_policy
from policies.roles import Role
from translation.jobs import KIND, finish_inline, start_formalizing
from translation.summary import summary

EXAMPLES = (("Travel policy", "travel-policy.md"), ("Admission fees", "admission-fees.md"))
PEOPLE = (
    ("owner@example.org", "Olivia Owner", Role.OWNER),
    ("legal@example.org", "Leo Legal", Role.LEGAL),
    ("engineer@example.org", "Erin Engineer", Role.ENGINEER),
)


class Command(BaseCommand):
    help = "Reads the example policies, formalizes them, and prints what it found."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--password",
            help="of the example people, where they are new; else that of the demo is taken",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        owner = self._people(options["password"])
        for name, filename in EXAMPLES:
            policy = self._policy(owner, name, settings.BASE_DIR / "examples" / filename)
            self._formalize(policy, owner)
            for line in summary(policy):
                self.stdout.write(line)
            self.stdout.write("")

    def _people(self, password: str | None) -> User:
        """The example people, made where they are missing; gives the owner."""
        missing = [person for person in PEOPLE if not User.objects.filter(email=person[0]).exists()]
        if missing:
            password = password or _demo_password(settings.VAR / "demo-password")
        for email, name, _ in missing:
            User.objects.create_user(email, password, name=name)
        return User.objects.get(email=PEOPLE[0][0])

    def _policy(self, owner: User, name: str, path: Path) -> Policy:
        policy = Policy.objects.filter(name=name, created_by=owner).first()
        if policy is None:
            policy = create_policy(owner, name=name, formalizer="builtin")
        if not policy.documents.exists():
            for email, _, role in PEOPLE:
                add_person(policy, owner, email=email, role=role)
            try:
                data = path.read_bytes()
            except OSError as error:
                raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
            add_document(policy, owner, title=name, data=data, filename=path.name)
        return policy

    def _formalize(self, policy: Policy, owner: User) -> None:
        """Once; later documents wait until somebody asks for it."""
        job = Job.objects.filter(policy=policy, kind=KIND).first()
        if job is None:
            job = start_formalizing(policy, owner)
        finish_inline(job, holder=f"load_examples:{os.getpid()}")


def _demo_password(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        raise CommandError("give the example people a password: --password PASSWORD") from None
