"""The reference texts beside a checkout, where they are; tests that need them skip elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


def shared(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the reference texts, which are not here")
    return path


def article_files() -> dict[str, str]:
    """The article's own policy and answers, taken from its code blocks."""
    text = shared("reference", "proofs-article.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```[^\n]*\n(.*?)```", text, flags=re.DOTALL)
    policy = next(b for b in blocks if b.startswith("(set-option") and "costEur" in b)
    answers = {
        "unapproved": next(
            re.search(r"<smt>\n(.*?)</smt>", b, re.DOTALL) for b in blocks if "<smt>\n(assert" in b
        ).group(1),
    }
    for block in blocks:
        for name, body in re.findall(r"cat answer-(\w+)\.smt2\n((?:\(.*\n)+)", block):
            answers[name] = body
    return {"policy": policy, **answers}
