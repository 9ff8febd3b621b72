"""Frozen mapping: a setting with names chosen by the operator, each with a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

K = TypeVar("K")
V = TypeVar("V")
KEY_MARK = "[key]"
"""Last part in pydantic's place of a key that breaks its rule; absent from the place of a value."""


class FrozenMap(Mapping[K, V]):
    """Immutable, hashable mapping that keeps tables comparable; an empty map is `FrozenMap()`.

    As a setting's type, `FrozenMap[K, V]` takes a table and holds each key to the rule of `K`, each value to `V`'s.
    A `MappingProxyType` would not do: the type has no hash before Python 3.12, and pydantic copies unhashable defaults.
    """

    __slots__ = ("_content",)

    def __init__(self, content: Mapping[K, V] = MappingProxyType({})) -> None:
        self._content = dict(content)

    def __getitem__(self, key: K) -> V:
        return self._content[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __hash__(self) -> int:
        return hash(frozenset(self._content.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._content!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Schema for pydantic's check of a map: a dict of the two kinds, with the key in every error."""
        key, value = (handler.generate_schema(kind) for kind in get_args(source))
        return core_schema.no_info_after_validator_function(
            cls,
            core_schema.dict_schema(key, value),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


def is_key_place(path: tuple[str | int, ...]) -> bool:
    """True if an error at this place is a key's: `(table, setting, key, "[key]")`, or `(setting, key, "[key]")`.

    Or of a mapping in a table of a mapping: `(table, setting, key, setting, key, "[key]")`.
    """
    return len(path) in (3, 4, 6) and path[-1] == KEY_MARK
