"""A policy of 274 pages from replies to rows, without a model: one size, in this process.

    python -m benchmarks.translation_scale RULES

Prints one JSON object: how much there is, and of each step the seconds of CPU. The units
are those of `units.py`; each declares what it was not shown, as a model would.
`benchmarks.translation --scale` runs it for several sizes.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.translation_rows import make_database, make_rows
from benchmarks.units import MadePolicy, make_policy


def measure(rules: int) -> dict[str, Any]:
    made = make_policy(rules)
    took: dict[str, float] = {}
    policy, spans = make_rows(made)
    _keep_all(policy, made, spans, took)
    return {**_composed(policy, took), "spans": len(spans), "cpu_s": took}


@contextmanager
def _timed(took: dict[str, float], step: str) -> Iterator[None]:
    began = time.process_time()
    yield
    took[step] = took.get(step, 0.0) + time.process_time() - began


def _keep_all(policy: Any, made: MadePolicy, spans: list[Any], took: dict[str, float]) -> None:
    """Each span in turn: what is shown, the reply read and typed, the unit kept."""
    from policies.composing_part import restricted
    from policies.declared_now import declared_now
    from translation.declared import choose, used_before
    from translation.drafting import Workpiece
    from translation.formalizers import Run
    from translation.integration import keep_unit
    from translation.prompt import schema
    from translation.replies import read_reply
    from translation.spans import open_sentences, text_of

    by_text = {one.text: one for unit in made.units for one in unit.sentences}
    for span in spans:
        with _timed(took, "read the span"):
            sentences = open_sentences(span, "litellm:made")
            text = text_of(span, sentences)
        with _timed(took, "choose what is shown"):
            policy.refresh_from_db(fields=["revision"])
            now = declared_now(policy, policy.revision)
            known = restricted(now.base, set(choose(now.base, text, used_before(span, now.merged))))
        declared = {one.name for one in (*known.datatypes, *known.variables)}
        statements = [
            made.statement(number, by_text[one.text], declared)
            for number, one in enumerate(text.sentences, start=1)
        ]
        reply = json.dumps({"statements": statements})
        with _timed(took, "read and type the reply"):
            work = Workpiece(text, known)
            work.take(read_reply(reply, schema()).statements)
            draft = work.finish(Run("litellm:made"))
        assert not work.problems(), work.problems()
        with _timed(took, "keep the unit"):
            keep_unit(span, sentences, draft)


def _composed(policy: Any, took: dict[str, float]) -> dict[str, Any]:
    from policies.composing import compose
    from translation.merges import described
    from translation.merging.candidates import find_candidates
    from translation.merging.embedding import WordLlamaEmbedder
    from translation.merging.values import datatype_candidates

    with _timed(took, "compose and hash"):
        composition = compose(policy)
        assert not composition.broken, composition.broken
        assert len(composition.hashes) == len(composition.model.rules)
    model = composition.model
    with _timed(took, "look for candidates"):
        variables = [described(variable) for variable in model.variables]
        found = len(find_candidates(variables, WordLlamaEmbedder()))
        found += len(list(datatype_candidates(model.datatypes)))
    return {
        "datatypes": len(model.datatypes),
        "variables": len(model.variables),
        "rules": len(model.rules),
        "candidates": found,
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_database(folder)
        print(json.dumps(measure(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
