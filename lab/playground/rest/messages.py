"""REST: messages, reactions, pins, typing."""

from __future__ import annotations

from lab.playground.rest.drafts import apply_edit, read_draft
from lab.playground.rest.route import Call, Route
from lab.playground.world.errors import ApiError
from lab.playground.world.objects import Json
from lab.playground.world.records import Message, MessageFlag


def _post(call: Call) -> Json:
    channel = call.channel
    draft = read_draft(call.hub, channel, call.payload, call.uploads)
    draft.flags &= ~MessageFlag.EPHEMERAL
    return call.hub.payloads.message(call.hub.post(channel, draft))


def _patch(call: Call) -> Json:
    channel, message = call.channel, call.message
    if message.author is not call.bot:
        raise ApiError(403, 50005, "Cannot edit a message authored by another user")
    if channel.thread is not None and channel.thread.archived:
        raise ApiError(400, 50083, "Tried to perform an operation on an archived thread")
    content = apply_edit(call.hub, channel, message, call.payload, call.uploads)
    call.hub.edit(message, content, call.payload.get("allowed_mentions"))
    return call.hub.payloads.message(message)


def _page(call: Call) -> list[Json]:
    channel = call.channel
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
    if not call.world.may_read_history(call.bot, channel):
        return []  # Discord refuses nothing there, and gives nothing.
    return [_of_history(call, message) for message in page]


def _of_history(call: Call, message: Message) -> Json:
    """Message in the form of the history."""
    payload = call.hub.payloads.message(message)
    if not call.hub.config.history_nonces:
        payload.pop("nonce", None)
    return payload


def _delete(call: Call) -> None:
    channel, message = call.channel, call.message
    if message.author is not call.bot:
        raise ApiError(403, 50013, "Missing Permissions")
    call.hub.delete(channel, message.id)


def _delete_many(call: Call) -> None:
    ids = [int(i) for i in call.payload["messages"]]
    if not 2 <= len(ids) <= 100:
        raise ApiError(400, 50016, "Provided too few or too many messages to delete")
    call.hub.delete_many(call.channel, ids)


def _pins(call: Call) -> Json:
    history = call.channel.history
    pinned = [m for m in history.before(None, len(history)) if m.pinned][:50]
    items = [{"pinned_at": m.edited_at or m.created_at, "message": call.hub.payloads.message(m)} for m in pinned]
    return {"items": items, "has_more": False}


_ALL = "/channels/{channel_id}/messages"
_ONE = _ALL + "/{message_id}"
_PIN = _ALL + "/pins/{message_id}"
_MINE = _ONE + "/reactions/{emoji}/@me"

ROUTES = (
    Route("POST", _ALL, _post, "send", "channel_id"),
    Route("PATCH", _ONE, _patch, "edit", "channel_id"),
    Route("POST", "/channels/{channel_id}/typing", lambda c: c.hub.type_in(c.channel, c.bot), "typing", "channel_id"),
    Route("GET", _ALL, _page, major="channel_id"),
    Route("GET", _ALL + "/pins", _pins, major="channel_id"),
    Route("PUT", _PIN, lambda c: c.hub.pin(c.channel, c.message, pinned=True), major="channel_id"),
    Route("DELETE", _PIN, lambda c: c.hub.pin(c.channel, c.message, pinned=False), major="channel_id"),
    Route("POST", _ALL + "/bulk-delete", _delete_many, major="channel_id"),
    Route("GET", _ONE, lambda c: _of_history(c, c.message), major="channel_id"),
    Route("DELETE", _ONE, _delete, major="channel_id"),
    Route("PUT", _MINE, lambda c: c.hub.react(c.message, c.bot, c.params["emoji"]), "react", "channel_id"),
    Route(
        "DELETE", _MINE, lambda c: c.hub.react(c.message, c.bot, c.params["emoji"], remove=True), "react", "channel_id"
    ),
)
"""Most used first."""
