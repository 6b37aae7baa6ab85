"""Embeddings by any LiteLLM model, chosen by a setting; kept, so that no text is sent twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from translation.connection import Connection, connection_named
from translation.formalizers import Cancelled
from translation.llm import embed
from translation.llm_errors import LlmBadAnswerError
from translation.merging.embedding import Embedder, WordLlamaEmbedder, unit_rows
from translation.models import TextVector

if TYPE_CHECKING:
    from translation.merging.embedding import Vectors

# Texts in one request.
BATCH = 100


def choose_embedder(cancelled: Cancelled) -> Embedder:
    """`wordllama`, or the LiteLLM model that the settings name: `litellm:openai/NAME`.

    Raises FormalizerError for a model that cannot be named.
    """
    from django.conf import settings

    choice = settings.POLICYWRIGHT_EMBEDDINGS
    if choice == "wordllama":
        return WordLlamaEmbedder()
    connection = connection_named(choice.removeprefix("litellm:"))
    place = settings.POLICYWRIGHT_EMBEDDINGS_API_BASE or connection.api_base
    return LiteLlmEmbedder(replace(connection, api_base=place), cancelled)


class LiteLlmEmbedder:
    """Asks a remote model, a hundred texts at a time; what it returned is kept by text."""

    # Sentence models put unrelated texts higher than wordllama does.
    near = 0.6

    def __init__(self, connection: Connection, cancelled: Cancelled) -> None:
        self.connection, self.cancelled = connection, cancelled

    @property
    def name(self) -> str:
        return f"litellm:{self.connection.name}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises LlmError, or CancelledError."""
        import numpy

        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        known = self._known(hashes)
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        keys = list(missing)
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            sent = [missing[key] or " " for key in batch]
            vectors = embed(self.connection, sent, cancelled=self.cancelled)
            known |= self._keep(batch, vectors)
        rows = [known[key] for key in hashes]
        if len({len(row) for row in rows}) > 1:
            raise LlmBadAnswerError(
                f"`{self.connection.model}` returned vectors of different lengths; "
                "choose another embedding model"
            )
        return unit_rows(numpy.asarray(rows, dtype="float32").reshape(len(rows), -1))

    def _known(self, hashes: Sequence[str]) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for start in range(0, len(hashes), 500):
            rows = TextVector.objects.filter(
                model=self._key, text_hash__in=hashes[start : start + 500]
            )
            found |= dict(rows.values_list("text_hash", "vector"))
        return found

    def _keep(self, keys: Sequence[str], vectors: Sequence[list[float]]) -> dict[str, list[float]]:
        kept = dict(zip(keys, vectors, strict=True))
        TextVector.objects.bulk_create(
            [TextVector(model=self._key, text_hash=key, vector=kept[key]) for key in kept],
            ignore_conflicts=True,
        )
        return kept

    @property
    def _key(self) -> str:
        """Two servers may call different models by one name."""
        place = hashlib.sha256(self.connection.api_base.encode()).hexdigest()[:12]
        return f"{self.connection.model}@{place}"
