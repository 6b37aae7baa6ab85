"""What is well typed and yet is seldom what a sentence says; asked once, then left to a person.

A duty written as a fact makes its breach impossible instead of wrong. A list of
values without `OTHER` forces everything into one of them. Amounts in two units do
not meet, and words in another language do not read as English. A model may have
its reasons: what it sends again after it was asked is kept, with a remark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from policywright.english.words import word_set
from policywright.model import PolicyModel, Role, Rule
from policywright.sorts import BOOL
from policywright.terms import Apply, Literal, Op, Symbol, Term, symbols
from policywright.units import unit_problems
from translation.assembling import Assembled, TypedRule
from translation.pieces import Piece

ALWAYS_TRUE = (
    "it decides nothing, it only says how things are: is this always true, or a duty that "
    "someone can break? A duty makes an outcome false where it is not met"
)
UNCONDITIONAL = (
    "it decides an outcome for every case: is this always true, or a duty that someone can "
    "break? A duty, or a default, does not say so"
)
NO_OTHER = (
    "does the text say that there are no other values? If not, add `OTHER`; if several of them "
    "can hold at once, use a Bool for each"
)
NOT_ENGLISH = "its words are not English; say it in English"

# Words that sentences of other languages are full of, and English phrases are not:
# without those that are English words or names too (van, son, par, mit, per, la).
_FOREIGN = word_set(
    "der das dem den ist sind wurde wird nicht ein eine einer eines und oder von für über auf "
    "le les une des du est sont pas ou et avec pour dans elle aux sur qui "
    "el los las una es está con para que del por como "
    "gli uno sono è di della dello che dalla "
    "de het een niet zijn en heeft wordt "
    "uma não é são ao pela"
)
_LATIN = ("LATIN", "MICRO", "FEMININE", "MASCULINE")
_ENGLISH = word_set(
    "a an the is are was were has have had not of to in by at on for with from and or than be "
    "been may must can will does do did no any all each more less that this there it its as under "
    "over after before within until between"
)


def doubts(pieces: Sequence[Piece], made: Assembled) -> dict[Piece, str]:
    """For each accepted piece that is in doubt what is to be asked of it."""
    asked = [
        *((piece, question) for piece in pieces for question in _of_declaration(piece, made)),
        *((rule.piece, question) for rule in made.rules for question in _of_rule(rule, made.model)),
        *_of_units(made),
    ]
    found: dict[Piece, str] = {}
    for piece, question in asked:
        if piece not in made.refused:
            found[piece] = f"{found[piece]}; {question}" if piece in found else question
    return found


def _of_declaration(piece: Piece, made: Assembled) -> Iterator[str]:
    """Of what is new: what is declared already was asked about before."""
    words: list[str] = []
    if piece.kind == "datatype" and piece.name in made.datatypes:
        words = [value["phrase"] for value in piece.data["values"]]
        names = [value["name"] for value in piece.data["values"]]
        if not any(re.search(r"other|none", name, re.IGNORECASE) for name in names):
            yield NO_OTHER
    elif piece.kind == "variable" and piece.name in made.variables:
        words = [piece.data["phrase"], piece.data["negative"]]
    if any(_is_foreign(text) for text in words):
        yield NOT_ENGLISH


def _of_rule(rule: TypedRule, model: PolicyModel) -> Iterator[str]:
    """Each part of a rule must say something of an outcome, and not of all cases alike."""
    roles = {one.id: one.role for one in model.variables}
    asked = [_of_part(part, roles) for part in _parts(rule.term)]
    yield from dict.fromkeys(question for question in asked if question)


def _of_part(term: Term, roles: Mapping[str, Role]) -> str:
    # A definition may rest on outcomes, and is taken for one.
    if Role.OUTCOME in (roles.get(one.id, Role.OUTCOME) for one in symbols(term)):
        return UNCONDITIONAL if _is_literal(term) else ""
    decided = [roles.get(one.id) for one in symbols(_concluded(term))]
    return "" if Role.DERIVED in decided else ALWAYS_TRUE


def _parts(term: Term) -> Iterator[Term]:
    if isinstance(term, Apply) and term.op is Op.AND:
        for part in term.args:
            yield from _parts(part)
    else:
        yield term


def _concluded(term: Term) -> Term:
    while isinstance(term, Apply) and term.op is Op.IMPLIES:
        term = term.args[-1]
    return term


def _is_literal(term: Term) -> bool:
    """A Bool as it is, negated, or compared with true or false."""
    if isinstance(term, Apply) and term.op is Op.NOT:
        return _is_literal(term.args[0])
    if isinstance(term, Apply) and term.op is Op.EQ and term.args[0].sort == BOOL:
        return any(isinstance(arg, Literal) for arg in term.args)
    return isinstance(term, Symbol)


def _of_units(made: Assembled) -> Iterator[tuple[Piece, str]]:
    """Amounts that are counted in different units, in the words of the units' own check."""
    numbered = {str(number): rule for number, rule in enumerate(made.rules)}
    model = PolicyModel(
        datatypes=made.model.datatypes,
        variables=made.model.variables,
        definitions=made.model.definitions,
        rules=tuple(Rule(number, rule.name, rule.term) for number, rule in numbered.items()),
    )
    for problem in unit_problems(model):
        if problem.rule_id in numbered:
            rule = numbered[problem.rule_id]
            yield rule.piece, problem.message.removeprefix(f"rule `{rule.name}` ")


def _is_foreign(text: str) -> bool:
    """Letters of another script, or more of another language's small words than of ours."""
    letters = (letter for letter in text if letter.isalpha() and not letter.isascii())
    if any(not unicodedata.name(letter, "").startswith(_LATIN) for letter in letters):
        return True
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    return len(words & _FOREIGN) > len(words & _ENGLISH)
