"""Which rules name which ids, found in the text of their terms: ids are like no other word."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.db.models import TextField
from django.db.models.functions import Cast

from policies.models import Policy, Rule

_ID = re.compile(r'"([0-9a-f]{32})"')


def ids_by_rule(policy: Policy, merged: Mapping[str, str]) -> dict[str, set[str]]:
    """The ids that the own term of each live rule names, by its uid, merges resolved; one query.

    A default has no term of its own, and names none.
    """
    rows = Rule.objects.filter(policy=policy, retired_at=None)
    texts = rows.annotate(text=Cast("term", TextField())).values_list("uid", "text")
    return {uid: {merged.get(one, one) for one in _ID.findall(text or "")} for uid, text in texts}
