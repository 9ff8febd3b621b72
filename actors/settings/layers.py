"""Settings with the tables of layers: a switch below `[layers]` and a separate table for each."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any, get_origin

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from actors.settings.audit import table_of
from actors.settings.schema import Layers, Settings
from actors.settings.table import Flag

_MUTABLE = (dict, list, set, Mapping, MutableMapping, Sequence)
"""Kinds for which pydantic makes a mutable value."""


def with_tables(tables: Mapping[str, type[BaseModel]]) -> type[Settings]:
    """Settings class with the given tables; the same class each time, so equal settings are equal.

    Args:
        tables: Layer -> its table; all keys have defaults.

    Raises:
        ValueError: a layer's name or table breaks a rule; the text names the rule.
    """
    return _make_schema(tuple(tables.items())) if tables else Settings


@lru_cache(maxsize=64)
def _make_schema(tables: tuple[tuple[str, type[BaseModel]], ...]) -> type[Settings]:
    for name, table in tables:
        _require_name(name)
        _require_table(name, table)
        if [kind for _, kind in tables].count(table) > 1:
            raise ValueError(f"table of layer {name!r}: two layers have it")
    switches: dict[str, Any] = {name: (Flag, False) for name, _ in tables}
    layers: Any = create_model("Layers", __base__=Layers, **switches)
    fields: dict[str, Any] = {name: (table, table()) for name, table in tables}
    return create_model("Settings", __base__=Settings, layers=(layers, layers()), **fields)


def _require_name(name: str) -> None:
    if name in Settings.model_fields:
        raise ValueError(f"layer {name!r}: a setting has that name")
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or hasattr(Settings, name) or hasattr(Layers, name):
        raise ValueError(f"layer {name!r}: must be a lower-case word that means nothing to the settings' class")


def _require_table(name: str, table: type[BaseModel]) -> None:
    if table.model_config.get("extra") != "forbid" or not table.model_config.get("frozen"):
        raise ValueError(f"table of layer {name!r}: must be frozen and forbid keys that it does not know")
    for key, field in table.model_fields.items():
        if field.is_required() or table_of(field):
            raise ValueError(f"table of layer {name!r}: {key}: every key must have a default and be no table itself")
        if _is_lax(field):
            raise ValueError(f"table of layer {name!r}: {key}: must be a Whole, Number or Flag of `actors.part`")
        if get_origin(field.annotation) in _MUTABLE or field.annotation in _MUTABLE:
            raise ValueError(f"table of layer {name!r}: {key}: must be a tuple, or a FrozenMap of `actors.part`")


def _is_lax(field: FieldInfo) -> bool:
    """True if text passes for the spelled number or flag."""
    return field.annotation in (int, float, bool) and not any(getattr(each, "strict", False) for each in field.metadata)
