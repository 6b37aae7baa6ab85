"""FR-32, before anything is sent: a span that does not fit a window is asked about in parts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from policies.models import Policy
from policywright.model import PolicyModel
from policywright.smtlib import print_term
from tests.llm_server import LlmServer, llm_server, says
from tests.translation.answering import leaves_all, limits_trips, sentences_in
from tests.translation.conftest import connect, never, span_of
from translation.connection import Connection
from translation.formalizers import UnitDraft
from translation.in_parts import InParts
from translation.litellm_formalizer import LiteLlmFormalizer
from translation.llm_errors import LlmTooLongError
from translation.models import Purpose
from translation.prompt import first_messages, schema
from translation.table_asker import TableAsker
from translation.tokens import estimate_prompt, estimate_tokens

FILLER = "and whoever reads this to its end has read a long sentence " * 20


def empty_prompt() -> int:
    messages = first_messages(span_of(headings=("Travel",)), PolicyModel())
    return estimate_prompt(messages) + estimate_tokens(str(schema()))


def formalize(server: LlmServer, *texts: str, room: int, **changes: object) -> UnitDraft:
    """With room for so many tokens beside the prompt itself."""
    window = empty_prompt() + 100 + room
    connection = connect(server, window=window, max_tokens=100, **changes)
    span = span_of(*texts, headings=("Travel",))
    return InParts(LiteLlmFormalizer(connection)).formalize(span, PolicyModel(), cancelled=never)


def test_fr_32_a_span_that_fits_is_one_question() -> None:
    with llm_server(choose=leaves_all) as server:
        draft = formalize(server, "One.", "Two.", "Three.", room=1000)
    assert len(server.requests) == 1
    assert [one.sentence for one in draft.statements] == [0, 1, 2]


def test_fr_32_one_that_does_not_is_split_between_sentences_with_its_headings() -> None:
    texts = [f"Sentence {number} {FILLER}." for number in range(5)]
    with llm_server(choose=leaves_all) as server:
        draft = formalize(server, *texts, room=1100)
    asked = [sentences_in(request) for request in server.requests]
    assert [[one["text"] for one in part] for part in asked] == [texts[:2], texts[2:4], texts[4:]]
    assert all(one["headings"] == ["Travel"] for part in asked for one in part)
    assert [one.sentence for one in draft.statements] == [0, 1, 2, 3, 4]
    assert [one.quote for one in draft.statements] == [text.strip() for text in texts]
    assert (draft.run.rounds, len(draft.run.log)) == (3, 3)
    assert (draft.run.prompt_tokens, draft.run.completion_tokens) == (2700, 300)


def test_a_part_uses_what_an_earlier_part_declared() -> None:
    texts = [f"Trips exceeding EUR {1000 * n} are refused {FILLER}." for n in (1, 2, 3)]
    with llm_server(choose=limits_trips) as server:
        draft = formalize(server, *texts, room=600)
    assert len(server.requests) == 3
    assert [one.name for one in draft.variables] == ["costEur", "approved", "tripAllowed"]
    assert [one.sentences for one in draft.rules] == [(0,), (1,), (2,)]
    model = PolicyModel(draft.datatypes, draft.variables)
    printed = [print_term(model, one.term) for one in draft.rules]
    assert [text.split()[4] for text in printed] == ["1000.0)", "2000.0)", "3000.0)"]


def test_the_parts_cost_what_they_cost_together_or_nobody_knows() -> None:
    texts = [f"Sentence {number} {FILLER}." for number in range(2)]
    with llm_server(choose=leaves_all) as server:
        assert formalize(server, *texts, room=600).run.cost_usd is None
        price = {"input_usd": Decimal(1000), "output_usd": Decimal(1000)}
        assert formalize(server, *texts, room=600, **price).run.cost_usd == 2


def test_fr_32_a_sentence_that_does_not_fit_alone_is_refused_before_any_is_asked() -> None:
    with llm_server(choose=leaves_all) as server, pytest.raises(LlmTooLongError) as caught:
        formalize(server, "Short.", f"Long {FILLER}{FILLER}.", room=500)
    assert server.requests == []
    assert "the sentence `Long and whoever reads" in str(caught.value)
    assert "choose a model with a larger window" in str(caught.value)


def test_without_a_known_window_nothing_is_split() -> None:
    with llm_server(choose=leaves_all) as server:
        formalizer = InParts(LiteLlmFormalizer(connect(server)))
        texts = [f"Sentence {number} {FILLER}." for number in range(8)]
        formalizer.formalize(span_of(*texts), PolicyModel(), cancelled=never)
    assert len(server.requests) == 1


@pytest.mark.django_db
def test_fr_32_nothing_that_does_not_fit_is_sent_whoever_asks(policy: Policy) -> None:
    message = [{"role": "user", "content": "x" * 3000}]

    def ask(connection: Connection) -> None:
        TableAsker(policy).ask(
            connection,
            message,
            {},
            without_schema=message,
            max_tokens=100,
            purpose=Purpose.TRANSLATE,
            cancelled=never,
        )

    with llm_server(says("x")) as server:
        with pytest.raises(LlmTooLongError, match=r"about 1,008 tokens long.* window of 1,107"):
            ask(connect(server, window=1107))
        assert server.requests == []
        ask(connect(server, window=1108))
        assert len(server.requests) == 1
