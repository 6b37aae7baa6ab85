"""The settings under test: the product's own, in a folder of their own, with a fast hasher."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Before the product's settings are read: a test never touches the developer's database.
_VAR = Path(tempfile.mkdtemp(prefix="policywright-test-"))
atexit.register(shutil.rmtree, _VAR, ignore_errors=True)
os.environ["POLICYWRIGHT_VAR"] = str(_VAR)

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, INSTALLED_APPS  # noqa: E402

# Kinds of jobs that only tests know: slow, failing, deadly ones.
INSTALLED_APPS = [*INSTALLED_APPS, "tests.policies.job_handlers.JobHandlersConfig"]

# A file, not memory: the live server and the runner's threads share it as they do in life.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": _VAR / "test.sqlite3"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
