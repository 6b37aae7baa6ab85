"""What stands directly below a node of a rule's tree: trees, and tokens."""

from __future__ import annotations

from typing import TypeAlias

from lark import Token, Tree

RuleTree: TypeAlias = Tree[Token]


def subtrees(tree: RuleTree, data: str = "") -> list[RuleTree]:
    """The trees below a node, of one kind where `data` is given."""
    found = [child for child in tree.children if isinstance(child, Tree)]
    return [child for child in found if not data or child.data == data]


def own_tokens(tree: RuleTree) -> list[Token]:
    """The tokens below a node that are in no tree of their own."""
    return [child for child in tree.children if isinstance(child, Token)]


def first_token(tree: RuleTree) -> Token:
    """The first token of a node, however deep."""
    return next(iter(tree.scan_values(lambda value: isinstance(value, Token))))


def joint_of(child: RuleTree | Token) -> str:
    """The word that joins two conditions of a row; empty for what is no joint."""
    if isinstance(child, Tree) and child.data == "joint":
        return own_tokens(child)[0].type
    return ""


def amount_parts(tree: RuleTree) -> list[RuleTree]:
    """The amounts in an amount; of a choice not its condition."""
    parts = subtrees(tree)
    return [parts[0], parts[2]] if tree.data in ("picked", "picked_number") else parts
