"""List items with their lead-in as sentences, where the list says how they belong together.

Behind `if any of the following holds:` each item is a condition of a rule of its
own; behind `if all of the following hold:` the items are conditions of one rule.
Behind `must:` and the like each item is a duty of its own.
"""

from __future__ import annotations

import re

from policywright.english.front import front_length

_OPENS_CONDITION = r"(?:if|unless|when|where|only if|provided that)"
_CASES = re.compile(
    rf"\b(?P<opens>{_OPENS_CONDITION})\s+"
    r"(?P<how>any|one|at least one|one or more|all|each|both)(?:\s+of\s+the\s+following)"
    r"(?:\s+(?:conditions|cases|circumstances|requirements|criteria))?"
    r"(?:\s+(?:applies|apply|holds?|occurs?|(?:is|are)\s+(?:true|met|fulfilled|satisfied)))?$",
    re.IGNORECASE,
)
_IN_CASES = re.compile(r"\bin (?P<how>any|one) of the following (?:cases|circumstances)$", re.I)
_ENDS_IN_CONDITION = re.compile(rf"\b(?P<opens>{_OPENS_CONDITION})(?P<either>\s+either)?$", re.I)
_ENDS_IN_DUTY = re.compile(
    r"\b(?:must|shall|may|must not|shall not|may not|requires?|needs?|(?:has|have) to|"
    r"(?:is|are) (?:entitled|required|allowed) to|(?:is|are) eligible for|receives?)$",
    re.IGNORECASE,
)
_ENDS_IN_AMOUNT = re.compile(r"\b(?:is|are|amounting to|pays?|costs?)$", re.IGNORECASE)
_AMOUNT = re.compile(r"[$€£]|[A-Z]{3} ?\d|\d")
_CHOICE_MATTERS = re.compile(r"\b(?:may|not)$", re.IGNORECASE)


class LeadIn:
    """A lead-in, and how the items of its list are joined: `separate`, `together` or neither."""

    def __init__(self, text: str, connective: str) -> None:
        lead = " ".join(text.split()).rstrip(" :-–—,")
        found = _CASES.search(lead)
        how = found["how"].lower() if found else ""
        if found:
            lead = f"{lead[: found.start()]}{found['opens']}"
        elif cases := _IN_CASES.search(lead):
            how, lead = "any", f"{lead[: cases.start()]}if"
        self.text = lead
        self.separate, self.together = _joined(lead, how, connective.lower())
        self.text = re.sub(r"\s+either$", "", lead, flags=re.IGNORECASE)
        self.of_amounts = bool(_ENDS_IN_AMOUNT.search(lead))

    def separates(self, item: str) -> bool:
        """Whether an item is a rule of its own; behind `the fee is:` only an amount is."""
        return self.separate and (not self.of_amounts or bool(_AMOUNT.match(item)))

    def with_item(self, item: str) -> str:
        return f"{self.text} {_decapitalised(item)}"

    def with_items(self, items: list[str]) -> str:
        """All items as conditions of one sentence."""
        parts = [_decapitalised(item) for item in items]
        joined = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
        return f"{self.text} {joined}"


def item_text(text: str) -> tuple[str, int]:
    """An item without its number and the connective at its end; how much was cut in front."""
    start = front_length(text)
    return re.sub(r"[;,]?\s*(?:and|or)?\s*[.;,]?\s*$", "", text[start:]), start


def _joined(lead: str, how: str, connective: str) -> tuple[bool, bool]:
    condition = _ENDS_IN_CONDITION.search(lead)
    if condition:
        if how in ("any", "one", "at least one", "one or more") or condition["either"]:
            return connective in ("or", ""), False
        if how in ("all", "each", "both"):
            return False, connective in ("and", "")
        return connective == "or", connective == "and"
    if _ENDS_IN_DUTY.search(lead):
        allowed = ("and", "", "or") if _CHOICE_MATTERS.search(lead) else ("and", "")
        return connective in allowed, False
    return bool(_ENDS_IN_AMOUNT.search(lead)) and connective in ("and", ""), False


def _decapitalised(item: str) -> str:
    """The first letter small where the word is not a name or an abbreviation."""
    return item[0].lower() + item[1:] if item[1:2].islower() or item[1:2] == " " else item
