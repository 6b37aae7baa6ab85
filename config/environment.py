"""Reads what the environment says, and refuses what it cannot mean in one sentence.

docs/operations.md lists every variable; a test holds that list to the code.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# Writers queue instead of failing with "database is locked": the write lock is
# taken when a transaction begins, and waited for; readers do not block (WAL).
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": ("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"),
}


def flag(name: str) -> bool:
    """True for 1, false for 0 or unset; anything else is refused."""
    return choice(name, ("0", "1")) == "1"


def choice(name: str, options: Sequence[str]) -> str:
    """The variable's value, which must be one of `options`; the first where it is unset."""
    value = os.environ.get(name) or options[0]
    if value not in options:
        raise ImproperlyConfigured(f"{name} is `{value}`: set it to {' or '.join(options)}.")
    return value


def number(name: str, default: int) -> int:
    """The variable's whole number above 0; `default` where it is unset."""
    value = os.environ.get(name) or str(default)
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 10**12):
        raise ImproperlyConfigured(f"{name} is `{value}`: set it to a whole number above 0.")
    return int(value)


def words(name: str) -> list[str]:
    """What stands between the commas of the variable; empty where it is unset."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def database(url: str, var: Path) -> dict[str, Any]:
    """Django's settings for `postgresql://user:password@host:port/name?option=value`.

    An empty address means SQLite in `var`.
    """
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": var / "policywright.sqlite3",
            "OPTIONS": SQLITE_OPTIONS,
        }
    parts = _parts(url)
    name = unquote(parts.path.lstrip("/")) if parts else ""
    # The address is not repeated: it may hold a password.
    if parts is None or parts.scheme not in ("postgresql", "postgres") or not name:
        raise ImproperlyConfigured(
            "DATABASE_URL must look like postgresql://user:password@host:5432/name; "
            "unset it to use SQLite."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def kept_secret(path: Path, length: int) -> str:
    """The secret kept in `path`, made once and readable by its owner alone.

    Two processes that start together get the same one: the file appears whole
    or not at all, and the first to place it wins.
    """
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64)[:length])
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text(encoding="ascii")


def address(name: str, default: str) -> str:
    """The address that browsers reach us at, without a slash at its end."""
    value = (os.environ.get(name) or default).rstrip("/")
    parts = _parts(value)
    fits = parts and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    if parts is None or not fits or value != f"{parts.scheme}://{parts.netloc}" or "@" in value:
        raise ImproperlyConfigured(
            f"{name} is `{value}`: set it to an address such as https://rules.example.org."
        )
    return value


# Scheme of the mail server's address: its usual port, and what is encrypted.
MAIL_SCHEMES = {
    "smtp": (25, {}),
    "smtp+tls": (587, {"EMAIL_USE_TLS": True}),
    "smtps": (465, {"EMAIL_USE_SSL": True}),
}


def mail(url: str, folder: Path) -> dict[str, Any]:
    """Django's settings for `smtp+tls://user:password@host:port`, or `console:`.

    An empty address means a file for each message in `folder`.
    """
    backends = "django.core.mail.backends"
    if not url:
        return {
            "EMAIL_BACKEND": f"{backends}.filebased.EmailBackend",
            "EMAIL_FILE_PATH": str(folder),
        }
    if url == "console:":
        return {"EMAIL_BACKEND": f"{backends}.console.EmailBackend"}
    parts = _parts(url)
    # The address is not repeated: it may hold a password.
    if parts is None or parts.scheme not in MAIL_SCHEMES or not parts.hostname:
        raise ImproperlyConfigured(
            "POLICYWRIGHT_MAIL must look like smtp+tls://user:password@host:587, with smtp, "
            "smtp+tls or smtps, or be console:; unset it to keep messages in a folder."
        )
    usual, encrypted = MAIL_SCHEMES[parts.scheme]
    return {
        "EMAIL_BACKEND": f"{backends}.smtp.EmailBackend",
        "EMAIL_HOST": unquote(parts.hostname),
        "EMAIL_PORT": parts.port or usual,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        **encrypted,
    }


def _parts(url: str) -> SplitResult | None:
    """What an address is made of; None where it is none, or its port is no number of one."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts
