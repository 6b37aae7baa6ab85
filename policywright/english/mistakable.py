"""Which phrases of a rule's sentence could be taken for something else where they stand.

Mostly none: then no grammar is needed to know it. Where the words can be taken
apart in several ways, the sentence is read, and has to say its rule alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.lattice import Lattice, is_doubtful
from policywright.english.textbook import textbook
from policywright.model import PolicyModel
from policywright.sorts import BOOL
from policywright.terms import Apply, Literal, Symbol, Term, fold, not_, subterms

MAX_LENGTH = 250_000


def mistakable_terms(model: PolicyModel, term: Term, text: str) -> frozenset[Term]:
    """What the doubtful phrases of a text stand for; `term`, in normal form, is what it says.

    Empty if the text says `term` alone. Where the doubt is in no phrase, all that
    has one is given.
    """
    if len(text) > MAX_LENGTH:
        return frozenset()
    lattice = Lattice(text, textbook(model, text))
    if lattice.useful and not lattice.branches and _says_all(lattice, term):
        return frozenset()
    if lattice.useful and _says_alone(lattice, model, term):
        return frozenset()
    doubtful = [
        found
        for edges in lattice.useful.values()
        if is_doubtful(edges)
        for token, _ in edges
        if token
        for found in token.terms
    ]
    said = frozenset(doubtful) & sayable_terms(term)
    return said or sayable_terms(term)


def says_plainly(model: PolicyModel, term: Term, text: str) -> bool:
    """Whether a text can be taken apart in one way only, into what `term` speaks of."""
    lattice = Lattice(text, textbook(model, text))
    return bool(lattice.useful) and not lattice.branches and _says_all(lattice, term)


def sayable_terms(term: Term) -> frozenset[Term]:
    """What in a term is said by a phrase: variables and their negations, values."""
    nodes = [node for node in subterms(term) if not isinstance(node, Apply)]
    return frozenset([*nodes, *(not_(node) for node in nodes if node.sort == BOOL)])


def _says_alone(lattice: Lattice, model: PolicyModel, term: Term) -> bool:
    # The grammar takes its time to load, and is seldom needed.
    from policywright.english.joints import RuleNotReadError
    from policywright.english.meanings import meanings_of

    try:
        return meanings_of(lattice, model) == [term]
    except RuleNotReadError:
        return False


def _says_all(lattice: Lattice, term: Term) -> bool:
    """Whether the phrases of a text are those of the term's variables and values, as often."""
    tokens = [token for ((token, _),) in lattice.useful.values() if token and token.terms]
    said = {found for token in tokens for found in token.terms}
    symbols = {node for found in said for node in subterms(found) if isinstance(node, Symbol)}
    leaves = {node for node in subterms(term) if not isinstance(node, Apply)}
    values = {leaf for leaf in leaves if leaf.sort.is_enumeration and isinstance(leaf, Literal)}
    if symbols != {leaf for leaf in leaves if isinstance(leaf, Symbol)} or not values <= said:
        return False
    return len(tokens) == fold(term, _occurrences)


def _occurrences(node: Term, below: Sequence[int]) -> int:
    """How many variables and values stand in a term."""
    if isinstance(node, Literal):
        return int(node.sort.is_enumeration)
    return sum(below) if isinstance(node, Apply) else 1
