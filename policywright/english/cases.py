"""A case in English, and back: what is given of each variable, as clauses joined by `and`.

    the total trip cost is EUR 1,000, the trip is urgent and the destination is not ...

The clauses are those of rules, read by the grammar of rules. Each gives one variable one
value; what says less, or more, is refused with the words that say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from policywright.english.clauses import Conditions
from policywright.english.folding import phrase_key
from policywright.english.joints import RuleNotReadError
from policywright.english.lattice import Lattice, RuleToken
from policywright.english.layout import lay_out
from policywright.english.meanings import unknown_words
from policywright.english.mistakable import mistakable_terms, sayable_terms, says_plainly
from policywright.english.phrasebook import phrasebook
from policywright.english.phrases import draft_phrases, value_phrase
from policywright.english.places import Word
from policywright.english.render import render_value
from policywright.english.rule_parser import parse_lattice
from policywright.english.rule_terms import RuleTerms
from policywright.english.sayings import Sayings
from policywright.english.values import quantity_text
from policywright.english.words import join_words
from policywright.errors import SortError
from policywright.evaluate import Value
from policywright.model import PolicyModel, Variable
from policywright.normal import normal_form
from policywright.terms import Apply, Literal, Op, Symbol, Term, and_, eq, symbols

MAX_VALUES = 8
_BETWEEN = frozenset({"AND", "COMMA"})


class SeveralCasesError(RuleNotReadError):
    """A text that may mean several things; `readings` says each so that it has no other meaning."""

    def __init__(self, readings: Sequence[str]) -> None:
        super().__init__(f"this can be read in several ways: {'; or: '.join(readings)}")
        self.readings = tuple(readings)


@dataclass(frozen=True)
class TextReading:
    """One way to read a text: the term as it was written, and the pieces it was read from."""

    term: Term
    tokens: Sequence[RuleToken]


def say_case(model: PolicyModel, values: Mapping[str, Value], *, quoted: bool = False) -> str:
    """What is given, a clause a variable, in the model's order; read back it is the same case.

    Phrases that could be taken for something else stand in quotation marks: those that
    need it, or all of them (`quoted`). Empty for no values.
    """
    terms = [
        normal_form(eq(one.symbol, Literal(values[one.id], one.sort)))
        for one in model.variables
        if one.id in values
    ]
    if not terms:
        return ""
    whole = normal_form(and_(*terms))
    everything = sayable_terms(whole)
    text = _joined(model, terms, everything if quoted else frozenset())
    if quoted or says_plainly(model, whole, text) or _reads_as(text, model, values):
        return text
    text = _joined(model, terms, mistakable_terms(model, whole, text))
    return text if _reads_as(text, model, values) else _joined(model, terms, everything)


def quote_condition(model: PolicyModel, term: Term) -> str:
    """A condition with every phrase in quotation marks."""
    term = normal_form(term)
    return lay_out(Conditions(Sayings(model, sayable_terms(term))).block(term), "")


def read_case(text: str, model: PolicyModel) -> dict[str, Value]:
    """The values that a text gives, by variable id.

    Raises RuleNotReadError with the words that were not understood, or that give no
    value, and SeveralCasesError where a text gives different ones.
    """
    cases = _cases(text, model)
    if len(cases) > 1:
        raise SeveralCasesError([say_case(model, case) for case in cases])
    return cases[0]


def _reads_as(text: str, model: PolicyModel, values: Mapping[str, Value]) -> bool:
    try:
        return _cases(text, model) == [dict(values)]
    except RuleNotReadError:
        return False


def _cases(text: str, model: PolicyModel) -> list[dict[str, Value]]:
    """Each case that a text gives, at least one; readings that give no case do not count."""
    cases: list[dict[str, Value]] = []
    problem: RuleNotReadError | None = None
    for reading in readings_of(text, model):
        try:
            case = _case(model, reading)
        except RuleNotReadError as error:
            problem = problem or error
            continue
        if case not in cases:
            cases.append(case)
    if not cases:
        assert problem is not None
        raise problem
    return cases


def readings_of(text: str, model: PolicyModel) -> list[TextReading]:
    """Every way to read a text as a condition; raises RuleNotReadError if there is none.

    A number that has a unit is read only with it.
    """
    lattice = Lattice(text, phrasebook(model))
    if not lattice.words:
        raise RuleNotReadError("nothing stands here; say what is given")
    if not lattice.useful:
        raise _unknown_value(lattice, model) or unknown_words(lattice)
    found: list[TextReading] = []
    problem: RuleNotReadError | None = None
    for tree, tokens in parse_lattice(lattice):
        try:
            _need_units(model, tokens)
            terms = RuleTerms(model, tokens).read(tree)
        except RuleNotReadError as error:
            problem = problem or error
        except SortError:
            words = _words(text, tokens)
            reason = "this puts together what is of different kinds; give each a value of its own"
            problem = problem or RuleNotReadError(reason, words)
        else:
            found += [TextReading(term, tokens) for term in terms]
    if not found:
        assert problem is not None
        raise problem
    return found


def _joined(model: PolicyModel, terms: Sequence[Term], quoted: frozenset[Term]) -> str:
    conditions = Conditions(Sayings(model, quoted))
    return join_words([conditions.plain(term) or "" for term in terms])


def _case(model: PolicyModel, reading: TextReading) -> dict[str, Value]:
    given: dict[str, Value] = {}
    clauses = list(_clauses(reading))
    for term in clauses:
        variable, value = _given(model, reading, term)
        if variable.id in given:
            values = [render_value(model, variable, one) for one in (given[variable.id], value)]
            shown = " and ".join(dict.fromkeys(values))
            raise RuleNotReadError(
                f"`{draft_phrases(variable).text}` is given twice: {shown}; give it once",
                _clause_words(reading, term)[-1:],
            )
        given[variable.id] = value
    return given


def _clauses(reading: TextReading) -> Iterator[Term]:
    """The conditions that are joined by `and`, as often as they were written."""
    pending = [reading.term]
    while pending:
        term = pending.pop(0)
        if isinstance(term, Apply) and term.op is Op.AND:
            pending[:0] = term.args
        else:
            yield normal_form(term)


def _given(model: PolicyModel, reading: TextReading, term: Term) -> tuple[Variable, Value]:
    """The variable and the value that one clause gives it."""
    symbol, value = _equation(term)
    if symbol is None:
        raise RuleNotReadError(_no_value(model, term), _clause_words(reading, term)[:1])
    variable = model.variable_by_id.get(symbol.id)
    if variable is None:
        name = draft_phrases(model.declared(symbol.id)).text
        reason = f"`{name}` is a definition and follows from other facts; give those"
        raise RuleNotReadError(reason, _clause_words(reading, term)[:1])
    assert value is not None
    return variable, value


def _equation(term: Term) -> tuple[Symbol | None, Value | None]:
    if isinstance(term, Symbol):
        return term, True
    if isinstance(term, Apply) and term.op is Op.NOT and isinstance(term.args[0], Symbol):
        return term.args[0], False
    if isinstance(term, Apply) and term.op is Op.EQ:
        for one, other in (term.args, term.args[::-1]):
            if isinstance(one, Symbol) and isinstance(other, Literal):
                return one, other.value
    return None, None


def _no_value(model: PolicyModel, term: Term) -> str:
    if isinstance(term, Apply) and term.op in (Op.OR, Op.IMPLIES, Op.ITE):
        return "a scenario is one case; write one scenario for each of these"
    used = symbols(term)
    if len(used) != 1:
        return "this gives no variable a value; say what each one is"
    symbol = used[0]
    name = draft_phrases(model.declared(symbol.id)).text
    if symbol.sort.is_enumeration:
        return f"this leaves open what `{name}` is; give it one of its values"
    return f"this leaves open what `{name}` is; give it one value, as in `{name} is ...`"


def _clause_words(reading: TextReading, term: Term) -> list[Word]:
    """The clauses of the text that speak of a term's variables, each as one word."""
    wanted = set(symbols(term))
    found: list[Word] = []
    clause: list[RuleToken] = []
    for token in [*reading.tokens, None]:
        if token is not None and token.type not in _BETWEEN:
            clause.append(token)
            continue
        said = {s for one in clause for term_ in one.terms for s in symbols(term_)}
        if said & wanted:
            text = " ".join(one.text for one in clause if one.text)
            found.append(Word(clause[0].start, clause[-1].end, text))
        clause = []
    return found or _words("", reading.tokens)


def _words(text: str, tokens: Sequence[RuleToken]) -> list[Word]:
    """All that was read, as one word."""
    said = [token for token in tokens if token.text]
    if not said:
        return []
    start, end = said[0].start, said[-1].end
    return [Word(start, end, text[start:end] or " ".join(token.text for token in said))]


def _need_units(model: PolicyModel, tokens: Sequence[RuleToken]) -> None:
    """Refuse `the cost is 1000` where the cost is in EUR: nobody else would know of what."""
    for number, _, literal in zip(tokens, tokens[1:], tokens[2:], strict=False):
        quantity = literal.quantity
        if number.type != "NUMBER" or literal.type != "LITERAL" or quantity is None:
            continue
        declared = model.declared(symbols(number.terms[0])[0].id)
        unit = declared.unit if isinstance(declared, Variable) else ""
        if unit and unit not in ("date", "share", "percent") and not quantity.unit:
            wanted = quantity_text(quantity.value, unit)
            raise RuleNotReadError(
                f"`{literal.text}` needs its unit: write `{wanted}`", [literal.word]
            )


def _unknown_value(lattice: Lattice, model: PolicyModel) -> RuleNotReadError | None:
    """`the destination is nowhere`: the words are no value of that list."""
    for word in lattice.unknown():
        before = phrase_key(lattice.given[: word.start])
        for verb in (("is", "not"), ("is",)):
            if before[-len(verb) :] != verb:
                continue
            head = before[: -len(verb)]
            for variable in model.variables:
                key = phrase_key(draft_phrases(variable).text)
                if variable.sort.is_enumeration and head[-len(key) :] == key:
                    return RuleNotReadError(_not_of(model, variable, word), [word])
    return None


def _not_of(model: PolicyModel, variable: Variable, word: Word) -> str:
    values = [value_phrase(one) for one in model.datatype_by_id[variable.sort.key].values]
    shown = [f"`{value}`" for value in values[:MAX_VALUES]]
    more = f" and {len(values) - MAX_VALUES} more" if len(values) > MAX_VALUES else ""
    listed = f"{', '.join(shown)}{more}" if more else join_words(shown)
    name = draft_phrases(variable).text
    return f"`{word.text}` is no value of `{name}`; its values are {listed}"


def moved(error: RuleNotReadError, shift: int) -> RuleNotReadError:
    """The same refusal with its words where they stand in a longer text."""
    error.words = tuple(
        replace(word, start=word.start + shift, end=word.end + shift) for word in error.words
    )
    return error
