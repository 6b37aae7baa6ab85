"""What the environment may say, and how it is refused."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import address, choice, database, flag, kept_secret, mail, number, words

ROOT = Path(__file__).resolve().parents[2]


def test_no_address_means_sqlite_that_queues_its_writers(tmp_path: Path) -> None:
    settings = database("", tmp_path)
    assert settings["NAME"] == tmp_path / "policywright.sqlite3"
    assert settings["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_a_postgresql_address_is_read_with_its_escapes_and_options(tmp_path: Path) -> None:
    settings = database("postgresql://pw:p%40ss%2F@db.example:5433/rules?sslmode=require", tmp_path)
    assert settings == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "rules",
        "USER": "pw",
        "PASSWORD": "p@ss/",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize(
    "address",
    [
        "mysql://u:sesame@h/n",
        "postgresql://u:sesame@h",
        "postgresql://u:sesame@h:port/n",
        "sesame",
    ],
)
def test_another_address_is_refused_without_repeating_its_password(
    address: str, tmp_path: Path
) -> None:
    with pytest.raises(ImproperlyConfigured, match="must look like") as refusal:
        database(address, tmp_path)
    assert "sesame" not in str(refusal.value)


def test_a_flag_is_0_or_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYWRIGHT_DEBUG", "1")
    assert flag("POLICYWRIGHT_DEBUG")
    monkeypatch.setenv("POLICYWRIGHT_DEBUG", "false")
    with pytest.raises(ImproperlyConfigured, match="POLICYWRIGHT_DEBUG is `false`: set it to 0 or"):
        flag("POLICYWRIGHT_DEBUG")


def test_a_command_says_one_sentence_and_no_stack_trace(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={
            **os.environ,
            "POLICYWRIGHT_VAR": str(tmp_path),
            "POLICYWRIGHT_JOBS": "threads",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr == "POLICYWRIGHT_JOBS is `threads`: set it to embedded or celery.\n"


def test_an_empty_choice_is_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLICYWRIGHT_JOBS", "")
    assert choice("POLICYWRIGHT_JOBS", ("embedded", "celery")) == "embedded"


def test_a_number_is_whole_and_above_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLICYWRIGHT_DOCUMENT_MB", raising=False)
    assert number("POLICYWRIGHT_DOCUMENT_MB", 10) == 10
    monkeypatch.setenv("POLICYWRIGHT_DOCUMENT_MB", "25")
    assert number("POLICYWRIGHT_DOCUMENT_MB", 10) == 25
    for wrong in ("0", "-1", "2.5", "many", "10 MB", "9" * 13, "²"):
        monkeypatch.setenv("POLICYWRIGHT_DOCUMENT_MB", wrong)
        with pytest.raises(ImproperlyConfigured, match="set it to a whole number above 0"):
            number("POLICYWRIGHT_DOCUMENT_MB", 10)


def test_words_stand_between_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLICYWRIGHT_ABBREVIATIONS", raising=False)
    assert words("POLICYWRIGHT_ABBREVIATIONS") == []
    monkeypatch.setenv("POLICYWRIGHT_ABBREVIATIONS", " Ref., Mgr. ,, ")
    assert words("POLICYWRIGHT_ABBREVIATIONS") == ["Ref.", "Mgr."]


def test_a_mail_server_is_read_with_its_escapes_and_its_encryption(tmp_path: Path) -> None:
    settings = mail("smtp+tls://us%40er:p%2Fss@mail.example", tmp_path)
    assert settings == {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "us@er",
        "EMAIL_HOST_PASSWORD": "p/ss",
        "EMAIL_USE_TLS": True,
    }
    assert mail("smtps://mail.example:4650", tmp_path)["EMAIL_PORT"] == 4650
    assert "EMAIL_USE_SSL" not in mail("smtp://mail.example", tmp_path)
    assert mail("", tmp_path)["EMAIL_FILE_PATH"] == str(tmp_path)
    assert mail("console:", tmp_path)["EMAIL_BACKEND"].endswith("console.EmailBackend")


@pytest.mark.parametrize(
    "wrong", ["imap://u:sesame@h", "smtp:sesame", "smtp://h:sesame", "sesame", "smtp://:sesame@"]
)
def test_another_mail_server_is_refused_without_repeating_its_password(
    wrong: str, tmp_path: Path
) -> None:
    with pytest.raises(ImproperlyConfigured, match="POLICYWRIGHT_MAIL must look like") as refusal:
        mail(wrong, tmp_path)
    assert "sesame" not in str(refusal.value)


def test_our_own_address_has_a_host_and_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLICYWRIGHT_URL", raising=False)
    assert address("POLICYWRIGHT_URL", "http://127.0.0.1:8000") == "http://127.0.0.1:8000"
    monkeypatch.setenv("POLICYWRIGHT_URL", "https://rules.example.org/")
    assert address("POLICYWRIGHT_URL", "") == "https://rules.example.org"
    for wrong in (
        "rules.example.org",
        "ftp://h",
        "https://h/path",
        "https://u@h",
        "https://",
        "http://h:x",
        "https://h?q",
    ):
        monkeypatch.setenv("POLICYWRIGHT_URL", wrong)
        with pytest.raises(ImproperlyConfigured, match="set it to an address such as"):
            address("POLICYWRIGHT_URL", "")


def test_a_secret_is_made_once_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret"
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(lambda _: kept_secret(path, 64), range(32)))
    assert len(secrets) == 1
    assert len(secrets.pop()) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret"]


def test_every_variable_is_documented_and_every_documented_one_is_read() -> None:
    name = r"\b(?:POLICYWRIGHT_[A-Z_]+|DATABASE_URL|REDIS_URL)\b"
    code = (ROOT / "config" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(rf'(?:get|flag|choice|number|words|address)\(\s*"({name})"', code))
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    documented = set(re.findall(rf"^\| `({name})`", page, re.M))
    assert read == documented
