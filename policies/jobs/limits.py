"""The figures that jobs go by; tests shorten the times with settings of the same name."""

from __future__ import annotations

from django.conf import settings

# An item that took its worker down this often is set aside as failed.
MAX_ATTEMPTS = 2

# Seconds. A lease is renewed three times in its length; once it has run out, the
# item goes to whoever asks. So this bounds how long a killed worker holds things up.
LEASE_S: float = getattr(settings, "JOB_LEASE_S", 5)

# How often the rows are asked which of the items under work were cancelled or taken over.
KEEP_S: float = getattr(settings, "JOB_KEEP_S", 0.5)

# How long an idle embedded runner waits before it looks again.
POLL_S: float = getattr(settings, "JOB_POLL_S", 0.5)

# How often what was lost is looked for, and how old a wake-up must be to be sent again.
HOUR_S: float = getattr(settings, "JOB_HOUR_S", 3600)
SWEEP_S: float = getattr(settings, "JOB_SWEEP_S", 3)
RESEND_S: float = getattr(settings, "JOB_RESEND_S", 10)
