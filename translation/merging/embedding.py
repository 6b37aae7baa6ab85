"""Texts as vectors of length one, so that near meanings lie near each other.

`wordllama` is the default: its weights ship in the package, so it needs no network
and no key. Any LiteLLM embedding model takes its place by a setting; what it
returned is kept by text and model (`translation.embeddings`), so no text is sent twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[Any]


class Embedder(Protocol):
    """`near` is the nearness from which two texts may mean one thing, for this model."""

    @property
    def name(self) -> str: ...

    @property
    def near(self) -> float: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A row of length one for each text; an empty text is a row of zeros."""
        ...


class WordLlamaEmbedder:
    name = "wordllama"
    # Half of the same things in other words lie above it (benchmarks/README.md).
    near = 0.45

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy

        given = [text or " " for text in texts]
        if not given:
            return numpy.zeros((0, 256), dtype="float32")
        return unit_rows(numpy.asarray(_wordllama().embed(given, norm=False), dtype="float32"))


@cache
def _wordllama() -> Any:
    # A quarter of a second and 120 MB: only where candidates are looked for.
    import wordllama

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def unit_rows(vectors: Vectors) -> Vectors:
    """Each row divided by its length; zeros stay zeros."""
    import numpy

    lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = numpy.divide(
        vectors, lengths, out=numpy.zeros_like(vectors), where=lengths > 0
    )
    return scaled
