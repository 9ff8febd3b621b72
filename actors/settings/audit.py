"""Audit of the settings file for unknown keys and for misplaced secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from actors.settings.problem import dotted_key
from actors.settings.schema import Settings
from actors.settings.secret import is_provider_secret
from actors.settings.toml_lines import KeyPath

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:token|secret|password|passwd|passphrase|credentials?|api_?key|access_?key|private_?key|key)(?:$|_)"
)
_SECRET_TEXT = re.compile(
    r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's bot tokens
    r"|\bmfa\.[\w-]{20,}"
    r"|\b(?:sk|pk|rk)-[\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\b(?:gsk|hf|xai|ghp|gho|ghs|github_pat|r8|pplx|nvapi|tvly)[_-]\w{16,}"
    r"|\bBSA[\w-]{20,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/@\s]*:[^/@\s]+@"
    r"|[?&](?:\w*_)?(?:key|token|secret)=",
    re.ASCII,
)
_KEY_DEPTH = 8
"""Keys are searched for secrets to this depth; settings have two parts, and a third where they are a mapping."""
_MOVE_IT = (
    "secrets don't belong here: put them into secrets.env (mode 0600) beside this file, or into the environment; "
    "docs/agent.example.toml shows how"
)


def looks_secret(text: str) -> bool:
    """True if a text has the shape of a token or key; used to refuse or to hide the text, never to accept it."""
    return _SECRET_TEXT.search(text) is not None


def misplaced_secrets(values: Mapping[str, object], schema: type[Settings] = Settings) -> dict[KeyPath, str]:
    """Key -> message about a secret in the file; the text never contains the secret."""
    problems: dict[KeyPath, str] = {}
    for path, value in _leaves(values):
        start = _secret_in_key(path)
        if start is not None:
            problems[path[: start + 1]] = f"a key that looks like a secret: {_MOVE_IT}"
        elif isinstance(value, str) and value and (looks_secret(value) or _is_named_secret(path, value, schema)):
            problems[path] = f"{dotted_key(path)}: {_MOVE_IT}"
    return problems


def unknown_keys(values: Mapping[str, object], schema: type[Settings] = Settings) -> dict[KeyPath, str]:
    """Key -> message about an unknown key; keys below an unknown table are skipped."""
    problems: dict[KeyPath, str] = {}
    for name, value in values.items():
        if name not in schema.model_fields:
            problems[name,] = _unknown_key((name,), schema)
            continue
        table = table_of(schema.model_fields[name])
        if table and isinstance(value, dict):
            unknown = [key for key in value if key not in table.model_fields]
            problems |= {(name, key): _unknown_key((name, key), schema, table) for key in unknown}
    return problems


def without(values: Mapping[str, object], paths: set[KeyPath]) -> dict[str, object]:
    """Copy of the file's values without the keys at `paths` (of one or two parts; longer paths are cut to two)."""
    gone = {path[:2] for path in paths}
    return {
        name: {key: item for key, item in value.items() if (name, key) not in gone}
        if isinstance(value, dict)
        else value
        for name, value in values.items()
        if (name,) not in gone
    }


def table_of(setting: FieldInfo) -> type[BaseModel] | None:
    """Class of a setting that is a table; None for a value."""
    kind = setting.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _unknown_key(path: tuple[str, ...], schema: type[Settings], table: type[BaseModel] | None = None) -> str:
    spelt = path[-1].lower().replace("-", "_")
    if spelt in ("enabled", path[0]) and _is_layer(path[0], schema):
        return f"{dotted_key(path)}: unknown key; a layer is switched on by [layers] {path[0]} = true"
    close = get_close_matches(spelt, (table or schema).model_fields, n=1) or _elsewhere(spelt, schema)
    return f"{dotted_key(path)}: unknown key" + (f"; did you mean {close[0]}?" if close else "")


def _is_layer(name: str, schema: type[Settings]) -> bool:
    switches = table_of(schema.model_fields["layers"])
    return switches is not None and name in switches.model_fields


def _elsewhere(key: str, schema: type[Settings]) -> list[str]:
    """Full name of an existing key, for a key without its table: people forget the table's header."""
    tables = {name: table_of(setting) for name, setting in schema.model_fields.items()}
    return [key] * (key in tables) or [
        f"{name}.{key}" for name, table in tables.items() if table and key in table.model_fields
    ]


def _secret_in_key(path: KeyPath) -> int | None:
    """Index of the key's part where a secret begins; without quotes a token's dots make several parts."""
    parts = [str(part) for part in path[:_KEY_DEPTH]]
    starts = [n for n in range(len(parts)) if looks_secret(".".join(parts[n:]))]
    return max(starts, default=None)


def _is_named_secret(path: KeyPath, value: str, schema: type[Settings]) -> bool:
    """True if the key marks its value as a secret; the name of a secret is no secret."""
    if is_provider_secret(value):
        return False
    spelt = [str(part).lower().replace("-", "_") for part in path[_known_parts(path, schema) : _KEY_DEPTH]]
    return any(_SECRET_NAME.search(part) for part in spelt)


def _known_parts(path: KeyPath, schema: type[Settings]) -> int:
    """Number of a key's parts that spell a setting; later parts are the operator's own names."""
    setting = schema.model_fields.get(str(path[0]))
    if setting is None:
        return 0
    table = table_of(setting)
    if table is None or len(path) < 2:
        return 1
    return 2 if path[1] in table.model_fields else 0


def _leaves(values: Mapping[str, object]) -> Iterator[tuple[KeyPath, object]]:
    """Every value without parts, and every empty table, with its key; a loop, for files may nest deeper than calls."""
    waiting: list[tuple[KeyPath, object]] = [((key,), value) for key, value in values.items()]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), item) for index, item in enumerate(value)]
        else:
            yield path, value
