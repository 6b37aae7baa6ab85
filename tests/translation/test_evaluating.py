"""How good a formalizer is: matched with gold by the solver, under the best mapping of words."""

from __future__ import annotations

import json
from contextlib import ExitStack
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from policywright.model import Datatype, PolicyModel, Role, Value, Variable
from policywright.smtlib import read, read_term
from policywright.sorts import BOOL, INT, REAL, enumeration
from tests.llm_server import llm_server, says
from tests.translation.conftest import connect
from translation.ensemble.model_translator import ModelTranslator
from translation.evaluation.drafting import Drafted, DraftedPolicy
from translation.evaluation.gold import GoldError, GoldPolicy, read_gold
from translation.evaluation.matching import Matcher, Matching
from translation.evaluation.scoring import Agreement, evaluate
from translation.litellm_formalizer import LiteLlmFormalizer

COST = "Trips exceeding EUR 1,000 require line-manager approval."
KIND = "Please be kind to hotel staff."
SMT2 = """(set-logic ALL)
(declare-datatype Destination ((domestic) (international)))
(declare-const costEur Real)
(declare-const months Int)
(declare-const destination Destination)
(declare-const managerApproved Bool)
(declare-const tripApproved Bool)
(assert (! (=> (and (> costEur 1000.0) (not managerApproved)) (not tripApproved)) :named cost))
(assert (! (=> (and (= destination international) (< months 6)) (not tripApproved)) :named service))
(assert (! (>= costEur 0.0) :named assume-ranges))
"""


def gold_folder(path: Path, smt2: str = SMT2, text: str = f"{COST} {KIND}\n") -> Path:
    (path / "travel.txt").write_text(text, encoding="utf-8")
    (path / "travel.smt2").write_text(smt2, encoding="utf-8")
    entry = {"title": "Travel", "text": "travel.txt", "smt2": "travel.smt2"}
    index = {"travel": entry, "travel-unvetted": {"text": "gone", "smt2": "gone"}}
    (path / "cases.json").write_text(json.dumps(index), encoding="utf-8")
    return path


def gold() -> GoldPolicy:
    return GoldPolicy("travel", "Travel", "", read(SMT2))


PLACE = Datatype("place", "Place", (Value("home", "home"), Value("away", "away")))
WORDS = (
    Variable("d1", "tripCost", REAL),
    Variable("d2", "approvedByManager", BOOL),
    Variable("d3", "tripIsApproved", BOOL, Role.OUTCOME),
    Variable("d4", "destinationInternational", BOOL),
    Variable("d5", "serviceMonths", INT),
    Variable("d6", "destinationPlace", enumeration("place")),
    Variable("d7", "tripCostWhole", INT),
    Variable("d8", "serviceMonthsExact", REAL),
    Variable("d9", "shoesShined", BOOL),
    Variable("d0", "tripNotApproved", BOOL, Role.OUTCOME),
)


def match(*texts: str) -> Matching:
    model = PolicyModel((PLACE,), WORDS)
    rules = [Drafted(f"r{n}", read_term(text, model), (n,)) for n, text in enumerate(texts)]
    draft = DraftedPolicy(datatypes=[PLACE], variables=list(WORDS), rules=rules)
    return Matcher(gold(), draft).match()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("(=> (and (> tripCost 1000.0) (not approvedByManager)) (not tripIsApproved))", 0),
        ("(=> (and (> tripCost 1000.0) tripIsApproved) approvedByManager)", 0),
        ("(or (<= tripCost 1000.0) approvedByManager (not tripIsApproved))", 0),
        ("(=> (and (> tripCostWhole 1000) (not approvedByManager)) (not tripIsApproved))", 0),
        ("(=> (and destinationInternational (< serviceMonths 6)) (not tripIsApproved))", 1),
        ("(=> (and destinationInternational (<= serviceMonths 5)) (not tripIsApproved))", 1),
        ("(=> (and destinationInternational (< serviceMonthsExact 6.0)) (not tripIsApproved))", 1),
        ("(=> (and (> tripCost 1000.0) (not approvedByManager)) tripNotApproved)", 0),
        ("(=> (and (= destinationPlace away) (< serviceMonths 6)) (not tripIsApproved))", 1),
    ],
)
def test_a_rule_in_other_words_is_found_equivalent(text: str, rule: int) -> None:
    assert match(text).equal == {0: rule}


@pytest.mark.parametrize(
    "text",
    [
        "(=> (and (>= tripCost 1000.0) (not approvedByManager)) (not tripIsApproved))",
        "(=> (and (> tripCost 100.0) (not approvedByManager)) (not tripIsApproved))",
        "(=> (and (> tripCost 1000.0) (not approvedByManager)) tripIsApproved)",
        "(=> (> tripCost 1000.0) (not tripIsApproved))",
        "(=> (and destinationInternational (<= serviceMonths 6)) (not tripIsApproved))",
        "(=> shoesShined (not tripIsApproved))",
    ],
)
def test_a_rule_that_says_something_else_is_not(text: str) -> None:
    found = match(text)
    assert (found.equal, found.implied) == ({}, frozenset())


def test_a_weaker_rule_in_known_words_follows_and_one_gold_rule_is_met_once() -> None:
    cost = "(=> (and (> tripCost 1000.0) (not approvedByManager)) (not tripIsApproved))"
    weaker = "(=> (and (> tripCost 2000.0) (not approvedByManager)) (not tripIsApproved))"
    found = match(cost, weaker, cost)
    assert found.equal == {0: 0}
    assert found.implied == {1, 2}


def test_one_word_stands_for_one_thing_throughout() -> None:
    cost = "(=> (and (> tripCost 1000.0) (not approvedByManager)) (not tripIsApproved))"
    swapped = "(=> (and approvedByManager (< serviceMonths 6)) (not tripIsApproved))"
    assert match(cost, swapped).equal == {0: 0}


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("evaluate", "formalization", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_tells_the_built_in_formalizers_score(tmp_path: Path) -> None:
    printed = run(str(gold_folder(tmp_path)))
    assert "builtin:" in printed
    assert "| travel | 2 | 1 | 1 | 0 | 2 | 1 | 1 | 0 | 0 |" in printed
    (one,) = json.loads(run(str(tmp_path), "--json"))["policies"]
    assert (one["equivalent"], one["wrong"], one["missed"]) == (1, [], ["service"])


def test_the_command_names_what_is_wrong(tmp_path: Path) -> None:
    text = f"{COST} Trips exceeding EUR 300 require line-manager approval.\n"
    printed = run(str(gold_folder(tmp_path, text=text)), "--wrong")
    assert "travel: missed: service" in printed
    assert "travel: wrong: line-manager-approved-trip-rule" in printed


def reply(rule: str) -> dict[str, object]:
    names = (
        ("costEur", "Real", "fact"),
        ("managerOk", "Bool", "fact"),
        ("tripOk", "Bool", "outcome"),
    )
    variables = [
        {
            "name": name,
            "sort": sort,
            "role": role,
            "unit": "EUR" if sort == "Real" else "",
            "description": f"{name} of the trip",
            "phrase": f"the {name}",
            "negative": "",
        }
        for name, sort, role in names
    ]
    said = {
        "sentence": 1,
        "quote": COST,
        "formalizable": True,
        "reason": "",
        "datatypes": [],
        "variables": variables,
        "rules": [{"name": "cost", "smtlib": rule}],
    }
    left = dict.fromkeys(("datatypes", "variables", "rules"), ())
    other = {"sentence": 2, "quote": KIND, "formalizable": False, "reason": "no rule", **left}
    return {"statements": [said, other]}


def once_more(*conditions: str, cannot: bool = False) -> dict[str, object]:
    one = {"sentence": 1, "cannot": cannot, "reason": "", "conditions": list(conditions)}
    return {"translations": [one]}


RIGHT = "(=> (and (> costEur 1000.0) (not managerOk)) (not tripOk))"
WRONG = "(=> (and (>= costEur 1000.0) (not managerOk)) (not tripOk))"


def test_a_litellm_model_is_evaluated_over_http(tmp_path: Path) -> None:
    """Two hand-written replies: one is right, the other has the bound included."""
    policies = read_gold(gold_folder(tmp_path))
    with llm_server(says(reply(RIGHT))) as first, llm_server(says(reply(WRONG))) as second:
        formalizers = [LiteLlmFormalizer(connect(server)) for server in (first, second)]
        done = evaluate(policies, formalizers)
    scores = [(score.equivalent, len(score.wrong), score.abstained) for score in done.scores]
    assert scores == [(1, 0, 1), (0, 1, 1)]
    assert done.scores[0].prompt_tokens == 900
    assert done.agreements == []


@pytest.mark.parametrize(
    ("drafted", "again", "expected"),
    [
        (RIGHT, [once_more(RIGHT)], {"agreed": 1, "right_when_agreed": 1}),
        (WRONG, [once_more(WRONG)], {"agreed": 1}),
        (RIGHT, [once_more(RIGHT), once_more(WRONG)], {"differed": 1, "right_when_differed": 1}),
        (WRONG, [once_more(RIGHT)], {"differed": 1}),
        (RIGHT, [once_more(cannot=True)], {"unknown": 1, "right_when_unknown": 1}),
        (RIGHT, [once_more(cannot=True), once_more(RIGHT)], {"agreed": 1, "right_when_agreed": 1}),
    ],
)
def test_agreement_is_held_against_being_right(
    tmp_path: Path, drafted: str, again: list[dict[str, object]], expected: dict[str, int]
) -> None:
    """Over real HTTP, each translator at a server of its own; the replies are hand-written."""
    policies = read_gold(gold_folder(tmp_path))
    with ExitStack() as stack:
        draft = stack.enter_context(llm_server(says(reply(drafted))))
        servers = [stack.enter_context(llm_server(says(one))) for one in again]
        translators = [
            ModelTranslator(f"litellm:{number}", connect(server))
            for number, server in enumerate(servers)
        ]
        done = evaluate(policies, [LiteLlmFormalizer(connect(draft))], translators)
    assert done.agreements == [Agreement("travel", rules=1, **expected)]


def test_the_command_lets_the_others_translate_what_the_first_drafts(tmp_path: Path) -> None:
    gold = str(gold_folder(tmp_path))
    told = run(gold, "--formalizer", "builtin", "--formalizer", "builtin")
    assert "agreement of all translations" in told
    (one,) = json.loads(run(gold, "--formalizer", "builtin", "--formalizer", "builtin", "--json"))[
        "agreement"
    ]
    assert one["agreed"] == one["rules"] > 0


def test_a_span_that_a_model_fails_on_is_counted_unparsable(tmp_path: Path) -> None:
    policies = read_gold(gold_folder(tmp_path))
    with llm_server(says("Sorry, I cannot do that.")) as server:
        (score,) = evaluate(policies, [LiteLlmFormalizer(connect(server, retries=0))]).scores
    assert (score.found, score.unparsable, score.drafted) == (0, 2, 0)
    assert len(score.failures) == 1


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda path: (path / "cases.json").write_text("{", encoding="utf-8"), "JSON"),
        (lambda path: (path / "cases.json").write_text("[]", encoding="utf-8"), "must map"),
        (lambda path: (path / "travel.txt").unlink(), "cannot be read"),
        (lambda path: (path / "travel.smt2").write_text("(assert", encoding="utf-8"), "rules of"),
    ],
)
def test_a_folder_that_is_no_gold_is_refused_in_one_sentence(
    tmp_path: Path, break_it, said: str
) -> None:
    break_it(gold_folder(tmp_path))
    with pytest.raises(GoldError, match=said):
        read_gold(tmp_path)
    with pytest.raises(CommandError, match=said):
        run(str(tmp_path))


def test_an_unknown_formalizer_is_refused(tmp_path: Path, settings) -> None:
    settings.POLICYWRIGHT_LLM_MODEL = ""
    with pytest.raises(CommandError, match="no model is named"):
        run(str(gold_folder(tmp_path)), "--formalizer", "litellm")


def test_the_shared_gold_is_read_and_the_built_in_is_as_good_as_was_measured() -> None:
    folder = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "gold"
    if not folder.is_dir():
        pytest.skip("the shared corpus is not beside this checkout")
    policies = json.loads(run(str(folder), "--json"))["policies"]
    assert len(policies) == 8
    assert sum(one["equivalent"] for one in policies) >= 7
    assert sum(one["unparsable"] for one in policies) == 0
