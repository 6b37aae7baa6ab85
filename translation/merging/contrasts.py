"""The contrast guard: what tells two descriptions apart however alike they look.

No embedding separates `eligible` from `not eligible`, or months from years: to it
they are neighbours. So numbers, negation and words of which only one can be meant
are compared here, by lists that anybody can read. What is found is shown, too:
"looks alike, but differs in months / years".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from translation.merging.words import is_empty, stem, words

NEGATIONS = frozenset(
    ("no", "not", "never", "none", "neither", "nor", "without", "cannot", "lack", "lacks", "except")
)
_PREFIXES = ("un", "non", "in", "im", "ir", "dis", "il")

# Of each group, one word can be meant and no other; words of one place are one meaning.
EXCLUSIVE: tuple[tuple[str, ...], ...] = (
    (
        "second",
        "minute",
        "hour",
        "day daily",
        "week weekly",
        "month monthly",
        "quarter quarterly",
        "year yearly annual annually",
    ),
    ("eur euro euros", "usd dollar dollars", "gbp pound pounds", "chf franc francs", "jpy yen"),
    ("percent percentage", "amount total sum"),
    (
        "start begin beginning begins started commencement first",
        "end ended ending expiry expiration termination last",
    ),
    ("before prior advance", "after following later"),
    (
        "arrival arrive arrives arrived arriving inbound",
        "departure depart departs departed departing outbound",
    ),
    ("minimum min least lower", "maximum max most upper cap"),
    ("under below less fewer", "over above more exceeding"),
    ("gross", "net"),
    ("manager supervisor", "director", "officer", "owner", "president", "chair"),
    ("employer company", "employee worker staff", "contractor", "intern"),
    ("buyer customer client purchaser", "seller vendor supplier provider"),
    ("lender creditor bank", "borrower debtor consumer"),
    ("landlord lessor", "tenant lessee"),
    ("sender", "recipient receiver"),
    ("parent", "child"),
    ("patient", "physician doctor clinician"),
    ("adult", "minor"),
    ("male men man", "female women woman"),
    ("sponsor", "reviewer", "approver", "author", "member", "maintainer"),
    (
        "request requested apply applied application",
        "approve approved approval",
        "reject rejected refuse refused denied denial",
        "submit submitted submission",
    ),
    ("issued issue issuance", "revoked revoke revocation", "renewed renewal"),
    ("accepted accept acceptance", "offered offer"),
    ("paid payment", "owed due unpaid outstanding"),
    ("refund reimbursement", "fee charge price fare"),
    ("domestic national inland", "international foreign abroad"),
    ("inside within internal", "outside beyond external"),
    ("single one-way oneway", "return round roundtrip"),
    ("full", "part partial half"),
    ("oral verbal", "written writing"),
    ("public", "private"),
    ("open", "closed"),
    ("required mandatory compulsory", "optional voluntary"),
    ("voluntary voluntarily volunteer", "involuntary involuntarily"),
    ("old former previous", "new"),
    ("high higher", "low lower"),
    ("long", "short"),
    ("debit", "credit"),
    ("income revenue", "expense cost expenditure"),
    ("principal", "interest"),
    ("breakfast", "lunch", "dinner"),
    (
        "hotel lodging accommodation",
        "flight airfare",
        "train rail",
        "car vehicle taxi",
        "meal meals",
    ),
    ("calendar", "business working"),
    ("planned scheduled expected", "actual"),
    ("estimated estimate", "final"),
    ("weekday", "weekend"),
    (
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)

# Written small, or a plain word for a number.
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}


@dataclass(frozen=True, slots=True)
class Contrast:
    """What the first says and the second does not, and the other way round."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.first or 'nothing of it'} / {self.second or 'nothing of it'}"


def contrasts(first: str, second: str) -> tuple[Contrast, ...]:
    """What tells two texts apart; none where nothing of the lists does."""
    one, other = words(first), words(second)
    return tuple(
        dict.fromkeys(
            [
                *_numbers(one, other),
                *_negations(one, other),
                *_exclusives(one, other),
            ]
        )
    )


def is_negated(first: str, second: str) -> bool:
    """Whether one text negates what the other says: `refundable`, `non-refundable`."""
    return any(_negations(words(first), words(second)))


def single_swap(first: str, second: str) -> Contrast | None:
    """The one word in which two names differ, where the two words are not spelled alike."""
    one = [word for word in words(first) if not is_empty(word)]
    other = [word for word in words(second) if not is_empty(word)]
    left = [word for word in one if stem(word) not in {stem(w) for w in other}]
    right = [word for word in other if stem(word) not in {stem(w) for w in one}]
    if len(left) != 1 or len(right) != 1 or len(one) < 2 or len(other) < 2:
        return None
    alike = SequenceMatcher(None, left[0], right[0]).ratio() >= 0.75
    return None if alike else Contrast(left[0], right[0])


def _numbers(one: Iterable[str], other: Iterable[str]) -> Iterator[Contrast]:
    """Different numbers; where only one text has any, nothing is known of the other."""
    mine, yours = _numbers_of(one), _numbers_of(other)
    if mine and yours and mine != yours:
        yield Contrast(", ".join(sorted(mine - yours)), ", ".join(sorted(yours - mine)))


def _numbers_of(text: Iterable[str]) -> set[str]:
    # `one` is mostly no number: `one of the employees`.
    found = {_NUMBERS.get(word, word) for word in text if word != "one"}
    return {word.replace(",", "") for word in found if word[:1].isdigit()}


def _negations(one: tuple[str, ...], other: tuple[str, ...]) -> Iterator[Contrast]:
    """Where one text negates and the other does not; `non` and `not` beside it are one."""
    mine, yours = _negated(one, other), _negated(other, one)
    if bool(mine) != bool(yours):
        yield Contrast(", ".join(mine), ", ".join(yours))


def _negated(text: tuple[str, ...], other: tuple[str, ...]) -> list[str]:
    """Its negations: words that negate, and words that the other text has without `un`."""
    found = [word for word in text if word in NEGATIONS]
    plain = {stem(word) for word in other}
    for word in text:
        for prefix in _PREFIXES:
            rest = word.removeprefix(prefix)
            if rest != word and len(rest) > 3 and stem(rest) in plain:
                found.append(word)
                break
    # `non refundable` is two words of a name.
    found += [f"non {word}" for before, word in pairwise(text) if before == "non"]
    return list(dict.fromkeys(found))


def _group(spec: tuple[str, ...]) -> dict[str, int]:
    return {word: place for place, meaning in enumerate(spec) for word in _spelled(meaning)}


def _spelled(meaning: str) -> Iterator[str]:
    for word in meaning.split():
        yield word
        yield f"{word}s"


_GROUPS = tuple(_group(spec) for spec in EXCLUSIVE)
_GROUPS_OF: dict[str, tuple[int, ...]] = {}
for _number, _places in enumerate(_GROUPS):
    for _word in _places:
        _GROUPS_OF[_word] = (*_GROUPS_OF.get(_word, ()), _number)


def _exclusives(one: tuple[str, ...], other: tuple[str, ...]) -> Iterator[Contrast]:
    """Where each speaks of a meaning that the other does not, or of two in another order.

    `the customer notified the provider` is not `the provider notified the customer`.
    """
    concerned = {group for word in one for group in _GROUPS_OF.get(word, ())}
    for group in sorted(concerned & {g for word in other for g in _GROUPS_OF.get(word, ())}):
        places = _GROUPS[group]
        mine, yours = _meant(one, places), _meant(other, places)
        only_mine = [mine[place] for place in mine if place not in yours]
        only_yours = [yours[place] for place in yours if place not in mine]
        if only_mine and only_yours:
            yield Contrast(" ".join(only_mine), " ".join(only_yours))
        elif len(mine) > 1 and mine.keys() == yours.keys() and list(mine) != list(yours):
            yield Contrast(", ".join(mine.values()), ", ".join(yours.values()))


def _meant(text: Iterable[str], places: Mapping[str, int]) -> dict[int, str]:
    """The meanings of a group that a text speaks of, in order, each with its first word."""
    found: dict[int, str] = {}
    for word in text:
        if word in places:
            found.setdefault(places[word], word)
    return found
