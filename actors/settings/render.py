"""Settings in force as `agent config` prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel

from actors.settings.schema import Settings, Source
from actors.settings.secret import SHOWN_WHEN_MISSING, Secrets


def render(settings: Settings, secrets: Secrets) -> dict[str, object]:
    """Every setting with its source, every secret as set or not set; fit for JSON.

    Returns:
        `{"file": path or None, "settings": {"model.name": {"value": …, "source": "default" | "file" | "env" | "command
        line"}, …}, "secrets": {"GEMINI_API_KEY": {"value": "set" | "not set", "source": path or "env" or None}, …}}`.
    """
    origin = settings.origin
    return {
        "file": str(origin.file) if origin.file else None,
        "settings": {
            key: {"value": _plain(value), "source": _source(origin.sources, key).value}
            for key, value in _flat(settings)
        },
        "secrets": {
            name: {"value": "set" if name in secrets.sources else "not set", "source": secrets.sources.get(name)}
            for name in sorted({*SHOWN_WHEN_MISSING, *secrets.sources})
        },
    }


def _flat(table: BaseModel, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table:
        if isinstance(value, BaseModel):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, Mapping) and any(isinstance(each, BaseModel) for each in value.values()):
            inner = (each for key, table in value.items() for each in _flat(table, f"{prefix}{name}.{key}."))
            yield from (each for each in inner if each[1] is not None)
        else:
            yield f"{prefix}{name}", value


def _source(sources: Mapping[str, Source], key: str) -> Source:
    """Source of a setting; the keys of a table within a mapping, as a channel's, have the source of the mapping."""
    while key and key not in sources:
        key = key.rpartition(".")[0]
    return sources.get(key, Source.DEFAULT)


def _plain(value: object) -> object:
    match value:
        case Path():
            return str(value)
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
