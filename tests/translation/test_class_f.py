"""What policies get wrong, from a reply over HTTP to rows and verdicts.

Right and typically wrong replies, all hand-written. A wrong rule that is well typed
becomes a draft like any other, for a person to see: what can be noticed in the reply
itself is asked about once, and then stands beside the sentence as a remark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from policies.composing import compose
from policies.models import Policy, Span, Statement, Unit
from policies.models.draft import StatementState
from policywright.library import LoadedPolicy
from policywright.model import PolicyModel
from policywright.smtlib import print_term, read
from tests.llm_server import llm_server, says
from tests.translation.conftest import add_document, connect, never
from tests.translation.replies import left_open, reply, rule, statement, variable
from translation.integration import keep_unit
from translation.litellm_formalizer import LiteLlmFormalizer
from translation.models import Question
from translation.spans import open_sentences, text_of

pytestmark = pytest.mark.django_db(transaction=True)

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "translation" / "class-f.json"
CASES = {case["case"]: case for case in json.loads(FIXTURE.read_text())}

SHARED = (
    Path(__file__).resolve().parents[3]
    / "shared" / "cases" / "files" / "fr-65-76-policy-meaning.json"
)  # fmt: skip

# What the shared cases decide; all else is a fact.
OUTCOMES = frozenset(
    ["senior_rate", "late_fee", "may_work_abroad", "overtime_paid", "approval_needed", "handler",
     "complies", "reduced_fee", "days", "claim_ok"]
)  # fmt: skip


def keep(
    policy: Policy, text: str, said_of: Callable[[list[str]], Any]
) -> tuple[Unit, PolicyModel]:
    """The unit that a reply to the text's sentences becomes, and the policy model it makes."""
    add_document(policy, text)
    span = Span.objects.select_related("revision__document__policy").get()
    sentences = open_sentences(span, "somebody")
    with llm_server(says(said_of([one.text for one in sentences]))) as server:
        formalizer = LiteLlmFormalizer(connect(server))
        draft = formalizer.formalize(text_of(span, sentences), PolicyModel(), cancelled=never)
    unit = keep_unit(span, sentences, draft)
    assert unit is not None
    return unit, compose(policy).model


def statements(case: dict[str, Any], which: str) -> dict[str, Any]:
    """The reply: all declarations with the first sentence, the rules with their own."""
    datatypes = case.get(f"{which}_datatypes", case.get("datatypes", []))
    declared = [
        {"name": name, "description": "", "values": [{"name": v, "phrase": ""} for v in values]}
        for name, values in datatypes
    ]
    said = []
    for number, (text, rules) in enumerate(zip(case["sentences"], case[which], strict=True), 1):
        named = [rule(f"rule-{number}-{place}", smtlib) for place, smtlib in enumerate(rules)]
        parts: dict[str, Any] = {"rules": named}
        if number == 1:
            parts |= {"datatypes": declared, "variables": [variable(*v) for v in case["variables"]]}
            if which == "right" and "open" in case:
                other, question = case["open"]
                parts["open"] = [left_open("rule-1-0", other, question)]
        said.append(statement(number, text, **parts))
    return reply(*said)


def verdict(model: PolicyModel, facts: Sequence[str], claim: str) -> str:
    return LoadedPolicy(model).check(facts, claim).kind.value


@pytest.mark.parametrize("case", CASES)
def test_a_right_reply_is_taken_at_once_and_gives_the_verdicts(policy: Policy, case: str) -> None:
    """FR-65 to FR-71, FR-73 to FR-77."""
    wanted = CASES[case]
    unit, model = keep(policy, " ".join(wanted["sentences"]), lambda _: statements(wanted, "right"))
    assert unit.rounds == 1
    rows = Statement.objects.filter(unit=unit)
    assert [(row.state, row.reason) for row in rows] == [
        (StatementState.FORMALIZED, "") for _ in wanted["sentences"]
    ]
    found = [verdict(model, check["facts"], check["claim"]) for check in wanted["checks"]]
    assert found == [check["right"] for check in wanted["checks"]]


@pytest.mark.parametrize("case", CASES)
def test_a_typically_wrong_reply_is_noticed_where_it_can_be(policy: Policy, case: str) -> None:
    wanted = CASES[case]
    unit, model = keep(policy, " ".join(wanted["sentences"]), lambda _: statements(wanted, "wrong"))
    found = [verdict(model, check["facts"], check["claim"]) for check in wanted["checks"]]
    assert found == [check["wrong"] for check in wanted["checks"]]
    assert found != [check["right"] for check in wanted["checks"]]
    rows = Statement.objects.filter(unit=unit)
    reasons = "; ".join(row.reason for row in rows if row.reason)
    noticed = wanted.get("noticed", "")
    assert unit.rounds == (2 if noticed else 1)
    assert noticed in reasons if noticed else reasons == ""
    assert not noticed or noticed in unit.log[0]["wrong"][0]["problem"]


def test_fr_77_whether_the_last_day_counts_is_a_question_to_the_owner(policy: Policy) -> None:
    case = CASES["FR-77"]
    keep(policy, " ".join(case["sentences"]), lambda _: statements(case, "right"))
    question = Question.objects.get()
    assert question.text == f"The model asks: {case['open'][1]}"
    assert len(question.readings) == 2


def declarations(model: PolicyModel) -> dict[str, Any]:
    names = {one.id: one.name for one in model.datatypes}
    datatypes = [
        {
            "name": one.name,
            "description": "",
            "values": [{"name": value.name, "phrase": ""} for value in one.values],
        }
        for one in model.datatypes
    ]
    variables = [
        variable(
            one.name,
            names.get(one.sort.key, one.sort.key),
            "outcome" if one.name in OUTCOMES else "fact",
        )
        for one in model.variables
    ]
    return {"datatypes": datatypes, "variables": variables}


def shared_cases() -> list[dict[str, Any]]:
    return json.loads(SHARED.read_text()) if SHARED.exists() else []


@pytest.mark.parametrize("which", ["right", "wrong"])
@pytest.mark.parametrize("number", range(10))
def test_the_shared_cases_get_their_verdicts(policy: Policy, number: int, which: str) -> None:
    """FR-65 to FR-71 and FR-74 to FR-76, rules as they stand in the shared file."""
    if not SHARED.exists():
        pytest.skip("the shared cases are not beside this checkout")
    # What is called `claim` there is what a check calls its own claim.
    case = json.loads(
        re.sub(r"\bclaim (?=Real|1000|999)", "amount ", json.dumps(shared_cases()[number]))
    )
    rules = case[f"{which}_rules"]
    if rules is None:
        pytest.skip(f"{case['case']} has no right rules: the text itself clashes")
    model = read(case["declarations"] + rules)

    def said_of(texts: list[str]) -> Any:
        parts = declarations(model) | {
            "rules": [rule(one.name, print_term(model, one.term)) for one in model.rules]
        }
        rest = range(2, len(texts) + 1)
        left = [statement(n, "", formalizable=False, reason="see the first") for n in rest]
        return reply(statement(1, texts[0], **parts), *left)

    unit, composed = keep(policy, case["sentence"], said_of)
    key = "verdict_expected" if which == "right" else "verdict_with_the_wrong_rules"
    for check in case["checks"]:
        assert verdict(composed, [check["premise"]], check["claim"]) == check[key].upper()
    if which == "right":
        assert unit.rounds == 1


def test_no_shared_case_is_left_out() -> None:
    if not SHARED.exists():
        pytest.skip("the shared cases are not beside this checkout")
    assert len(shared_cases()) == 10
