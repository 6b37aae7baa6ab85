"""Putting a policy into the archive, where it is read and never changed, and taking it out.

See `policies.archived` for what refuses a change.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from policies.audit import record
from policies.hints import hint
from policies.jobs.starting import cancel_open_jobs
from policies.models import Policy, Upload, User
from policies.models.documents import UploadState
from policies.people import PeopleError


def archive(policy: Policy, by: User) -> bool:
    """False if it is archived already. What works on it is cancelled.

    Raises PeopleError while a document is being read: its file would be lost.
    """
    with transaction.atomic():
        # Jobs before the policy, as everywhere; see `jobs.starting`.
        cancel_open_jobs(policy, by)
        row = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        if row.archived_at is not None:
            return False
        reading = (UploadState.PENDING, UploadState.READING)
        if Upload.objects.filter(policy=row, state__in=reading).exists():
            raise PeopleError("A document is being read just now. Wait for it, then archive again.")
        record(row, by, "archive-policy", f"policy:{row.pk}")
        row.archived_at = policy.archived_at = timezone.now()
        row.save(update_fields=["archived_at"])
    return True


def unarchive(policy: Policy, by: User) -> bool:
    """False if it is not archived."""
    with transaction.atomic():
        row = Policy.objects.select_for_update(no_key=True).get(pk=policy.pk)
        if row.archived_at is None:
            return False
        row.archived_at = policy.archived_at = None
        row.save(update_fields=["archived_at"])
        record(row, by, "unarchive-policy", f"policy:{row.pk}")
        hint(row, by)
    return True
