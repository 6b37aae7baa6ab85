"""Which of the draft's declarations a model is shown with a span.

All of them while they fit. Of more, those that the words of the span are near, those
that the rules just before it use, and outcomes, since a rule concludes on one. What
is chosen is kept with the item: worked on again, it asks the very same questions, and
finds their replies. A model that declares again what it was not shown does no harm:
`integration` joins what is exactly alike, and keeps all else apart.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from operator import is_
from typing import Any

from policies.composing import renamed
from policies.composing_part import restricted
from policies.declared_now import MOST_POLICIES, declared_now
from policies.jobs import Context
from policies.jobs.leases import held
from policies.models import RuleSource, Span
from policywright.model import Datatype, PolicyModel, Role, Variable
from translation.formalizers import CancelledError, SpanText
from translation.merging.words import stems

# Of a declaration as it is sent; about 4,000 tokens.
MAX_CHARACTERS = 16_000
_KEYS_OF_ONE = 90

# How many sentences before the span are looked at for what their rules use.
_SOURCES_BEFORE = 20

# Against a score of words, which is seldom above 5: what stands near counts as much
# as a good name, and an outcome comes before a fact that is as near.
_NEAR, _OUTCOME = 2.0, 0.5


def declarations_for(span: Span, text: SpanText, context: Context) -> PolicyModel:
    """The declarations that the item's model is shown; chosen once, then kept with the item.

    Raises CancelledError where the item was taken away in the meantime.
    """
    item = held(context)
    row = item.order_by().values_list("payload", "job__policy__revision").first()
    if row is None:
        raise CancelledError
    payload: dict[str, Any] = row[0]
    now = declared_now(context.policy, row[1])
    if "declared" not in payload:
        payload["declared"] = choose(now.base, text, used_before(span, now.merged))
        if not item.update(payload=payload):
            raise CancelledError
    return restricted(now.base, set(payload["declared"]))


def choose(model: PolicyModel, text: SpanText, used_before: Collection[str] = ()) -> list[str]:
    """The ids of variables and datatypes to be shown, in the order in which they were declared."""
    words = _words_of(text)
    # An index is of one model at a time: what is chosen is of no other.
    with _lock:
        return _chosen(_index_of(model), words, used_before)


def _chosen(index: _Index, words: Collection[str], used_before: Collection[str]) -> list[str]:
    if index.length <= MAX_CHARACTERS:
        return index.in_order(index.lengths)
    left, chosen = MAX_CHARACTERS, set[str]()
    for one in index.nearest_first(words, used_before):
        wanted = {uid for uid in (one.id, one.sort.key) if uid in index.lengths} - chosen
        length = sum(index.lengths[uid] for uid in wanted)
        if length <= left:
            chosen |= wanted
            left -= length
    return index.in_order(chosen)


class _Index:
    """Which declarations hold a word. It grows with a draft that only adds to them."""

    def __init__(self) -> None:
        self.datatypes: list[Datatype] = []
        self.variables: list[Variable] = []
        self.lengths: dict[str, int] = {}
        self.length = 0
        self._by_id: dict[str, Variable | Datatype] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._count_of_words: dict[str, int] = {}
        self._holders: dict[str, list[str]] = {}
        self._outcomes: list[str] = []

    def is_of(self, model: PolicyModel) -> bool:
        """Whether it holds the first declarations of a model, and no others."""
        return _begins(model.datatypes, self.datatypes) and _begins(model.variables, self.variables)

    def extend(self, model: PolicyModel) -> None:
        for datatype in model.datatypes[len(self.datatypes) :]:
            self._add(datatype, None, (0, len(self.datatypes)))
            self.datatypes.append(datatype)
        for variable in model.variables[len(self.variables) :]:
            datatype_of = model.datatype_by_id.get(variable.sort.key)
            self._add(variable, datatype_of, (1, len(self.variables)))
            self.variables.append(variable)
            if variable.role is Role.OUTCOME:
                self._outcomes.append(variable.id)

    def _add(self, one: Variable | Datatype, of: Datatype | None, place: tuple[int, int]) -> None:
        words = _words(one, of or (one if isinstance(one, Datatype) else None))
        self._by_id[one.id], self._places[one.id] = one, place
        self.lengths[one.id] = _length(one)
        self.length += self.lengths[one.id]
        self._count_of_words[one.id] = len(words)
        for word in words:
            self._holders.setdefault(word, []).append(one.id)

    def in_order(self, uids: Iterable[str]) -> list[str]:
        return sorted(uids, key=self._places.__getitem__)

    def nearest_first(
        self, words: Collection[str], used_before: Collection[str]
    ) -> Iterator[Variable | Datatype]:
        """All that has anything to do with the span, the nearest first, then the first declared."""
        scores: dict[str, float] = {}
        # In one order, so that sums are the same on every machine.
        for word in sorted(words):
            holders = self._holders.get(word, ())
            for uid in holders:
                weight = log(1 + len(self.lengths) / len(holders))
                scores[uid] = scores.get(uid, 0.0) + weight
        for uid in scores:
            scores[uid] /= sqrt(self._count_of_words[uid])
        for uids, worth in ((used_before, _NEAR), (self._outcomes, _OUTCOME)):
            for uid in uids:
                if uid in self.lengths:
                    scores[uid] = scores.get(uid, 0.0) + worth
        ranked = sorted(scores, key=lambda uid: (-scores[uid], self._places[uid]))
        return (self._by_id[uid] for uid in ranked)


def _begins(present: Sequence[object], known: Sequence[object]) -> bool:
    """By identity: what is composed again is made anew, what is kept is the same."""
    return len(known) <= len(present) and all(map(is_, known, present))


# Of the policies that were worked on last.
_indexes: list[_Index] = []
_lock = threading.Lock()


def _index_of(model: PolicyModel) -> _Index:
    """The index of a model: one that was made before, with what is new, or a new one."""
    index = next((one for one in reversed(_indexes) if one.is_of(model)), None)
    if index is None:
        index = _Index()
    else:
        _indexes.remove(index)
    index.extend(model)
    _indexes.append(index)
    del _indexes[:-MOST_POLICIES]
    return index


def _words_of(text: SpanText) -> frozenset[str]:
    """Of the sentences with all that stands beside them."""
    parts = [text.document]
    for one in text.sentences:
        parts += [one.text, *one.headings, *one.context, *one.pointed]
    return stems("\n".join(parts))


def _words(declared: Variable | Datatype, datatype: Datatype | None) -> frozenset[str]:
    """Of a variable also those of its datatype's values: 'in Germany' is of the country."""
    values = " ".join(f"{v.name} {v.phrase}" for v in datatype.values) if datatype else ""
    phrase = declared.phrases.text if isinstance(declared, Variable) else ""
    return _stems(f"{declared.name} {phrase} {declared.description} {values}")


@lru_cache(maxsize=16_384)
def _stems(text: str) -> frozenset[str]:
    return stems(text)


def _length(declared: Variable | Datatype) -> int:
    said = len(declared.name) + len(declared.description) + _KEYS_OF_ONE
    if isinstance(declared, Datatype):
        return said + sum(len(value.name) + 4 for value in declared.values)
    return said + len(declared.unit) + (0 if declared.description else len(declared.phrases.text))


def used_before(span: Span, merged: Mapping[str, str]) -> frozenset[str]:
    """What the rules of the sentences just before the span use, by its present id."""
    policy = span.revision.document.policy
    sources = RuleSource.objects.filter(
        revision=span.revision, start__lt=span.start, rule__policy=policy, rule__retired_at=None
    )
    terms = list(sources.order_by("-start").values_list("rule__term", flat=True)[:_SOURCES_BEFORE])
    return frozenset(uid for term in terms for uid in _ids(renamed(term, merged)))


def _ids(data: Any) -> Iterator[str]:
    """Each text in a term's JSON: ids, and words that are no ids."""
    if isinstance(data, list):
        for item in data:
            yield from _ids(item)
    elif isinstance(data, str):
        yield data
