"""Answer to an interaction: the text for a person after a command."""

from __future__ import annotations

import io
from collections.abc import Iterable

import discord
from discord.http import handle_message_parameters
from discord.webhook.async_ import async_context

from actors.discord.calls.text_ids import AttachedFile
from actors.part import Answer
from domain.text.characters import units
from domain.text.splitting import LIMIT, split

_REST = "\n-# The rest is in the attached file."


async def at_once(text: str) -> Answer:
    """An answer without any wait."""
    return Answer(text)


def fit(text: str) -> tuple[str, str]:
    """(part of `text` that fits one message, whole `text`); the second is empty if all fits."""
    if units(text) <= LIMIT:
        return text, ""
    return split(text, LIMIT - units(_REST))[0] + _REST, text


async def show(
    interaction: discord.Interaction, text: str, named: Iterable[tuple[str, str]], view: discord.ui.View | None
) -> None:
    """Make a text, perhaps with files, the answer to an interaction, without previews of links.

    discord.py's own method cannot turn off previews of links.

    Args:
        interaction: A command or a press of a button.
        text: At most one message.
        named: Name and text of each file.
        view: Buttons; None for no buttons.
    """
    files = [AttachedFile(io.BytesIO(content.encode()), name) for name, content in named]
    with handle_message_parameters(
        content=text,
        view=view,
        attachments=files,
        allowed_mentions=discord.AllowedMentions.none(),
        flags=discord.MessageFlags(suppress_embeds=True),
    ) as params:
        await async_context.get().edit_original_interaction_response(
            interaction.application_id,
            interaction.token,
            session=interaction._session,
            payload=params.payload,
            multipart=params.multipart,
            files=params.files,
        )


def one_line(text: str, chars: int) -> str:
    """`text` in a single line of at most `chars` characters, with its markdown escaped."""
    line = " ".join(text.split())
    line = line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
    return discord.utils.escape_markdown(line)
