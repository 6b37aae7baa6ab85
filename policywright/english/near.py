"""Known phrases that resemble words that were not understood."""

from __future__ import annotations

from dataclasses import dataclass

from policywright.english.phrasebook import Entry, phrasebook
from policywright.model import PolicyModel
from policywright.terms import Apply, Literal, Term

MAX_SHOWN = 3
MIN_SCORE = 55
MAX_WORDS = 200


@dataclass(frozen=True, slots=True)
class NearPhrase:
    """A phrase and what it means: the variable's description, or its name where it has none."""

    text: str
    meaning: str
    term: Term


def near_phrases(words: str, model: PolicyModel) -> tuple[NearPhrase, ...]:
    """The phrases most like some words, the best first; in the model's order where equal.

    None for what is a phrase itself: then it is not the words that were not understood.
    """
    from rapidfuzz import fuzz
    from rapidfuzz.utils import default_process

    if phrasebook(model).find_quoted(words):
        return ()
    wanted = default_process(words[:MAX_WORDS])
    scored: list[tuple[float, Entry]] = []
    for entry in phrasebook(model).entries:
        if not entry.shown:
            continue
        text = default_process(entry.text)
        score = max(fuzz.ratio(wanted, text), fuzz.token_sort_ratio(wanted, text))
        if score >= MIN_SCORE:
            scored.append((score, entry))
    scored.sort(key=lambda pair: -pair[0])
    return tuple(
        NearPhrase(entry.text, _meaning(model, entry.terms[0]), entry.terms[0])
        for _, entry in scored[:MAX_SHOWN]
    )


def _meaning(model: PolicyModel, term: Term) -> str:
    if isinstance(term, Apply):
        return f"not: {_meaning(model, term.args[0])}"
    if isinstance(term, Literal):
        datatype = model.datatype_by_id[term.sort.key]
        return f"a value of {datatype.description or datatype.name}"
    declared = model.declared(term.id)
    return declared.description or declared.name
