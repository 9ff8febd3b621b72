"""Ids in requests as text, as in Discord's API description; discord.py writes ids as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import discord

if TYPE_CHECKING:
    from discord.types.message import MessageReference


def reference_payload(reference: discord.MessageReference) -> MessageReference:
    """Body of a reference to a message, with each id as text."""
    body: Any = reference.to_message_reference_dict()
    body |= {key: str(value) for key, value in body.items() if key.endswith("_id")}
    return cast("MessageReference", body)


class AttachedFile(discord.File):
    """File of a message; the file's number in the message is text."""

    def to_dict(self, index: int) -> dict[str, Any]:
        """Describe the file to Discord."""
        return {**super().to_dict(index), "id": str(index)}
