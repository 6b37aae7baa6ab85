"""A connection to the local server, and documents as rows for the formalizers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from documents import read, spans
from policies.models import Blob, Document, DocumentRevision, Policy, Sentence, Span
from tests.llm_server import LlmServer
from translation.connection import Connection
from translation.formalizers import SentenceText, SpanText

MakeDocument = Callable[..., DocumentRevision]


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
    """A document's rows, read as the product reads them."""
    document = read(text.encode(), filename="rules.md")
    blob, _ = Blob.objects.get_or_create(sha256=title[:64], defaults={"content": text.encode()})
    revision = DocumentRevision.objects.create(
        document=Document.objects.create(policy=policy, title=title),
        number=1,
        blob=blob,
        filename="rules.md",
        media_type="text/markdown",
        text=document.text,
        created_by=policy.created_by,
    )
    Sentence.objects.bulk_create(
        Sentence(
            revision=revision,
            ordinal=ordinal,
            start=sentence.start,
            end=sentence.end,
            text=document.text[sentence.start : sentence.end],
            headings=list(sentence.headings),
            context=list(sentence.context),
        )
        for ordinal, sentence in enumerate(document.sentences, start=1)
    )
    Span.objects.bulk_create(
        Span(revision=revision, ordinal=ordinal, start=span.start, end=span.end)
        for ordinal, span in enumerate(spans(document), start=1)
    )
    return revision
