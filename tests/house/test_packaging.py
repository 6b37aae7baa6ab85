"""What is installed, and what we hand out."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("run", "test", "dev")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """Our wheel, built offline from a copy that also holds the other rooms."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for room in ("policywright", "policies", "vetting", "config"):
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "-w", source, source], check=True)
    (made,) = source.glob("*.whl")
    return zipfile.Path(made)


def test_the_wheel_holds_policywright_alone(wheel: zipfile.Path) -> None:
    names = {entry.name for entry in wheel.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"policywright"}
    inside = {entry.name for entry in (wheel / "policywright").iterdir()}
    missing = {path.name for path in (ROOT / "policywright").glob("*.py")} - inside
    assert not missing
    assert "py.typed" in inside


def test_the_wheel_asks_for_the_base_dependencies_and_no_server(wheel: zipfile.Path) -> None:
    (info,) = (entry for entry in wheel.iterdir() if entry.name.endswith(".dist-info"))
    needs = Parser().parsestr((info / "METADATA").read_text()).get_all("Requires-Dist") or []
    base = {re.split(r"[<>=!\[ ;]", need)[0] for need in needs if "extra ==" not in need}
    assert base == {"z3-solver", "lark", "babel", "rapidfuzz"}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_every_package_with_a_hash_and_names_no_address(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all(re.match(r"[a-z0-9-]+(\[[a-z,]+\])?==", entry) for entry in entries)
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "--index" not in text


def test_the_locks_agree() -> None:
    pins = [
        set(re.findall(r"^(\S+==\S+)", (ROOT / "requirements" / f"{name}.txt").read_text(), re.M))
        for name in LOCKS
    ]
    assert pins[0] < pins[1] < pins[2]


def test_litellm_is_a_wheel_that_runs_nothing_at_start() -> None:
    """A release of it once stole keys by a `.pth` file, which Python runs at every start."""
    litellm = distribution("litellm")
    assert "Tag: " in (litellm.read_text("WHEEL") or "")
    assert [str(path) for path in litellm.files or [] if path.suffix == ".pth"] == []
    site_packages = Path(str(litellm.locate_file("")))
    assert [path.name for path in site_packages.glob("*litellm*.pth")] == []


@pytest.mark.skipif(
    not (Path(sys.prefix) / ".installed-run").exists(),
    reason="this environment was not made by make",
)
@pytest.mark.parametrize("name", ["litellm", "django", "z3"])
def test_what_is_installed_is_compiled_whatever_the_environment_says(name: str) -> None:
    """Without bytecode each process compiles LiteLLM anew, which takes seconds."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert Path(importlib.util.cache_from_source(spec.origin)).exists()
