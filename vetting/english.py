"""Structured English between a page and `policywright.english`: reading, new facts, completion.

The reader is the grammar's; here its findings become refusals that a page can show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from policies.composing import compose_declarations
from policies.models import Policy
from policywright.english import draft_phrases, render_case
from policywright.english.completion import completions
from policywright.english.near import NearPhrase
from policywright.english.new_fact import new_fact
from policywright.english.phrase_problems import phrase_problems
from policywright.english.read_rule import Ambiguous, Understood, read_rule
from policywright.english.templates import spellings
from policywright.english.words import capitalise
from policywright.evaluate import holds
from policywright.model import PolicyModel
from policywright.scenarios.reading import clause_begun
from policywright.sorts import BOOL
from policywright.terms import Term, symbols
from vetting.refusals import AmbiguousError, Choice, Near, NotUnderstoodError, Unknown

MAX_UNKNOWN = 12
MAX_NEAR = 3
MAX_SHOWN = 8
MAX_FACT = 200
# What may stand between the two halves of a clause that nobody declared yet.
_VERB = re.compile(r" +(is|are|was|were|has|have)( not)? +")


def read_english(text: str, model: PolicyModel) -> Term:
    """The one condition that a text says.

    Raises NotUnderstoodError with the exact words, or AmbiguousError with the
    readings and a case that tells the first two apart.
    """
    found = read_rule(text, model)
    if isinstance(found, Understood):
        return found.term
    if isinstance(found, Ambiguous):
        case = found.telling_case
        choices = tuple(
            Choice(one.english, bool(case) and holds(one.term, case or {}, model))
            for one in found.readings
        )
        raise AmbiguousError(choices, render_case(model, case) if case else "")
    near = [*found.near, *[()] * len(found.words)]
    unknown = [
        Unknown(word.start, word.end, word.text, tuple(near_shown(one, model) for one in phrases))
        for word, phrases in zip(found.words, near, strict=False)
    ]
    raise NotUnderstoodError(found.reason, joined(text, unknown))


def near_shown(near: NearPhrase, model: PolicyModel) -> Near:
    """A phrase with what it means, where that says more than the phrase itself."""
    used = symbols(near.term)
    said = draft_phrases(model.declared(used[0].id)).text if used else near.text
    meaning = near.meaning.removeprefix("not: ").rstrip(".")
    if meaning.lower() in (said.lower(), f"whether {said}".lower()):
        return Near(near.text)
    is_opposite = meaning != near.meaning.rstrip(".")
    return Near(near.text, f"the opposite of: {meaning}" if is_opposite else meaning)


def joined(text: str, unknown: list[Unknown]) -> tuple[Unknown, ...]:
    """The unknown words, those with nothing but spaces between them as one.

    The words of a new fact span two of them with a verb between: of ‘the traveller
    is a contractor’ the reader knows ‘is’ alone.
    """
    found: list[Unknown] = []
    for one in sorted(unknown, key=lambda word: word.start):
        last = found[-1] if found else None
        if last is not None and not text[last.end : one.start].strip(" "):
            near = tuple(dict.fromkeys((*last.near, *one.near)))[:MAX_NEAR]
            found[-1] = Unknown(last.start, one.end, text[last.start : one.end], near)
        else:
            found.append(one)
    return tuple(_with_facts(text, found[:MAX_UNKNOWN]))


def _with_facts(text: str, unknown: list[Unknown]) -> Iterator[Unknown]:
    """Each with the words that a new fact would be made of; none for the second half of one."""
    halved = False
    for one, following in zip(unknown, [*unknown[1:], None], strict=True):
        begins = following is not None and _VERB.fullmatch(text[one.end : following.start])
        end = following.end if following is not None and begins else one.end
        yield replace(
            one, fact="" if halved or not _may_be_said(one.words) else text[one.start : end]
        )
        halved = bool(begins) and not halved


def _may_be_said(words: str) -> bool:
    """Whether something new could be said in these words: not what rules are made of."""
    return words[:1].isalpha() and words.lower() not in {words for _, words in spellings()}


@dataclass(frozen=True)
class Completion:
    """A phrase for where the caret is; its first `typed` characters stand before it already."""

    text: str
    typed: int


def complete(policy: Policy, before: str) -> tuple[Completion, ...]:
    """A few phrases that may go on from a text up to the caret, the likeliest first.

    The text is a rule or a scenario, half written.
    """
    model, before = compose_declarations(policy), clause_begun(before)
    found = completions(before, len(before), model)[:MAX_SHOWN]
    return tuple(Completion(phrase, _overlap(before, phrase)) for phrase in found)


def fact_from_words(policy: Policy, words: str) -> dict[str, str]:
    """A first declaration of what the words say, for its form."""
    new = new_fact(words[:MAX_FACT], compose_declarations(policy))
    about = f"Whether {new.phrases.text}." if new.sort == BOOL else capitalise(new.phrases.text)
    return {
        "name": new.name,
        "sort": new.sort.key,
        "role": new.role.value,
        "phrase": new.phrases.text,
        "negative_phrase": new.phrases.negative,
        "description": about if new.phrases.text else "",
    }


def phrase_warnings(model: PolicyModel) -> dict[str, tuple[str, ...]]:
    """Sentences on phrases that a reader could mistake, by the id of what they are said of."""
    found: dict[str, tuple[str, ...]] = {}
    for problem in phrase_problems(model):
        for uid in problem.ids:
            found[uid] = (*found.get(uid, ()), problem.message)
    return found


def _overlap(before: str, phrase: str) -> int:
    """How many characters of the phrase stand before the caret already, from a word's start."""
    lower, wanted = before.lower(), phrase.lower()
    for length in range(min(len(lower), len(wanted)), 0, -1):
        start = len(lower) - length
        if lower.endswith(wanted[:length]) and not lower[start - 1 : start].isalnum():
            return length
    return 0
