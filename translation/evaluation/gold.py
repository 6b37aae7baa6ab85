"""Gold policies: a folder with `cases.json`, and for each policy a text and an `.smt2` file.

An assertion named `assume-...` is not in the text: no formalizer is asked for it. A
policy that the folder holds unvetted (`...-unvetted`) is wrong on purpose and left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policywright.errors import ReadError
from policywright.files import read_text
from policywright.model import Kind, PolicyModel, Rule
from policywright.smtlib import read

ASSUMED = "assume-"
UNVETTED = "-unvetted"


class GoldError(Exception):
    """The folder cannot be used; the message is one sentence."""


@dataclass(frozen=True)
class GoldPolicy:
    name: str
    title: str
    text: str
    model: PolicyModel

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What the text says."""
        return tuple(
            rule
            for rule in self.model.rules
            if rule.kind in (Kind.RULE, Kind.DEFINITION) and not rule.name.startswith(ASSUMED)
        )


def read_gold(folder: Path) -> list[GoldPolicy]:
    """The policies of a folder in its order; raises GoldError for one that cannot be read."""
    index = folder / "cases.json"
    try:
        listed = json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GoldError(f"{index} cannot be read as JSON: {error}") from error
    if not isinstance(listed, dict):
        raise GoldError(f"{index} must map the name of each policy to its files")
    return list(_policies(folder, listed))


def _policies(folder: Path, listed: dict[str, Any]) -> Iterator[GoldPolicy]:
    for name, entry in listed.items():
        if name.endswith(UNVETTED):
            continue
        try:
            text = (folder / Path(entry["text"]).name).read_text(encoding="utf-8")
            model = read(read_text(folder / Path(entry["smt2"]).name))
            title = str(entry.get("title", name))
        except (KeyError, TypeError, AttributeError) as error:
            raise GoldError(f"`{name}` must name its text and its smt2 file") from error
        except (OSError, UnicodeError) as error:
            raise GoldError(f"a file of `{name}` cannot be read: {error}") from error
        except ReadError as error:
            raise GoldError(f"the rules of `{name}` cannot be read: {error}") from error
        yield GoldPolicy(name, title, text, model)
