"""What a person says of an enumeration: its values exclude each other, and are all there are.

A choice of one value rules out two at once, and whatever is not listed. Neither can be
read off a list, so both are asked of each datatype that a rule uses, and nothing is
published before somebody has said them. What is said is bound to the values as they are
declared. A datatype with a value for everything else needs no word that it is complete.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from policies.audit import record
from policies.composing import Composition, compose, free_name
from policies.editing import editing
from policies.hints import hint
from policies.models import Datatype, DatatypeValue, Policy, User, Variable
from policywright.english.phrases import value_phrase
from policywright.english.words import join_words
from policywright.hashing import content_hash
from policywright.model import Datatype as ModelDatatype
from policywright.model import Kind, PolicyModel
from translation.merging.applying import ids_in
from vetting.datatypes import next_position
from vetting.lock import locked
from vetting.models import ValuesQuestion, ValuesSaid
from vetting.refusals import MovedError, RefusedError

OTHER, SOMETHING_ELSE = "OTHER", "something else"
_OTHERS = ("other", "others", "none_of_these", "something_else")


@dataclass(frozen=True)
class ValuesReview:
    """A datatype that rules use; `said` holds the words that count, `rules` the uids.

    `hash` is what a word is bound to.
    """

    datatype: ModelDatatype
    hash: str
    said: Mapping[ValuesQuestion, ValuesSaid]
    rules: frozenset[str]

    @property
    def has_other(self) -> bool:
        """Whether one value stands for everything that is not listed."""
        return any(value.name.casefold() in _OTHERS for value in self.datatype.values)

    @property
    def asks(self) -> tuple[ValuesQuestion, ...]:
        """What nobody has said yet; what a list holds comes before what its values do."""
        asked = [ValuesQuestion.EXCLUSIVE] if self.has_other else list(_ORDER)
        return tuple(one for one in asked if one not in self.said)

    @property
    def can_hold_at_once(self) -> bool:
        """Whether somebody said that two of them can, so that it is no choice of one."""
        said = self.said.get(ValuesQuestion.EXCLUSIVE)
        return said is not None and not said.holds

    @property
    def listed(self) -> str:
        return join_words([value_phrase(value) for value in self.datatype.values])


_ORDER = (ValuesQuestion.COMPLETE, ValuesQuestion.EXCLUSIVE)


def values_states(policy: Policy, composition: Composition) -> list[ValuesReview]:
    """Every enumeration that a rule uses, with what was said of it; one query."""
    used: dict[str, set[str]] = {}
    declared = composition.model.datatype_by_id.keys()
    for rule in composition.model.rules:
        for uid in ids_in(rule) & declared if rule.kind is not Kind.DEFAULT else ():
            used.setdefault(uid, set()).add(rule.id)
    return values_used(policy, composition.model, used)


def values_used(
    policy: Policy, model: PolicyModel, used: Mapping[str, Collection[str]]
) -> list[ValuesReview]:
    """As `values_states`; `used` maps a datatype to the uids of the rules that use it."""
    if not used:
        return []
    said: dict[str, dict[str, dict[ValuesQuestion, ValuesSaid]]] = {}
    rows = ValuesSaid.objects.filter(policy=policy, datatype__uid__in=used)
    for row in rows.select_related("by", "datatype").order_by("pk"):
        own = said.setdefault(row.datatype.uid, {}).setdefault(row.content_hash, {})
        own[ValuesQuestion(row.question)] = row
    return [
        ValuesReview(
            datatype,
            present := values_hash(datatype),
            said.get(datatype.id, {}).get(present, {}),
            frozenset(used[datatype.id]),
        )
        for datatype in model.datatypes
        if datatype.id in used and len(datatype.values) > 1
    ]


def values_hash(datatype: ModelDatatype) -> str:
    """What a word on the values covers: the description, and each value as it is said."""
    values = [{"id": value.id, "phrase": value_phrase(value)} for value in datatype.values]
    return content_hash({"values": values, "description": datatype.description})


def say_values(
    policy: Policy, user: User, uid: str, question: ValuesQuestion, *, holds: bool, shown_hash: str
) -> ValuesSaid:
    """Say whether the values exclude each other, or are complete; the same again is one row.

    That a list is not complete is said by adding a value for everything else. Raises
    MovedError if the values changed since the page was shown.
    """
    if question is ValuesQuestion.COMPLETE and not holds:
        raise RefusedError("add a value for what the list does not hold.")
    with locked(policy) as row:
        review = _review(row, uid)
        _check_shown(review, shown_hash)
        last = review.said.get(question)
        if last is not None and last.holds is holds and last.by_id == user.pk:
            return last
        datatype = Datatype.objects.get(policy=row, uid=uid)
        said = ValuesSaid.objects.create(
            policy=row,
            datatype=datatype,
            question=question,
            holds=holds,
            content_hash=review.hash,
            by=user,
        )
        action = f"say-{question.value}" if holds else f"deny-{question.value}"
        record(row, user, action, f"datatype:{uid}", new_hash=review.hash)
        hint(row, user)
    return said


def add_other(policy: Policy, user: User, uid: str, *, shown_hash: str) -> DatatypeValue | None:
    """Add a value for everything that the list does not hold; None where there is one.

    Raises MovedError if the values changed since the page was shown.
    """
    with editing(policy, user, cause="added a value for everything else") as edit:
        review = _review(edit.policy, uid)
        if review.has_other:
            edit.unchanged = True
            return None
        _check_shown(review, shown_hash)
        datatype = Datatype.objects.get(policy=edit.policy, uid=uid)
        taken = set(Variable.objects.filter(policy=edit.policy).values_list("name", flat=True))
        value = DatatypeValue.objects.create(
            datatype=datatype,
            name=free_name(OTHER, taken),
            phrase=SOMETHING_ELSE,
            position=next_position(datatype),
        )
        record(edit.policy, user, "add-value", f"datatype:{uid}")
    return value


def _check_shown(review: ValuesReview, shown_hash: str) -> None:
    if review.hash != shown_hash:
        raise MovedError(
            "the values changed after you opened the page; read them as they are now.",
            present=review.listed,
            present_hash=review.hash,
        )


def _review(policy: Policy, uid: str) -> ValuesReview:
    found = {one.datatype.id: one for one in values_states(policy, compose(policy))}
    if uid not in found:
        raise RefusedError("no rule of the draft uses this datatype any more.")
    return found[uid]
