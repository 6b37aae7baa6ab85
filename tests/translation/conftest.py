"""A connection to the local server, and documents as rows for the formalizers."""

from __future__ import annotations

import pytest

from policies import document_store
from policies.models import DocumentRevision, Policy
from tests.llm_server import LlmServer
from translation.connection import Connection
from translation.formalizers import SentenceText, SpanText


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own key goes to no test server."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def connect(server: LlmServer, **changes: object) -> Connection:
    """A connection without waits, to a model that no price list knows."""
    values = {"deadline_s": 20.0, "retries": 2, "backoff_s": 0.01, **changes}
    return Connection("openai/hand-written", server.base_url, **values)  # type: ignore[arg-type]


def span_of(*texts: str, headings: tuple[str, ...] = ()) -> SpanText:
    return SpanText("Travel policy", tuple(SentenceText(text, headings) for text in texts))


def never() -> bool:
    return False


def add_document(policy: Policy, text: str, *, title: str = "Rules") -> DocumentRevision:
    return document_store.add_document(
        policy, policy.created_by, title=title, data=text.encode(), filename="rules.md"
    )
