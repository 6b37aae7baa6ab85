"""Embeddings by any LiteLLM model, chosen by a setting; kept, so that no text is sent twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from django.conf import settings

from policies.models import Policy
from translation.connection import Connection, connection_named
from translation.formalizers import Cancelled
from translation.llm import embed
from translation.llm_errors import LlmBadAnswerError, LlmForbiddenError
from translation.merging.embedding import Embedder, WordLlamaEmbedder, unit_rows
from translation.models import TextVector

if TYPE_CHECKING:
    from translation.merging.embedding import Vectors

WORDLLAMA = "wordllama"

# Texts in one request.
BATCH = 100


def embeddings_for(policy: Policy) -> str:
    """What looks for merges in a policy: what the settings name, if its text may go there.

    Where the policy forbids external models and that is one, it is `wordllama`, in this
    process; the job's settings and each proposal say which it was.
    """
    choice: str = settings.POLICYWRIGHT_EMBEDDINGS
    if choice != WORDLLAMA and policy.forbids_external_models and _connection(choice).is_external:
        return WORDLLAMA
    return choice


def choose_embedder(
    cancelled: Cancelled, choice: str = "", policy: Policy | None = None
) -> Embedder:
    """`wordllama`, or a LiteLLM model, `litellm:openai/NAME`; the settings' where none is named.

    Raises FormalizerError for a model that cannot be named.
    """
    choice = choice or settings.POLICYWRIGHT_EMBEDDINGS
    if choice == WORDLLAMA:
        return WordLlamaEmbedder()
    return LiteLlmEmbedder(_connection(choice), cancelled, policy)


def _connection(choice: str) -> Connection:
    connection = connection_named(choice.removeprefix("litellm:"))
    place = settings.POLICYWRIGHT_EMBEDDINGS_API_BASE or connection.api_base
    return replace(connection, api_base=place)


class LiteLlmEmbedder:
    """Asks a remote model, a hundred texts at a time; what it returned is kept by text."""

    # Sentence models put unrelated texts higher than wordllama does.
    near = 0.6

    def __init__(
        self, connection: Connection, cancelled: Cancelled, policy: Policy | None = None
    ) -> None:
        self.connection, self.cancelled, self.policy = connection, cancelled, policy

    @property
    def name(self) -> str:
        return f"litellm:{self.connection.name}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raises LlmError, or CancelledError; LlmForbiddenError if the policy forbids it now."""
        import numpy

        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        known = self._known(hashes)
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        keys = list(missing)
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            sent = [missing[key] or " " for key in batch]
            self._check_may_leave()
            vectors = embed(self.connection, sent, cancelled=self.cancelled)
            known |= self._keep(batch, vectors)
        rows = [known[key] for key in hashes]
        if len({len(row) for row in rows}) > 1:
            raise LlmBadAnswerError(
                f"`{self.connection.model}` returned vectors of different lengths; "
                "choose another embedding model"
            )
        return unit_rows(numpy.asarray(rows, dtype="float32").reshape(len(rows), -1))

    def _check_may_leave(self) -> None:
        if self.policy is None or not self.connection.is_external:
            return
        if Policy.objects.filter(pk=self.policy.pk, forbids_external_models=True).exists():
            raise LlmForbiddenError(
                f"{self.connection.forbidden}; look again, and it is done on this server"
            )

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
