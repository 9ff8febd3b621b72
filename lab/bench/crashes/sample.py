"""Sample message of any type: each field has the plainest value allowed by the annotation."""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from messages.base import Address, Message

S = TypeVar("S", bound=Message)
NOBODY = Address("edge", "nobody")
PLAIN: dict[object, object] = {
    str: "1",
    int: 1,
    float: 1.0,
    bool: False,
    bytes: b"",
    datetime: datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC),
    Address: NOBODY,
    types.NoneType: None,
    Any: None,
    object: None,
}


def sample(kind: type[S]) -> S:
    """A message of type `kind` with its required fields filled.

    Raises:
        TypeError: a field has an annotation without a known plain value.
    """
    message: S = _of_struct(kind)
    return message


def members(hint: object) -> tuple[type[Message], ...]:
    """Message types of a union; a single type counts as a union."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return tuple(part for part in parts if isinstance(part, type) and issubclass(part, Message) and part is not Message)


def _of_struct(kind: Any) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        required = [field.name for field in fields(kind) if field.default is field.default_factory is MISSING]
    else:
        required = [field.name for field in msgspec.structs.fields(kind) if field.required]
    return kind(**{name: _value(hints[name]) for name in required})


def _value(hint: Any) -> Any:
    if isinstance(hint, NewType):
        return _value(hint.__supertype__)
    if hint in PLAIN:
        return PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _value(arguments[0])
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return None if types.NoneType in arguments else _value(arguments[0])
    if origin is tuple:
        return () if Ellipsis in arguments else tuple(map(_value, arguments))
    if origin is frozenset:
        return frozenset()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    if isinstance(hint, type) and (issubclass(hint, msgspec.Struct) or is_dataclass(hint)):
        return _of_struct(hint)
    raise TypeError(f"{hint!r}: no plain value is known for it")
