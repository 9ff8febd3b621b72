"""Validation of a message posted or edited by the bot: payload to draft."""

from __future__ import annotations

from typing import Any

from lab.playground.hub import Hub
from lab.playground.world import rules
from lab.playground.world.errors import ApiError
from lab.playground.world.objects import Json
from lab.playground.world.records import Attachment, Channel, Draft, Message, MessageFlag, MessageKind, Upload
from lab.playground.world.state import check_reference

_SETTABLE_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SILENT | MessageFlag.COMPONENTS_V2 | MessageFlag.EPHEMERAL


def read_draft(
    hub: Hub, channel: Channel, payload: Json, uploads: list[Upload], *, may_be_empty: bool = False
) -> Draft:
    """Draft of the bot's message in a payload, checked against Discord's rules and with its files stored."""
    content = rules.clean_content(payload.get("content"))
    embeds = rules.clean_embeds(payload.get("embeds"))
    components = rules.clean_components(payload.get("components"))
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
    if reference and not hub.world.may_read_history(hub.world.bot, channel):
        raise ApiError(403, 160002, "Cannot reply without permission to read message history")
    if reference and check_reference(
        channel, int(reference["message_id"]), bool(reference.get("fail_if_not_exists", True))
    ):
        draft.kind = MessageKind.REPLY
        draft.reference = (channel.id, int(reference["message_id"]))
    draft.attachments = hub.attach(channel, uploads)
    return draft


def apply_edit(hub: Hub, channel: Channel, message: Message, payload: Json, uploads: list[Upload]) -> str | None:
    """New text (None: unchanged) of an edit; the other fields are changed here."""
    content = rules.clean_content(payload["content"]) if "content" in payload else None
    embeds = rules.clean_embeds(payload["embeds"]) if "embeds" in payload else message.embeds
    components = rules.clean_components(payload["components"]) if "components" in payload else message.components
    attachments = _kept_attachments(message, payload)
    rules.check_not_empty(message.content if content is None else content, embeds, components, attachments, uploads)
    if payload.get("flags") is not None:
        suppress = int(MessageFlag.SUPPRESS_EMBEDS)
        message.flags = (message.flags & ~suppress) | (int(payload["flags"]) & suppress)
    message.embeds, message.components = embeds, components
    message.attachments = attachments + hub.attach(channel, uploads)
    return content


def _kept_attachments(message: Message, payload: dict[str, Any]) -> list[Attachment]:
    if payload.get("attachments") is None:
        return message.attachments
    ids = {str(entry.get("id")) for entry in payload["attachments"]}
    return [a for a in message.attachments if str(a.id) in ids]
