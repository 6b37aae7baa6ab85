"""Whether a draft is what a version holds, so that no page offers to publish it again."""

from __future__ import annotations

import json
from typing import Any

from policies.models import Version
from vetting.publishing import Standing

Content = tuple[list[list[Any]], list[list[Any]]]


def is_published(now: Standing, version: Version | None) -> bool:
    return version is not None and _draft(now) == _published(version)


def _draft(now: Standing) -> Content:
    rules = sorted([uid, present] for uid, present in now.composition.hashes.items())
    return rules, [[one.sentence.lineage, one.hash, str(one.state)] for one in now.sentences]


def _published(version: Version) -> Content:
    record = json.loads(version.record)["content"]
    rules = sorted([rule["id"], rule["hash"]] for rule in record["rules"])
    return rules, [[one["lineage"], one["hash"], one["state"]] for one in record["sentences"]]
