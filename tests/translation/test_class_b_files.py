"""The replies of the field reports' own files, through the whole path into rows.

A file's reply has another shape than we ask for. Where the shape is the point, it is
sent as it is; else its rules and quotes are put into ours, word for word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from policies.composing import compose
from policies.models import Merge, Policy, Rule, Sentence, Span, Statement, User, Variable
from policies.models.draft import StatementState
from policywright.model import PolicyModel
from tests.llm_server import Answer, llm_server, says
from tests.translation.conftest import add_document, connect, never, span_of
from tests.translation.replies import formalize, printed, reply, rule, statement, variable
from translation.histories import histories_of
from translation.integration import keep_unit
from translation.jobs import finish_inline
from translation.litellm_formalizer import LiteLlmFormalizer
from translation.llm_errors import LlmBadAnswerError, LlmCutError, LlmEmptyError
from translation.merges import present_proposals, start_search
from translation.spans import open_sentences, text_of

FILES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "files"

TENURE = "Leave is open only to staff with at least 12 months of service."


def given(name: str) -> str:
    path = FILES / name
    if not path.exists():
        pytest.skip("the shared cases are not beside this checkout")
    return path.read_text(encoding="utf-8")


def keep_all(policy: Policy, text: str, said_of: Callable[[Sequence[str]], Any]) -> None:
    """Each span of the text formalized with a reply to its sentences, one after the other."""
    add_document(policy, text)
    for span in Span.objects.select_related("revision__document__policy"):
        sentences = open_sentences(span, "somebody")
        with llm_server(says(said_of([one.text for one in sentences]))) as server:
            formalizer = LiteLlmFormalizer(connect(server))
            draft = formalizer.formalize(text_of(span, sentences), PolicyModel(), cancelled=never)
        keep_unit(span, sentences, draft)


def left(texts: Sequence[str], *numbers: int) -> list[dict[str, Any]]:
    """Statements that leave the other sentences as they are."""
    others = [n for n in range(1, len(texts) + 1) if n not in numbers]
    return [statement(n, "", formalizable=False, reason="It says no more.") for n in others]


def ours(part: dict[str, Any], sentence: int, *outcomes: str) -> dict[str, Any]:
    """A file's rules that quote one sentence, as a statement of ours."""
    found = part.get("rules", [])
    return statement(
        sentence,
        found[0]["source_quote"],
        variables=[
            variable(one["name"], one["sort"], "outcome" if one["name"] in outcomes else "fact")
            for one in part.get("variables", [])
        ],
        rules=[rule(one["id"], one["expression"]) for one in found],
    )


def test_fr_22_the_wrapping_of_the_file_is_taken_off_and_kept() -> None:
    text = given("fr-22-fenced-reply.txt")
    start, end = text.index("{"), text.rindex("}") + 1
    inner = reply(ours(json.loads(text[start:end]), 1, "leave_allowed"))
    with llm_server(says(text[:start] + json.dumps(inner) + text[end:])) as server:
        draft = formalize(server, span_of(TENURE))
        assert len(server.requests) == 1
    assert printed(draft) == ["(=> leave_allowed (>= tenure_months 12))"]
    assert "Let me know if you want changes." in draft.run.log[0]["stripped"]


def test_fr_25_the_file_in_its_own_shape_is_refused_with_the_path() -> None:
    with llm_server(says(given("fr-22-fenced-reply.txt"))) as server:
        with pytest.raises(LlmBadAnswerError) as caught:
            formalize(server, span_of(TENURE))
        assert len(server.requests) == 2
    assert "another shape than asked for, at `the top`" in str(caught.value)


def test_fr_23_of_the_cut_file_no_rule_is_kept() -> None:
    body = Answer(given("fr-23-cut-reply.json").encode())
    with llm_server(body) as server:
        with pytest.raises(LlmCutError) as caught:
            formalize(server, span_of(TENURE), max_tokens=400)
        assert [sent["max_tokens"] for sent in server.requests] == [400, 800]
    assert "cut at 800 tokens" in str(caught.value)


def test_fr_24_the_file_without_content_names_reason_and_tokens() -> None:
    body = Answer(given("fr-24-null-reply.json").encode())
    with llm_server(body) as server, pytest.raises(LlmEmptyError) as caught:
        formalize(server, span_of(TENURE))
    assert "`length`" in str(caught.value)
    assert "400 tokens" in str(caught.value)


@pytest.mark.django_db(transaction=True)
def test_fr_29_r1_of_the_file_is_anchored_and_r2_has_no_source(policy: Policy) -> None:
    part = json.loads(given("fr-29-fabricated-quote-reply.json"))
    one, two = ({**part, "rules": [each]} for each in part["rules"])

    def said_of(texts: Sequence[str]) -> Any:
        return reply(ours(one, 2), ours(two | {"variables": []}, 2), *left(texts, 2))

    keep_all(policy, given("fr-29-source.txt"), said_of)
    anchored = Rule.objects.get()
    source = anchored.sources.get()
    assert source.quote == "The customer pays within 45 days of the invoice date."
    text = source.revision.text
    assert text[source.start : source.end] == source.quote
    unsourced = Statement.objects.get(sentence=None)
    assert unsourced.state == StatementState.FAILED
    assert unsourced.quote == part["rules"][1]["source_quote"]
    assert unsourced.reason.startswith("no source found")
    # A bare bound on a fact is asked about (FR-71), and stays with a remark.
    assert "a duty that someone can break?" in Statement.objects.get(sentence__isnull=False,
        sentence__lineage=source.lineage).reason  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_fr_30_the_rule_of_the_phones_stands_with_the_second_sentence(policy: Policy) -> None:
    approves = "A manager approves the request."
    phones = [variable("approved"), variable("phoneGranted", role="outcome")]
    granted = rule("phones", "(=> phoneGranted approved)")

    def said_of(texts: Sequence[str]) -> Any:
        if texts[0] == approves:
            return reply(*left(texts))
        number = list(texts).index(approves) + 1
        said = statement(number, approves, variables=phones, rules=[granted])
        return reply(said, *left(texts, number))

    keep_all(policy, given("fr-30-repeated-sentence.md"), said_of)
    first, second = Sentence.objects.filter(text=approves).order_by("start")
    source = Rule.objects.get().sources.get()
    assert (source.start, source.end) == (second.start, second.end)
    assert source.start != first.start
    assert second.headings[-1] == "Phones"


@pytest.mark.django_db(transaction=True)
def test_fr_31_the_order_in_the_file_stays_a_sentence_without_a_rule(policy: Policy) -> None:
    meals = [
        variable("mealUsd", "Real", unit="USD"),
        variable("receipt"),
        variable("taxiHour", "Int"),
    ]
    meals.append(variable("refunded", role="outcome"))

    def said_of(texts: Sequence[str]) -> Any:
        rules = {
            "Meals": rule("meals", "(=> (and (> mealUsd 40) (not receipt)) (not refunded))"),
            "Ignore": rule("approve-all", "(assert true)"),
            "Taxi": rule("taxi", "(=> (> taxiHour 22) refunded)"),
        }
        said = []
        for number, text in enumerate(texts, start=1):
            found = next((rules[word] for word in rules if text.startswith(word)), None)
            declared = meals if text.startswith(("Meals", "Taxi")) else []
            said.append(
                statement(number, text, variables=declared, rules=[found])
                if found
                else statement(number, "", formalizable=False, reason="It is an order.")
            )
        return reply(*said)

    keep_all(policy, given("fr-31-injection.md"), said_of)
    assert [one.name for one in Rule.objects.all()] == ["meals", "taxi"]
    failed = Statement.objects.get(state=StatementState.FAILED)
    assert failed.sentence is not None
    assert failed.sentence.text.startswith("Ignore the earlier instructions")
    (history,) = histories_of(failed.unit, [failed])
    assert history.written[0].smtlib == "(assert true)"
    assert "`assert` is a command" in history.written[0].problem


def test_fr_33_the_missing_variables_of_the_file_are_named_with_the_nearest() -> None:
    part = json.loads(given("fr-33-undeclared-reply.json"))
    one, two = ({**part, "rules": [each]} for each in part["rules"])
    texts = [each["source_quote"] for each in part["rules"]]
    said = reply(ours(one, 1), ours(two | {"variables": []}, 2))
    with llm_server(says(said)) as server:
        draft = formalize(server, span_of(*texts))
        assert len(server.requests) == 2
    assert [one.name for one in draft.variables] == ["tenure_months"]
    assert draft.rules == ()
    assert "`leave_allowed` is not declared; declare it" in draft.statements[0].reason
    assert "`tenure_weeks` is not declared; did you mean `tenure_months`?" in (
        draft.statements[1].reason
    )


@pytest.mark.django_db(transaction=True)
def test_fr_34_the_names_of_the_file_are_kept_apart_and_proposed(
    policy: Policy, alice: User
) -> None:
    parts = json.loads(given("fr-34-duplicate-variables-reply.json"))
    text = "# One\n\nService counts in months.\n\n# Two\n\nTenure counts in months.\n"

    def said_of(texts: Sequence[str]) -> Any:
        part = parts["chunk_1" if texts[0].startswith("Service") else "chunk_2"]
        declared = [
            variable(one["name"], one["sort"], unit="months") | {"description": one["description"]}
            for one in part["variables"]
        ]
        return reply(statement(1, texts[0], variables=declared))

    keep_all(policy, text, said_of)
    rows = {(one.name, one.sort) for one in Variable.objects.all()}
    assert rows == {
        ("tenure_months", "Int"), ("months_of_service", "Int"), ("tenureMonths", "Real"),
        ("tenure_months2", "Real"),
    }  # fmt: skip
    assert not Merge.objects.exists()
    finish_inline(start_search(policy, alice), holder="test")
    model = compose(policy).model
    names = {one.id: one.name for one in model.variables}
    proposed = {
        frozenset((names[one.first], names[one.second])) for one in present_proposals(policy, model)
    }
    assert frozenset(("tenure_months", "months_of_service")) in proposed
    assert frozenset(("tenureMonths", "tenure_months2")) in proposed
    assert Variable.objects.count() == 4
