"""The page on which an owner chooses who drafts, who translates again, and whether text leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from policies.audit import first_broken_link
from policies.models import AuditRow, Policy, User
from translation.choices import shown_hash
from translation.ensemble.translators import translators_of
from translation.runs import plan_run

Clients = Callable[[User], Client]

MODELS = """
[house]
model = "openai/llama"
api_base = "http://10.1.2.3:8000/v1"

[far]
model = "openai/gpt-4o"
"""


@pytest.fixture(autouse=True)
def _models_file(tmp_path: Path, settings: Any) -> None:
    path = tmp_path / "models.toml"
    path.write_text(MODELS, encoding="utf-8")
    settings.POLICYWRIGHT_MODELS = str(path)
    settings.POLICYWRIGHT_FORMALIZER = "builtin"


def sent(policy: Policy, **parts: Any) -> dict[str, Any]:
    policy.refresh_from_db()
    return {"formalizer": "builtin", "shown": shown_hash(policy), **parts}


def address(policy: Policy) -> str:
    return f"/policies/{policy.slug}/models/"


def test_each_model_is_shown_with_its_place_and_what_is_external(
    travel: Policy, alices: Client
) -> None:
    page = alices.get(address(travel)).content.decode()
    assert "the built-in formalizer" in page
    assert "openai at 10.1.2.3:8000" in page
    assert "<strong>external</strong>, openai at api.openai.com" in page
    assert page.count("<strong>external</strong>") == 2  # once to draft, once to translate


def test_a_choice_is_kept_with_an_audit_row(travel: Policy, alices: Client, alice: User) -> None:
    rows = AuditRow.objects.filter(policy=travel, action="set-models")
    before = shown_hash(travel)
    data = sent(travel, formalizer="litellm:house", translators=["litellm:far", "builtin"])
    page = alices.post(address(travel), data, follow=True).content.decode()
    assert "Kept." in page
    travel.refresh_from_db()
    assert travel.formalizer == "litellm:house"
    assert travel.translators == ["litellm:far", "builtin"]
    row = rows.get()
    assert (row.actor, row.old_hash, row.new_hash) == (alice, before, shown_hash(travel))
    assert first_broken_link(travel) is None
    alices.post(
        address(travel), sent(travel, **{k: data[k] for k in ("formalizer", "translators")})
    )
    assert rows.count() == 1


def test_a_model_is_typed_by_its_name(travel: Policy, alices: Client) -> None:
    data = sent(
        travel,
        formalizer="other",
        other_formalizer=" ollama/llama3:8b ",
        other_translators="anthropic/claude-x, openai/gpt-4o",
    )
    assert alices.post(address(travel), data).status_code == 302
    travel.refresh_from_db()
    assert travel.formalizer == "litellm:ollama/llama3:8b"
    assert travel.translators == ["litellm:anthropic/claude-x", "litellm:openai/gpt-4o"]
    page = alices.get(address(travel)).content.decode()
    assert 'value="litellm:ollama/llama3:8b"' in page


def test_a_model_that_is_named_twice_is_asked_twice(travel: Policy, alices: Client) -> None:
    data = sent(travel, translators=["litellm:house"], other_translators="house")
    alices.post(address(travel), data)
    travel.refresh_from_db()
    assert travel.translators == ["litellm:house", "litellm:house"]
    page = alices.get(address(travel)).content.decode()
    assert page.count('value="litellm:house"') == 2  # once to draft, once to translate
    assert 'name="other_translators" value="house"' in page


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"formalizer": "other"}, "is no model’s name"),
        ({"formalizer": "other", "other_formalizer": "two words"}, "‘two words’ is no model’s"),
        ({"formalizer": "other", "other_formalizer": "m" * 101}, "at most 100 characters"),
        ({"other_formalizer": "openai/x"}, "Choose ‘Another model’ above, or leave this empty."),
        ({"formalizer": "litellm:gone"}, "This model is not offered any more"),
        ({"translators": ["litellm:gone"]}, "not offered any more"),
        ({"translators": ["builtin"]}, "drafts already"),
        ({"other_translators": "a/1,a/2,a/3,a/4,a/5,a/6,a/7"}, "6 are the most"),
        ({"formalizer": "litellm:far", "forbids_external": "on"}, "is external, openai at api"),
        ({"translators": ["litellm:far"], "forbids_external": "on"}, "choose another"),
        ({"shown": "before"}, "Somebody changed this"),
    ],
)
def test_bad_input_is_one_sentence_and_loses_nothing(
    travel: Policy, alices: Client, parts: dict[str, Any], sentence: str
) -> None:
    before = shown_hash(travel)
    data = sent(travel, **parts)
    response = alices.post(address(travel), data)
    page = response.content.decode()
    assert response.status_code == (409 if "shown" in parts else 422)
    assert sentence in page
    assert "`" not in page
    for name in ("other_formalizer", "other_translators"):
        assert not parts.get(name) or f'value="{parts[name]}"' in page
    travel.refresh_from_db()
    assert shown_hash(travel) == before
    assert not AuditRow.objects.filter(policy=travel, action="set-models").exists()


def test_fr_46_what_somebody_else_kept_is_shown_and_one_may_keep_ones_own(
    travel: Policy, alices: Client
) -> None:
    mine = sent(travel, formalizer="litellm:house")
    alices.post(address(travel), sent(travel, translators=["litellm:far"]))
    response = alices.post(address(travel), mine)
    page = response.content.decode()
    assert response.status_code == 409
    assert "far (openai/gpt-4o) translates again" in page
    travel.refresh_from_db()
    assert shown_hash(travel) in page
    assert alices.post(address(travel), sent(travel, formalizer="litellm:house")).status_code == 302


def test_only_an_owner_chooses(
    travel: Policy, alice: User, bob: User, charlie: User, client_of: Clients
) -> None:
    assert client_of(alice).get(address(travel)).status_code == 200
    for person, status in ((bob, 403), (charlie, 404)):
        assert client_of(person).get(address(travel)).status_code == status
        assert client_of(person).post(address(travel), sent(travel)).status_code == status
    front = f"/policies/{travel.slug}/"
    assert address(travel) in client_of(alice).get(front).content.decode()
    assert address(travel) not in client_of(bob).get(front).content.decode()


def test_a_models_file_that_cannot_be_used_is_said(
    travel: Policy, alices: Client, settings: Any
) -> None:
    Path(settings.POLICYWRIGHT_MODELS).write_text("[house", encoding="utf-8")
    page = alices.get(address(travel)).content.decode()
    assert "which is not TOML" in page
    assert alices.post(address(travel), sent(travel, forbids_external="on")).status_code == 302


def test_a_policy_does_without_the_translators_that_the_server_names(
    travel: Policy, alices: Client, settings: Any
) -> None:
    settings.POLICYWRIGHT_TRANSLATORS = ["litellm:far"]
    assert translators_of(travel) == ["litellm:far"]
    page = alices.get(address(travel)).content.decode()
    assert "Nobody: drafts are not compared" in page

    both = sent(travel, translators=["nobody", "litellm:house"])
    page = alices.post(address(travel), both).content.decode()
    assert "Choose nobody, or those who are to translate." in page

    data = sent(travel, translators=["nobody"], forbids_external="on")
    alices.post(address(travel), data)
    travel.refresh_from_db()
    assert translators_of(travel) == []
    assert plan_run(travel).refusal == ""
    assert 'value="nobody"' in alices.get(address(travel)).content.decode()
