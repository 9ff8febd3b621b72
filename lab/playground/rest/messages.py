"""REST: messages, reactions, pins, typing."""

from __future__ import annotations

from typing import Any

from lab.playground.hub import Hub
from lab.playground.rest.endpoints import Call, Route
from lab.playground.world import rules
from lab.playground.world.errors import ApiError
from lab.playground.world.payloads import Json
from lab.playground.world.records import Attachment, Channel, Draft, Message, MessageFlag, MessageKind, Upload
from lab.playground.world.state import check_reference

_SETTABLE_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SILENT | MessageFlag.COMPONENTS_V2 | MessageFlag.EPHEMERAL


class MessageRoutes:
    """Handlers of everything under `/channels/C/messages`.

    Args:
        hub: The playground.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def routes(self) -> list[Route]:
        """The routes, most used first."""
        messages, one = "/channels/{channel_id}/messages", "/channels/{channel_id}/messages/{message_id}"
        mine = one + "/reactions/{emoji}/@me"
        return [
            Route("POST", messages, self._post, "send", "channel_id"),
            Route("PATCH", one, self._patch, "edit", "channel_id"),
            Route("POST", "/channels/{channel_id}/typing", self._type, "typing", "channel_id"),
            Route("GET", messages, self._page, major="channel_id"),
            Route("GET", messages + "/pins", self._pins, major="channel_id"),
            Route("PUT", messages + "/pins/{message_id}", self._pin, major="channel_id"),
            Route("DELETE", messages + "/pins/{message_id}", self._unpin, major="channel_id"),
            Route("POST", messages + "/bulk-delete", self._delete_many, major="channel_id"),
            Route("GET", one, self._get, major="channel_id"),
            Route("DELETE", one, self._delete, major="channel_id"),
            Route("PUT", mine, self._react, "react", "channel_id"),
            Route("DELETE", mine, self._unreact, "react", "channel_id"),
        ]

    def _channel(self, call: Call) -> Channel:
        world = self._hub.world
        channel = world.channel(call.id("channel_id"))
        if not world.may_see(world.bot, channel):
            raise ApiError(403, 50001, "Missing Access")
        return channel

    def _message(self, call: Call) -> tuple[Channel, Message]:
        channel = self._channel(call)
        return channel, self._hub.world.message(channel, call.id("message_id"))

    async def _post(self, call: Call) -> Json:
        channel = self._channel(call)
        draft = read_draft(self._hub, channel, call.payload, call.uploads)
        draft.flags &= ~MessageFlag.EPHEMERAL
        return self._hub.payloads.message(self._hub.post(channel, draft))

    async def _patch(self, call: Call) -> Json:
        channel, message = self._message(call)
        if message.author is not self._hub.world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        if channel.thread is not None and channel.thread.archived:
            raise ApiError(400, 50083, "Tried to perform an operation on an archived thread")
        content = apply_edit(self._hub, channel, message, call.payload, call.uploads)
        self._hub.edit(message, content, call.payload.get("allowed_mentions"))
        return self._hub.payloads.message(message)

    async def _page(self, call: Call) -> list[Json]:
        history = self._channel(call).history
        limit = int(call.query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise ApiError(400, 50035, "Invalid Form Body", {"limit": {"_errors": []}})
        if "after" in call.query:
            found = history.after(int(call.query["after"]), limit)
        elif "around" in call.query:
            found = history.around(int(call.query["around"]), limit)
        else:
            found = history.before(int(call.query["before"]) if "before" in call.query else None, limit)
        return [self._hub.payloads.message(message) for message in found]

    async def _get(self, call: Call) -> Json:
        return self._hub.payloads.message(self._message(call)[1])

    async def _delete(self, call: Call) -> None:
        channel, message = self._message(call)
        if message.author is not self._hub.world.bot:
            raise ApiError(403, 50013, "Missing Permissions")
        self._hub.delete(channel, message.id)

    async def _delete_many(self, call: Call) -> None:
        ids = [int(i) for i in call.payload["messages"]]
        if not 2 <= len(ids) <= 100:
            raise ApiError(400, 50016, "Provided too few or too many messages to delete")
        self._hub.delete_many(self._channel(call), ids)

    async def _type(self, call: Call) -> None:
        self._hub.type_in(self._channel(call), self._hub.world.bot)

    async def _react(self, call: Call) -> None:
        self._hub.react(self._message(call)[1], self._hub.world.bot, call.params["emoji"])

    async def _unreact(self, call: Call) -> None:
        self._hub.react(self._message(call)[1], self._hub.world.bot, call.params["emoji"], remove=True)

    async def _pins(self, call: Call) -> Json:
        channel = self._channel(call)
        pinned = [m for m in channel.history.before(None, len(channel.history)) if m.pinned][:50]
        items = [{"pinned_at": m.edited_at or m.created_at, "message": self._hub.payloads.message(m)} for m in pinned]
        return {"items": items, "has_more": False}

    async def _pin(self, call: Call) -> None:
        self._hub.pin(*self._message(call), pinned=True)

    async def _unpin(self, call: Call) -> None:
        self._hub.pin(*self._message(call), pinned=False)


def read_draft(
    hub: Hub, channel: Channel, payload: Json, uploads: list[Upload], *, may_be_empty: bool = False
) -> Draft:
    """The bot's message a payload describes, checked against Discord's rules and with its files stored."""
    content = rules.clean_content(payload.get("content"))
    embeds = rules.clean_embeds(payload.get("embeds"))
    components = payload.get("components") or []
    if not may_be_empty:
        rules.check_not_empty(content, embeds, components, uploads)
    draft = Draft(
        author=hub.world.bot,
        content=content,
        embeds=embeds,
        components=components,
        flags=int(payload.get("flags") or 0) & _SETTABLE_FLAGS,
        nonce=rules.clean_nonce(payload.get("nonce")),
        enforce_nonce=bool(payload.get("enforce_nonce")),
        allowed_mentions=payload.get("allowed_mentions"),
    )
    reference = payload.get("message_reference")
    if reference and check_reference(
        channel, int(reference["message_id"]), bool(reference.get("fail_if_not_exists", True))
    ):
        draft.kind = MessageKind.REPLY
        draft.reference = (channel.id, int(reference["message_id"]))
    draft.attachments = hub.attach(channel, uploads)
    return draft


def apply_edit(hub: Hub, channel: Channel, message: Message, payload: Json, uploads: list[Upload]) -> str | None:
    """The new text (None: unchanged) of an edit; the other fields are changed here."""
    content = rules.clean_content(payload["content"]) if "content" in payload else None
    embeds = rules.clean_embeds(payload["embeds"]) if "embeds" in payload else message.embeds
    components = payload["components"] or [] if "components" in payload else message.components
    kept = _kept_attachments(message, payload)
    rules.check_not_empty(message.content if content is None else content, embeds, components, kept, uploads)
    if payload.get("flags") is not None:
        suppress = int(MessageFlag.SUPPRESS_EMBEDS)
        message.flags = (message.flags & ~suppress) | (int(payload["flags"]) & suppress)
    message.embeds, message.components = embeds, components
    message.attachments = kept + hub.attach(channel, uploads)
    return content


def _kept_attachments(message: Message, payload: dict[str, Any]) -> list[Attachment]:
    if payload.get("attachments") is None:
        return message.attachments
    ids = {str(entry.get("id")) for entry in payload["attachments"]}
    return [a for a in message.attachments if str(a.id) in ids]
