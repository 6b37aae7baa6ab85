"""Tokens to trees, by the grammar in `policy.lark`: all trees, not the first one.

Earley keeps every derivation, so that an ambiguous sentence is seen to be one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer
from lark.visitors import CollapseAmbiguities

from policywright.english.lexemes import Lexeme

MAX_TREES = 64
Node = Tree[Lexeme]


class GrammarError(Exception):
    """The tokens are no sentence of the grammar; `position` is the first that does not fit.

    It equals the number of tokens where the sentence ends too early.
    """

    def __init__(self, position: int) -> None:
        super().__init__(f"token {position} does not fit")
        self.position = position


class TooManyTreesError(Exception):
    """A sentence that the grammar can take apart in very many ways."""


class GivenTokens(Lexer):
    """Hands the parser tokens that are there already; each carries its index."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        for index, lexeme in enumerate(lexer_state):
            yield Token(lexeme.type, lexeme.text, start_pos=index, line=1, column=index + 1)


def parse(lexemes: list[Lexeme]) -> list[Node]:
    """Every tree of a sentence.

    Raises GrammarError if there is none, TooManyTreesError for over `MAX_TREES`.
    """
    try:
        forest = _parser().parse(lexemes)
    except UnexpectedInput as error:
        index = getattr(getattr(error, "token", None), "start_pos", None)
        fits_until = len(lexemes) if index is None or index < 0 else index
        raise GrammarError(fits_until) from None
    if count_trees(forest) > MAX_TREES:
        raise TooManyTreesError
    trees = CollapseAmbiguities().transform(forest)
    return [_with_lexemes(tree, lexemes) for tree in trees]


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("policy.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="earley",
        lexer=GivenTokens,
        ambiguity="explicit",
        keep_all_tokens=True,
        # No rule has a priority; looking for one costs a tenth of the time.
        priority=None,
    )


def count_trees(tree: Any) -> int:
    """How many trees a forest holds."""
    if not isinstance(tree, Tree):
        return 1
    counts = [count_trees(child) for child in tree.children]
    return sum(counts) if tree.data == "_ambig" else prod(counts)


def _with_lexemes(tree: Any, lexemes: list[Lexeme]) -> Node:
    children = [
        lexemes[child.start_pos or 0] if isinstance(child, Token) else _with_lexemes(child, lexemes)
        for child in tree.children
    ]
    return Tree(str(tree.data), children)
