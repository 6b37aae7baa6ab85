"""The Celery app of a team's installation: it carries wake-ups, the rows are the truth.

Its settings are the `CELERY_` ones of config/settings.py. Start a worker with
`.venv/bin/celery -A config worker`.
"""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("policywright")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
