"""Verbs, which can be asked at a door: how a request's arguments become the message that an actor owns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, get_args

import msgspec

from actors.part.verb import Verb
from actors.socket.wire import RequestError, shown
from messages.base import Address, Message, RequestId, Surface, Window

WINDOW = "window"
OPERATOR = Window(surface=Surface.CLI, id="operator")
"""On whose behalf an operator asks for what must have a window, unless he names one."""
_FILLED_IN = frozenset({"request_id", "reply_to"})
_PROBLEM_AT = " - at `$."


@dataclass(frozen=True, slots=True)
class Asked:
    """Context of a request, as the door itself knows it."""

    request_id: RequestId
    reply_to: Address
    window: Window | None
    """The door's; None at the operator's door, where the asker may name one, and else is `OPERATOR`."""


def message_of(verb: Verb, name: str, arguments: Mapping[str, object], caller: Asked) -> Message:
    """The message that a request becomes.

    Raises:
        RequestError: an argument is unknown, missing, of the wrong type, or not the asker's to give.
    """
    allowed = tuple(field.name for field in arguments_of(verb, operator=caller.window is None))
    for argument, value in arguments.items():
        if argument not in allowed:
            raise RequestError(_not_allowed(argument, value, name, allowed))
    fields = {**arguments, "request_id": caller.request_id, "reply_to": caller.reply_to}
    if (field := _window_field(verb)) is not None:
        window = caller.window or _named_window(arguments.get(WINDOW)) or (OPERATOR if field.required else None)
        fields |= {WINDOW: window} if window else {}
    try:
        return msgspec.convert(fields, type=verb.message, strict=True)
    except msgspec.ValidationError as error:
        raise RequestError(f"{name}: {_worded(str(error), arguments)}") from None


def arguments_of(verb: Verb, *, operator: bool) -> tuple[msgspec.structs.FieldInfo, ...]:
    """What an asker may give, in the message's order."""
    hidden = _FILLED_IN if operator else _FILLED_IN | {WINDOW}
    return tuple(field for field in msgspec.structs.fields(verb.message) if field.name not in hidden)


def help_on(verbs: Mapping[str, Verb], *, operator: bool) -> dict[str, object]:
    """What each verb does and takes."""
    return {
        "verbs": {
            name: {
                "does": (verb.message.__doc__ or "").partition("\n")[0],
                "arguments": {field.name: _described(field) for field in arguments_of(verb, operator=operator)},
            }
            for name, verb in sorted(verbs.items())
        }
    }


def _described(field: msgspec.structs.FieldInfo) -> dict[str, object]:
    required = field.required and field.name != WINDOW
    described: dict[str, object] = {"type": _type_name(field.type), "required": required}
    if field.default is not msgspec.NODEFAULT:
        described["default"] = msgspec.to_builtins(field.default)
    return described


def _type_name(kind: Any) -> str:
    """How a field's type reads, with the window as an operator writes it."""
    if isinstance(kind, UnionType):
        return " | ".join(_type_name(part) for part in get_args(kind))
    if kind is Window:
        return "<surface>/<id>"
    if kind is NoneType:
        return "null"
    return str(kind) if get_args(kind) else getattr(kind, "__name__", str(kind))


def _window_field(verb: Verb) -> msgspec.structs.FieldInfo | None:
    return next((field for field in msgspec.structs.fields(verb.message) if field.name == WINDOW), None)


def _named_window(value: object) -> Window | None:
    """The window that an operator named as `<surface>/<id>`; None for none."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise RequestError(f"window {shown(value)}: <surface>/<id> is required, such as discord-thread/123")
    try:
        return Window.from_key(value)
    except ValueError as error:
        raise RequestError(str(error)) from None


def _not_allowed(argument: str, value: object, name: str, allowed: tuple[str, ...]) -> str:
    if argument == WINDOW:
        return f"window {shown(value)}: {name} acts for the window whose socket this is and takes no other"
    rule = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
    return f"{name} has no argument {shown(argument)}: {rule}"


def _worded(problem: str, arguments: Mapping[str, object]) -> str:
    """The finding of msgspec with the argument in front and what it was."""
    rule, actual, place = problem.partition(_PROBLEM_AT)
    if not actual:
        return problem
    argument = place.rstrip("`")
    value = f" {shown(arguments[argument])}" if argument in arguments else ""
    return f"argument {argument}{value}: {rule}"
