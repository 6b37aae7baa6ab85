"""Which of the draft's declarations a model is shown with a span.

All of them while they fit. Of more, those that the words of the span are near, those
that the rules just before it use, and outcomes, since a rule concludes on one. What
is chosen is kept with the item: worked on again, it asks the very same questions, and
finds their replies. A model that declares again what it was not shown does no harm:
`integration` joins what is exactly alike, and keeps all else apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any

from policies.composing import renamed
from policies.composing_part import restricted
from policies.declared_now import declared_now
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
    datatypes = {datatype.id: datatype for datatype in model.datatypes}
    declared: list[Variable | Datatype] = [*model.datatypes, *model.variables]
    lengths = {one.id: _length(one) for one in declared}
    if sum(lengths.values()) <= MAX_CHARACTERS:
        return list(lengths)
    left, chosen = MAX_CHARACTERS, set[str]()
    for one in _nearest_first(declared, datatypes, text, used_before):
        wanted = {uid for uid in (one.id, one.sort.key) if uid in lengths and uid not in chosen}
        length = sum(lengths[uid] for uid in wanted)
        if length <= left:
            chosen |= wanted
            left -= length
    return [uid for uid in lengths if uid in chosen]


def _nearest_first(
    declared: Sequence[Variable | Datatype],
    datatypes: Mapping[str, Datatype],
    text: SpanText,
    used_before: Collection[str],
) -> Iterator[Variable | Datatype]:
    """All that has anything to do with the span, the nearest first, then the first declared."""
    words = _words_of(text)
    own = [_words(one, datatypes.get(one.sort.key)) for one in declared]
    shared = [each & words for each in own]
    holders = Counter(word for each in shared for word in each)
    weight = {word: log(1 + len(own) / count) for word, count in holders.items()}
    ranked = []
    for place, (one, each, both) in enumerate(zip(declared, own, shared, strict=True)):
        score = _NEAR * (one.id in used_before)
        score += _OUTCOME * (isinstance(one, Variable) and one.role is Role.OUTCOME)
        if both:
            score += sum(weight[word] for word in sorted(both)) / sqrt(len(each))
        if score:
            ranked.append((-score, place, one))
    ranked.sort(key=lambda entry: entry[:2])
    return (one for _, _, one in ranked)


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
