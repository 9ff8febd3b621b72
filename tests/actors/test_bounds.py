"""Maxima of what a sandbox can fill: whatever a part lets scripts ask, no field of it is without one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import pytest
from msgspec import Meta

from actors.bootstrap import agent_plan, discord_connection
from actors.kernel import ActorSystem
from actors.part import Verb
from actors.parts import LAYERS, parts, settings_tables
from actors.settings.load import load
from actors.socket.verb import arguments_of
from actors.socket.wire import LONGEST_LINE_BYTES, Request
from messages.base import Message
from tests.actors.notes.layer import LAYER

MOST_BYTES_OF_A_CHARACTER = 12
"""As JSON writes one beyond the basic plane: two escapes of six."""
COUNTED_BY_THEIR_SCRIPT = {"mcp.call", "mcp.prompt"}
"""Verbs with a text of JSON: most of it is ASCII, so that the script counts the bytes and refuses too long a line."""
_SIZED = (str, bytes, list, tuple, set, frozenset, dict)
_COUNTED = (int, float)


def find_unbounded(kind: Any, path: str, metas: tuple[Meta, ...] = ()) -> Iterator[str]:
    """Paths of everything below `kind` that may be of any size."""
    origin = get_origin(kind)
    if origin is Annotated:
        base, *notes = get_args(kind)
        yield from find_unbounded(base, path, (*metas, *(note for note in notes if isinstance(note, Meta))))
    elif origin is Union or isinstance(kind, UnionType):
        for part in get_args(kind):
            yield from find_unbounded(part, path, metas)
    elif (origin or kind) in _SIZED:
        is_sized = any(meta.max_length is not None for meta in metas)
        is_fixed = origin is tuple and Ellipsis not in get_args(kind)
        if not is_sized and not is_fixed:
            yield f"{path}: {kind}"
        for part in get_args(kind):
            yield from find_unbounded(part, f"{path}[]") if part is not Ellipsis else ()
    elif kind in _COUNTED:
        if not any((meta.ge, meta.gt) != (None, None) and (meta.le, meta.lt) != (None, None) for meta in metas):
            yield f"{path}: {kind}"
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield from find_unbounded(field.type, f"{path}.{field.name}")
    elif hasattr(kind, "__supertype__"):
        yield from find_unbounded(kind.__supertype__, path, metas)
    elif not (kind in (bool, NoneType, datetime) or (isinstance(kind, type) and issubclass(kind, Enum))):
        yield f"{path}: {kind}"


@pytest.fixture
def verbs(tmp_path: Path) -> dict[str, Verb]:
    """Everything that scripts and the operator may ask of an agent with all that can be switched on."""
    layers = (*LAYERS, LAYER)
    on = {f"layers.{layer.name}": True for layer in layers}
    servers = {"mcp.servers": {"notes": {"command": ["notes"]}}}
    given = {"data_root": str(tmp_path / "data"), "skills.folders": [], **on, **servers}
    settings = load(environ={}, folder=tmp_path, overrides=given, tables=settings_tables(layers))
    table = parts(agent_plan(settings, {}, ActorSystem(workers=0), discord_connection(settings, "token")), layers)
    return {**table.verbs, **table.operator_verbs}


def test_every_field_that_a_request_can_fill_has_a_maximum(verbs: dict[str, Verb]) -> None:
    arguments = {(name, each.name): each.type for name, verb in verbs.items() for each in given_fields(verb)}

    assert {"memory.search", "web.read", "discord.attach", "reminders.create", "notes.take", "mcp.call"} <= verbs.keys()
    assert [flaw for path, kind in arguments.items() for flaw in find_unbounded(kind, ".".join(path))] == []


def test_every_field_of_a_request_itself_has_a_maximum_or_is_left_unread() -> None:
    kinds = {field.name: field.type for field in msgspec.structs.fields(Request)}

    assert kinds.pop("arguments") is msgspec.Raw
    assert [flaw for name, kind in kinds.items() for flaw in find_unbounded(kind, name)] == []


def test_the_greatest_request_of_every_verb_fits_into_a_line(verbs: dict[str, Verb]) -> None:
    longest = {
        name: sum(meta.max_length or 0 for each in given_fields(verb) for meta in metas_of(each.type))
        for name, verb in verbs.items()
        if name not in COUNTED_BY_THEIR_SCRIPT
    }

    assert max(longest.values()) * MOST_BYTES_OF_A_CHARACTER + 1_000 <= LONGEST_LINE_BYTES, longest


def given_fields(verb: Verb) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Fields that a sandbox may give; the operator also names a window, whose name the door bounds."""
    return arguments_of(verb, operator=False)


def metas_of(kind: Any) -> tuple[Meta, ...]:
    return tuple(note for note in getattr(kind, "__metadata__", ()) if isinstance(note, Meta))


class Greedy(Message, frozen=True, kw_only=True, gc=False):
    """Fields that no part should have."""

    text: str
    name: Annotated[str, Meta(min_length=1)]
    number: Annotated[int, Meta(ge=0)]
    ratio: float
    items: Annotated[tuple[str, ...], Meta(max_length=3)]
    table: dict[str, int] | None = None
    anything: Any = None
    good: Annotated[str, Meta(max_length=3)] = ""
    flag: bool = False


def test_the_look_for_maxima_sees_each_kind_of_field() -> None:
    flaws = [flaw for field in msgspec.structs.fields(Greedy) for flaw in find_unbounded(field.type, field.name)]

    places = [flaw.partition(":")[0] for flaw in flaws]
    assert places == ["text", "name", "number", "ratio", "items[]", "table", "table[]", "table[]", "anything"]
