"""The WSGI application, for waitress or any other WSGI server."""

from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# What was loaded by now stays as long as the process; looking through it for garbage, again
# and again, would take longer than a page does.
gc.collect()
gc.freeze()
