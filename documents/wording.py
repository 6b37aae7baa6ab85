"""What the words of a heading or a lead-in give away: a rule, or how items belong together."""

from __future__ import annotations

import re

_ANY = re.compile(r"\b(?:any|any one|one|one or more|at least one|either) of\b[^.;]*$|\beither:?$")
_ALL = re.compile(r"\b(?:all|each|every one|both) of\b[^.;]*$|\bboth:?$")
# A heading with one of these words says a rule; behind a word such as 'which' it only names one.
_BINDS = re.compile(
    r"\b(?:must|shall|may|should|cannot|can|will|requires?|unless|only|never"
    r"|(?:is|are)\s+(?:not\s+)?(?:required|prohibited|forbidden|entitled|allowed|permitted))\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\b(?:what|when|how|who|whose|which|where|why|whether|that)\b", re.IGNORECASE)
# The titles of laws end with a full stop and are titles all the same.
_CITED = re.compile(r"(?:§|section|article|part|chapter|title)", re.IGNORECASE)


def says_rule(title: str) -> bool:
    """True for a heading that says something by itself: many clauses are styled as headings."""
    words = title.split()
    if len(words) < 4 or words[-1].endswith("?"):
        return False
    closed = words[-1][-1] in ".;:" and len(words) >= 8 and not _CITED.match(title)
    named = _NAMES.search(title)
    binds = _BINDS.search(title, 0, named.start() if named else len(title))
    return closed or len(words) > 40 or binds is not None


def said_connective(lead_in: str) -> str:
    """The connective that a lead-in announces: 'any of the following', 'all of these'."""
    any_of, all_of = _ANY.search(lead_in.lower()), _ALL.search(lead_in.lower())
    if any_of and all_of:
        return ""
    return "or" if any_of else "and" if all_of else ""
