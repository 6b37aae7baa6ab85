"""Small readers of grammar trees: tokens, words and nouns of a subtree."""

from __future__ import annotations

from policywright.english.lexemes import Lexeme
from policywright.english.nouns import Noun, read_noun
from policywright.english.parse import Node
from policywright.english.quantities import Quantity

RANGES = ("bounded", "or_more", "or_less", "double", "between")


def lexemes_of(tree: Node) -> list[Lexeme]:
    return list(tree.scan_values(lambda value: isinstance(value, Lexeme)))


def text_of(tree: Node) -> str:
    return " ".join(lexeme.text for lexeme in lexemes_of(tree))


def subtrees(tree: Node) -> list[Node]:
    return [child for child in tree.children if not isinstance(child, Lexeme)]


def child(tree: Node, *names: str) -> Node:
    """The first of the tree's own subtrees that has one of these names."""
    return next(subtree for subtree in subtrees(tree) if subtree.data in names)


def renamed(tree: Node, name: str) -> Node:
    return type(tree)(name, tree.children)


def noun_of(tree: Node) -> Noun:
    return read_noun(lexemes_of(tree))


def quantity_of_lexeme(lexeme: Lexeme) -> Quantity:
    assert lexeme.quantity is not None
    return lexeme.quantity


def quantity_of(tree: Node) -> tuple[Lexeme, Quantity]:
    """The quantity of a tree with its token; of a range with two ends the last."""
    found = [lexeme for lexeme in lexemes_of(tree) if lexeme.quantity is not None]
    has_two = any(subtree.data in ("double", "between") for subtree in subtrees(tree))
    lexeme = found[-1 if has_two else 0]
    return lexeme, quantity_of_lexeme(lexeme)


def range_tree(tree: Node) -> Node | None:
    return next((subtree for subtree in subtrees(tree) if subtree.data in RANGES), None)
