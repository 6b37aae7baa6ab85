"""Tokens to trees by `rule.lark`: one tree for each way to take the text apart that fits.

Where the lattice branches, a recognizer tries the branches side by side and
drops those that no sentence begins with; only what is left is parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from policywright.english.joints import MAX_READINGS, RuleNotReadError
from policywright.english.lattice import Lattice, RuleToken
from policywright.english.parse import GivenTokens

MAX_DEPTH = 90
_DEEPER = {"OPEN", "LPAR", "WHOLE"}
_LESS_DEEP = {"CLOSE", "RPAR"}
_PREFIXES = {"UNTRUE", "EITHER", "BOTH", "NEITHER"}


@dataclass(slots=True)
class _Way:
    """One row of tokens so far, with the state of the recognizer behind it."""

    tokens: list[RuleToken]
    state: Any


def parse_lattice(lattice: Lattice) -> list[tuple[Tree[Token], list[RuleToken]]]:
    """(tree, tokens) for each way through a lattice that the grammar accepts.

    Raises RuleNotReadError if there is none, or too many, or the text is too deep.
    """
    found = []
    for tokens in _ways(lattice) if lattice.branches else [only_way(lattice)]:
        check_depth(tokens)
        try:
            found.append((_parser().parse(tokens), tokens))
        except UnexpectedInput as error:
            raise _refusal(tokens, error) from None
    return found


def only_way(lattice: Lattice) -> list[RuleToken]:
    """The tokens of a lattice that does not branch."""
    tokens: list[RuleToken] = []
    place = 0
    while place < lattice.last:
        tokens += [mark for mark in lattice.marks(place) if not _is_said(tokens, mark)]
        ((token, place),) = lattice.useful[place]
        tokens += [token] if token else []
    return tokens + lattice.marks(lattice.last)


def expected(tokens: list[RuleToken]) -> frozenset[str]:
    """The kinds of token that may come behind some tokens; empty if these begin no sentence."""
    way = _Way([], _parser().parse_interactive([]))
    for token in tokens:
        if not _feed(way, token):
            return frozenset()
    return frozenset(way.state.accepts())


def _ways(lattice: Lattice) -> list[list[RuleToken]]:
    """The rows of tokens that the grammar accepts, the longest phrases first."""
    at: dict[int, list[_Way]] = {0: [_Way([], _parser().parse_interactive([]))]}
    refused: list[RuleToken] = []
    for place in range(lattice.last):
        ways = at.pop(place, [])
        if len(ways) > MAX_READINGS:
            here = lattice.span(place - 1 if place else 0, place + 1)
            raise RuleNotReadError(
                "this can be read in very many ways; put phrases in quotation marks", [here]
            )
        edges = sorted(lattice.useful.get(place, ()), key=lambda edge: -edge[1])
        marks = lattice.marks(place)
        for way in ways:
            for number, (token, end) in enumerate(edges):
                last = number == len(edges) - 1
                branch = way if last else _copy(way)
                row = [*marks, *([token] if token else [])]
                if all(_feed(branch, piece) for piece in row):
                    at.setdefault(end, []).append(branch)
                elif len(branch.tokens) >= len(refused):
                    refused = [*branch.tokens, *row]
    rows = []
    for way in at.get(lattice.last, []):
        tokens = way.tokens + lattice.marks(lattice.last)
        try:
            _parser().parse(tokens)
        except UnexpectedInput:
            refused = tokens
            continue
        rows.append(tokens)
    if not rows:
        try:
            _parser().parse(refused)
        except UnexpectedInput as error:
            raise _refusal(refused, error) from None
        raise RuleNotReadError("the text ends too early", [refused[-1].word])
    return rows


def _feed(way: _Way, token: RuleToken) -> bool:
    """Take a token in, unless no sentence goes on like that."""
    if _is_said(way.tokens, token):
        return True
    way.tokens.append(token)
    try:
        way.state.feed_token(Token(token.type, token.text))
    except UnexpectedToken:
        return False
    return True


def _copy(way: _Way) -> _Way:
    # The values are of no use here: the rows that are left are parsed again.
    return _Way(list(way.tokens), way.state.copy(deepcopy_values=False))


def _is_said(before: list[RuleToken], token: RuleToken) -> bool:
    """Whether `and` or `or` at the end of an item has said already that the next one begins."""
    return token.type == "NEXT" and bool(before) and before[-1].type in ("ANDNEXT", "ORNEXT")


def check_depth(tokens: list[RuleToken]) -> None:
    """Refuse what is nested too deeply to be read, or for a person to follow."""
    depth = run = 0
    for token in tokens:
        run = run + 1 if token.type in _PREFIXES else 0
        depth += (token.type in _DEEPER) - (token.type in _LESS_DEEP)
        if depth + run > MAX_DEPTH:
            raise RuleNotReadError("this is nested too deeply; split the rule", [token.word])


def _refusal(tokens: list[RuleToken], error: UnexpectedInput) -> RuleNotReadError:
    token = error.token if isinstance(error, UnexpectedToken) else None
    index = token.start_pos if token is not None and token.type != "$END" else None
    if index is None or not 0 <= index < len(tokens):
        reason = "the text ends too early" if tokens else "the text is empty"
        return RuleNotReadError(reason, [tokens[-1].word] if tokens else [])
    at = tokens[index]
    shown = f"`{at.text}`" if at.text else "the list"
    return RuleNotReadError(f"from {shown} on the text is not of a form that is known", [at.word])


@cache
def _parser() -> Lark:
    grammar = Path(__file__).with_name("rule.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=GivenTokens, keep_all_tokens=True)
