"""Who is named in a comment: `@` and a member's name or e-mail address.

The longest name that fits is meant. Two members of one name are told apart by address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from policies.models import Policy, User

# What stands before it makes it part of an address or a word; what follows is no space.
_AT = re.compile(r"(?<![\w.@+-])@(?=[^\s@])")
# What goes on with a name or an address: then it is a longer one, which nobody has.
_GOES_ON = re.compile(r"[\w@-]|\.\w")
_WORD = re.compile(r"\S{1,60}")


@dataclass(frozen=True)
class Named:
    """A person in place of `text[start:end)`."""

    user: User
    start: int
    end: int


@dataclass(frozen=True)
class Names:
    """Who is named, and the names that fit nobody, or more than one; those stay text."""

    named: tuple[Named, ...] = ()
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()


def members_of(policy: Policy) -> list[User]:
    """Whoever can be spoken to on a policy, by name; one query."""
    rows = User.objects.filter(memberships__policy=policy, is_active=True).distinct()
    return sorted(rows, key=lambda one: (str(one).casefold(), one.pk))


def names_in(text: str, members: Iterable[User]) -> Names:
    handles: dict[str, list[User]] = {}
    for user in members:
        for handle in {user.email.casefold(), user.name.strip().casefold()} - {""}:
            handles.setdefault(handle, []).append(user)
    lengths = sorted({len(one) for one in handles}, reverse=True)
    named, unknown, ambiguous = [], [], []
    end = 0
    for found in _AT.finditer(text):
        start = found.start()
        if start < end:
            continue
        handle = _handle(text, found.end(), lengths, handles)
        users = handles.get(handle, [])
        if len(users) == 1:
            end = found.end() + len(handle)
            named.append(Named(users[0], start, end))
        elif users:
            ambiguous.append(text[found.end() : found.end() + len(handle)])
        else:
            word = _WORD.match(text, found.end())
            unknown.append(word[0].rstrip(".,;:!?)") if word else "")
    return Names(tuple(named), _once(unknown), _once(ambiguous))


def _handle(text: str, start: int, lengths: Sequence[int], handles: dict[str, list[User]]) -> str:
    for length in lengths:
        part = text[start : start + length].casefold()
        if part in handles and not _GOES_ON.match(text, start + length):
            return part
    return ""


def _once(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word))
