"""Noun phrases: article, describing words, head and what follows the head.

`All international trips to Spain` has the head `trip`, the describing word
`international` and the tail `to Spain`. What is said of the noun in a rule is
said of one of its kind, in the singular: `the trip to Spain`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import AMOUNTS
from policywright.english.places import Word
from policywright.english.words import is_plural, singular, word_set

_LINKS = frozenset({"PREP", "OF", "TO", "WITH"})
_SPEAKERS = word_set("you we")
_ADJECTIVE = re.compile(r"\w+(al|ic|ive|ous|able|ible|ful|ary|ed)$")
_ADJECTIVES = word_set(
    "foreign overdue late early new permanent temporary full-time part-time pregnant unpaid paid "
    "online urgent external abroad large small"
)
_NOT_ADJECTIVES = word_set(
    """
    approval rental proposal arrival refusal renewal meal hospital capital manual medal trial
    traffic music public clinic executive representative incentive library salary diary boundary
    table cable vegetable need seed speed feed travel referral appraisal withdrawal disposal
    journal animal metal oral signal removal festival interval total
    """
)


class NotUnderstoodError(Exception):
    """The grammar fits but the meaning is not sure; `words` stand in the way."""

    def __init__(self, reason: str, words: Sequence[Word] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = tuple(words)


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase. `describing` are the words before the head, as written."""

    article: str
    describing: tuple[str, ...]
    head: str
    tail: str
    written_head: str
    plural: bool
    is_bare: bool
    words: tuple[Word, ...]

    @property
    def one(self) -> Noun:
        """One of the kind: what is said of the subject of a rule."""
        return replace(self, plural=False, written_head=self.head)

    @property
    def undescribed(self) -> Noun:
        """Without the adjectives that `conditions` holds."""
        kept = tuple(word for word in self.describing if word not in self.conditions)
        return replace(self, describing=kept)

    @property
    def is_speaker(self) -> bool:
        """`you` and `we` stay as they are."""
        return self.head in _SPEAKERS

    @property
    def is_definite(self) -> bool:
        """`the total cost`, `your manager's trip`: one thing, not any of a kind."""
        owned = any(word.endswith(("'s", "’s", "'", "’", "your")) for word in self.describing)
        return self.article == "the" or owned or self.is_speaker

    @property
    def is_amount(self) -> bool:
        """`the fee`, `the price paid`: a number by itself."""
        return self.head in AMOUNTS

    @property
    def conditions(self) -> tuple[str, ...]:
        """Describing adjectives of any of a kind: they say which of them is meant."""
        return () if self.is_definite else tuple(w for w in self.describing if is_adjective(w))

    @property
    def kind(self) -> str:
        """The head with the describing words that are part of its name: `business trip`."""
        names = [word for word in self.describing if word not in self.conditions]
        return " ".join([*names, self.head])

    @property
    def entity(self) -> str:
        """One of the kind, without what describes it: `the trip to Spain`, `overtime`, `you`."""
        return self._with_article(self.kind + self.tail)

    @property
    def full(self) -> str:
        """With all describing words and in the number it is written in: `the credits used`."""
        return self._with_article(" ".join([*self.describing, self.written_head]) + self.tail)

    def _with_article(self, words: str) -> str:
        owned = bool(self.describing) and self.describing[0].lower() in ("your", "our")
        bare = self.is_bare
        return words if self.is_speaker or owned or bare else f"the {words}"

    @property
    def possessive(self) -> str:
        return "your" if self.head == "you" else "our" if self.is_speaker else f"{self.entity}'s"


def is_adjective(word: str) -> bool:
    lower = word.lower()
    if lower in _NOT_ADJECTIVES:
        return False
    return lower in _ADJECTIVES or bool(_ADJECTIVE.fullmatch(lower))


def read_noun(lexemes: Sequence[Lexeme]) -> Noun:
    """The noun phrase of some tokens.

    Raises NotUnderstoodError where they have no head or a stray article.
    """
    words = tuple(lexeme.word for lexeme in lexemes)
    rest = list(lexemes)
    article = rest.pop(0).text.lower() if rest[0].type == "DET" else ""
    front = []
    while rest and rest[0].type not in _LINKS:
        front.append(rest.pop(0))
    strays = [lexeme.word for lexeme in front if lexeme.type == "DET"]
    if not front or strays or (rest and rest[-1].type in _LINKS | {"DET"}):
        text = " ".join(word.text for word in words)
        raise NotUnderstoodError(f"`{text}` is not read as a noun", strays or words)
    if front[-1].type == "REF":
        raise NotUnderstoodError(
            f"it speaks of `{front[-1].text}`: work it into the rule of that clause", words
        )
    if front[-1].type == "PART" and len(front) > 1:
        # `the passengers concerned` are passengers.
        rest.insert(0, front.pop())
    names = [_lower_first(lexeme.text) for lexeme in front]
    head = names[-1]
    plural = is_plural(head) and article != "a"
    return Noun(
        article="a" if article == "an" else article,
        describing=tuple(names[:-1]),
        head=singular(head) if plural else head,
        tail="".join(f" {_definite(lexeme)}" for lexeme in rest),
        written_head=head,
        plural=plural,
        is_bare=not article and not plural,
        words=words,
    )


def _definite(lexeme: Lexeme) -> str:
    """In what follows a head, `of a trip` is `of the trip`: the one of the case."""
    return "the" if lexeme.text.lower() in ("a", "an") else lexeme.text


def _lower_first(word: str) -> str:
    """A capital at the start of a sentence is dropped; `EU` and `McKay` keep theirs."""
    return word[0].lower() + word[1:] if word[1:].islower() or len(word) == 1 else word
