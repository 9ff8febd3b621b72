"""REST: messages, reactions, pins, typing."""

from __future__ import annotations

from lab.playground.hub import Hub
from lab.playground.rest.drafts import apply_edit, read_draft
from lab.playground.rest.route import Call, Route
from lab.playground.world.errors import ApiError
from lab.playground.world.objects import Json
from lab.playground.world.records import Channel, Message, MessageFlag


class MessageRoutes:
    """Handlers of everything under `/channels/C/messages`."""

    def __init__(self, hub: Hub) -> None:
        """Keep the hub.

        Args:
            hub: The playground.
        """
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

    def _message(self, call: Call) -> tuple[Channel, Message]:
        channel = call.channel(self._hub.world)
        return channel, self._hub.world.message(channel, call.id("message_id"))

    async def _post(self, call: Call) -> Json:
        channel = call.channel(self._hub.world)
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
        channel = call.channel(self._hub.world)
        history = channel.history
        limit = int(call.query.get("limit", 50))
        if not 1 <= limit <= 100:
            raise ApiError(400, 50035, "Invalid Form Body", {"limit": {"_errors": []}})
        if "after" in call.query:
            page = history.after(int(call.query["after"]), limit)
        elif "around" in call.query:
            page = history.around(int(call.query["around"]), limit)
        else:
            page = history.before(int(call.query["before"]) if "before" in call.query else None, limit)
        if not self._hub.world.may_read_history(self._hub.world.bot, channel):
            return []  # Discord refuses nothing there, and gives nothing.
        return [self._told(message) for message in page]

    async def _get(self, call: Call) -> Json:
        return self._told(self._message(call)[1])

    def _told(self, message: Message) -> Json:
        """A message as history tells it."""
        payload = self._hub.payloads.message(message)
        if not self._hub.config.history_nonces:
            payload.pop("nonce", None)
        return payload

    async def _delete(self, call: Call) -> None:
        channel, message = self._message(call)
        if message.author is not self._hub.world.bot:
            raise ApiError(403, 50013, "Missing Permissions")
        self._hub.delete(channel, message.id)

    async def _delete_many(self, call: Call) -> None:
        ids = [int(i) for i in call.payload["messages"]]
        if not 2 <= len(ids) <= 100:
            raise ApiError(400, 50016, "Provided too few or too many messages to delete")
        self._hub.delete_many(call.channel(self._hub.world), ids)

    async def _type(self, call: Call) -> None:
        self._hub.type_in(call.channel(self._hub.world), self._hub.world.bot)

    async def _react(self, call: Call) -> None:
        self._hub.react(self._message(call)[1], self._hub.world.bot, call.params["emoji"])

    async def _unreact(self, call: Call) -> None:
        self._hub.react(self._message(call)[1], self._hub.world.bot, call.params["emoji"], remove=True)

    async def _pins(self, call: Call) -> Json:
        channel = call.channel(self._hub.world)
        pinned = [m for m in channel.history.before(None, len(channel.history)) if m.pinned][:50]
        items = [{"pinned_at": m.edited_at or m.created_at, "message": self._hub.payloads.message(m)} for m in pinned]
        return {"items": items, "has_more": False}

    async def _pin(self, call: Call) -> None:
        self._hub.pin(*self._message(call), pinned=True)

    async def _unpin(self, call: Call) -> None:
        self._hub.pin(*self._message(call), pinned=False)
