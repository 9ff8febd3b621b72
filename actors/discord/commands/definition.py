"""Definitions of commands, and a test for two definitions with the same look to people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_CHAT_INPUT = 1


def definitions(commands: Iterable[Mapping[str, Any]]) -> dict[tuple[int, str], object]:
    """(type, name) -> everything about a command that people can notice; comparable.

    Discord's additions to a list (ids, versions, defaults) are left out, so the list equals the commands given.
    """
    return {(_kind(command), command["name"]): _definition(command) for command in commands}


def _definition(command: Mapping[str, Any]) -> object:
    return command.get("description") or "", _options(command)


def _options(holder: Mapping[str, Any]) -> object:
    return tuple(_option(option) for option in holder.get("options") or ())


def _option(option: Mapping[str, Any]) -> object:
    return (
        option["type"],
        option["name"],
        option.get("description") or "",
        bool(option.get("required")),
        bool(option.get("autocomplete")),
        tuple((choice["name"], choice["value"]) for choice in option.get("choices") or ()),
        tuple(option.get(key) for key in ("min_value", "max_value", "min_length", "max_length")),
        tuple(sorted(option.get("channel_types") or ())),
        _options(option),
    )


def _kind(command: Mapping[str, Any]) -> int:
    return int(command.get("type") or _CHAT_INPUT)
