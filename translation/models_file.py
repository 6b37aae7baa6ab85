"""The models file: connections that an organisation names, one table of TOML each.

    [house]
    model = "openai/llama-3.3-70b"
    api_base = "http://llm.example.internal:8000/v1"
    key_env = "HOUSE_LLM_KEY"
    input_usd_per_million = 0.2
    output_usd_per_million = 0.6
    window = 32768
    max_tokens = 8000
    local = true

Only `model` need be there. Keys are never in it: `key_env` names the variable that holds one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from translation.connection import Connection, with_settings
from translation.llm_errors import LlmNotConfiguredError

# A list of names is shown on pages, so none is a novel, and none holds a line break.
_NAME = re.compile(r"[^\s,:`]{1,100}")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")


def read_models(path: str) -> dict[str, Connection]:
    """The file's connections by name; none where no file is named.

    Raises LlmNotConfiguredError with one sentence for a file that cannot be used as it is.
    What the file holds is not repeated but for names: somebody may have put a key into it.
    """
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
        tables = tomllib.loads(text, parse_float=Decimal)
    except OSError as error:
        raise _unusable(path, f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise _unusable(path, "is not UTF-8 text; save it as that") from None
    except tomllib.TOMLDecodeError as error:
        where = re.search(r"\(at [^)]*\)$", str(error))
        at = where.group(0)[1:-1] if where else "somewhere"
        raise _unusable(path, f"is not TOML {at}; correct it") from None
    return {name: _connection(path, name, table) for name, table in tables.items()}


def _connection(path: str, name: str, table: Any) -> Connection:
    if not _NAME.fullmatch(name):
        raise _unusable(path, "has a name that cannot be used; take letters, digits, `-`, `.`, `/`")
    if not isinstance(table, Mapping):
        raise _unusable(path, f"has `{name}` outside of a table; begin a table with `[NAME]`")
    unknown = sorted(set(table) - set(_FIELDS))
    if unknown:
        known = ", ".join(f"`{field}`" for field in _FIELDS)
        raise _unusable(path, f"says something else of `{name}` than {known}; take that away")
    values = {}
    for field, (attribute, is_right, should) in _FIELDS.items():
        if field in table:
            if not is_right(table[field]):
                raise _unusable(path, f"gives `{name}` a `{field}` that is not {should}")
            values[attribute] = table[field]
    if "model" not in values:
        raise _unusable(path, f"names no `model` for `{name}`; write it as LiteLLM does")
    for price in ("input_usd", "output_usd"):
        if price in values:
            values[price] = Decimal(values[price])
    if ("input_usd" in values) != ("output_usd" in values):
        raise _unusable(path, f"gives `{name}` one price of two; give both, or none")
    if "window" in values and "max_tokens" not in values:
        # Room for the answer, and most of it for what is asked.
        values["max_tokens"] = min(Connection.max_tokens, max(values["window"] // 4, 1))
    has_no_key = "api_base" in values and "key_env" not in values
    return with_settings(Connection(name=name, has_no_key=has_no_key, **values))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 300 and value.isprintable()


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 100_000_000


def _is_price(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return False
    return Decimal(value).is_finite() and 0 <= value <= 1_000_000


def _is_address(value: Any) -> bool:
    return _is_text(value) and value.startswith(("http://", "https://"))


_FIELDS: Mapping[str, tuple[str, Callable[[Any], bool], str]] = {
    "model": ("model", lambda v: _is_text(v) and len(v) <= 100, "a model's name of LiteLLM's"),
    "api_base": ("api_base", _is_address, "an address that begins with http:// or https://"),
    "key_env": (
        "key_env",
        lambda v: _is_text(v) and _VARIABLE.fullmatch(v) is not None,
        "the name of an environment variable, such as HOUSE_LLM_KEY",
    ),
    "input_usd_per_million": ("input_usd", _is_price, "an amount of dollars"),
    "output_usd_per_million": ("output_usd", _is_price, "an amount of dollars"),
    "window": ("window", _is_whole, "a whole number of tokens"),
    "max_tokens": ("max_tokens", _is_whole, "a whole number of tokens"),
    "local": ("is_local", lambda v: isinstance(v, bool), "true or false"),
}


def _unusable(path: str, what: str) -> LlmNotConfiguredError:
    return LlmNotConfiguredError(f"POLICYWRIGHT_MODELS names `{path}`, which {what}")
