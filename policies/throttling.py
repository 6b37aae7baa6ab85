"""Too many tries at the door: counted for each address and for each network.

The tries are rows, so that any number of web processes count together. Each is written
before its password is looked at: many at once cannot all slip through. A refused one is not
kept, so that nobody is kept out for longer than `WINDOW` after the last that was looked at.
An address that has no account is counted alike, and so nothing is told by it.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.crypto import salted_hmac

from policies.models import Tried, User

WINDOW = timedelta(minutes=15)
# Of one kind in a window: for one address, and for one network, where many may sit.
LIMITS = {"sign-in": (10, 100), "password": (10, 100), "reset": (3, 30), "invite": (20, 200)}


class TooManyTriesError(Exception):
    """Somebody has to wait; the text is one sentence for the page."""

    def __init__(self, wait: timedelta) -> None:
        self.seconds = max(1, int(wait.total_seconds()))
        minutes = -(-self.seconds // 60)
        super().__init__(
            "There were too many tries. "
            f"Wait {minutes} minute{'' if minutes == 1 else 's'}, then try again."
        )


@dataclass(frozen=True)
class Try:
    kind: str
    keys: tuple[str, ...]
    rows: tuple[int, ...]

    def succeeded(self) -> None:
        """Forget this try, and the earlier ones with the same address."""
        Tried.objects.filter(pk__in=self.rows).delete()
        Tried.objects.filter(kind=self.kind, key=self.keys[0]).delete()


def begin(kind: str, email: str, remote: str | None) -> Try:
    """Count a try of this kind (see LIMITS); raises TooManyTriesError.

    `remote` is the network address that the request came from.
    """
    now = timezone.now()
    Tried.objects.filter(at__lt=now - WINDOW).delete()
    network = network_of(remote)
    keys = (_of_address(email), *([_key(f"network {network}")] if network else []))
    rows = [Tried.objects.create(kind=kind, key=key, at=now) for key in keys]
    for key, limit in zip(keys, LIMITS[kind], strict=False):
        times = Tried.objects.filter(kind=kind, key=key).order_by("-at", "-pk")
        over = list(times.values_list("at", flat=True)[: limit + 1])
        if len(over) > limit:
            Tried.objects.filter(pk__in=[row.pk for row in rows]).delete()
            raise TooManyTriesError(_wait(over, now))
    return Try(kind, keys, tuple(row.pk for row in rows))


def forget(kind: str, email: str) -> None:
    """Let an address in again, as once its person set another password."""
    Tried.objects.filter(kind=kind, key=_of_address(email)).delete()


def network_of(remote: str | None) -> str:
    """The network that counts together: a /24 or a /64; none for this machine's own addresses.

    A proxy on this machine that does not say who asked would make all people one.
    """
    try:
        address = ipaddress.ip_address(remote or "")
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if address.is_loopback:
        return ""
    length = 24 if address.version == 4 else 64
    return str(ipaddress.ip_network(f"{address}/{length}", strict=False))


def _of_address(email: str) -> str:
    return _key(f"address {User.objects.normalize_email(email)}")


def _key(name: str) -> str:
    return salted_hmac(__name__, name, algorithm="sha256").hexdigest()


def _wait(newest_first: list[datetime], now: datetime) -> timedelta:
    """Until the oldest of those that fill the window leaves it."""
    return newest_first[-1] + WINDOW - now
