"""Quotes without a place in a document, and characters in them that nobody sees."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.saying import joined
from policywright.lint.scan import Scan
from policywright.model import Kind, Rule

NO_SOURCE = "no-source"
HIDDEN = "hidden-characters"

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_ALSO_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_LOOKS_LATIN = ("CYRILLIC", "GREEK", "FULLWIDTH", "CHEROKEE", "ARMENIAN", "MATHEMATICAL")


def without_source(scan: Scan) -> Iterator[Diagnostic]:
    """What stands in no sentence is an assumption, whoever wrote it. Files without any source
    are left alone."""
    if not any(rule.sources for rule in scan.model.rules):
        return
    for _, rule in scan.rules():
        if rule.kind not in (Kind.RULE, Kind.DEFINITION):
            continue
        if not rule.sources:
            message = (
                f"Rule `{rule.name}` names no sentence that it comes from. Name it, or make the "
                "rule an assumption."
            )
            yield Diagnostic(NO_SOURCE, Severity.WARNING, message, (rule.id,))
        elif lost := [s for s in rule.sources if not s.document or s.end <= s.start]:
            quote = " ".join(lost[0].quote.split())
            message = (
                f"Rule `{rule.name}` quotes '{quote}', which has no place in a document. Find the "
                "sentence, or reject the rule."
            )
            yield Diagnostic(NO_SOURCE, Severity.WARNING, message, (rule.id,))


def hidden_characters(scan: Scan) -> Iterator[Diagnostic]:
    """A person reads another sentence than a machine does."""
    for _, rule in scan.rules():
        found = list(dict.fromkeys(_suspect(rule)))
        if found:
            message = (
                f"A source of rule `{rule.name}` holds {joined(found)}. Read the sentence as it "
                "is before anybody approves the rule."
            )
            yield Diagnostic(HIDDEN, Severity.WARNING, message, (rule.id,))


def _suspect(rule: Rule) -> Iterator[str]:
    for source in rule.sources:
        for text in (source.quote, *source.context):
            if not text.isascii() or not text.isprintable():
                yield from _unseen(text)
                yield from _disguised(text)


def _unseen(text: str) -> Iterator[str]:
    for character in text:
        unseen = unicodedata.category(character) in _UNSEEN and character not in "\n\t\r"
        if unseen or character in _ALSO_UNSEEN:
            name = unicodedata.name(character, "a character without a name").lower()
            yield f"a hidden character (U+{ord(character):04X}, {name})"


def _disguised(text: str) -> Iterator[str]:
    """Words of Latin letters with one of another script that looks like one of them."""
    for word in text.split():
        if word.isascii():
            continue
        letters = [c for c in word if c.isalpha()]
        strange = [c for c in letters if unicodedata.name(c, "").split(" ")[0] in _LOOKS_LATIN]
        if strange and len(strange) < len(letters):
            name = unicodedata.name(strange[0]).lower()
            yield f"a letter that looks like another (U+{ord(strange[0]):04X}, {name})"
