"""Connections by name: the models file, what is external, and where text is said to go."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from django.core.checks import run_checks

from tests.llm_server import fails, llm_server, says
from tests.translation.conftest import never
from translation.connection import Connection, connection_named
from translation.llm import complete
from translation.llm_errors import LlmKeyError, LlmNotConfiguredError
from translation.price_list import price_of, window_of

HOUSE = """
[house]
model = "openai/llama"
api_base = "http://10.1.2.3:8000/v1"
key_env = "HOUSE_LLM_KEY"
input_usd_per_million = 0.2
output_usd_per_million = 1
window = 8192
"""


@pytest.fixture
def models(tmp_path: Path, settings):
    """`models(text)` makes that text the models file."""
    path = tmp_path / "models.toml"

    def write(text: str | bytes) -> Path:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        settings.POLICYWRIGHT_MODELS = str(path)
        return path

    return write


def test_a_name_of_the_models_file_is_its_connection(models, settings):
    models(HOUSE)
    house = connection_named("house")
    assert (house.name, house.model, house.key_env) == ("house", "openai/llama", "HOUSE_LLM_KEY")
    assert (house.input_usd, house.output_usd) == (Decimal("0.2"), Decimal(1))
    assert (house.window, house.max_tokens) == (8192, 2048)
    assert house.deadline_s == settings.POLICYWRIGHT_LLM_SECONDS
    assert house.host == "openai at 10.1.2.3:8000"
    assert not house.is_external


def test_any_other_name_is_litellms(models, settings):
    settings.POLICYWRIGHT_LLM_API_BASE = "http://127.0.0.1:9/v1"
    models(HOUSE)
    other = connection_named("openai/house")
    assert (other.name, other.model) == ("openai/house", "openai/house")
    assert other.api_base == "http://127.0.0.1:9/v1"


def test_the_settings_model_may_be_a_name_of_the_file(models, settings):
    models(HOUSE)
    settings.POLICYWRIGHT_LLM_MODEL = "house"
    assert connection_named().model == "openai/llama"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[house]\nmodel = x\n[b]", "is not TOML at line 2"),
        ('key = "sk-secret-secret"', "outside of a table"),
        ("[house]\nwindow = 5", "names no `model` for `house`"),
        ('[house]\nmodel = "m"\napi_key = "sk-secret-secret"', "something else of `house`"),
        ('[house]\nmodel = "m"\nkey_env = "sk-secret-secret"', "the name of an environment var"),
        ('[house]\nmodel = "m"\napi_base = "ftp://x"', "begins with http://"),
        ('[house]\nmodel = "m"\nwindow = 0', "a whole number of tokens"),
        ('[house]\nmodel = "m"\nwindow = true', "a whole number of tokens"),
        ('[house]\nmodel = "m"\nlocal = "yes"', "true or false"),
        ('[house]\nmodel = "m"\ninput_usd_per_million = nan', "an amount of dollars"),
        ('[house]\nmodel = "m"\ninput_usd_per_million = -1', "an amount of dollars"),
        ('[house]\nmodel = "m"\ninput_usd_per_million = 1', "one price of two"),
        ('["a, b"]\nmodel = "m"', "a name that cannot be used"),
        (b'[house]\nmodel = "\xff"', "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence_at_the_start_and_in_use(models, text, sentence):
    models(text)
    with pytest.raises(LlmNotConfiguredError) as caught:
        connection_named("house")
    (error,) = [one for one in run_checks() if one.id == "translation.E001"]
    for said in (str(caught.value), error.msg):
        assert sentence in said
        assert "\n" not in said
        assert "secret" not in said


def test_a_file_that_is_not_there_is_one_sentence(models):
    models(HOUSE).unlink()
    with pytest.raises(LlmNotConfiguredError, match=r"cannot be read \(No such file"):
        connection_named("house")


@pytest.mark.parametrize(
    ("model", "address", "external"),
    [
        ("openai/x", "http://127.0.0.1:8080/v1", False),
        ("openai/x", "http://localhost/v1", False),
        ("openai/x", "http://[::1]:1/v1", False),
        ("ollama/x", "http://192.168.1.7:11434", False),
        ("openai/x", "http://[::ffff:8.8.8.8]/v1", True),
        ("openai/x", "https://127.0.0.1.evil.example/v1", True),
        ("openai/x", "https://localhost@evil.example/v1", True),
        ("openai/x", "http://llm.internal/v1", True),
        ("openai/x", "https://api.openai.com/v1", True),
        ("openai/x", "", True),
        ("ollama/x", "", True),
        # Whether LiteLLM asks there is not known of every provider.
        ("bedrock/x", "http://127.0.0.1/v1", True),
        ("claude-9", "http://127.0.0.1/v1", True),
    ],
)
def test_what_is_not_surely_inside_is_external(model, address, external):
    assert Connection(model, address).is_external is external
    assert not Connection(model, address, is_local=True).is_external


@pytest.mark.parametrize(
    ("connection", "host"),
    [
        (Connection("openai/gpt-4o"), "openai at api.openai.com"),
        (Connection("cohere/command"), "cohere, at that provider's own address"),
        (
            Connection("openai/x", "http://u:secret@h.example:1/v1?key=secret"),
            "openai at h.example:1",
        ),
    ],
)
def test_the_host_is_named_without_secrets(connection, host):
    assert connection.host == host
    assert "secret" not in connection.address


def test_where_litellm_would_look_by_itself_is_named_and_asked(monkeypatch, settings):
    settings.POLICYWRIGHT_LLM_API_BASE = ""
    monkeypatch.setenv("OPENAI_API_BASE", "https://proxy.example/v1")
    monkeypatch.setenv("OLLAMA_API_BASE", "http://10.0.0.9:11434")
    assert connection_named("openai/x").host == "openai at proxy.example"
    assert connection_named("gpt-4o").api_base == "https://proxy.example/v1"
    assert connection_named("ollama/x").host == "ollama at 10.0.0.9:11434"


def ask(connection: Connection):
    message = [{"role": "user", "content": "hello"}]
    return complete(connection, message, {}, without_schema=message, max_tokens=50, cancelled=never)


def test_the_key_is_the_one_that_the_connection_names(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("HOUSE_LLM_KEY", "sk-house")
    with llm_server(says("x")) as server:
        ask(Connection("openai/x", server.base_url, key_env="HOUSE_LLM_KEY"))
        ask(Connection("openai/x", server.base_url, has_no_key=True))
        ask(Connection("openai/x", server.base_url))
    keys = [headers["authorization"] for headers in server.headers]
    assert keys == ["Bearer sk-house", "Bearer none", "Bearer sk-openai"]


def test_the_file_gives_a_key_to_no_address_that_it_does_not_name_one_for(models):
    models('[other]\nmodel = "openai/x"\napi_base = "https://other.example/v1"')
    assert connection_named("other").has_no_key
    models('[own]\nmodel = "openai/x"')
    assert not connection_named("own").has_no_key


def test_a_key_that_is_not_set_is_one_sentence_and_no_request(monkeypatch):
    monkeypatch.delenv("HOUSE_LLM_KEY", raising=False)
    with llm_server(fails(500)) as server, pytest.raises(LlmKeyError) as caught:
        ask(Connection("openai/x", server.base_url, name="house", key_env="HOUSE_LLM_KEY"))
    assert "`HOUSE_LLM_KEY`" in str(caught.value)
    assert (server.requests, caught.value.requests) == ([], 0)


def test_prices_come_from_the_file_else_from_the_list_else_are_unknown():
    dear = Connection("openai/gpt-4o", input_usd=Decimal(7), output_usd=Decimal(8))
    assert price_of(dear).cost_usd(1_000_000, 500_000) == Decimal(11)
    listed = price_of(Connection("openai/gpt-4o"))
    assert listed is not None
    assert listed.input_usd > 0
    assert price_of(Connection("gpt-4o")) == listed
    assert price_of(Connection("someone-else/gpt-4o")) is None
    assert price_of(Connection("openai/hand-written")) is None
    assert price_of(Connection("ollama/llama3")).cost_usd(1, 1) == 0


def test_windows_come_from_the_file_else_from_the_list_else_are_unknown():
    assert window_of(Connection("openai/gpt-4o", window=99)) == 99
    assert (window_of(Connection("openai/gpt-4o")) or 0) > 10_000
    assert window_of(Connection("openai/hand-written")) is None


def test_a_model_that_may_outlast_its_worker_is_found_at_the_start(settings):
    def found() -> list[str]:
        return [one.hint or "" for one in run_checks() if one.id == "translation.E002"]

    settings.POLICYWRIGHT_JOBS = "celery"
    assert found() == []
    settings.POLICYWRIGHT_LLM_SECONDS = 200
    assert found() == ["Set POLICYWRIGHT_LLM_SECONDS below 135."]
    settings.POLICYWRIGHT_JOBS = "embedded"
    assert found() == []
