"""Walks URL patterns: every view there is, with the path that leads to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.urls import URLPattern, URLResolver
from django.urls.resolvers import RoutePattern

from policies.roles import Action

Found = tuple[str, dict[str, Any], Callable[..., Any]]

# A value for each kind of argument that a URL of ours may take; no row has it.
NOWHERE = {"int": 999_999, "str": "0" * 32, "slug": "0" * 32, "uuid": "0" * 32, "path": "nowhere"}


def views(patterns: Iterable[URLPattern | URLResolver], prefix: str = "") -> Iterator[Found]:
    """(route, its converters by argument, view) for each pattern, through includes."""
    for pattern in patterns:
        assert isinstance(pattern.pattern, RoutePattern), f"{prefix}{pattern}: use path()"
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views(pattern.url_patterns, route)
        else:
            yield route, pattern.pattern.converters, pattern.callback


def unmarked(patterns: Iterable[URLPattern | URLResolver]) -> list[str]:
    """The routes whose view says nothing of who may see it, or says something unknown."""
    known = {*Action, "public", "signed in", "staff"}
    return [
        route for route, _, view in views(patterns) if getattr(view, "access", None) not in known
    ]


def address(route: str, slug: str) -> str:
    """A path for a route: the policy's slug, and for all else a value that leads nowhere."""
    parts = []
    for part in route.split("/"):
        if part == "<slug:slug>":
            part = slug
        elif part.startswith("<"):
            part = str(NOWHERE[part[1:-1].partition(":")[0]])
        parts.append(part)
    return "/" + "/".join(parts)
