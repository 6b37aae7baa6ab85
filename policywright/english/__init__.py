"""Structured English: what a policy owner reads, edits and approves.

Rendering is here; drafting rules from a policy's own sentences is in
`policywright.english.draft`, apart, since it loads a parser.
"""

from policywright.english.phrases import draft_phrases, negate_clause
from policywright.english.render import (
    render_case,
    render_default,
    render_definition,
    render_rule,
    render_sentence,
    render_term,
    render_value,
)

__all__ = [
    "draft_phrases",
    "negate_clause",
    "render_case",
    "render_default",
    "render_definition",
    "render_rule",
    "render_sentence",
    "render_term",
    "render_value",
]
