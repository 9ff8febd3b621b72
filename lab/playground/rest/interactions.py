"""REST: commands, interaction callbacks and their webhooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab.playground.acts.answers import (
    acknowledge,
    change_answer,
    delete_answer,
    find_answer,
    follow_up,
    original_answer,
)
from lab.playground.rest.drafts import apply_edit, read_draft
from lab.playground.rest.route import Call, Created, Route
from lab.playground.world import defaults
from lab.playground.world.errors import ApiError, unknown_id
from lab.playground.world.interactions import CallbackKind, Interaction
from lab.playground.world.objects import Json
from lab.playground.world.records import Message

_WITH_MESSAGE = (CallbackKind.MESSAGE, CallbackKind.DEFERRED_MESSAGE)
_WITH_RESOURCE = (CallbackKind.MESSAGE, CallbackKind.UPDATE)


# interactions


def _callback(call: Call) -> Json | None:
    hub = call.hub
    kind, data = int(call.payload["type"]), call.payload.get("data") or {}
    if kind not in tuple(CallbackKind):
        raise ApiError(400, 50035, "Invalid Form Body", {"type": {"_errors": []}})
    opened = hub.interactions.get(call.id("interaction_id"))
    draft = None
    if kind in _WITH_MESSAGE:
        deferred = kind == CallbackKind.DEFERRED_MESSAGE
        draft = read_draft(hub, opened.channel, data, call.uploads, may_be_empty=deferred)
    interaction = hub.interactions.acknowledge(opened.id, call.params["token"], kind, data)
    message = acknowledge(hub, interaction, draft)
    if kind == CallbackKind.UPDATE and message is not None:
        change_answer(hub, interaction, message, apply_edit(hub, interaction.channel, message, data, call.uploads))
    if call.query.get("with_response") not in ("1", "true"):
        return None
    return _callback_answer(call, interaction, message)


def _callback_answer(call: Call, interaction: Interaction, message: Message | None) -> Json:
    answer: Json = {"interaction": {"id": str(interaction.id), "type": int(interaction.kind)}}
    if message is not None:
        if interaction.callback in _WITH_RESOURCE:
            answer["resource"] = {"type": interaction.callback, "message": call.hub.payloads.message(message)}
        answer["interaction"] |= {
            "response_message_id": str(message.id),
            "response_message_loading": interaction.is_deferred,
            "response_message_ephemeral": message.id in interaction.hidden,
        }
    return answer


def _follow_up(call: Call) -> Json:
    interaction = _interaction(call)
    draft = read_draft(call.hub, interaction.channel, call.payload, call.uploads)
    return call.hub.payloads.message(follow_up(call.hub, interaction, draft))


def _patch(call: Call) -> Json:
    interaction, message = _target(call)
    content = apply_edit(call.hub, interaction.channel, message, call.payload, call.uploads)
    change_answer(call.hub, interaction, message, content)
    return call.hub.payloads.message(message)


def _interaction(call: Call) -> Interaction:
    if call.id("application_id") != defaults.APPLICATION_ID:
        raise unknown_id("Webhook", 10015)
    return call.hub.interactions.by_token(call.params["token"])


def _target(call: Call) -> tuple[Interaction, Message]:
    interaction, target = _interaction(call), call.params["target"]
    if target == "@original":
        return interaction, original_answer(call.hub, interaction)
    return interaction, find_answer(call.hub, interaction, int(target))


# commands


def _scope(call: Call) -> int | None:
    if call.id("application_id") != defaults.APPLICATION_ID:
        raise unknown_id("Application", 10002)
    return call.id("guild_id") if "guild_id" in call.params else None


def _command(call: Call) -> dict[str, Any]:
    for command in call.hub.commands.all_of(_scope(call)):
        if command["id"] == call.params["command_id"]:
            return command
    raise unknown_id("application command", 10063)


def _put(call: Call) -> Json | Created:
    is_known = call.hub.commands.has(_scope(call), call.payload)
    command = call.hub.commands.put(_scope(call), call.payload)
    return command if is_known else Created(command)


def _changing(change: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """Make a handler that also tells the page the commands present after `change`."""

    def handle(call: Call) -> Any:
        answer = change(call)
        call.hub.tell_page("PLAYGROUND_COMMANDS", {"commands": call.hub.commands.visible()})
        return answer

    return handle


def _routes_of_commands(path: str) -> tuple[Route, ...]:
    one = path + "/{command_id}"
    return (
        Route("GET", path, lambda c: c.hub.commands.all_of(_scope(c))),
        Route("PUT", path, _changing(lambda c: c.hub.commands.replace_all(_scope(c), c.payload))),
        Route("POST", path, _changing(_put)),
        Route("GET", one, _command),
        Route("PATCH", one, _changing(lambda c: c.hub.commands.put(_scope(c), {**_command(c), **c.payload}))),
        Route("DELETE", one, _changing(lambda c: c.hub.commands.delete(_scope(c), c.id("command_id")))),
    )


_HOOK = "/webhooks/{application_id}/{token}"
_ANSWER = _HOOK + "/messages/{target}"

ROUTES = (
    Route("POST", "/interactions/{interaction_id}/{token}/callback", _callback, needs_token=False),
    Route("POST", _HOOK, _follow_up, major="token", needs_token=False),
    Route("GET", _ANSWER, lambda c: c.hub.payloads.message(_target(c)[1]), major="token", needs_token=False),
    Route("PATCH", _ANSWER, _patch, major="token", needs_token=False),
    Route("DELETE", _ANSWER, lambda c: delete_answer(c.hub, *_target(c)), major="token", needs_token=False),
    *_routes_of_commands("/applications/{application_id}/commands"),
    *_routes_of_commands("/applications/{application_id}/guilds/{guild_id}/commands"),
)
