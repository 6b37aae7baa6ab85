"""Drafts rules from one sentence of a policy, or abstains and names the words.

Deterministic, and no guess: every word is accounted for by the grammar, a
phrase of a fact holds only words that carry no logic, and all derivations must
mean the same. What the words leave open becomes a question with its readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from policywright.english.drafts import (
    Abstention,
    AbstentionKind,
    Draft,
    DraftedQuestion,
    DraftedRule,
    QuestionKind,
    Reading,
    SourceSentence,
)
from policywright.english.front import front_length
from policywright.english.headings import HeadingOutcome, heading_outcome
from policywright.english.lead_ins import LeadIn, item_text
from policywright.english.lexicon import RULE_WORDS
from policywright.english.measures import BOUNDS
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import GrammarError, Node, TooManyTreesError, parse
from policywright.english.phrases import draft_phrases
from policywright.english.places import Word
from policywright.english.scope import Scope
from policywright.english.settings import Asked, Settings
from policywright.english.statements import Statements
from policywright.english.tokens import Tokens, tokenize
from policywright.english.values import quantity_text
from policywright.english.vocabulary import Vocabulary
from policywright.errors import SortError
from policywright.model import Kind, PolicyModel, Role, Variable
from policywright.sorts import INT
from policywright.terms import Apply, Op, Symbol, Term, symbols

MAX_LENGTH = 1_000
MAX_TOKENS = 120

_ORDER = (QuestionKind.DIRECTION, QuestionKind.BOUNDARY, QuestionKind.OUTCOME)


def draft(sentence: SourceSentence, known: PolicyModel) -> Draft | Abstention:
    """Rules for a sentence over known and new variables, or why there are none.

    New ids begin with `new-`; a name that `known` has is not used again.
    """
    text = sentence.text
    if len(text) > MAX_LENGTH:
        return _too_long()
    whole, shift = _with_lead_in(sentence)
    if isinstance(whole, Abstention):
        return whole
    if len(whole) > MAX_LENGTH:
        return _too_long()
    return _moved(draft_text(whole, sentence, known), text, shift)


def draft_text(text: str, sentence: SourceSentence, known: PolicyModel) -> Draft | Abstention:
    """The same of a text put together from a sentence and what belongs to it."""
    if len(text) > MAX_LENGTH:
        return _too_long()
    start = front_length(text)
    blanked = " " * start + text[start:]
    result = _draft_text(blanked, sentence, known)
    if isinstance(result, Draft) or result.kind is AbstentionKind.TOO_LONG or _may_be_rule(text):
        return result
    return Abstention(
        AbstentionKind.NOT_A_RULE, "no word in it makes a rule, and it holds no number"
    )


def _with_lead_in(sentence: SourceSentence) -> tuple[str | Abstention, int]:
    """A list item behind its lead-in, where each item is a rule of its own."""
    if not any(part.strip() for part in sentence.context[::2]):
        return sentence.text, 0
    if len(sentence.context) != 2:
        return Abstention(
            AbstentionKind.NOT_UNDERSTOOD, "how it belongs to the lists around it is not read"
        ), 0
    lead_in = LeadIn(*sentence.context)
    item, start = item_text(sentence.text)
    if not item or not lead_in.separates(item):
        reason = "an item of this list is no rule of its own: read it with its lead-in"
        return Abstention(AbstentionKind.NOT_UNDERSTOOD, reason), 0
    return lead_in.with_item(item), len(lead_in.text) + 1 - start


def _draft_text(text: str, sentence: SourceSentence, known: PolicyModel) -> Draft | Abstention:
    tokens = tokenize(text)
    if tokens.stops:
        return Abstention(tokens.kind, tokens.reason, tuple(tokens.stops))
    if not tokens.lexemes or len(tokens.lexemes) > MAX_TOKENS:
        return Abstention(AbstentionKind.TOO_LONG, f"the sentence has over {MAX_TOKENS} words")
    try:
        trees = parse(tokens.lexemes)
    except GrammarError as error:
        return _not_parsed(tokens, error.position)
    except TooManyTreesError:
        return Abstention(AbstentionKind.AMBIGUOUS, "the sentence can be read in many ways")
    leans = any(lexeme.type in ("THATCASE", "OTHERWISE") for lexeme in tokens.lexemes)
    before = _trees_of(sentence.before) if leans else ()
    reader = partial(_Drafting, heading_outcome(sentence.headings), known, before)
    return _one_meaning(trees, reader, tokens)


def _trees_of(before: str) -> Sequence[Node]:
    """The trees of the sentence before; none where it has none."""
    if not before or len(before) > MAX_LENGTH:
        return ()
    start = front_length(before)
    tokens = tokenize(" " * start + before[start:])
    if tokens.stops or not tokens.lexemes or len(tokens.lexemes) > MAX_TOKENS:
        return ()
    try:
        return parse(tokens.lexemes)
    except (GrammarError, TooManyTreesError):
        return ()


def _one_meaning(
    trees: Sequence[Node], reader: Callable[[Node], _Drafting], tokens: Tokens
) -> Draft | Abstention:
    """The meaning that all trees share; those that mean nothing do not count."""
    drafts: list[Draft] = []
    problem = None
    has_quantity = any(lexeme.quantity for lexeme in tokens.lexemes)
    for tree in trees:
        try:
            found = reader(tree).draft()
        except (NotUnderstoodError, SortError) as error:
            # With a quantity, why it fixes no amount says most; else what the clause lacks.
            if problem is None or any(tree.find_data("amount_is")) is has_quantity:
                problem = error
            continue
        if found not in drafts:
            drafts.append(found)
    if len(drafts) == 1:
        return drafts[0]
    if drafts:
        return Abstention(AbstentionKind.AMBIGUOUS, "the sentence can be read in two ways")
    words = problem.words if isinstance(problem, NotUnderstoodError) else ()
    everything = tuple(lexeme.word for lexeme in tokens.lexemes)
    return Abstention(AbstentionKind.NOT_UNDERSTOOD, str(problem), words or everything)


class _Drafting:
    """One tree, read once for each combination of what it leaves open."""

    def __init__(
        self,
        heading: HeadingOutcome | None,
        known: PolicyModel,
        before: Sequence[Node],
        tree: Node,
    ) -> None:
        self.tree = tree
        self.heading = heading
        self.before = before
        self.known = known
        self.vocabulary = Vocabulary(known)

    def draft(self) -> Draft:
        term, asked = self.read({})
        open_ = [kind for kind in _ORDER if kind in asked]
        choices = list(product(*(range(len(asked[kind].labels)) for kind in open_)))
        terms = [self.read(dict(zip(open_, choice, strict=True)))[0] for choice in choices]
        rule = DraftedRule(self.rule_name(term), term, self.kind(term))
        questions: tuple[DraftedQuestion, ...] = ()
        if open_:
            questions = (self.question(asked, open_, choices, terms),)
        used = dict.fromkeys(symbol for each in [term, *terms] for symbol in symbols(each))
        return Draft((rule,), self.vocabulary.made(used), (), questions)

    def read(self, chosen: Mapping[QuestionKind, int]) -> tuple[Term, dict[QuestionKind, Asked]]:
        settings = Settings(chosen)
        scope = Scope(self.vocabulary, settings, self.heading, self.before)
        term = Statements(scope).read(self.tree)
        return term, settings.asked

    def question(
        self,
        asked: Mapping[QuestionKind, Asked],
        open_: Sequence[QuestionKind],
        choices: Sequence[tuple[int, ...]],
        terms: Sequence[Term],
    ) -> DraftedQuestion:
        boundary = asked.get(QuestionKind.BOUNDARY)
        value = ""
        case: dict[str, bool | int | Fraction | str] = {}
        if boundary and boundary.subject and boundary.value is not None:
            variable = self.vocabulary.variable(boundary.subject)
            value = quantity_text(boundary.value, variable.unit)
            is_whole = variable.sort == INT
            case[variable.id] = int(boundary.value) if is_whole else boundary.value
        readings = []
        for choice, term in zip(choices, terms, strict=True):
            labels = [
                asked[k].labels[i].format(value=value) for k, i in zip(open_, choice, strict=True)
            ]
            readings.append(Reading("; ".join(labels), term))
        text = " ".join(self.ask(asked[kind], value) for kind in open_)
        return DraftedQuestion(0, open_[0], text, tuple(readings), case)

    def ask(self, asked: Asked, value: str) -> str:
        if asked.subject is None:
            return asked.question
        phrase = draft_phrases(self.vocabulary.variable(asked.subject)).text
        return f"If {phrase} is exactly {value}, and all else is in order: {asked.question}"

    def kind(self, term: Term) -> Kind:
        """What is fixed without a condition is defined: an amount, or what a word means."""
        if isinstance(term, Apply) and term.op is Op.EQ and isinstance(term.args[0], Symbol):
            variable = self.vocabulary.variable(term.args[0])
            if variable.sort.is_number or variable.role is Role.DERIVED:
                return Kind.DEFINITION
        return Kind.RULE

    def rule_name(self, term: Term) -> str:
        """Named after the first thing it speaks of that names no known rule yet."""
        taken = {rule.name for rule in self.known.rules}
        names = [f"{_kebab(self.vocabulary.variable(symbol))}-rule" for symbol in symbols(term)]
        for name in names:
            if name not in taken:
                return name
        number = 2
        while f"{names[0]}-{number}" in taken:
            number += 1
        return f"{names[0]}-{number}"


def _kebab(variable: Variable) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", variable.name).lower()


def _not_parsed(tokens: Tokens, position: int) -> Abstention:
    """Names the first word that does not fit, and what comes after it up to a comma."""
    types = {lexeme.type for lexeme in tokens.lexemes}
    if {"AND", "OR"} <= types:
        words = tuple(x.word for x in tokens.lexemes if x.type in ("AND", "OR"))
        reason = "`and` and `or` stand together, and nothing says which comes first"
        return Abstention(AbstentionKind.AMBIGUOUS, reason, words)
    if position >= len(tokens.lexemes):
        reason = "the sentence ends before a rule is complete"
        return Abstention(AbstentionKind.NOT_UNDERSTOOD, reason, (tokens.lexemes[-1].word,))
    if tokens.lexemes[position].quantity and tokens.lexemes[position - 1].type in BOUNDS:
        position -= 1
    lexeme = tokens.lexemes[position]
    reason = f"from `{lexeme.text}` on the sentence is not of a form that the grammar knows"
    return Abstention(AbstentionKind.NOT_UNDERSTOOD, reason, (lexeme.word,))


def _too_long() -> Abstention:
    return Abstention(
        AbstentionKind.TOO_LONG, f"the sentence is longer than {MAX_LENGTH:,} characters; split it"
    )


def _may_be_rule(text: str) -> bool:
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    has_quantity = any(lexeme.quantity for lexeme in tokenize(text).lexemes)
    return bool(words & RULE_WORDS) or has_quantity or bool(re.search(r"\d", text))


def _moved(found: Draft | Abstention, text: str, shift: int) -> Draft | Abstention:
    """Positions in the sentence itself; words of a lead-in stand at 0."""
    if not shift or isinstance(found, Draft):
        return found
    words = []
    for word in found.words:
        start, end = word.start - shift, word.end - shift
        inside = start >= 0 and text[start:end].lower() == word.text.lower()
        words.append(Word(start, end, text[start:end]) if inside else Word(0, 0, word.text))
    return Abstention(found.kind, found.reason, tuple(words))
