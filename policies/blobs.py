"""Original bytes, once each under their SHA-256, for as long as something refers to them.

Rows are locked in one order everywhere: the bytes, then the policy.
"""

from __future__ import annotations

import hashlib

from policies.models import Blob, DocumentRevision, Upload


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def keep_bytes(data: bytes) -> str:
    """Keep the bytes, and hold them to the end of the transaction; gives their SHA-256."""
    sha256 = sha256_of(data)
    blob = Blob(sha256=sha256, content=data)
    # Whoever is about to drop them holds them first: then they are written again.
    while not hold_bytes(sha256):
        Blob.objects.bulk_create([blob], ignore_conflicts=True)
    return sha256


def hold_bytes(sha256: str) -> bool:
    """Lock the row to the end of the transaction; False where there is none."""
    rows = Blob.objects.select_for_update().filter(pk=sha256)
    return bool(rows.values_list("pk", flat=True))


def drop_bytes(sha256: str) -> None:
    """Delete bytes that nothing refers to any more."""
    if not hold_bytes(sha256):
        return
    kept = DocumentRevision.objects.filter(blob=sha256).exists()
    if not kept and not Upload.objects.filter(blob=sha256).exists():
        Blob.objects.filter(pk=sha256).delete()
