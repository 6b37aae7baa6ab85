"""What changed between two contents of a rule, in sentences for the person who approved it.

A content is what `policywright.hashing.rule_content` gives: a decision stores the
one it was made on. Names are taken from the present policy model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policywright.hashing import rule_content
from policywright.model import PolicyModel, Rule
from policywright.sorts import BUILT_IN
from policywright.terms import and_, eq

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Names:
    """Present names by id; something that is gone is called by its old words.

    `other_rules` are the names of rules that the model does not hold.
    """

    model: PolicyModel
    other_rules: Mapping[str, str]

    def symbol(self, uid: str, old: Content) -> str:
        declared = self.model.variable_by_id.get(uid) or self.model.definition_by_id.get(uid)
        return declared.name if declared else str(old["phrases"][0])

    def sort(self, key: str) -> str:
        datatype = self.model.datatype_by_id.get(key)
        if key in BUILT_IN:
            return key
        return datatype.name if datatype else "a datatype that is gone"

    def rule(self, uid: str) -> str:
        present = self.model.rule_by_id.get(uid)
        return present.name if present else self.other_rules.get(uid, "a rule that is gone")


def changes(old: Content, new: Content, names: Names) -> list[str]:
    """One sentence for each thing that differs; empty only where nothing does."""
    found = list(_kind_and_term(old, new))
    found += _default(old.get("default"), new.get("default"), names)
    found += symbol_changes(old, new["symbols"], names)
    found += _datatypes(old["datatypes"], new["datatypes"], names)
    found += _sources(old["sources"], new["sources"])
    return found


def symbol_changes(old: Content, new_symbols: Content, names: Names) -> list[str]:
    """What changed of the variables that the old content used."""
    found: list[str] = []
    for uid, before in old["symbols"].items():
        after = new_symbols.get(uid)
        if after is not None:
            found += _symbol(names.symbol(uid, before), before, after, names)
    return found


def declared_content(model: PolicyModel, uids: Sequence[str]) -> Content:
    """How symbols are declared now, in the shape of a content's `symbols`; gone ones are not."""
    present = [model.declared(uid).symbol for uid in uids if uid in model.variable_by_id]
    if not present:
        return {}
    term = and_(*(eq(symbol, symbol) for symbol in present))
    symbols: Content = rule_content(model, Rule("", "", term))["symbols"]
    return symbols


def _kind_and_term(old: Content, new: Content) -> Iterator[str]:
    if old["kind"] != new["kind"]:
        yield f"It was approved as a {old['kind']} and is a {new['kind']} now."
    if old["term"] != new["term"] and "default" not in new:
        yield "The rule itself was changed: its condition or what follows from it."
    elif old["term"] != new["term"] and old.get("default") == new.get("default"):
        yield "A rule that this default rests on was changed, and so was its assertion."


def _default(old: Sequence[Any] | None, new: Sequence[Any] | None, names: Names) -> Iterator[str]:
    if old is None or new is None:
        return
    if old[0] != new[0]:
        yield "The default is of another outcome now."
    if old[1] != new[1]:
        yield f"The default was `{old[1]}` and is `{new[1]}` now."
    joined = [names.rule(uid) for uid in new[2] if uid not in old[2]]
    left = [names.rule(uid) for uid in old[2] if uid not in new[2]]
    if joined:
        yield f"The list of rules that the default rests on grew by {_listed(joined)}."
    if left:
        yield f"The list of rules that the default rests on lost {_listed(left)}."


def _symbol(name: str, old: Content, new: Content, names: Names) -> Iterator[str]:
    if old["sort"] != new["sort"]:
        before, after = names.sort(old["sort"]), names.sort(new["sort"])
        yield f"The sort of `{name}` was {before} and is {after} now."
    for part in ("unit", "role", "description"):
        if old.get(part) != new.get(part):
            yield (
                f"The {part} of `{name}` was {_quoted(old.get(part))} "
                f"and is {_quoted(new.get(part))} now."
            )
    if old["phrases"] != new["phrases"]:
        before, after = (" / ".join(filter(None, one["phrases"])) for one in (old, new))
        yield f"`{name}` was said as '{before}' and is said as '{after}' now."
    if old.get("term") != new.get("term"):
        yield f"What `{name}` stands for was changed."


def _datatypes(old: Content, new: Content, names: Names) -> Iterator[str]:
    for uid, before in old.items():
        after = new.get(uid)
        if after is None or before == after:
            continue
        name = names.sort(uid)
        if before["description"] != after["description"]:
            yield (
                f"The description of the datatype `{name}` was "
                f"{_quoted(before['description'])} and is {_quoted(after['description'])} now."
            )
        if before["values"] != after["values"]:
            values = [
                ", ".join(value["phrase"] for value in one["values"]) for one in (before, after)
            ]
            yield f"The values of `{name}` were '{values[0]}' and are '{values[1]}' now."


def _sources(old: Sequence[Content], new: Sequence[Content]) -> Iterator[str]:
    if len(old) != len(new):
        yield f"It came from {_count(len(old))} and comes from {_count(len(new))} now."
        return
    for before, after in zip(old, new, strict=True):
        if before["quote"] != after["quote"]:
            yield f"Its sentence was '{before['quote']}' and is '{after['quote']}' now."
        if before["context"] != after["context"]:
            shown = [" › ".join(one["context"]) for one in (before, after)]
            yield (
                f"Beside its sentence stood {_quoted(shown[0])}, "
                f"and {_quoted(shown[1])} stands there now."
            )


def _count(number: int) -> str:
    return "one sentence" if number == 1 else f"{number or 'no'} sentences"


def _quoted(text: Any) -> str:
    return f"'{text}'" if text else "empty"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
