"""Scenarios that come in as a file and go out as one: as CSV or JSON, by `exchange`.

A file is read as a whole or not at all: one sentence for each problem, with its line. What
it holds is shown before it is saved, and carried by the form meanwhile, so nothing is kept
of a file that nobody saved.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from policies.audit import Change, record_all
from policies.composing import Composition, compose
from policies.models import Policy, User
from policywright.english.words import capitalise
from policywright.errors import ReadError, SortError
from policywright.findings import FindingKind
from policywright.hashing import content_hash
from policywright.model import PolicyModel
from policywright.scenarios import Scenario as Expectation
from policywright.scenarios import (
    say_scenario,
    scenarios_to_csv,
    scenarios_to_json,
    settled,
)
from policywright.scenarios.exchange import Placed, placed_from_csv, placed_from_json
from policywright.termjson import term_from_json, term_to_json
from vetting.lock import locked
from vetting.models import Origin, Scenario
from vetting.refusals import MovedError, RefusedError
from vetting.scenario_changes import scenario_stamp
from vetting.scenario_rows import new_scenario
from vetting.scenario_runs import Asked, run_asked
from vetting.scenarios import (
    InForce,
    Prepared,
    Run,
    own_in_force,
    prepare,
    scenarios_in_force,
)

MAX_BYTES = 5_000_000
MAX_SCENARIOS = 2_000
MAX_PROBLEMS = 50
PREVIEW_S = 8.0
_BYTES = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class FileProblemsError(RefusedError):
    """A file that is not read: a sentence a problem, with its line; `more` are left out."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems[:MAX_PROBLEMS]))
        self.problems = tuple(problems[:MAX_PROBLEMS])
        self.more = max(len(problems) - MAX_PROBLEMS, 0)


@dataclass(frozen=True)
class Incoming:
    """What a file would bring.

    `new` are the scenarios to save, of which `replaced` gives by place the word in force
    that each would take the place of. `known` are in force already, `repeated` stand in the
    file before. `text` is the file for the form that saves it, `shown` a hash of what is shown.
    """

    composition: Composition
    new: tuple[Placed, ...]
    rows: tuple[Scenario, ...]
    replaced: Mapping[str, Scenario]
    known: int
    repeated: int
    text: str
    shown: str
    stamp: str


def text_of_file(data: bytes) -> str:
    """The text of UTF-8, with its mark or without, or of UTF-16 with its mark.

    Raises RefusedError for all else.
    """
    if len(data) > MAX_BYTES:
        raise RefusedError(
            f"the file has {len(data) / 1e6:.1f} million bytes, and {MAX_BYTES // 10**6} million "
            "are allowed; split it."
        )
    encoding = next((name for mark, name in _BYTES if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise RefusedError(
            f"line {line} is not in UTF-8; save the file as ‘CSV UTF-8’ and send it again."
        ) from error
    if "\0" in text:
        raise RefusedError("this is no text file; save the table as ‘CSV UTF-8’ and send that.")
    if not text.strip():
        raise RefusedError("the file is empty.")
    return text


def read_file(policy: Policy, text: str) -> Incoming:
    """What the scenarios of a file are over the present draft, and which are new.

    Raises FileProblemsError with every problem; then nothing of the file is used.
    """
    stamp = scenario_stamp(policy)
    composition = compose(policy)
    model = composition.model
    try:
        is_json = text.lstrip("\N{ZERO WIDTH NO-BREAK SPACE} \t\r\n")[:1] in ("[", "{")
        placed = placed_from_json(model, text) if is_json else placed_from_csv(model, text)
    except ReadError as error:
        lines = [_problem(one.line, one.message) for one in error.problems]
        raise FileProblemsError(lines) from error
    if len(placed) > MAX_SCENARIOS:
        raise FileProblemsError(
            [f"There are {len(placed):,} scenarios, and {MAX_SCENARIOS:,} are the most: split it."]
        )
    if not placed:
        raise FileProblemsError(["There is no scenario in this file."])
    _check_terms(model, placed)
    return _sorted_out(policy, composition, placed, text, stamp)


def preview(policy: Policy, incoming: Incoming) -> dict[str, Run]:
    """What the draft says of each new one, by its place; no transaction may be open.

    Those that were not run in time are `is_late`.
    """
    asked = {one.where: Asked(incoming.composition.model, one.scenario) for one in incoming.new}
    told = run_asked(policy, asked, seconds=PREVIEW_S)
    return {
        one.where: Prepared(asked[one.where], one.scenario).run(told.get(one.where))
        for one in incoming.new
    }


def import_scenarios(policy: Policy, user: User, text: str, *, shown: str) -> int:
    """Save all that is new in a file, and give how many.

    Raises MovedError where it is not what was shown: the draft or other scenarios changed.
    """
    incoming = read_file(policy, text)
    if incoming.shown != shown:
        raise _moved()
    model = incoming.composition.model
    for row, one in zip(incoming.rows, incoming.new, strict=True):
        row.english = say_scenario(model, one.scenario)
    with locked(policy) as now:
        if scenario_stamp(now) != incoming.stamp:
            raise _moved()
        for row in incoming.rows:
            row.policy, row.by = now, user
        Scenario.objects.bulk_create(incoming.rows, batch_size=200)
        changes = [
            Change("add-scenario", f"scenario:{row.uid}", new_hash=row.content_hash)
            for row in incoming.rows
        ]
        record_all(now, user, changes, is_locked=True)
    return len(incoming.rows)


def carried(text: str) -> str:
    """The text of a file for a form's hidden field."""
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def text_of_carried(data: str) -> str:
    """The text again, within the same bounds; raises RefusedError for what is none."""
    try:
        opened = zlib.decompressobj()
        raw = opened.decompress(base64.b64decode(data, validate=True), MAX_BYTES * 2 + 1)
    except (ValueError, binascii.Error, zlib.error) as error:
        raise RefusedError("choose the file once more; what was read of it is gone.") from error
    if not opened.eof or opened.unconsumed_tail:
        raise RefusedError("choose the file once more; what was read of it is gone.")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise RefusedError("choose the file once more; what was read of it is gone.") from error


@dataclass(frozen=True)
class Outgoing:
    """The scenarios for a file; `unfit` do not fit any more, `narrow` are of one sentence."""

    scenarios: tuple[Expectation, ...]
    unfit: int
    narrow: int


def outgoing(policy: Policy, composition: Composition) -> Outgoing:
    """All in force that say something of the whole draft, each once, in a lasting order.

    An answer by which nothing follows speaks of its sentence's rules alone, so it is left out.
    """
    found = scenarios_in_force(policy, composition)
    narrow = [one for one in found if _is_narrow(one)]
    unfit, prepared = prepare([one for one in found if not _is_narrow(one)], composition)
    kept: list[Expectation] = []
    seen: set[str] = set()
    for one in prepared.values():
        scenario = settled(one.expected)
        row = new_scenario(composition.model, scenario, "", Origin.WRITTEN)
        if row.content_hash not in seen:
            seen.add(row.content_hash)
            kept.append(scenario)
    return Outgoing(tuple(kept), len(unfit), len(narrow))


def to_bytes(model: PolicyModel, scenarios: Sequence[Expectation], ending: str) -> bytes:
    """The file: `csv` or `json`; the same for the same scenarios."""
    if ending == "csv":
        return scenarios_to_csv(model, scenarios).encode()
    data = scenarios_to_json(model, scenarios)
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


def _is_narrow(one: InForce) -> bool:
    is_open = one.scenario.expected == FindingKind.SATISFIABLE.value
    return one.question is not None and is_open and one.scenario.claim is not None


def _sorted_out(
    policy: Policy,
    composition: Composition,
    placed: Sequence[Placed],
    text: str,
    stamp: str,
) -> Incoming:
    """Those that are new, and a problem for each that says two things of one case."""
    words = {one.scenario.case_hash: one.scenario for one in own_in_force(policy)}
    first: dict[str, tuple[str, Scenario]] = {}
    problems: list[str] = []
    new: list[tuple[Placed, Scenario]] = []
    replaced: dict[str, Scenario] = {}
    known = repeated = 0
    for one in placed:
        scenario = settled(one.scenario)
        row = new_scenario(composition.model, scenario, "", Origin.IMPORTED)
        before = first.get(row.case_hash)
        if before is not None and before[1].content_hash != row.content_hash:
            problems.append(_at(one.where, f"{before[0]} says something else of the same case"))
        if before is not None:
            repeated += 1
            continue
        first[row.case_hash] = one.where, row
        present = words.get(row.case_hash)
        if present is not None and present.content_hash == row.content_hash:
            known += 1
            continue
        if present is not None:
            replaced[one.where] = present
        new.append((Placed(one.where, scenario), row))
    if problems:
        raise FileProblemsError(problems)
    told = {
        "new": [[row.content_hash, row.case_hash] for _, row in new],
        "replaced": [row.uid for row in replaced.values()],
    }
    return Incoming(
        composition,
        tuple(one for one, _ in new),
        tuple(row for _, row in new),
        replaced,
        known,
        repeated,
        text,
        content_hash(told),
        stamp,
    )


def _check_terms(model: PolicyModel, placed: Sequence[Placed]) -> None:
    """Refuse claims that could not be kept: they are stored as JSON, which has its depth."""
    sorts = {variable.id: variable.sort for variable in model.variables}
    problems = []
    for one in placed:
        if one.scenario.claim is None:
            continue
        try:
            term_from_json(term_to_json(one.scenario.claim), sorts)
        except SortError as error:
            problems.append(_at(one.where, f"the claim cannot be kept: {error}"))
    if problems:
        raise FileProblemsError(problems)


def _problem(line: int, message: str) -> str:
    return _at(f"line {line}" if line else "", message)


def _at(where: str, message: str) -> str:
    text = f"{where}: {message}" if where else message
    return f"{capitalise(text)}{'' if text.endswith('.') else '.'}"


def _moved() -> MovedError:
    return MovedError(
        "the draft or its scenarios changed since this was read; this is what it holds now.",
        present="",
        present_hash="",
    )
