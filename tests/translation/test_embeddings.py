"""A LiteLLM embedding model over real HTTP; the vectors are hand-written."""

from __future__ import annotations

import pytest

from policies.models import Policy
from tests.llm_server import Answer, LlmServer, embeds, fails, llm_server
from tests.translation.conftest import connect, never
from translation.embeddings import LiteLlmEmbedder, choose_embedder, embeddings_for
from translation.llm_errors import (
    LlmBadAnswerError,
    LlmError,
    LlmForbiddenError,
    LlmNotConfiguredError,
    LlmServerError,
)
from translation.merges import start_search
from translation.merging.candidates import Described, find_candidates
from translation.merging.embedding import WordLlamaEmbedder
from translation.models import TextVector

pytestmark = pytest.mark.django_db


def embedder(server: LlmServer) -> LiteLlmEmbedder:
    return LiteLlmEmbedder(connect(server), never)


def test_texts_are_embedded_in_order_as_rows_of_length_one() -> None:
    with llm_server(embeds([3.0, 4.0], [0.0, 2.0])) as server:
        rows = embedder(server).embed(["one", "two"])
    assert rows.tolist() == [pytest.approx([0.6, 0.8]), pytest.approx([0.0, 1.0])]
    assert server.requests[0]["input"] == ["one", "two"]


def test_no_text_is_sent_twice_and_another_server_is_another_model() -> None:
    with llm_server(embeds([1.0, 0.0], [0.0, 1.0]), embeds([1.0, 1.0])) as server:
        first = embedder(server).embed(["one", "two"])
        again = embedder(server).embed(["two", "one", "one"])
        assert len(server.requests) == 1
        assert again.tolist() == [first[1].tolist(), first[0].tolist(), first[0].tolist()]
        embedder(server).embed(["one", "three"])
        assert server.requests[1]["input"] == ["three"]
    with llm_server(embeds([1.0, 0.0])) as other:
        embedder(other).embed(["one"])
        assert len(other.requests) == 1
    assert TextVector.objects.count() == 4


def test_a_hundred_texts_go_in_one_request() -> None:
    answers = [embeds(*[[1.0, 0.0]] * 100), embeds(*[[1.0, 0.0]] * 20)]
    with llm_server(*answers) as server:
        embedder(server).embed([f"text {number}" for number in range(120)])
    assert [len(request["input"]) for request in server.requests] == [100, 20]


def test_near_vectors_make_a_candidate_whatever_the_words() -> None:
    variables = [
        Described("a", "abroad", "Bool", description="the trip crosses a national border"),
        Described("b", "foreignTravel", "Bool", description="it goes to another country"),
    ]
    with llm_server(embeds([1.0, 0.1], [1.0, 0.2])) as server:
        (one,) = find_candidates(variables, embedder(server))
    assert one.is_proposal
    with llm_server(embeds([1.0, 0.0], [0.0, 1.0])) as server:
        assert find_candidates(variables, embedder(server)) == []


@pytest.mark.parametrize(
    "answer",
    [
        embeds([1.0]),
        embeds([1.0], [1.0, 2.0]),
        embeds([], []),
        embeds([1.0], [float("nan")]),
        Answer(b"<html>sign in</html>", content_type="text/html"),
        Answer(b'{"object": "list", "data": [{"index": 0}, {"index": 1}]}'),
        Answer(b'{"object": "list", "data": ["x", "y"]}'),
    ],
    ids=["too few", "two lengths", "empty", "nan", "html", "no vectors", "text"],
)
def test_what_is_not_a_vector_for_each_text_is_refused(answer: Answer) -> None:
    with llm_server(answer) as server, pytest.raises(LlmError) as caught:
        embedder(server).embed(["one", "two"])
    assert isinstance(caught.value, (LlmBadAnswerError, LlmServerError))
    assert not TextVector.objects.exists()


def test_a_busy_server_is_asked_again() -> None:
    with llm_server(fails(503), embeds([1.0, 0.0])) as server:
        embedder(server).embed(["one"])
    assert len(server.requests) == 2


def test_the_setting_chooses(settings) -> None:
    assert isinstance(choose_embedder(never), WordLlamaEmbedder)
    settings.POLICYWRIGHT_EMBEDDINGS = "litellm:openai/some-embedding"
    settings.POLICYWRIGHT_EMBEDDINGS_API_BASE = "http://127.0.0.1:1/v1"
    chosen = choose_embedder(never)
    assert chosen.name == "litellm:openai/some-embedding"
    assert choose_embedder(never, "wordllama").name == "wordllama"
    settings.POLICYWRIGHT_EMBEDDINGS = "litellm:"
    with pytest.raises(LlmNotConfiguredError):
        choose_embedder(never)


def test_a_policy_that_forbids_external_models_is_searched_in_this_process(policy, settings):
    settings.POLICYWRIGHT_EMBEDDINGS = "litellm:openai/some-embedding"
    settings.POLICYWRIGHT_EMBEDDINGS_API_BASE = "https://models.example/v1"
    assert start_search(policy, None).settings["embeddings"] == "litellm:openai/some-embedding"
    policy.forbids_external_models = True
    policy.save()
    assert start_search(policy, None).settings["embeddings"] == "wordllama"
    settings.POLICYWRIGHT_EMBEDDINGS_API_BASE = "http://127.0.0.1:1/v1"
    assert embeddings_for(policy) == "litellm:openai/some-embedding"


def test_a_search_under_way_sends_nothing_more_once_it_is_forbidden(policy, settings):
    settings.POLICYWRIGHT_EMBEDDINGS = "litellm:someone/embedding"
    with llm_server(embeds([1.0, 0.0])) as server:
        settings.POLICYWRIGHT_EMBEDDINGS_API_BASE = server.base_url
        chosen = choose_embedder(never, "", policy)
        Policy.objects.update(forbids_external_models=True)
        with pytest.raises(LlmForbiddenError, match="it is done on this server"):
            chosen.embed(["one"])
    assert server.requests == []
