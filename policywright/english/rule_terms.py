"""Trees of `rule.lark` as terms: every reading that a tree has.

What the templates leave no doubt about has one reading. `provided that`, `one
of the following` and `between` have several, which are all given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from lark import Token, Tree

from policywright.english.joints import Part, Readings, RuleNotReadError, combine, joined
from policywright.english.lattice import RuleToken
from policywright.english.rule_amounts import AmountReader
from policywright.english.rule_trees import (
    RuleTree,
    first_token,
    joint_of,
    own_tokens,
    subtrees,
)
from policywright.model import PolicyModel
from policywright.terms import (
    FALSE,
    TRUE,
    Term,
    and_,
    distinct,
    eq,
    ge,
    gt,
    implies,
    ite,
    le,
    lt,
    not_,
    or_,
)

_RELATIONS: dict[str, Callable[[Term, Term], Term]] = {
    "MORE": gt, "ATLEAST": ge, "LESS": lt, "ATMOST": le, "IS": eq,
    "ISNOT": lambda left, right: not_(eq(left, right)),
}  # fmt: skip
_BOUNDS = {
    ("IS", "ORMORE"): "ATLEAST", ("IS", "ORLESS"): "ATMOST",
    ("ISNOT", "ORMORE"): "LESS", ("ISNOT", "ORLESS"): "MORE",
}  # fmt: skip
_STATEMENTS: dict[str, Callable[..., Term]] = {
    "implication": implies,
    "implication_unless": lambda a, b, unless: implies(and_(a, not_(unless)), b),
    "choice": ite,
    "unless_first": lambda unless, then: implies(not_(unless), then),
    "turned": lambda then, condition: implies(condition, then),
    "turned_choice": lambda then, condition, otherwise: ite(condition, then, otherwise),
    "only_if": implies,
    "equality": eq,
    "unless": lambda then, unless: implies(not_(unless), then),
}
_REACHING = frozenset({"turned", "turned_choice", "only_if", "equality", "unless", "provided"})
MAX_ONE_OF = 6


class RuleTerms:
    """Reads the trees of one text."""

    def __init__(self, model: PolicyModel, tokens: list[RuleToken]) -> None:
        self.tokens = tokens
        self.amounts = AmountReader(model, tokens, self.read)
        # The tree is kept with its readings: an id is free again once its tree is gone.
        self._known: dict[int, tuple[RuleTree, Readings]] = {}

    def read(self, tree: RuleTree) -> Readings:
        """The readings of a statement or a condition, the likeliest first.

        Raises RuleNotReadError, or SortError where something cannot be compared.
        """
        if id(tree) not in self._known:
            self._known[id(tree)] = (tree, self._find(tree))
        return self._known[id(tree)][1]

    def _find(self, tree: RuleTree) -> Readings:
        parts = subtrees(tree)
        match tree.data:
            case "start" | "brackets":
                return self.read(parts[0])
            case "conditions":
                return self.row(tree.children)
            case "fact":
                return (self.amounts.only(tree),)
            case "constant":
                return (TRUE if self.amounts.token(tree).type == "ALWAYS" else FALSE,)
            case "comparison" | "bound" | "between":
                return self.comparison(tree, parts)
            case "distinct":
                words = [token.type for token in own_tokens(tree)]
                term = distinct(*self.amounts.read(parts))
                return (term if words[-1] == "DIFFERENT" else not_(term),)
            case "list":
                return self.listed(tree)
            case "split_if" | "split_unless":
                return self.split(tree)
            case "provided":
                then, condition = (self.read(part) for part in parts)
                return (
                    *combine(implies, condition, then),
                    *combine(implies, then, condition),
                    *combine(eq, then, condition),
                )
        build = _STATEMENTS[tree.data]
        found = combine(build, *(self.read(part) for part in parts))
        if tree.data in _REACHING:
            found = (*found, *self._reaching_back(parts, build))
        return tuple(dict.fromkeys(found))

    def row(self, children: Sequence[Tree[Token] | Token]) -> Readings:
        """Conditions joined in a row; a comma that splits it is handled by `split`."""
        row: RuleTree = Tree("conditions", list(children))
        parts = [self.part(child) for child in subtrees(row, "part")]
        joints = [joint_of(child) for child in subtrees(row, "joint")]
        tails = [token.type for token in own_tokens(row)]
        return joined(parts, joints, next(iter(tails), ""))

    def part(self, tree: RuleTree) -> Part:
        markers = tuple(token.type for token in own_tokens(tree))
        (condition,) = subtrees(tree)
        word = self.tokens[first_token(condition).start_pos or 0].word
        return Part(self.read(condition), markers, word)

    def split(self, tree: RuleTree) -> Readings:
        """`If A, B` without `then`: each comma that leaves a whole row on both sides."""
        (row,) = subtrees(tree)
        children = row.children
        found: dict[Term, None] = {}
        for index, child in enumerate(children):
            if joint_of(child) != "COMMA":
                continue
            try:
                condition, then = self.row(children[:index]), self.row(children[index + 1 :])
            except RuleNotReadError:
                continue
            build = implies if tree.data == "split_if" else _STATEMENTS["unless_first"]
            found.update(dict.fromkeys(combine(build, condition, then)))
        if not found:
            raise RuleNotReadError(
                "what follows from this is not said; write `then`", [self.amounts.token(tree).word]
            )
        return tuple(found)

    def comparison(self, tree: RuleTree, parts: Sequence[RuleTree]) -> Readings:
        if tree.data == "between":
            amount, low, high = self.amounts.read(parts)
            return (
                and_(ge(amount, low), le(amount, high)),
                and_(gt(amount, low), lt(amount, high)),
                and_(ge(amount, low), lt(amount, high)),
            )
        left, relation, right = parts
        word = self.amounts.token(relation)
        kind = word.type
        if tree.data == "bound":
            bound = own_tokens(tree)[0].type
            if (kind, bound) not in _BOUNDS:
                raise RuleNotReadError(f"`{word.text}` already says where it ends", [word.word])
            kind = _BOUNDS[kind, bound]
        return (_RELATIONS[kind](*self.amounts.read([left, right])),)

    def listed(self, tree: RuleTree) -> Readings:
        head = next(iter(subtrees(tree, "head")), None)
        items = [self.read(child) for child in tree.children
                 if isinstance(child, Tree) and child is not head]  # fmt: skip
        kind = self.amounts.token(head).type if head else ""
        words = {token.type for token in own_tokens(tree)}
        joints = words & {"ANDNEXT", "ORNEXT"}
        wanted = {"ALLOF": "ANDNEXT", "NOTALLOF": "ANDNEXT"}.get(kind, "ORNEXT")
        if len(joints) > 1 or (kind and joints - {wanted}):
            raise RuleNotReadError("the words between the items do not fit this list")
        if not kind:
            return self.bare_list(tree, items, joints)
        token = self.amounts.token(head) if head else self.tokens[0]
        if kind in ("HOLDS", "HOLDSNOT") and len(items) != 1:
            raise RuleNotReadError("this list has one item", [token.word])
        if kind == "ONEOF" and not 2 <= len(items) <= MAX_ONE_OF:
            reason = f"this list has two to {MAX_ONE_OF} items"
            raise RuleNotReadError(reason, [token.word])
        match kind:
            case "ALLOF" | "HOLDS":
                return combine(and_, *items)
            case "ANYOF":
                return combine(or_, *items)
            case "NOTALLOF" | "HOLDSNOT":
                return combine(lambda *terms: not_(and_(*terms)), *items)
            case "NONEOF":
                return combine(lambda *terms: not_(or_(*terms)), *items)
            case "ONEOF":
                return combine(_exactly_one, *items)
        assert kind == "SOMEONE"
        if len(items) > MAX_ONE_OF:
            raise RuleNotReadError("say `any of the following` or `exactly one`", [token.word])
        return (*combine(or_, *items), *combine(_exactly_one, *items))

    def bare_list(self, tree: RuleTree, items: Sequence[Readings], joints: set[str]) -> Readings:
        if len(items) == 1:
            return items[0]
        if not joints:
            raise RuleNotReadError(
                "this list does not say how its items are joined; put `all of the following "
                "hold:` or `any of the following holds:` before it",
                [self.tokens[first_token(subtrees(tree)[0]).start_pos or 0].word],
            )
        return combine(and_ if "ANDNEXT" in joints else or_, *items)

    def _reaching_back(self, parts: Sequence[RuleTree], build: Callable[..., Term]) -> Readings:
        """`A and B if C`: what follows may be said of B alone; so for a 'not' before it."""
        row = subtrees(parts[0], "part")
        if not row or own_tokens(parts[0]):
            return ()
        last = row[-1]
        rest = [self.read(part) for part in parts[1:]]
        markers = [token.type for token in own_tokens(last)]
        found: list[Term] = []
        if len(row) == 1 and markers[:1] == ["UNTRUE"]:
            inner: RuleTree = Tree("conditions", [Tree("part", last.children[1:])])
            found += combine(lambda *terms: not_(build(*terms)), self.read(inner), *rest)
        joints = [joint_of(child) for child in subtrees(parts[0], "joint")]
        if len(set(joints)) == 1 and joints[0] in ("AND", "OR") and not markers:
            before = [self.part(child).readings for child in row[:-1]]
            join = and_ if joints[0] == "AND" else or_
            narrow = combine(build, self.part(last).readings, *rest)
            found += combine(join, *before, narrow)
        return tuple(found)


def _exactly_one(*terms: Term) -> Term:
    if len(terms) == 2:
        return not_(eq(*terms))
    pairs = [not_(and_(one, other)) for one, other in combinations(terms, 2)]
    return and_(or_(*terms), *pairs)
