"""What a text in the form of a rule is read as, and what the form's buttons do to it.

A form goes to the same address until its text is understood: read it, put a known
phrase in the place of words, choose a reading, declare a new fact from words. Only
a text whose reading was shown is saved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from policies.access import MemberRequest
from policies.models import Policy
from vetting.declarations import declare_variable
from vetting.english import fact_from_words
from vetting.forms import VariableForm
from vetting.own_scenarios import ProposedScenario
from vetting.proposed import Proposed
from vetting.reading import pieces
from vetting.refusals import (
    AmbiguousError,
    Choice,
    MovedError,
    NotSeenError,
    NotUnderstoodError,
    ReadingError,
    RefusedError,
    Unknown,
)
from vetting.views.cards import as_sentence, edges_shown
from vetting.written import Language, Written, tidy

# No reading has this hash, so a form without one is read and not saved.
NOT_SEEN = "not seen"
# Words of the text are quoted as words; code is for names.
_QUOTED = re.compile(r"`([^`]*)`")
Propose = Callable[[Written], Proposed | ProposedScenario]


@dataclass
class Reading:
    """What the page says of a text. One of `proposed`, `choices`, `unknown`, `refusal` speaks.

    `changed` says that the text is no longer what the form held. `declares` is the
    small form for a new fact, `declared` what it just declared.
    """

    written: Written
    changed: bool = False
    proposed: Proposed | ProposedScenario | None = None
    edges: Sequence[dict[str, Any]] = ()
    choices: Sequence[Choice] = ()
    telling_case: str = ""
    reason: str = ""
    marked: Sequence[dict[str, Any]] = ()
    unknown: Sequence[dict[str, Any]] = ()
    refusal: Sequence[str] = ()
    note: str = ""
    declared: str = ""
    declares: VariableForm | None = None

    @property
    def language(self) -> Language:
        return self.written.language


def text_of(request: MemberRequest) -> Written:
    """The text as it was typed."""
    data = request.POST
    if "smtlib" in data:
        return Written(Language.SMTLIB, data["smtlib"])
    return Written(Language.ENGLISH, data.get("english", ""))


def note_on(refusal: ReadingError | None) -> str:
    """What the reading does not say by itself of why its text was not saved."""
    return as_sentence(str(refusal)) if isinstance(refusal, NotSeenError) else ""


def read_text(request: MemberRequest, policy: Policy, propose: Propose, note: str = "") -> Reading:
    """Do what the form's button asks of its text, then read it.

    MovedError is passed on: what the form showed is no longer what there is.
    """
    reading = Reading(text_of(request), note=note)
    try:
        _amend(request, policy, reading)
    except RefusedError as error:
        reading.note = as_sentence(str(error))
    read_into(reading, propose)
    if reading.declares is not None and (reading.proposed or reading.choices):
        reading.declares = None  # what is understood needs no new fact
    return reading


def _amend(request: MemberRequest, policy: Policy, reading: Reading) -> None:
    data, typed = request.POST, reading.written.text
    if reading.language is Language.ENGLISH:
        text = tidy(typed)
        if "replace" in data:
            text = _replaced(text, data["replace"])
        elif "use" in data:
            text = tidy(data["use"])
        reading.written = Written(Language.ENGLISH, text)
        reading.changed = text != tidy(typed)
    if "declare-from" in data:
        new = fact_from_words(policy, data["declare-from"])
        reading.declares = _fact_form(policy, initial=new)
    elif "declare" in data:
        _declare(request, policy, reading)
    elif data.get("new-name") and "leave" not in data:
        reading.declares = _fact_form(policy, initial=_typed_fact(data))


def _declare(request: MemberRequest, policy: Policy, reading: Reading) -> None:
    form = _fact_form(policy, request.POST)
    if form.is_valid():
        try:
            made = declare_variable(policy, request.user, form.new_variable())
        except RefusedError as error:
            form.add_error(None, as_sentence(str(error)))
        else:
            reading.declared = made.phrase or made.name
            return
    reading.declares = form


def _fact_form(policy: Policy, data: Any = None, initial: Any = None) -> VariableForm:
    return VariableForm(
        data,
        policy=policy,
        initial=initial,
        prefix="new",
        use_required_attribute=False,
        field_order=["phrase", "negative_phrase", "name", "unit", "sort", "role", "description"],
    )


def _typed_fact(data: Any) -> dict[str, str]:
    return {name: data.get(f"new-{name}", "") for name in VariableForm.base_fields}


def _replaced(text: str, button: str) -> str:
    """The text with a phrase in the place of words; RefusedError if the words moved."""
    try:
        given = json.loads(button)
        start, words, phrase = int(given["start"]), str(given["words"]), str(given["phrase"])
    except (ValueError, TypeError, KeyError) as error:
        raise RefusedError("choose one of the phrases that are offered.") from error
    end = start + len(words)
    if start < 0 or text[start:end] != words:
        raise RefusedError("the text changed since it was read; here it is, read again.")
    return text[:start] + phrase + text[end:]


def read_into(reading: Reading, propose: Propose) -> None:
    """Read the text that a reading holds, and put into it what came of that."""
    try:
        reading.proposed = propose(reading.written)
    except MovedError:
        raise
    except NotUnderstoodError as error:
        reading.reason = _QUOTED.sub(r"‘\1’", as_sentence(str(error)))
        reading.unknown = list(_unknown_shown(error.unknown))
        reading.marked = _marked(reading.written.text, error.unknown)
    except AmbiguousError as error:
        reading.choices, reading.telling_case = error.readings, error.telling_case
    except RefusedError as error:
        reading.refusal = [as_sentence(line) for line in str(error).splitlines()]
    else:
        proposed = reading.proposed
        reading.edges = edges_shown(proposed.composition.model, proposed.edges)


def _unknown_shown(unknown: Sequence[Unknown]) -> Iterator[dict[str, Any]]:
    """Each with its number; its phrases as buttons, the first nine on the digits."""
    key = 0
    for number, one in enumerate(unknown, start=1):
        phrases = []
        for near in one.near:
            key += 1
            button = {"start": one.start, "words": one.words, "phrase": near.phrase}
            phrases.append(
                {
                    "phrase": near.phrase,
                    "meaning": near.meaning,
                    "button": json.dumps(button),
                    "key": str(key) if key < 10 else "",
                }
            )
        yield {"number": number, "words": one.words, "fact": one.fact, "phrases": phrases}


def _marked(text: str, unknown: Sequence[Unknown]) -> list[dict[str, Any]]:
    cut = pieces(text, [(one.start, one.end) for one in unknown])
    number, shown = 0, []
    for piece in cut:
        number += piece.marked
        shown.append({"text": piece.text, "number": number if piece.marked else 0})
    return shown
