"""Policy units as a model would return them, of any number; the same each time.

The rules are those of `synthetic.py`, with names and phrases in words, said in
structured English as the sentences of a document, three or four a section. A reply
states each sentence with its quote, declares what it was not shown, and leans on
what it was. Nothing of it was ever written by a model.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.synthetic import Synthetic
from policywright.english import render_sentence
from policywright.model import Datatype, Phrases, PolicyModel, Role, Rule, Value, Variable
from policywright.normal import negate
from policywright.smtlib import print_term
from policywright.sorts import BOOL
from policywright.terms import Apply, Op, Term, and_, implies, not_, symbols

_WHOSE = (
    "employee customer contractor supplier visitor tenant student agent patient member driver "
    "lender borrower trustee guest resident pilot nurse teacher auditor broker farmer author heir"
)
_THINGS = (
    "trip claim invoice contract device account course booking grant vehicle parcel loan permit "
    "lease refund warranty shift licence delivery deposit garden ticket voucher archive"
)
_PARTS = (
    "cost length notice fee weight deadline size value share rate age distance duty balance count "
    "penalty margin surcharge reserve quota"
)
_DONE = (
    "approved signed reviewed cancelled insured inspected renewed paid reported sealed refused "
    "audited printed translated archived witnessed"
)
_KINDS = (
    "plain urgent foreign domestic seasonal public private shared rented owned digital printed "
    "partial final early late single joint open sealed"
)
WHOSE, THINGS, PARTS, DONE, KINDS = (
    words.split() for words in (_WHOSE, _THINGS, _PARTS, _DONE, _KINDS)
)


# So many rules in a row decide the same outcome.
AN_OUTCOME = 8


@dataclass(frozen=True)
class MadeSentence:
    text: str
    rule: Rule


@dataclass(frozen=True)
class MadeUnit:
    """A section of the document: its title, and a rule for each sentence."""

    title: str
    sentences: tuple[MadeSentence, ...]


@dataclass(frozen=True)
class MadePolicy:
    """All units, and the model that they come from, by the names that the sentences mean."""

    model: PolicyModel
    units: tuple[MadeUnit, ...]

    def document(self) -> str:
        """The units as Markdown, a section each."""
        sections = (
            f"## {unit.title}\n\n" + "\n\n".join(one.text for one in unit.sentences)
            for unit in self.units
        )
        return "# Handbook\n\n" + "\n\n".join(sections) + "\n"

    def statement(self, number: int, made: MadeSentence, declared: Collection[str]) -> Any:
        """What a model says of a sentence when it was shown these names."""
        used = [self.model.variable_by_id[symbol.id] for symbol in symbols(made.rule.term)]
        new = [variable for variable in used if variable.name not in declared]
        sorts = {variable.sort.key for variable in used if variable.sort.is_enumeration}
        datatypes = [d for d in self.model.datatypes if d.id in sorts and d.name not in declared]
        return {
            "sentence": number,
            "quote": made.text,
            "formalizable": True,
            "reason": "",
            "datatypes": [_datatype(datatype) for datatype in datatypes],
            "variables": [_variable(variable, self.model) for variable in new],
            "rules": [{"name": made.rule.name, "smtlib": self.smtlib(made.rule.term)}],
            "open": [],
        }

    def smtlib(self, term: Term) -> str:
        return " ".join(print_term(self.model, term).split())


def make_policy(rules: int, *, seed: int = 1, a_unit: Sequence[int] = (3, 4)) -> MadePolicy:
    """About `rules` rules: where two would be said in the same words, one is left out."""
    made = Synthetic(rules, seed)
    chance = random.Random(f"words-{seed}")
    names = _names(chance)
    datatypes = tuple(_named_datatype(one, next(names), chance) for one in made.datatypes)
    outcomes = [
        Variable(f"outcome{number}", "", BOOL, Role.OUTCOME)
        for number in range(0, len(made.rules), AN_OUTCOME)
    ]
    variables = [_named_variable(one, next(names), chance) for one in (*made.variables, *outcomes)]
    decided = [
        replace(rule, term=_deciding(rule.term, outcomes[number // AN_OUTCOME]))
        for number, rule in enumerate(made.rules)
    ]
    model = PolicyModel(datatypes, tuple(variables), (), tuple(decided))
    said = {" ".join(render_sentence(model, rule.term).split()): rule for rule in decided}
    sentences = [MadeSentence(text, rule) for text, rule in said.items()]
    units = []
    while sentences:
        size = chance.choice(a_unit)
        title = f"{chance.choice(WHOSE).title()}s and {chance.choice(THINGS)}s"
        units.append(MadeUnit(f"{title} {len(units) + 1}", tuple(sentences[:size])))
        del sentences[:size]
    return MadePolicy(model, tuple(units))


def _deciding(term: Term, outcome: Variable) -> Term:
    """The rule as a duty: where it does not hold, the outcome is false."""
    if isinstance(term, Apply) and term.op is Op.IMPLIES:
        condition, consequence = term.args
        return implies(and_(condition, negate(consequence)), not_(outcome.symbol))
    return implies(negate(term), not_(outcome.symbol))


def _names(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """No two alike."""
    every = [(w, t, p) for w in WHOSE for t in THINGS for p in PARTS]
    chance.shuffle(every)
    yield from every


def _named_variable(
    variable: Variable, words: tuple[str, str, str], chance: random.Random
) -> Variable:
    whose, thing, part = words
    name = f"{whose}{thing.title()}{part.title()}"
    if variable.sort == BOOL:
        clause = f"the {part} of the {thing} of the {whose} is {chance.choice(DONE)}"
        phrases = Phrases(clause, clause.replace(" is ", " is not "))
        description = f"whether {clause}"
    else:
        phrases = Phrases(f"the {part} of the {thing} of the {whose}")
        description = f"the {part} of a {thing}, as the {whose} reports it"
    return replace(variable, name=name, description=description, phrases=phrases)


def _named_datatype(
    datatype: Datatype, words: tuple[str, str, str], chance: random.Random
) -> Datatype:
    name = "".join(word.title() for word in words) + "Kind"
    kinds = chance.sample(KINDS, len(datatype.values))
    values = tuple(
        Value(value.id, kind.upper(), kind)
        for value, kind in zip(datatype.values, kinds, strict=True)
    )
    values += (Value(f"{datatype.id}-other", "OTHER", "another kind"),)
    return Datatype(datatype.id, name, values, f"kinds of {words[2]} of a {words[1]}")


def _datatype(datatype: Datatype) -> dict[str, Any]:
    return {
        "name": datatype.name,
        "description": datatype.description,
        "values": [{"name": value.name, "phrase": value.phrase} for value in datatype.values],
    }


def _variable(variable: Variable, model: PolicyModel) -> dict[str, Any]:
    datatype = model.datatype_by_id.get(variable.sort.key)
    return {
        "name": variable.name,
        "sort": variable.sort.key if datatype is None else datatype.name,
        "role": variable.role.value,
        "unit": variable.unit,
        "description": variable.description,
        "phrase": variable.phrases.text,
        "negative": variable.phrases.negative,
    }
