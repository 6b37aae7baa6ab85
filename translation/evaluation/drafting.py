"""Formalizes a text in memory: read, split into spans, each drafted over those before it.

What is exactly alike in name, sort, unit and role is one, as in a policy; what only
shares a name gets another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from documents.reading import read
from documents.spanning import spans
from documents.structure import ReadDocument
from policies.models.draft import StatementState
from policywright.model import Datatype, Kind, PolicyModel, Variable
from policywright.sorts import enumeration
from policywright.terms import Term
from translation.ensemble.comparing import Ensemble
from translation.ensemble.running import translate_again
from translation.ensemble.translators import Translator
from translation.formalizers import Formalizer, FormalizerError, SentenceText, SpanText, UnitDraft
from translation.merging.applying import free_name
from translation.models import Comparison
from translation.renaming import rename_ids


@dataclass(frozen=True)
class Drafted:
    """A rule, the sentences that it comes from, and how each further translation stands to it."""

    name: str
    term: Term
    sentences: tuple[int, ...]
    translations: tuple[Comparison, ...] = ()


@dataclass
class DraftedPolicy:
    """`states` is what was said of each sentence; `failures` are spans that could not be done."""

    sentences: tuple[str, ...] = ()
    states: list[StatementState] = field(default_factory=list)
    datatypes: list[Datatype] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    rules: list[Drafted] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def count(self, state: StatementState) -> int:
        return self.states.count(state)


def draft_policy(
    title: str, text: str, formalizer: Formalizer, translators: Sequence[Translator] = ()
) -> DraftedPolicy:
    """Formalize a text; the translators translate each drafted sentence once more."""
    document = read(text.encode(), filename="policy.txt")
    texts = [document.text[one.start : one.end] for one in document.sentences]
    policy = DraftedPolicy(tuple(texts), [StatementState.FAILED] * len(texts))
    for span in spans(document):
        known = PolicyModel(tuple(policy.datatypes), tuple(policy.variables))
        given = SpanText(title, tuple(_sentence(document, texts, i) for i in span.sentences))
        try:
            draft = formalizer.formalize(given, known, cancelled=_never)
        except FormalizerError as error:
            policy.failures.append(str(error))
            continue
        again = translate_again(given, draft, known, translators, cancelled=_never)
        _take(policy, draft, again, span.sentences)
    return policy


def _sentence(document: ReadDocument, texts: Sequence[str], index: int) -> SentenceText:
    one = document.sentences[index]
    pointed = tuple(texts[other] for other in one.pointed)
    return SentenceText(texts[index], one.headings, one.context, one.number, one.page, pointed)


def _never() -> bool:
    return False


def _take(
    policy: DraftedPolicy, draft: UnitDraft, ensemble: Ensemble, places: Sequence[int]
) -> None:
    for statement in draft.statements:
        if statement.sentence is not None:
            policy.states[places[statement.sentence]] = statement.state
    policy.prompt_tokens += draft.run.prompt_tokens
    policy.completion_tokens += draft.run.completion_tokens
    ids: dict[str, str] = {}
    for datatype in draft.datatypes:
        _take_datatype(policy, datatype, ids)
    for variable in draft.variables:
        _take_variable(policy, variable, ids)
    for number, rule in enumerate(draft.rules):
        if rule.kind in (Kind.RULE, Kind.DEFINITION):
            sentences = tuple(places[index] for index in rule.sentences)
            term = rename_ids(rule.term, ids)
            policy.rules.append(Drafted(rule.name, term, sentences, _stands(ensemble, number)))


def _stands(ensemble: Ensemble, rule: int) -> tuple[Comparison, ...]:
    """One comparison a translator: of the sentences of one group the one that was compared."""
    found: dict[str, Comparison] = {}
    for one in ensemble.translations:
        if rule in one.rules and found.get(one.translator, Comparison.NONE) is Comparison.NONE:
            found[one.translator] = one.comparison
    return tuple(found.values())


def _take_datatype(policy: DraftedPolicy, datatype: Datatype, ids: dict[str, str]) -> None:
    names = [value.name for value in datatype.values]
    for other in policy.datatypes:
        if other.name == datatype.name and [value.name for value in other.values] == names:
            ids[datatype.id] = other.id
            ids.update(
                zip([v.id for v in datatype.values], [v.id for v in other.values], strict=True)
            )
            return
    taken = {other.name for other in policy.datatypes}
    policy.datatypes.append(replace(datatype, name=free_name(datatype.name, taken)))


def _take_variable(policy: DraftedPolicy, variable: Variable, ids: dict[str, str]) -> None:
    if variable.sort.is_enumeration:
        key = ids.get(variable.sort.key, variable.sort.key)
        variable = replace(variable, sort=enumeration(key))
    parts = (variable.name, variable.sort, variable.unit, variable.role)
    for other in policy.variables:
        if (other.name, other.sort, other.unit, other.role) == parts:
            ids[variable.id] = other.id
            return
    taken = {other.name for other in policy.variables}
    taken |= {value.name for datatype in policy.datatypes for value in datatype.values}
    policy.variables.append(replace(variable, name=free_name(variable.name, taken)))
