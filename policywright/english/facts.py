"""Clauses as Boolean facts, each with its opposite.

A fact's phrase holds only words that carry no logic; negation is taken out of
it, so that `did not travel` is the opposite of `travelled`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from policywright.english.lexemes import Lexeme
from policywright.english.nouns import NotUnderstoodError, Noun, is_adjective, read_noun
from policywright.english.verbs import (
    agreeing,
    is_participle,
    negative_clause,
    past_of,
)
from policywright.english.vocabulary import Vocabulary
from policywright.english.words import indefinite, third_person, word_set
from policywright.sorts import INT
from policywright.terms import Symbol, Term, gt, integer, real

_QUALIFIERS = word_set("prior written formal express explicit special")
_LINKS = word_set("by of for with in on to from at as into")


class Facts:
    """Makes the facts of a sentence; with `decides`, they are what the policy decides."""

    def __init__(self, vocabulary: Vocabulary, *, decides: bool = False) -> None:
        self.vocabulary = vocabulary
        self.say: Callable[[str, str], Symbol]
        self.say = vocabulary.outcome if decides else vocabulary.fact

    def with_verb(self, noun: Noun, verb: str, rest: str) -> Symbol:
        """`the trip is approved`, by a verb that `not` can follow."""
        who = noun.full
        return self.say(f"{who} {verb} {rest}", f"{who} {verb} not {rest}")

    def has(self, noun: Noun, verb: str, rest: str) -> Symbol:
        """`has signed`, `has not signed`; but `has insurance`, `does not have insurance`."""
        auxiliary = {"had": "did"}.get(verb, "do" if noun.plural or noun.is_speaker else "does")
        have = {"did": "had", "do": "have", "does": "has"}[auxiliary]
        if is_participle(rest.split()[0]):
            return self.with_verb(noun, have, rest)
        who = noun.full
        return self.say(f"{who} {have} {rest}", f"{who} {auxiliary} not have {rest}")

    def is_(self, noun: Noun, words: Sequence[Lexeme], verb: str) -> Symbol:
        known = self.vocabulary.known_number(noun.full)
        if known is not None and not is_participle(words[0].text):
            raise NotUnderstoodError(f"`{noun.full}` is an amount", noun.words)
        texts = [lexeme.text for lexeme in words]
        approved = _approved(noun, texts)
        if approved:
            return self.say(*approved)
        if words[-1].type in ("PREP", "TO", "WITH", "OF", "DET"):
            raise NotUnderstoodError("an unfinished clause", (words[-1].word,))
        return self.with_verb(noun, agreeing(verb, noun), " ".join(texts))

    def does(self, noun: Noun, base: str, rest: str) -> Symbol:
        """A present action by its plain verb: `the driver holds a licence`."""
        keep = noun.is_speaker or noun.plural
        said = f"{base if keep else third_person(base)} {rest}"
        negative = f"{'do' if keep else 'does'} not {base} {rest}"
        return self.say(f"{noun.full} {said}".rstrip(), f"{noun.full} {negative}".rstrip())

    def did(self, noun: Noun, base: str, rest: str) -> Symbol:
        said, negative = f"{past_of(base)} {rest}", f"did not {base} {rest}"
        return self.say(f"{noun.full} {said}".rstrip(), f"{noun.full} {negative}".rstrip())

    def applies(self, noun: Noun) -> Term:
        """`a discount applies`: a known amount is more than nothing; else a fact."""
        known = self.vocabulary.known_number(noun.full)
        if known is not None:
            return gt(known, integer(0) if known.sort == INT else real(0))
        return self.does(noun, "apply", "")

    def plain(self, lexemes: Sequence[Lexeme]) -> Symbol:
        """A clause without an auxiliary, if exactly one of its words is a known verb."""
        return self.say(*read_clause(lexemes))

    def there_is(self, noun: Noun, words: Sequence[Lexeme]) -> Symbol:
        """`in case of illness`: there is an illness."""
        if noun.plural or noun.is_definite:
            raise NotUnderstoodError(f"what is said of `{noun.kind}`", noun.words)
        bare = " ".join(
            lexeme.text for lexeme in words if lexeme.type != "DET" or lexeme != words[0]
        )
        named = indefinite(bare) if noun.article else bare
        return self.say(f"there is {named}", f"there is no {bare}")

    def kind(self, entity: str, word: str, head: str) -> Symbol:
        """`international`, or `business` of a business trip, said of a noun."""
        said = word if is_adjective(word) else indefinite(f"{word} {head}")
        return self.vocabulary.fact(f"{entity} is {said}", f"{entity} is not {said}")

    def described(self, noun: Noun) -> list[Term]:
        """`international trips`: the trip is international."""
        return [self.kind(noun.entity, word, noun.head) for word in noun.conditions]

    def restrictions(self, noun: Noun) -> list[Term]:
        """All that tells this noun from any of its head, where only the head is spoken of.

        Raises NotUnderstoodError for what cannot be said as a condition.
        """
        words = [word for word in noun.describing if word.lower() not in ("your", "our")]
        if any(re.search(r"['’]", word) for word in words) or noun.tail.startswith(" of "):
            raise NotUnderstoodError(f"which `{noun.head}` is meant", noun.words)
        kinds: list[Term] = [self.kind(f"the {noun.head}", word, noun.head) for word in words]
        if noun.tail:
            clause = f"the {noun.head} is"
            kinds.append(self.vocabulary.fact(clause + noun.tail, f"{clause} not{noun.tail}"))
        return kinds

    def required(self, noun: Noun, words: Sequence[Lexeme]) -> Symbol:
        """What a noun requires: an approval by its giver, or `there is proof of enrolment`."""
        required = read_noun(words)
        texts = [word.text.lower() if i == 0 else word.text for i, word in enumerate(words)]
        texts = texts[1:] if texts[0] in ("a", "an", "the") else texts
        agent: Sequence[str] = ()
        if texts[-1] == "approval":
            agent = [re.sub(r"['’]s?$", "", word) for word in texts[:-1]]
        elif texts[0] == "approval" and texts[1:2] and texts[1] in ("by", "of", "from"):
            agent = texts[2:]
        approved = None if set(agent) & _QUALIFIERS else _approved_by(agent, noun)
        if approved:
            return self.vocabulary.fact(*approved)
        bare = " ".join(texts)
        named = {"a": indefinite(bare), "the": f"the {bare}"}.get(required.article, bare)
        be = "there are" if required.plural else "there is"
        return self.vocabulary.fact(f"{be} {named}", f"{be} no {bare}")


def read_clause(lexemes: Sequence[Lexeme]) -> tuple[str, str]:
    """A clause and its opposite, if exactly one of its words is a known verb.

    Raises NotUnderstoodError otherwise.
    """
    words = [lexeme.text for lexeme in lexemes]
    if words[0].lower() in ("a", "an"):
        words[0] = "the"
    clause = " ".join([words[0][0].lower() + words[0][1:], *words[1:]])
    negative = negative_clause(clause)
    if not negative:
        raise NotUnderstoodError(
            f"`{' '.join(words)}` is not read as a clause", [x.word for x in lexemes]
        )
    return clause, negative


def _approved(noun: Noun, words: Sequence[str]) -> tuple[str, str] | None:
    """`approved by the line manager` is `the line manager has approved the trip`."""
    lower = [word.lower() for word in words]
    start = lower[1:] if lower[:1] == ["been"] else lower
    return _approved_by(words[-len(start) + 2 :], noun) if start[:2] == ["approved", "by"] else None


def _approved_by(agent: Sequence[str], noun: Noun) -> tuple[str, str] | None:
    words = [word for word in agent if word.lower() not in ("a", "an", "the")]
    if not words or len(words) > 4 or set(words) & _LINKS:
        return None
    who = "the " + " ".join(words).replace("line-manager", "line manager")
    return f"{who} has approved {noun.entity}", f"{who} has not approved {noun.entity}"
