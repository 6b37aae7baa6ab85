"""A scenario in English, read back by the grammar of rules and without a model.

    Given that the cost is EUR 1,000 and the trip is international; suppose that the trip
    is approved: the booking is allowed.

What stands before the colon gives each variable one value, what stands behind it is what
is expected: a condition, that the document leaves it open, that the case can or cannot be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from policywright.english import render_term
from policywright.english.cases import SeveralCasesError, moved, read_case, readings_of
from policywright.english.joints import RuleNotReadError
from policywright.english.phrases import draft_phrases
from policywright.english.places import Word
from policywright.english.render import render_value
from policywright.evaluate import Value
from policywright.findings import FindingKind
from policywright.model import PolicyModel
from policywright.normal import normal_form
from policywright.scenarios.scenario import Scenario
from policywright.scenarios.sentences import say_quoted, settled
from policywright.sorts import BOOL
from policywright.terms import Term, symbols

MAX_LENGTH = 20_000
MAX_SPLITS = 12
FORM = "Given that ... and ...: ..."

_QUOTED = re.compile('"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
_COLON = re.compile(r":(?=\s|$)")
_SUPPOSE = re.compile(r"[;,]?\s*(?:\band\s+)?\b(?:suppose|assume)(?:\s+that)?\s+", re.IGNORECASE)
_GIVEN = re.compile(r"\s*(?:given(?:\s+that)?|if|when|where)\b\s*", re.IGNORECASE)
_WHATEVER = re.compile(
    r"\s*(?:whatever the (?:facts|case)|in (?:any|every) case)\s*", re.IGNORECASE
)
_CASE = r"\s*(?:this|the)\s+case\s+"
_CAN = re.compile(_CASE + r"(?:can|may)\s+(?:occur|happen)\s*\.?\s*", re.IGNORECASE)
_CANNOT = re.compile(
    _CASE + r"(?:cannot|can\s+not|can['’]t)\s+(?:occur|happen)\s*\.?\s*", re.IGNORECASE
)
_OPEN = re.compile(
    r"\s*(?:(?:the (?:document|policy)|it) leaves (?:it )?open|nothing follows about"
    r"|the (?:document|policy) does not (?:say|decide))(?P<whether>\s+whether)?\s*",
    re.IGNORECASE,
)

_BEGINS = re.compile(r"\s*(?:given|suppose|whatever)\s", re.IGNORECASE)
_FRAME = re.compile(r"\b(?:(?:given|suppose)(?:\s+that)?|whatever|whether)\s+|:\s+", re.IGNORECASE)


@dataclass(frozen=True)
class _Piece:
    """`text` stands at `start` in what was given."""

    text: str
    start: int


@dataclass(frozen=True)
class _Split:
    """A text taken apart: what is given (None for nothing), what is supposed, what is expected."""

    given: _Piece | None
    supposed: _Piece | None
    expected: _Piece


def read_scenario(text: str, model: PolicyModel) -> Scenario:
    """The scenario that a text says, as `settled` gives it.

    Raises RuleNotReadError with the words that were not understood, or SeveralCasesError
    with each reading as a whole sentence.
    """
    if len(text) > MAX_LENGTH:
        raise RuleNotReadError(f"the text is longer than {MAX_LENGTH:,} characters; split it")
    if not text.strip():
        raise RuleNotReadError(f"the text is empty; write `{FORM}`")
    found: list[Scenario] = []
    problem: RuleNotReadError | None = None
    for split in splits(text):
        try:
            one = _read(split, model)
        except SeveralCasesError as error:
            raise _whole(error, split, model, text) from None
        except RuleNotReadError as error:
            problem = problem or error
        else:
            found += [one] if one not in found else []
    if not found:
        raise problem or _no_form(text)
    if len(found) > 1:
        raise SeveralCasesError([say_quoted(model, one) for one in found])
    return found[0]


def splits(text: str) -> list[_Split]:
    """Every way to take a text apart at a colon and before `suppose`; none within quotes."""
    hidden = _hidden(text)
    ways: list[_Split] = []
    for colon in _COLON.finditer(hidden):
        expected = _Piece(text[colon.end() :], colon.end())
        for given, supposed in _heads(hidden, colon.start()):
            ways.append(_Split(_piece(text, given), _piece(text, supposed), expected))
        if len(ways) > MAX_SPLITS:
            reason = "this can be read in very many ways; put phrases in quotation marks"
            raise RuleNotReadError(reason)
    return ways


_Span = tuple[int, int] | None


def cuts(text: str) -> tuple[int, int]:
    """How many colons and how many `suppose` a text has at which it may be taken apart."""
    hidden = _hidden(text)
    return len(_COLON.findall(hidden)), len(_SUPPOSE.findall(hidden))


def clause_begun(before: str) -> str:
    """Of a half-written scenario what stands behind its frame; any other text as it is."""
    if not _BEGINS.match(before):
        return before
    return before[max(found.end() for found in _FRAME.finditer(_hidden(before))) :]


def is_frame(claim: str) -> bool:
    """Whether a claim, as it is said, would be taken for words of the sentence around it."""
    return any(one.match(claim) for one in (_CAN, _CANNOT, _OPEN))


def _hidden(text: str) -> str:
    """The text without what stands in quotation marks, as long as it was."""
    return _QUOTED.sub(lambda found: "_" * len(found.group()), text)


def _heads(hidden: str, end: int) -> Iterator[tuple[_Span, _Span]]:
    """Where what is given and what is supposed stand before a colon, each way."""
    given = _GIVEN.match(hidden, 0, end)
    whatever = _WHATEVER.match(hidden, 0, end)
    supposes = list(_SUPPOSE.finditer(hidden, 0, end))
    start = given.end() if given else whatever.end() if whatever else 0
    for found in supposes[:MAX_SPLITS]:
        before = hidden[start : found.start()]
        if given and before.strip():
            yield (start, found.start()), (found.end(), end)
        elif not given and not before.strip():
            yield None, (found.end(), end)
    if given:
        yield (start, end), None
    elif whatever and whatever.end() == end:
        yield None, None


def _piece(text: str, span: _Span) -> _Piece | None:
    return _Piece(text[span[0] : span[1]], span[0]) if span else None


def _read(split: _Split, model: PolicyModel) -> Scenario:
    facts: dict[str, Value] = {}
    for piece in (split.given, split.supposed):
        if piece is None:
            continue
        found = _case_of(piece, model)
        for uid in facts.keys() & found.keys():
            variable = model.variable_by_id[uid]
            values = {render_value(model, variable, one[uid]): None for one in (facts, found)}
            shown = " and ".join(values)
            raise RuleNotReadError(
                f"`{draft_phrases(variable).text}` is given twice: {shown}; give it once",
                [_word(piece)],
            )
        facts.update(found)
    claim, expected = _expected(split.expected, model)
    for symbol in symbols(claim) if claim is not None else ():
        if symbol.id in facts:
            name = draft_phrases(model.declared(symbol.id)).text
            about = f"whether {name}" if symbol.sort == BOOL else f"what {name} is"
            raise RuleNotReadError(
                f"{about} is given already; say what follows for something else",
                [_word(split.expected)],
            )
    if claim is None and not facts:
        raise RuleNotReadError("a case has at least one fact; say what is given", [])
    return settled(Scenario(facts, claim, expected))


def _case_of(piece: _Piece, model: PolicyModel) -> dict[str, Value]:
    try:
        return read_case(piece.text, model)
    except RuleNotReadError as error:
        raise moved(error, piece.start) from None


def _expected(piece: _Piece, model: PolicyModel) -> tuple[Term | None, FindingKind]:
    if _CANNOT.fullmatch(piece.text):
        return None, FindingKind.IMPOSSIBLE
    if _CAN.fullmatch(piece.text):
        return None, FindingKind.SATISFIABLE
    opened = _OPEN.match(piece.text)
    if opened and not opened["whether"]:
        reason = "say what is open: `the document leaves open whether ...`"
        raise RuleNotReadError(reason, [_word(piece)])
    if opened:
        rest = _Piece(piece.text[opened.end() :], piece.start + opened.end())
        return _claim(rest, model), FindingKind.SATISFIABLE
    return _claim(piece, model), FindingKind.VALID


def _claim(piece: _Piece, model: PolicyModel) -> Term:
    if not piece.text.strip(" \t\r\n."):
        raise RuleNotReadError("behind the colon stands what follows; say it", [])
    try:
        terms = dict.fromkeys(normal_form(one.term) for one in readings_of(piece.text, model))
    except RuleNotReadError as error:
        raise moved(error, piece.start) from None
    if len(terms) > 1:
        raise SeveralCasesError([render_term(model, term) for term in terms])
    (term,) = terms
    if not symbols(term):
        raise RuleNotReadError("what follows speaks of no variable; say which", [_word(piece)])
    return term


def _whole(
    error: SeveralCasesError, split: _Split, model: PolicyModel, text: str
) -> SeveralCasesError:
    """The readings of one piece, each set into the whole text."""
    for piece in (split.given, split.supposed, split.expected):
        if piece is None:
            continue
        try:
            if piece is split.expected:
                _expected(piece, model)
            else:
                read_case(piece.text, model)
        except SeveralCasesError as own:
            lead = len(piece.text) - len(piece.text.lstrip())
            before, behind = text[: piece.start + lead], text[piece.start + len(piece.text) :]
            end = "." if piece is split.expected else ""
            if piece is split.expected and (opened := _OPEN.match(piece.text)):
                before = text[: piece.start + opened.end()]
            return SeveralCasesError([f"{before}{one}{end}{behind}" for one in own.readings])
        except RuleNotReadError:
            continue
    return error


def _no_form(text: str) -> RuleNotReadError:
    hidden = _hidden(text)
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if not _COLON.search(hidden):
        at = _Piece(text[start:end], start)
        reason = f"a colon is missing between what is given and what follows: `{FORM}`"
        return RuleNotReadError(reason, [_word(at)])
    first = re.search(r"\S+", text)
    assert first is not None
    return RuleNotReadError(
        f"a scenario begins with what is given: `{FORM}`",
        [Word(first.start(), first.end(), first.group())],
    )


def _word(piece: _Piece) -> Word:
    """All of a piece but the white space around it."""
    text = piece.text.strip()
    start = piece.start + len(piece.text) - len(piece.text.lstrip())
    return Word(start, start + len(text), text)
