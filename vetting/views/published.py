"""Whether a draft is what a version holds, so that no page offers to publish it again."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from policies.models import Version
from policywright.hashing import content_hash
from vetting.coverage import WholeCoverage


def is_published(cover: WholeCoverage, version: Version | None) -> bool:
    """By the hashes that are kept with the rows; a version's record is read once."""
    return version is not None and _draft(cover) == _published(version.pk, version.record_sha256)


@lru_cache(maxsize=8)
def _draft(cover: WholeCoverage) -> str:
    rules = sorted([one.uid, one.hash] for one in cover.outline.rules.values() if one.hash)
    return _said(rules, [[one.lineage, one.hash, str(one.state)] for one in cover.sentences])


@lru_cache(maxsize=64)
def _published(version: int, record_sha256: str) -> str:
    row = Version.objects.get(pk=version, record_sha256=record_sha256)
    record = json.loads(row.record)["content"]
    rules = sorted([rule["id"], rule["hash"]] for rule in record["rules"])
    sentences = [[one["lineage"], one["hash"], one["state"]] for one in record["sentences"]]
    return _said(rules, sentences)


def _said(rules: list[list[str]], sentences: list[list[Any]]) -> str:
    return content_hash({"rules": rules, "sentences": sentences})
