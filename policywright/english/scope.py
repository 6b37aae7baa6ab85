"""What the parts of one sentence share: variables, choices, heading, conditions so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from policywright.english.drafts import QuestionKind
from policywright.english.headings import HeadingOutcome
from policywright.english.lexemes import Lexeme
from policywright.english.lexicon import AMOUNTS, PERSONS
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.predicates import Predicates
from policywright.english.settings import Settings
from policywright.english.trees import child, lexemes_of, noun_of, subtrees, text_of
from policywright.english.verbs import agreeing, negative_grant
from policywright.english.vocabulary import Vocabulary, phrase_key
from policywright.english.words import indefinite, singular, word_set
from policywright.terms import Symbol, Term

MAX_OUTCOMES = 4
_WHAT = "The sentence does not say what it decides: what fails where it is not kept?"
# What follows the head in a phrase that is about the head and nothing narrower.
_AFTER_HEAD = word_set("is has may comply qualify get receive")


@dataclass(frozen=True, slots=True)
class Effect:
    """What follows, before conditions.

    `holds`, `holds_not`: the outcome or its opposite; `claims`, `claims_not`: the
    same, but only under a condition; `needs`: without `term` not the outcome; `once`:
    the outcome not before `term`, or as soon as `term`, which is asked about;
    `is`: the outcome is the amount `term`.
    """

    how: str
    outcome: Term
    term: Term | None = None


class Scope:
    """One reading of one sentence; `where` collects the conditions in their order.

    `is_conditional` says that a condition stands behind what is read now; `purpose` is
    the verb and the rest of what a sentence in front says is decided: `to be eligible`.

    `before` are the trees of the sentence before, for what leans on it.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        settings: Settings,
        heading: HeadingOutcome | None,
        before: Sequence[Node] = (),
    ) -> None:
        self.vocabulary = vocabulary
        self.settings = settings
        self.heading = heading
        self.before = before
        self.predicates = Predicates(vocabulary, settings)
        self.deciding = Predicates(vocabulary, settings, decides=True)
        self.where: list[Term] = []
        self.is_conditional = False
        self.purpose: tuple[str, str] | None = None

    def subject(self, tree: Node, *, is_done_to: bool = False) -> Noun:
        """The subject in the singular; what restricts it becomes a condition.

        `A medical note must be submitted` asks for such a note: where something is
        `is_done_to` one thing, its adjectives stay part of its name.
        """
        if tree.data == "aged_anybody":
            noun = Noun("a", (), "person", "", "person", False, False, ())
            self.where.append(self.predicates.sizes.aged(noun, tree))
            return noun
        noun_tree = child(tree, "noun")
        noun = noun_of(noun_tree).one
        check_front(noun_tree, noun)
        quantifiers = [x.text.lower() for x in tree.children if isinstance(x, Lexeme)]
        # `all travel` speaks of a mass, `every trip` of one of many.
        if "all" not in quantifiers[:1] and quantifiers and tree.data in ("subject", "limited"):
            noun = replace(noun, article="a", is_bare=False)
        limits = [tree] if tree.data == "aged_group" else subtrees(tree)[1:]
        if limits and noun.tail and noun.head not in AMOUNTS:
            # `trips to cities over ...`: what is over?
            raise NotUnderstoodError(f"what the limit behind `{noun.full}` belongs to", noun.words)
        plural = noun_of(noun_tree).plural
        is_one = noun.article == "a" and not (quantifiers or limits or plural)
        if not (is_done_to and is_one) or self.is_of_heading(noun):
            noun = self.narrowed(noun)
        self.where += [self.predicates.limit(noun, limit) for limit in limits]
        return noun

    def narrowed(self, noun: Noun) -> Noun:
        """The noun without its adjectives, which become conditions.

        Where the heading speaks of the head alone, all that restricts it does.
        """
        if self.is_of_heading(noun):
            self.restrict(noun)
            return replace(noun, describing=(), tail="", article=noun.article or "the")
        self.where += self.predicates.facts.described(noun)
        return noun.undescribed

    def told_apart(self, noun: Noun) -> Noun:
        """`Employees on probation are exempt`: with no other condition, what follows is one."""
        conditional = self.where or self.is_conditional
        apart = noun.tail and not noun.tail.startswith(" of ") and noun.head in PERSONS
        if conditional or noun.is_definite or not apart:
            return noun
        self.restrict(noun)
        return replace(noun, describing=(), tail="", article="a", is_bare=False)

    def is_of_heading(self, noun: Noun) -> bool:
        return self.heading is not None and self.heading.subject == noun.head

    def outcome_about(self, noun: Noun) -> Symbol:
        """What a duty decides: named by the heading, else asked about.

        An outcome that speaks of the head alone takes what restricts the noun as
        conditions.
        """
        if self.purpose is not None:
            verb, rest = agreeing(self.purpose[0], noun), self.purpose[1]
            who = noun.entity
            return self.vocabulary.outcome(
                f"{who} {verb} {rest}", f"{who} {negative_grant(verb)} {rest}"
            )
        if self.heading and self.heading.subject in _about(noun):
            return self.vocabulary.outcome(self.heading.text, self.heading.negative)
        texts = [_complies(noun)]
        if self.heading:
            texts.append((self.heading.text, self.heading.negative))
        texts += self._known_about(noun, {phrase_key(text) for text, _ in texts})
        texts = texts[:MAX_OUTCOMES]
        labels = tuple(f"whether {text}" for text, _ in texts)
        index = self.settings.choose(QuestionKind.OUTCOME, question=_WHAT, labels=labels)
        if index:
            self.restrict(noun)
        return self.vocabulary.outcome(*texts[index])

    def restrict(self, noun: Noun) -> None:
        self.where += [
            term for term in self.predicates.facts.restrictions(noun) if term not in self.where
        ]

    def may(self, noun: Noun, action: Node) -> Symbol:
        """`a booking may be made`; `may be approved` where the heading speaks of approval."""
        if self.heading and action.data == "be" and self.heading.subject == noun.head:
            passive = f"{noun.entity} is {text_of(child(action, 'words'))}"
            if phrase_key(passive) == phrase_key(self.heading.text):
                return self.vocabulary.outcome(self.heading.text, self.heading.negative)
        said = text_of(action)
        who = indefinite(noun.kind) + noun.tail if noun.article == "a" else noun.entity
        return self.vocabulary.outcome(f"{who} may {said}", f"{who} may not {said}")

    def _known_about(self, noun: Noun, taken: set[str]) -> list[tuple[str, str]]:
        """Known outcomes about the noun, as further readings."""
        found = []
        for variable in self.vocabulary.known_outcomes():
            key = phrase_key(variable.phrases.text)
            head, verb = (*key.split(), "", "")[:2]
            if head == noun.head and verb in _AFTER_HEAD and key not in taken:
                found.append((variable.phrases.text, variable.phrases.negative))
        return found


def check_front(tree: Node, noun: Noun) -> None:
    """`Trips booked online` are trips that meet a condition, not a thing of that name.

    Raises NotUnderstoodError if such a condition would be lost in a name.
    """
    front = list(takewhile(lambda x: x.type not in ("PREP", "OF", "TO", "WITH"), lexemes_of(tree)))
    if not noun.is_definite and any(lexeme.type == "PART" for lexeme in front):
        raise NotUnderstoodError(f"which `{noun.kind}` is meant", noun.words)


def _complies(noun: Noun) -> tuple[str, str]:
    """`the trip complies with this policy`; of an amount, what it is the amount of."""
    who = noun.full
    if noun.head in AMOUNTS and noun.tail.startswith(" of the "):
        who = noun.tail.removeprefix(" of ")
    if noun.plural or noun.is_speaker:
        return f"{who} comply with this policy", f"{who} do not comply with this policy"
    return f"{who} complies with this policy", f"{who} does not comply with this policy"


def _about(noun: Noun) -> set[str]:
    """The head; and of an amount, what it is the amount of."""
    owner = noun.tail.split() if noun.head in AMOUNTS and noun.tail.startswith(" of ") else []
    return {noun.head, *(singular(word) for word in owner)}
