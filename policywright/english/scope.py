"""What the parts of one sentence share: variables, choices, heading, conditions so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

from policywright.english.drafts import QuestionKind
from policywright.english.headings import HeadingOutcome
from policywright.english.measures import Measures
from policywright.english.nouns import Noun
from policywright.english.parse import Node
from policywright.english.predicates import Predicates, child, noun_of, subtrees, text_of
from policywright.english.settings import Settings
from policywright.english.tokens import Lexeme
from policywright.english.vocabulary import Vocabulary, phrase_key
from policywright.english.words import indefinite
from policywright.terms import Symbol, Term


@dataclass(frozen=True, slots=True)
class Effect:
    """What follows, before conditions.

    `holds`, `holds_not`: the outcome or its opposite; `claims`, `claims_not`: the
    same, but only under a condition; `needs`: without `term` not the outcome;
    `is`: the outcome is the amount `term`.
    """

    how: str
    outcome: Term
    term: Term | None = None


class Scope:
    """One reading of one sentence; `where` collects the conditions in their order."""

    def __init__(
        self, vocabulary: Vocabulary, settings: Settings, heading: HeadingOutcome | None
    ) -> None:
        self.vocabulary = vocabulary
        self.settings = settings
        self.heading = heading
        self.predicates = Predicates(vocabulary, settings)
        self.deciding = Predicates(vocabulary, settings, decides=True)
        self.measures = Measures(vocabulary)
        self.where: list[Term] = []

    def subject(self, tree: Node) -> Noun:
        """The subject in the singular; what restricts it becomes a condition."""
        if tree.data == "aged_anybody":
            noun = Noun("a", (), "person", "", "person", False, False, ())
            self.where.append(self.predicates.aged(noun, tree))
            return noun
        noun = noun_of(child(tree, "noun")).one
        if (
            any(x.type == "ALL" for x in tree.children if isinstance(x, Lexeme))
            and not noun.is_bare
        ):
            noun = replace(noun, article="a")
        self.where += self.predicates.described(noun)
        noun = noun.undescribed
        if tree.data == "aged_group":
            self.where.append(self.predicates.aged(noun, tree))
        else:
            for limit in subtrees(tree)[1:]:
                self.where.append(self.predicates.limit(noun, limit))
        return noun

    def outcome_about(self, noun: Noun) -> Symbol:
        """What a duty decides: named by the heading, else asked about."""
        if self.heading and self.heading.subject == noun.head:
            if not noun.is_definite:
                kinds = [
                    self.predicates.kind(f"the {noun.head}", w, noun.head) for w in noun.describing
                ]
                self.where += [kind for kind in kinds if kind not in self.where]
            return self.vocabulary.outcome(self.heading.text, self.heading.negative)
        verb, negative = "complies", "does not comply"
        if noun.plural or noun.is_speaker:
            verb, negative = "comply", "do not comply"
        texts = [
            (f"{noun.full} {verb} with this policy", f"{noun.full} {negative} with this policy")
        ]
        if self.heading:
            texts.append((self.heading.text, self.heading.negative))
        texts += self._known_about(noun, {phrase_key(text) for text, _ in texts})
        labels = tuple(f"whether {text}" for text, _ in texts)
        index = self.settings.choose(QuestionKind.OUTCOME, labels=labels)
        return self.vocabulary.outcome(*texts[index])

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
        """Known outcomes that name the noun, as further readings."""
        found = []
        for variable in self.vocabulary.known_outcomes():
            key = phrase_key(variable.phrases.text)
            if noun.head in key.split() and key not in taken:
                found.append((variable.phrases.text, variable.phrases.negative))
        return found
