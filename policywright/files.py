"""Files that engineers hand in: text as UTF-8, and roles as TOML. Loads no solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from policywright.errors import Problem, ReadError
from policywright.model import PolicyModel, Role


def read_text(path: str | Path) -> str:
    """A file's text; raises ReadError where it is not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is not UTF-8 text"
        raise ReadError([Problem(0, 0, message, "save the file as UTF-8")]) from error


def with_roles(model: PolicyModel, path: str | Path) -> PolicyModel:
    """The model with the roles that a TOML file gives; raises ReadError for unknown names."""
    import tomllib  # Few files bring one along.

    try:
        data: Mapping[str, object] = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ReadError([Problem(0, 0, f"the roles file is not TOML: {error}")]) from error
    roles: dict[str, Role] = {}
    problems = []
    names = {variable.name for variable in model.variables}
    for key, listed in data.items():
        if key not in [role.value for role in Role] or not isinstance(listed, list):
            problems.append(Problem(0, 0, f"`{key}` is not a list of fact, outcome or derived"))
            continue
        for name in listed:
            if name not in names:
                problems.append(
                    Problem(0, 0, f"the roles file names `{name}`, which is not a variable")
                )
            roles[str(name)] = Role(key)
    if problems:
        raise ReadError(problems)
    variables = tuple(
        replace(v, role=roles[v.name], role_guessed=False) if v.name in roles else v
        for v in model.variables
    )
    return PolicyModel(model.datatypes, variables, model.definitions, model.rules)
