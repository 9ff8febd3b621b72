"""Verbs for requests at a control socket: a request's arguments become an actor's message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta

from actors.part.verb import Verb
from actors.socket.wire import MALFORMED, MOST_CHARACTERS, RequestError, brief, quote_value
from messages.base import OPERATOR, Address, Message, RequestId, Window

WINDOW = "window"
LONGEST_WINDOW_NAME = 128
_FILLED_IN = frozenset({"request_id", "reply_to"})
_PROBLEM_AT = " - at `$."
_UNKNOWN = "Object contains unknown field `"
_WORTH_READING_BYTES = 200
"""Size in bytes beyond which a faulty value is cut to the beginning, in the raw form."""


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Context of a request, as known to the socket itself."""

    request_id: RequestId
    reply_to: Address
    window: Window | None
    """Window of the socket; None at the operator's socket: the operator may name a window, else `OPERATOR` counts."""


def message_of(verb: Verb, name: str, arguments: msgspec.Raw, caller: RequestContext) -> Message:
    """Message made from a request.

    The arguments are decoded straight into the fields of the verb's message, each with its type's maximum:
    no other data from a client ever becomes an object.

    Raises:
        RequestError: an argument is unknown, missing, of the wrong type or size, or not the requester's to give.
    """
    decoded = _decode_arguments(verb, name, arguments, operator=caller.window is None)
    fields = {field: getattr(decoded, field) for field in decoded.__struct_fields__}
    if (field := _window_field(verb)) is not None:
        window = caller.window or _named_window(fields.pop(WINDOW, None)) or (OPERATOR if field.required else None)
        fields |= {WINDOW: window} if window else {}
    return verb.message(**fields, request_id=caller.request_id, reply_to=caller.reply_to)


def addressee(verb: Verb, message: Message) -> Address:
    """Addressee of the message: a single actor, or the actor of the message's window."""
    if isinstance(verb.to, Address):
        return verb.to
    window: Window = message.window  # type: ignore[attr-defined]  # seen to by `check_verb`
    return verb.to(window)


def arguments_of(verb: Verb, *, operator: bool) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Arguments that a requester may give, in the message's order."""
    hidden = _FILLED_IN if operator else _FILLED_IN | {WINDOW}
    return tuple(field for field in msgspec.structs.fields(verb.message) if field.name not in hidden)


def help_on(verbs: Mapping[str, Verb], *, operator: bool) -> dict[str, object]:
    """Description of each verb with all arguments."""
    return {
        "verbs": {
            name: {
                "does": (verb.message.__doc__ or "").partition("\n")[0],
                "arguments": {field.name: _describe_field(field) for field in arguments_of(verb, operator=operator)},
            }
            for name, verb in sorted(verbs.items())
        }
    }


# decoding


@cache
def _decoder(verb: Verb, operator: bool) -> msgspec.json.Decoder[msgspec.Struct]:
    """Decoder of the arguments allowed to `verb`, and of no others."""
    fields = [
        (WINDOW, Annotated[str, Meta(max_length=LONGEST_WINDOW_NAME)] | None, None)
        if field.name == WINDOW
        else (field.name, field.type, _default(field))
        for field in arguments_of(verb, operator=operator)
    ]
    kind = msgspec.defstruct(f"{verb.message.__name__}Arguments", fields, kw_only=True, forbid_unknown_fields=True)
    return msgspec.json.Decoder(kind, strict=True)


@cache
def _view(verb: Verb) -> msgspec.json.Decoder[msgspec.Struct]:
    """Decoder of the same arguments as raw bytes, for sentences about them."""
    names = [field.name for field in arguments_of(verb, operator=True)]
    nothing = msgspec.Raw(b"")
    kind = msgspec.defstruct("View", [(name, msgspec.Raw, nothing) for name in {WINDOW, *names}])
    return msgspec.json.Decoder(kind)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not NODEFAULT:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.field() if field.required else field.default


def _decode_arguments(verb: Verb, name: str, arguments: msgspec.Raw, *, operator: bool) -> msgspec.Struct:
    try:
        return _decoder(verb, operator).decode(arguments)
    except MALFORMED as error:
        raise RequestError(_word_problem(str(error), verb, name, arguments, operator=operator)) from None


# sentences


def _word_problem(problem: str, verb: Verb, name: str, arguments: msgspec.Raw, *, operator: bool) -> str:
    """Finding of msgspec, led by the argument's name and value."""
    rule, actual, place = problem.partition(_PROBLEM_AT)
    if not actual and rule.startswith(_UNKNOWN):
        argument = rule.removeprefix(_UNKNOWN).removesuffix("`")
        allowed = tuple(field.name for field in arguments_of(verb, operator=operator))
        return _not_allowed(argument, _argument_text(verb, arguments, WINDOW), name, allowed)
    if not actual:
        return f"{name}: {brief(problem, 200)}"
    argument = place.rstrip("`")
    value = _argument_text(verb, arguments, argument)
    if argument == WINDOW:
        return f"window {value}: <surface>/<id> is required, such as discord-thread/123"
    return f"{name}: argument {argument}{value and f' {value}'}: {rule}"


def _argument_text(verb: Verb, arguments: msgspec.Raw, argument: str) -> str:
    """Value given for an argument, as repeated in an error; empty if unreadable."""
    try:
        raw = bytes(getattr(_view(verb).decode(arguments), argument, b""))
        if len(raw) <= _WORTH_READING_BYTES or raw.startswith(b'"'):
            return quote_value(msgspec.json.decode(raw)) if raw else ""
    except MALFORMED:
        return ""
    return brief(raw[:MOST_CHARACTERS].decode("utf-8", "replace") + "…", MOST_CHARACTERS)


def _not_allowed(argument: str, value: str, name: str, allowed: tuple[str, ...]) -> str:
    if argument == WINDOW:
        return f"window {value}: {name} acts for the window whose socket this is and takes no other"
    rule = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
    return f"{name} has no argument {quote_value(argument)}: {rule}"


def _describe_field(field: msgspec.structs.FieldInfo) -> dict[str, object]:
    required = field.required and field.name != WINDOW
    described: dict[str, object] = {"type": _type_name(field.type), "required": required}
    if field.default is not NODEFAULT:
        described["default"] = msgspec.to_builtins(field.default)
    return described | _bounds(field.type)


def _bounds(kind: Any) -> dict[str, object]:
    """Limits of a field, under JSON Schema's names."""
    names = {"min_length": "minLength", "max_length": "maxLength", "ge": "minimum", "le": "maximum"}
    return {
        shown_as: limit
        for meta in getattr(kind, "__metadata__", ())
        for name, shown_as in names.items()
        if isinstance(meta, Meta) and (limit := getattr(meta, name)) is not None
    }


def _type_name(kind: Any) -> str:
    """Name of a field's type, with the window as an operator writes a window."""
    if get_origin(kind) is Annotated:
        return _type_name(get_args(kind)[0])
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return " | ".join(_type_name(part) for part in get_args(kind))
    if kind is Window:
        return "<surface>/<id>"
    if kind is NoneType:
        return "null"
    return str(kind) if get_args(kind) else getattr(kind, "__name__", str(kind))


# windows


def _window_field(verb: Verb) -> msgspec.structs.FieldInfo | None:
    return next((field for field in msgspec.structs.fields(verb.message) if field.name == WINDOW), None)


def _named_window(value: str | None) -> Window | None:
    """Window named by an operator as `<surface>/<id>`; None without a name."""
    if value is None:
        return None
    try:
        return Window.from_key(value)
    except ValueError as error:
        raise RequestError(str(error)) from None
