"""When something happens, counted from or to something else: days before, days after.

`You cancel at least 30 days before the first day` compares the time from the
moment you cancel until the first day; what happens afterwards is counted the
other way. Months and years have no fixed length: whether the last day of
`within one month` counts is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from policywright.english.drafts import QuestionKind
from policywright.english.facts import read_clause
from policywright.english.lexemes import Lexeme
from policywright.english.measures import Range, literal
from policywright.english.nouns import NotUnderstoodError, Noun
from policywright.english.parse import Node
from policywright.english.sizes import Sizes
from policywright.english.trees import child, lexemes_of, noun_of, range_tree, subtrees, text_of
from policywright.english.verbs import agreeing
from policywright.sorts import INT, REAL
from policywright.terms import Symbol, Term, ge, gt, le, lt, real

_COMPARED = {
    "before": lt, "after": gt, "on or before": le, "on or after": ge, "no later than": le,
    "not later than": le,
}  # fmt: skip


class Timing:
    """Reads `timing` of the grammar, said of an event that is given as a clause."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes

    def event(self, tree: Node) -> str:
        """The clause of what happens: `you cancel`, `the claim is filed`."""
        check_timed(lexemes_of(tree))
        if tree.data == "event_plain":
            return read_clause(lexemes_of(tree))[0]
        who, what = subtrees(tree)
        noun = noun_of(who)
        noun = noun if noun.is_definite else noun.one
        verb = next(x for x in tree.children if isinstance(x, Lexeme))
        return f"{noun.full} {agreeing(verb.text, noun)} {text_of(what)}"

    def of_event(self, clause: str, tree: Node) -> Term:
        """That the time between the event and the other day is as `tree` says."""
        return self.holds(tree, f"the moment {clause}", clause)

    def of_noun(self, noun: Noun, tree: Node) -> Term:
        """The same of a noun: `the request is more than 60 days after the flight`."""
        return self.holds(tree, noun.full, noun.full)

    def holds(self, tree: Node, start: str, end: str) -> Term:
        if tree.data == "timing_date":
            return self.on_date(tree, end)
        anchor = noun_of(child(tree, "words"))
        before = any(x.type == "BEFORE" for x in tree.children if isinstance(x, Lexeme))
        if before and not any(x.text.lower() == "before" for x in lexemes_of(tree)):
            # `until` and `prior to` may say something else of the time.
            raise NotUnderstoodError("from when to when", [x.word for x in lexemes_of(tree)])
        name = (
            f"the time from {start} until {anchor.full}"
            if before
            else f"the time from {anchor.full} until {end}"
        )
        time = next(x for x in lexemes_of(tree) if x.quantity)
        if tree.data == "timing_within":
            return self.at_most(name, time)
        if tree.data == "timing_latest":
            # Not later than 3 days before is 3 days before or earlier.
            if not before:
                return self.at_most(name, time)
            symbol = self.symbol(name, time)
            assert time.quantity is not None
            return ge(symbol, literal(time.quantity, symbol.sort))
        found = range_tree(tree)
        assert found is not None
        range_ = Range(found)
        if range_.quantity.kind != "TIME":
            raise NotUnderstoodError("from when to when", [x.word for x in lexemes_of(tree)])
        symbol = self.symbol(name, range_.lexeme)
        if before and "up" in range_.bound_words:
            # Up to 3 days before: until there are 3 days left.
            return ge(symbol, literal(range_.quantity, symbol.sort))
        return self.sizes.within(range_, symbol)

    def on_date(self, tree: Node, event: str) -> Term:
        """`filed on or before 31 March 2026`; whether `by` that day includes it is asked."""
        link, day = (x for x in tree.children if isinstance(x, Lexeme))
        assert day.quantity is not None
        word = link.text.lower()
        symbol = self.sizes.vocabulary.number(f"the day on which {event}", INT, "date")
        value = literal(day.quantity, INT)
        if word in _COMPARED:
            return _COMPARED[word](symbol, value)
        if word not in ("by", "until"):
            raise NotUnderstoodError("before or after the day", (link.word,))
        late = self.sizes.settings.choose(
            QuestionKind.BOUNDARY,
            question="is that still in time?",
            labels=("on {value} it is still in time", "on {value} it is too late"),
            subject=symbol,
            value=day.quantity.value,
        )
        return (lt if late else le)(symbol, value)

    def symbol(self, name: str, time: Lexeme) -> Symbol:
        quantity = time.quantity
        assert quantity is not None
        whole = quantity.unit not in ("months", "years", "hours", "minutes")
        return self.sizes.vocabulary.number(name, INT if whole else REAL, quantity.unit)

    def at_most(self, name: str, time: Lexeme) -> Term:
        quantity = time.quantity
        assert quantity is not None
        symbol = self.symbol(name, time)
        if quantity.unit not in ("months", "years"):
            return le(symbol, literal(quantity, symbol.sort))
        late = self.sizes.settings.choose(
            QuestionKind.BOUNDARY,
            question="is that still in time?",
            labels=("exactly {value} is still in time", "exactly {value} is too late"),
            subject=symbol,
            value=quantity.value,
        )
        return (lt if late else le)(symbol, real(quantity.value))


def check_timed(lexemes: Sequence[Lexeme]) -> None:
    """`Accept claims filed within 30 days`: the time belongs to the claims, not to what is done.

    Raises NotUnderstoodError where such a participle stands before a time.
    """
    words = [lexeme.word for lexeme in lexemes if lexeme.type == "PART"]
    if words:
        raise NotUnderstoodError("what the time belongs to", words)
