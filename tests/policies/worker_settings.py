"""The settings of workers that tests start: the tests' database, and short times."""

from __future__ import annotations

import os

from config.settings import *  # noqa: F403
from config.settings import DATABASES, INSTALLED_APPS

DATABASES["default"]["NAME"] = os.environ["POLICYWRIGHT_TEST_DATABASE"]
INSTALLED_APPS = [*INSTALLED_APPS, "tests.policies.job_handlers.JobHandlersConfig"]

JOB_LEASE_S = float(os.environ.get("POLICYWRIGHT_TEST_LEASE_S", "1.5"))
JOB_POLL_S = 0.1
JOB_SWEEP_S = 0.4
JOB_RESEND_S = 1
