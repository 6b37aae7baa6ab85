"""The one settings file. What differs between places comes from the environment.

docs/operations.md says what each variable does. The defaults fit one person on
one machine: SQLite and a secret under var/, the loopback address, no broker, no
model, no network.
"""

from __future__ import annotations

import os
from pathlib import Path

from csp.constants import NONE, SELF

from config.environment import address, choice, database, flag, kept_secret, mail, number, words

BASE_DIR = Path(__file__).resolve().parent.parent
# Everything that this installation writes: database, secrets.
VAR = Path(os.environ.get("POLICYWRIGHT_VAR") or BASE_DIR / "var").resolve()
VAR.mkdir(mode=0o700, parents=True, exist_ok=True)

DEBUG = flag("POLICYWRIGHT_DEBUG")
SECRET_KEY = os.environ.get("POLICYWRIGHT_SECRET_KEY") or kept_secret(VAR / "secret-key", 64)
# Keys the audit chain; another key and no earlier row verifies any more.
AUDIT_KEY = os.environ.get("POLICYWRIGHT_AUDIT_KEY") or kept_secret(VAR / "audit-key", 64)
ALLOWED_HOSTS = [
    host.strip()
    for host in os.environ.get("POLICYWRIGHT_HOSTS", "127.0.0.1,localhost").split(",")
    if host.strip()
]

INSTALLED_APPS = [
    # For operators; see `policies.admin`.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "template_partials",
    "policies",
    "translation",
    "vetting",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "policies.middleware.WrongMethodPage",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "policies.middleware.TimeZone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Rows
DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People
AUTH_USER_MODEL = "policies.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
# Links to set a password or to take over an address.
PASSWORD_RESET_TIMEOUT = 24 * 3600
INVITATION_DAYS = 14

# Mail. Links in it begin with our own address: what a request says of its host may be anybody's.
POLICYWRIGHT_URL = address("POLICYWRIGHT_URL", "http://127.0.0.1:8000")
_MAIL = os.environ.get("POLICYWRIGHT_MAIL", "")
globals().update(mail(_MAIL, VAR / "mail"))
POLICYWRIGHT_MAIL_LEAVES = _MAIL.startswith("smtp")
DEFAULT_FROM_EMAIL = (
    os.environ.get("POLICYWRIGHT_MAIL_FROM") or "Policywright <policywright@localhost>"
)
# Whether the workers send the messages of a day; else only `manage.py send_digests` does.
POLICYWRIGHT_DIGESTS = flag("POLICYWRIGHT_DIGESTS")
# So long a page waits for a mail server that does not answer.
EMAIL_TIMEOUT = 10

# What a browser may do with our pages
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "policies.views.errors.csrf_failed"
# Said, not guessed: behind a proxy we cannot see whether the browser spoke HTTPS.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = flag("POLICYWRIGHT_HTTPS")

# What one document may take; see `documents.limits.Limits`.
DOCUMENT_LIMITS = {
    "bytes": number("POLICYWRIGHT_DOCUMENT_MB", 10) * 1_000_000,
    "pages": number("POLICYWRIGHT_DOCUMENT_PAGES", 2_000),
    "sentences": number("POLICYWRIGHT_DOCUMENT_SENTENCES", 20_000),
    "unpacked": number("POLICYWRIGHT_DOCUMENT_UNPACKED_MB", 50) * 1_000_000,
    "ratio": number("POLICYWRIGHT_DOCUMENT_RATIO", 200),
    "seconds": number("POLICYWRIGHT_DOCUMENT_SECONDS", 120),
    "memory": number("POLICYWRIGHT_DOCUMENT_MEMORY_MB", 1_500) * 1_000_000,
}
# An organisation's own, after which a sentence goes on; a policy may have more.
DOCUMENT_ABBREVIATIONS = words("POLICYWRIGHT_ABBREVIATIONS")
# How long the page of an upload waits for its reader before it shows that it waits.
UPLOAD_WAIT_S = 2.0

# A document that is pasted into a form is up to three times as long on the wire.
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * DOCUMENT_LIMITS["bytes"] + 2_000_000

# Static files are served from where they lie, found once at the start. Nothing is
# collected, so nothing can be out of date; a browser asks again after a minute.
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# English documents, for now, and an English product.
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# The wall clock for one question to a model with all its retries, and how often it is sent again.
POLICYWRIGHT_LLM_SECONDS = number("POLICYWRIGHT_LLM_SECONDS", 120)
POLICYWRIGHT_LLM_RETRIES = number("POLICYWRIGHT_LLM_RETRIES", 2)

# Jobs: the rows are the truth; Celery carries wake-ups only where a team asks for it.
POLICYWRIGHT_JOBS = choice("POLICYWRIGHT_JOBS", ("embedded", "celery"))
REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A child that works longer than the limit is ended (with threads nothing can be ended). A span
# is worked on for two questions' time, then goes back in line; the rest is for what is made of
# the replies. A message that a killed worker held comes back a minute after that at most.
CELERY_TASK_TIME_LIMIT = max(240, 2 * POLICYWRIGHT_LLM_SECONDS + 120)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": CELERY_TASK_TIME_LIMIT + 60,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# No result backend: with one, a broker that is down holds a web request for 20 s.
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Formalizers. Keys of model providers are read by LiteLLM under its own names, never here.
POLICYWRIGHT_FORMALIZER = choice("POLICYWRIGHT_FORMALIZER", ("builtin", "litellm"))
POLICYWRIGHT_LLM_MODEL = os.environ.get("POLICYWRIGHT_LLM_MODEL", "")
POLICYWRIGHT_LLM_API_BASE = os.environ.get("POLICYWRIGHT_LLM_API_BASE", "")
# A TOML file of connections; see `translation.models_file`.
POLICYWRIGHT_MODELS = os.environ.get("POLICYWRIGHT_MODELS", "")
# Who translates each sentence once more, for policies that name nobody themselves.
POLICYWRIGHT_TRANSLATORS = words("POLICYWRIGHT_TRANSLATORS")
# What a run may take that was started without a limit of its own; then it pauses.
POLICYWRIGHT_RUN_TOKENS = number("POLICYWRIGHT_RUN_TOKENS", 10_000_000)
# What looks for variables that may be one: `wordllama` (no network), or `litellm:MODEL`.
POLICYWRIGHT_EMBEDDINGS = os.environ.get("POLICYWRIGHT_EMBEDDINGS") or "wordllama"
POLICYWRIGHT_EMBEDDINGS_API_BASE = os.environ.get("POLICYWRIGHT_EMBEDDINGS_API_BASE", "")
# Without this LiteLLM fetches a price list from the network when it is imported.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

# To stderr. Messages name rows by id; no document's text is logged.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
}

if POLICYWRIGHT_JOBS == "celery":
    # Makes our app the current one, so that tasks bind to it in every process.
    from config import celery  # noqa: F401
