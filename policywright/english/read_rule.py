"""Reads a rule back from structured English, by the grammar alone.

Nothing is read silently: words that are no phrase of the model are named, with
known phrases that resemble them, and a text with two meanings is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.visitors import CollapseAmbiguities

from policywright.english.drafts import Word
from policywright.english.parse import GivenTokens, count_trees
from policywright.english.rule_terms import RuleNotReadError, RuleTerms, RuleTree
from policywright.english.rule_tokens import Phrasebook, RuleToken, tokenize_rule
from policywright.errors import SortError
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.terms import Term

__all__ = ["RuleNotReadError", "parse_rule"]

MAX_LENGTH = 20_000
MAX_TOKENS = 1_500
MAX_TREES = 64
MAX_DEPTH = 60
MAX_SUGGESTED = 20


def parse_rule(text: str, model: PolicyModel) -> Term:
    """The condition that a text says, in normal form.

    Raises RuleNotReadError with the words that were not understood.
    """
    if len(text) > MAX_LENGTH:
        raise RuleNotReadError(f"the text is longer than {MAX_LENGTH:,} characters; split it")
    tokens, unknown = tokenize_rule(text, model)
    if unknown:
        names = ", ".join(f"`{word.text}`" for word in unknown[:6])
        near = _near(unknown[:MAX_SUGGESTED], text, model)
        raise RuleNotReadError(f"{names} is no phrase of this policy", unknown, near)
    if not tokens or len(tokens) > MAX_TOKENS or _is_deep(tokens):
        raise RuleNotReadError("the text is empty, too long or too deeply nested; split it")
    meanings: list[Term] = []
    problem: Exception | None = None
    for tree in _trees(tokens):
        try:
            term = normal_form(RuleTerms(model).condition(tree))
        except (RuleNotReadError, SortError) as error:
            problem = error
            continue
        if term not in meanings:
            meanings.append(term)
    if len(meanings) == 1:
        return meanings[0]
    if meanings:
        raise RuleNotReadError("the text can be read in two ways; write it as a list")
    if isinstance(problem, RuleNotReadError):
        raise problem
    raise RuleNotReadError(str(problem), [token.word for token in tokens if token.text])


def _trees(tokens: Sequence[RuleToken]) -> list[RuleTree]:
    try:
        forest = _parser().parse(tokens)
    except UnexpectedInput as error:
        index = getattr(getattr(error, "token", None), "start_pos", None)
        at = tokens[-1] if index is None or not 0 <= index < len(tokens) else tokens[index]
        shown = f"`{at.text}`" if at.text else "the list"
        reason = f"from {shown} on the text is not of a form that is known"
        raise RuleNotReadError(reason, [at.word]) from None
    if count_trees(forest) > MAX_TREES:
        raise RuleNotReadError("the text can be read in many ways; write it as a list")
    found = CollapseAmbiguities().transform(forest)
    return [_with_tokens(tree, tokens) for tree in found]


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("rule.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="earley", lexer=GivenTokens, ambiguity="explicit", keep_all_tokens=True
    )


def _with_tokens(tree: Any, tokens: Sequence[RuleToken]) -> RuleTree:
    children = [
        tokens[child.start_pos or 0] if isinstance(child, Token) else _with_tokens(child, tokens)
        for child in tree.children
    ]
    return Tree(str(tree.data), children)


def _is_deep(tokens: Sequence[RuleToken]) -> bool:
    depth = deepest = 0
    for token in tokens:
        depth += {"OPEN": 1, "LPAR": 1, "WHOLE": 1, "CLOSE": -1, "RPAR": -1}.get(token.type, 0)
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH


def _near(words: Sequence[Word], text: str, model: PolicyModel) -> list[tuple[str, ...]]:
    """For each word the known phrases that resemble what stands around it."""
    from rapidfuzz import fuzz, process

    phrases = [key for key, entry in Phrasebook(model).entries.items() if entry.terms]
    near = []
    for word in words:
        around = text[max(0, word.start - 40) : word.end + 40].lower()
        found = process.extract(
            around, phrases, scorer=fuzz.partial_ratio, limit=3, score_cutoff=60
        )
        near.append(tuple(str(phrase) for phrase, _, _ in found))
    return near
