"""Control API of the page, and of other processes: `POST /control/<act>` with JSON, `GET /control/state`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from aiohttp import web

from lab.playground.acts import interactions, local_model, people, trouble
from lab.playground.acts.interactions import InteractionOutcome
from lab.playground.hub import Hub
from lab.playground.rest.responses import JSON_TYPE, json_response
from lab.playground.world import defaults
from lab.playground.world.errors import ApiError
from lab.playground.world.interactions import ACKNOWLEDGE_S
from lab.playground.world.objects import Json, user_payload
from lab.playground.world.state import thread_state

Act = Callable[..., Any]
Answer = Callable[[Hub, Any], Json]
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_PAGE = 50


def _nothing(_hub: Hub, _result: None) -> Json:
    return {}


def _id(_hub: Hub, result: int) -> Json:
    return {"id": str(result)}


def _sockets(_hub: Hub, result: int) -> Json:
    return {"sockets": result}


def _dm(hub: Hub, result: int) -> Json:
    return hub.payloads.channel(hub.world.channel(result))


def _choices(_hub: Hub, result: list[Json]) -> Json:
    return {"choices": result}


def _outcome(_hub: Hub, result: InteractionOutcome) -> Json:
    return {"id": str(result.id), "callback": result.callback, "data": result.data}


ACTS: dict[str, tuple[Act, Answer]] = {
    "say": (people.say, _id),
    "speak": (people.speak, _id),
    "user_edit": (people.edit, _nothing),
    "user_delete": (people.delete, _nothing),
    "typing": (people.type_in, _nothing),
    "react": (people.react, _nothing),
    "user": (people.add_user, _id),
    "channel": (people.create_channel, _id),
    "channel_delete": (people.delete_channel, _nothing),
    "overwrite": (people.overwrite, _nothing),
    "role": (people.add_role, _id),
    "role_change": (people.change_role, _nothing),
    "thread": (people.create_thread, _id),
    "thread_change": (people.change_thread, _nothing),
    "dm": (people.open_dm, _dm),
    "slash": (interactions.slash, _outcome),
    "complete": (interactions.complete, _choices),
    "component": (interactions.click, _outcome),
    "modal": (interactions.submit_modal, _outcome),
    "fault": (trouble.inject, _nothing),
    "drop": (trouble.drop, _sockets),
    "op7": (trouble.op7, _sockets),
    "op9": (trouble.op9, _sockets),
    "zombie": (trouble.zombie, _sockets),
    "kill": (trouble.kill, _nothing),
    "fetch_model": (local_model.fetch, _nothing),
}
"""Acts by their name in the address, with the JSON of their results. The body has the act's parameters by name, the
acting user as `user_id`; ids may travel as strings, files travel in base64."""


def add_control(app: web.Application, hub: Hub) -> None:
    """Register the routes."""
    app.router.add_get("/control/state", partial(_state, hub))
    app.router.add_get(r"/control/channels/{channel_id:\d+}/messages", partial(_messages, hub))
    for name, (act, answer) in ACTS.items():
        app.router.add_post(f"/control/{name}", _endpoint(hub, act, answer))


def _endpoint(hub: Hub, act: Act, answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
    arguments_of = _reader(act)

    async def endpoint(request: web.Request) -> web.Response:
        if request.content_type != JSON_TYPE:
            return json_response({"message": f"Content-Type must be {JSON_TYPE}", "code": 0}, 415)
        try:
            result = act(hub, **arguments_of(_decode(await request.read())))
            return json_response(answer(hub, await result if inspect.isawaitable(result) else result))
        except TimeoutError:
            return json_response({"callback": None})
        except ApiError as error:
            return json_response(error.body(), error.status)
        except (TypeError, ValueError, msgspec.MsgspecError) as error:
            return json_response({"message": str(error), "code": 0}, 400)

    return endpoint


def _reader(act: Act) -> Callable[[Json], Json]:
    """Make a function that gives the arguments of `act` from a body; the bot is waited for as long as by Discord."""
    parameters = list(inspect.signature(act, eval_str=True).parameters.values())[1:]
    fields: list[Any] = [
        (each.name, each.annotation) if each.default is each.empty else (each.name, each.annotation, each.default)
        for each in parameters
        if each.kind is not each.VAR_POSITIONAL and each.name != "timeout_s"
    ]
    body_type = msgspec.defstruct(act.__name__, fields, kw_only=True, rename={"user": "user_id"})
    waits = {"timeout_s": ACKNOWLEDGE_S} if any(each.name == "timeout_s" for each in parameters) else {}

    def read(body: Json) -> Json:
        fields = {key: value for key, value in body.items() if value is not None}
        return {**msgspec.structs.asdict(msgspec.convert(fields, body_type, strict=False)), **waits}

    return read


async def _state(hub: Hub, _: web.Request) -> web.Response:
    payloads = hub.payloads
    offer = hub.companion.local_offer if hub.companion is not None else None
    threads = [
        {**payloads.channel(thread), "member_ids": [str(user_id) for user_id in thread_state(thread).members]}
        for thread in hub.world.threads.values()
    ]
    return json_response(
        {
            "guild": {"id": str(defaults.GUILD_ID), "name": defaults.GUILD_NAME},
            "bot": {**user_payload(hub.world.bot), "online": hub.gateway.is_online, "status": hub.gateway.status},
            "you": str(defaults.YOU_ID),
            "bot_channel": str(defaults.GENERAL_ID),
            "has_companion": hub.companion is not None,
            "local_model": offer.describe() if offer is not None else None,
            "users": [user_payload(user) for user in hub.world.users.values()],
            "channels": [payloads.channel(channel) for channel in payloads.guild_channels()],
            "threads": threads,
            "dms": [payloads.channel(channel) for channel in hub.world.dms()],
            "commands": hub.commands.visible(),
        }
    )


async def _messages(hub: Hub, request: web.Request) -> web.Response:
    try:
        channel = hub.world.channel(int(request.match_info["channel_id"]))
    except ApiError as error:
        return json_response(error.body(), error.status)
    before = request.query.get("before")
    newest_first = channel.history.before(int(before) if before else None, _PAGE)
    return json_response([hub.payloads.message(message) for message in reversed(newest_first)])
