"""Drafts rules from one sentence of a policy, or abstains and names the words.

Deterministic, and no guess: every word is accounted for by the grammar, a
phrase of a fact holds only words that carry no logic, and all derivations must
mean the same. What the words leave open becomes a question with its readings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
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
    Word,
)
from policywright.english.headings import HeadingOutcome, heading_outcome
from policywright.english.lexicon import RULE_WORDS
from policywright.english.nouns import NotUnderstoodError
from policywright.english.parse import GrammarError, Node, TooManyTreesError, parse
from policywright.english.phrases import draft_phrases
from policywright.english.scope import Scope
from policywright.english.settings import Asked, Settings
from policywright.english.statements import Statements
from policywright.english.tokens import Tokens, tokenize
from policywright.english.values import quantity_text
from policywright.english.vocabulary import Vocabulary
from policywright.errors import SortError
from policywright.model import Kind, PolicyModel, Variable
from policywright.sorts import INT
from policywright.terms import Apply, Op, Term, symbols

MAX_LENGTH = 1_000
MAX_TOKENS = 120

_ORDER = (QuestionKind.DIRECTION, QuestionKind.BOUNDARY, QuestionKind.OUTCOME)
_NUMBERING = re.compile(r"\s*(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|[-*•–])\s+")


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
    skipped = _NUMBERING.match(whole)
    start = skipped.end() if skipped else 0
    result = _draft_text(" " * start + whole[start:], sentence.headings, known)
    if not isinstance(result, Abstention):
        return result
    if not _may_be_rule(whole) and result.kind is not AbstentionKind.TOO_LONG:
        return Abstention(
            AbstentionKind.NOT_A_RULE, "no word in it makes a rule, and it holds no number"
        )
    return _moved(result, text, shift)


def _with_lead_in(sentence: SourceSentence) -> tuple[str | Abstention, int]:
    """A list item behind its lead-in, where each item is a rule of its own."""
    if not sentence.context or not sentence.context[0].strip():
        return sentence.text, 0
    lead_in, connective = sentence.context[0].strip(), (sentence.context[1:2] or ("",))[0].lower()
    item = re.sub(r"[;,]?\s*(?:and|or)?\s*[.;,]?\s*$", "", sentence.text)
    skipped = _NUMBERING.match(item)
    item = item[skipped.end() :] if skipped else item
    lead = lead_in.rstrip(" :")
    ends = re.split(r"\W+", lead.lower())[-1]
    opens_condition = ends in ("if", "unless", "when")
    separate = (opens_condition and connective == "or") or (
        ends in ("must", "shall", "to", "not", "requires", "require") and connective == "and"
    )
    if not separate:
        reason = "an item of this list is no rule of its own: read it with its lead-in"
        return Abstention(AbstentionKind.NOT_UNDERSTOOD, reason), 0
    offset = sentence.text.find(item)
    return f"{lead} {item[0].lower()}{item[1:]}", len(lead) + 1 - max(offset, 0)


def _draft_text(text: str, headings: tuple[str, ...], known: PolicyModel) -> Draft | Abstention:
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
    return _one_meaning(trees, heading_outcome(headings), known, tokens)


def _one_meaning(
    trees: Sequence[Node], heading: HeadingOutcome | None, known: PolicyModel, tokens: Tokens
) -> Draft | Abstention:
    """The meaning that all trees share; those that mean nothing do not count."""
    drafts: list[Draft] = []
    problem = None
    has_quantity = any(lexeme.quantity for lexeme in tokens.lexemes)
    for tree in trees:
        try:
            found = _Drafting(tree, heading, known).draft()
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

    def __init__(self, tree: Node, heading: HeadingOutcome | None, known: PolicyModel) -> None:
        self.tree = tree
        self.heading = heading
        self.known = known
        self.vocabulary = Vocabulary(known)

    def draft(self) -> Draft:
        term, asked = self.read({})
        open_ = [kind for kind in _ORDER if kind in asked]
        choices = list(product(*(range(len(asked[kind].labels)) for kind in open_)))
        terms = [self.read(dict(zip(open_, choice, strict=True)))[0] for choice in choices]
        rule = DraftedRule(self.rule_name(term), term, _kind(term))
        questions: tuple[DraftedQuestion, ...] = ()
        if open_:
            questions = (self.question(asked, open_, choices, terms),)
        used = dict.fromkeys(symbol for each in [term, *terms] for symbol in symbols(each))
        return Draft((rule,), self.vocabulary.made(used), (), questions)

    def read(self, chosen: Mapping[QuestionKind, int]) -> tuple[Term, dict[QuestionKind, Asked]]:
        settings = Settings(chosen)
        term = Statements(Scope(self.vocabulary, settings, self.heading)).read(self.tree)
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


def _kind(term: Term) -> Kind:
    """An amount that is fixed without a condition defines it."""
    defines = isinstance(term, Apply) and term.op is Op.EQ and term.args[0].sort.is_number
    return Kind.DEFINITION if defines else Kind.RULE


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


def _moved(found: Abstention, text: str, shift: int) -> Abstention:
    """Positions in the sentence itself; words of a lead-in stand at 0."""
    if not shift:
        return found
    words = []
    for word in found.words:
        start, end = word.start - shift, word.end - shift
        inside = start >= 0 and text[start:end].lower() == word.text.lower()
        words.append(Word(start, end, text[start:end]) if inside else Word(0, 0, word.text))
    return Abstention(found.kind, found.reason, tuple(words))
