"""Control API of the page, and of other processes: `POST /control/<act>` with JSON, `GET /control/state`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from aiohttp import web

from lab.playground.acts.people import UserActs
from lab.playground.rest.responses import JSON_TYPE, json_response
from lab.playground.world import defaults
from lab.playground.world.errors import ApiError
from lab.playground.world.interactions import Interaction
from lab.playground.world.objects import Json, user_payload
from lab.playground.world.records import Channel, Overwrite, Upload
from lab.playground.world.state import thread_state

Act = Callable[[Json], Awaitable[Any]]
_decode = msgspec.json.Decoder(dict[str, Any]).decode
_PAGE = 50


class Control:
    """People's acts and faults over HTTP; ids travel as strings."""

    def __init__(self, acts: UserActs) -> None:
        """No route yet.

        Args:
            acts: What people do.
        """
        self._acts = acts
        self._hub = acts.hub

    def add(self, app: web.Application) -> None:
        """Register the routes."""
        app.router.add_get("/control/state", self._state)
        app.router.add_get(r"/control/channels/{channel_id:\d+}/messages", self._messages)
        acts: dict[str, Act] = {
            "say": self._say,
            "user_edit": self._edit,
            "user_delete": self._delete,
            "typing": self._typing,
            "react": self._react,
            "user": self._user,
            "channel": self._channel,
            "channel_delete": self._delete_channel,
            "overwrite": self._overwrite,
            "role": self._role,
            "thread": self._thread,
            "thread_change": self._change_thread,
            "dm": self._dm,
            "slash": self._slash,
            "complete": self._complete,
            "component": self._component,
            "modal": self._modal,
            "fault": self._fault,
            "drop": self._drop,
            "op7": self._op7,
            "op9": self._op9,
            "zombie": self._zombie,
            "kill": self._kill,
        }
        for name, act in acts.items():
            app.router.add_post(f"/control/{name}", _endpoint(act))

    # looking

    async def _state(self, _: web.Request) -> web.Response:
        hub, payloads = self._hub, self._hub.payloads
        threads = [self._thread_state(thread) for thread in hub.world.threads.values()]
        return json_response(
            {
                "guild": {"id": str(defaults.GUILD_ID), "name": defaults.GUILD_NAME},
                "bot": {**user_payload(hub.world.bot), "online": hub.gateway.is_online, "status": hub.gateway.status},
                "you": str(defaults.YOU_ID),
                "bot_channel": str(defaults.GENERAL_ID),
                "has_companion": hub.companion is not None,
                "users": [user_payload(user) for user in hub.world.users.values()],
                "channels": [payloads.channel(channel) for channel in payloads.guild_channels()],
                "threads": threads,
                "dms": [payloads.channel(channel) for channel in hub.world.dms()],
                "commands": hub.commands.visible(),
            }
        )

    def _thread_state(self, thread: Channel) -> Json:
        members = [str(user_id) for user_id in thread_state(thread).members]
        return {**self._hub.payloads.channel(thread), "member_ids": members}

    async def _messages(self, request: web.Request) -> web.Response:
        try:
            channel = self._hub.world.channel(int(request.match_info["channel_id"]))
            before = request.query.get("before")
            newest_first = channel.history.before(int(before) if before else None, _PAGE)
        except ApiError as error:
            return json_response(error.body(), error.status)
        return json_response([self._hub.payloads.message(message) for message in reversed(newest_first)])

    # acting

    async def _say(self, body: Json) -> Json:
        message = self._acts.say(
            int(body["channel_id"]),
            str(body.get("text") or ""),
            _user_id(body),
            attachments=[_upload(entry) for entry in body.get("attachments") or ()],
            reply_to=int(body["reply_to"]) if body.get("reply_to") else None,
            nonce=body.get("nonce"),
        )
        return {"id": str(message.id)}

    async def _edit(self, body: Json) -> None:
        self._acts.edit(int(body["channel_id"]), int(body["message_id"]), str(body["text"]))

    async def _delete(self, body: Json) -> None:
        self._hub.delete(self._hub.world.channel(int(body["channel_id"])), int(body["message_id"]))

    async def _typing(self, body: Json) -> None:
        self._hub.type_in(*self._acts.place(int(body["channel_id"]), _user_id(body)))

    async def _react(self, body: Json) -> None:
        message = self._acts.message(int(body["channel_id"]), int(body["message_id"]))
        user = self._hub.world.user(_user_id(body))
        self._hub.react(message, user, str(body["emoji"]), remove=bool(body.get("remove")))

    async def _user(self, body: Json) -> Json:
        return {"id": str(self._hub.add_user(str(body["name"])).id)}

    async def _channel(self, body: Json) -> Json:
        return {"id": str(self._hub.create_channel(str(body["name"])).id)}

    async def _delete_channel(self, body: Json) -> None:
        self._hub.delete_channel(self._hub.world.channel(int(body["channel_id"])))

    async def _overwrite(self, body: Json) -> None:
        bits = (int(body.get("allow") or 0), int(body.get("deny") or 0))
        overwrite = Overwrite(int(body["target_id"]), bool(body.get("is_member")), *bits)
        self._hub.overwrite(self._hub.world.channel(int(body["channel_id"])), overwrite)

    async def _role(self, body: Json) -> Json:
        """Create a role, or change the permissions of a role."""
        world, permissions = self._hub.world, int(body.get("permissions") or 0)
        if not body.get("role_id"):
            role = world.add_role(str(body["name"]), permissions)
            self._hub.tell_role("GUILD_ROLE_CREATE", role)
        else:
            role = world.role(int(body["role_id"]))
            role.permissions = permissions
            self._hub.tell_role("GUILD_ROLE_UPDATE", role)
        return {"id": str(role.id)}

    async def _thread(self, body: Json) -> Json:
        thread = self._acts.start_thread(
            int(body["channel_id"]),
            str(body["name"]),
            _user_id(body),
            message_id=int(body["message_id"]) if body.get("message_id") else None,
            private=bool(body.get("private")),
            with_bot=bool(body.get("with_bot", True)),
        )
        return {"id": str(thread.id)}

    async def _change_thread(self, body: Json) -> None:
        self._acts.change_thread(int(body["thread_id"]), body.get("archived"), body.get("locked"))

    async def _dm(self, body: Json) -> Json:
        channel = self._hub.world.dm_with(self._hub.world.user(_user_id(body)))
        return self._hub.payloads.channel(channel)

    async def _slash(self, body: Json) -> Json:
        place = self._acts.place(int(body["channel_id"]), _user_id(body))
        return await self._outcome(
            self._acts.interactions.call(*place, str(body["command"]), body.get("options") or {})
        )

    async def _complete(self, body: Json) -> Json:
        place = self._acts.place(int(body["channel_id"]), _user_id(body))
        focused = str(body["focused"])
        return await self._outcome(
            self._acts.interactions.call(*place, str(body["command"]), body.get("options") or {}, focused)
        )

    async def _component(self, body: Json) -> Json:
        message = self._acts.pressable(int(body["channel_id"]), int(body["message_id"]))
        user = self._hub.world.user(_user_id(body))
        return await self._outcome(
            self._acts.interactions.click(message, user, str(body["custom_id"]), body.get("values"))
        )

    async def _modal(self, body: Json) -> Json:
        modal = self._hub.interactions.get(int(body["interaction_id"]))
        return await self._outcome(self._acts.interactions.submit(modal, dict(body["values"])))

    async def _outcome(self, interaction: Interaction) -> Json:
        try:
            await self._acts.interactions.wait_for_callback(interaction)
        except TimeoutError:
            return {"id": str(interaction.id), "callback": None}
        return {"id": str(interaction.id), "callback": interaction.callback, "data": interaction.callback_data}

    # trouble

    async def _fault(self, body: Json) -> None:
        how = {key: body[key] for key in ("delay_s", "retry_after_s", "status") if key in body}
        self._hub.faults.inject(str(body["kind"]), str(body.get("match") or ""), int(body.get("times") or 1), **how)

    async def _drop(self, body: Json) -> Json:
        return {"sockets": await self._hub.gateway.drop(int(body.get("code") or 4000))}

    async def _op7(self, _: Json) -> Json:
        return {"sockets": self._hub.gateway.request_reconnect()}

    async def _op9(self, body: Json) -> Json:
        return {"sockets": self._hub.gateway.invalidate(bool(body.get("resumable")))}

    async def _kill(self, _: Json) -> Json:
        """Kill the bot beside the page."""
        companion = self._hub.companion
        if companion is None:
            raise ApiError(400, 50035, "There is no bot beside this page that could be killed")
        companion.kill()
        return {}

    async def _zombie(self, _: Json) -> Json:
        return {"sockets": self._hub.gateway.freeze()}


def _endpoint(act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def endpoint(request: web.Request) -> web.Response:
        if request.content_type != JSON_TYPE:
            return json_response({"message": f"Content-Type must be {JSON_TYPE}", "code": 0}, 415)
        try:
            answer = await act(_decode(await request.read()))
        except ApiError as error:
            return json_response(error.body(), error.status)
        except KeyError as error:
            return json_response({"message": f"field {error.args[0]!r} is missing", "code": 0}, 400)
        except (TypeError, ValueError) as error:
            return json_response({"message": str(error), "code": 0}, 400)
        return json_response(answer if answer is not None else {})

    return endpoint


def _user_id(body: Json) -> int:
    return int(body.get("user_id") or defaults.YOU_ID)


def _upload(entry: Json) -> Upload:
    try:
        data = base64.b64decode(entry["base64"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"attachment {entry.get('filename')!r}: not base64") from error
    return Upload(str(entry["filename"]), data, entry.get("content_type"))
