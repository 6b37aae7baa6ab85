"""What a translator is: sentences and declarations in, for each sentence its conditions out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.conf import settings

from policies.models import Policy
from policywright.model import PolicyModel
from policywright.terms import Term
from translation.asking import Asker
from translation.connection import connection_named
from translation.formalizers import Cancelled, FormalizerError, SpanText
from translation.models import TranslationState
from translation.naming import BUILTIN

MODEL = "litellm"
# Of a policy that wants nobody, where the settings name somebody.
NOBODY = "nobody"


@dataclass(frozen=True)
class Translated:
    """What one translator made of one sentence, by its index in the span.

    TRANSLATED without terms says that its conditions stand with another sentence.
    """

    sentence: int
    state: TranslationState
    terms: tuple[Term, ...] = ()
    reason: str = ""


class Translator(Protocol):
    @property
    def name(self) -> str:
        """As it is kept: `builtin`, `litellm:NAME`, with ` #2` where a model is asked again."""
        ...

    def translate(
        self, span: SpanText, wanted: Sequence[int], declared: PolicyModel, *, cancelled: Cancelled
    ) -> list[Translated]:
        """One entry for each wanted sentence, in order, over the variables of `declared`.

        Raises FormalizerError where nothing can be said of any.
        """
        ...


def translators_of(policy: Policy) -> list[str]:
    """Who translates once more: as the policy names them, else as the settings do."""
    names = policy.translators or settings.POLICYWRIGHT_TRANSLATORS
    return [name for name in names if name != NOBODY]


def choose_translators(names: Sequence[str], asker: Asker | None = None) -> list[Translator]:
    """The translators of those names, as `choose_formalizer` takes them.

    A model that is named twice is asked twice, as another sample. One that cannot be chosen
    is given as well, and says why when it is asked.
    """
    return list(_chosen(names, asker))


def _chosen(names: Sequence[str], asker: Asker | None) -> Iterator[Translator]:
    from translation.ensemble.builtin_translator import BuiltinTranslator
    from translation.ensemble.model_translator import ModelTranslator

    seen: Counter[str] = Counter()
    for name in names:
        word, _, model = name.partition(":")
        sample = seen[name]
        seen[name] += 1
        shown = name if not sample else f"{name} #{sample + 1}"
        if name == BUILTIN:
            yield BuiltinTranslator(shown)
            continue
        if word != MODEL:
            yield _Unknown(shown, FormalizerError(f"`{name[:80]}` is no translator"))
            continue
        try:
            yield ModelTranslator(shown, connection_named(model), asker, sample)
        except FormalizerError as error:
            yield _Unknown(shown, error)


class _Unknown:
    """Stands for a translator that cannot be asked as things are."""

    def __init__(self, name: str, error: FormalizerError) -> None:
        self.name, self._error = name[:120], error

    def translate(
        self, span: SpanText, wanted: Sequence[int], declared: PolicyModel, *, cancelled: Cancelled
    ) -> list[Translated]:
        raise self._error
