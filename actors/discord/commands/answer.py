"""Answer to an interaction: what a person gets to read when a command is done."""

from __future__ import annotations

import io
from collections.abc import Iterable

import discord
from discord.http import handle_message_parameters
from discord.webhook.async_ import async_context

from actors.discord.calls.text_ids import AttachedFile
from actors.part import Answer, Button
from domain.text.characters import units
from domain.text.splitting import LIMIT, split

MOST_BUTTONS = 25
_LONGEST_LABEL = 80
_LONGEST_ID = 100
_REST = "\n-# The rest is in the attached file."


async def at_once(text: str) -> Answer:
    """An answer for which nothing has to be waited for."""
    return Answer(text)


def fit(text: str) -> tuple[str, str]:
    """(part of `text` that fits one message, whole `text`); the second is empty if all fits."""
    if units(text) <= LIMIT:
        return text, ""
    return split(text, LIMIT - units(_REST))[0] + _REST, text


async def show(interaction: discord.Interaction, text: str, whole: str, view: discord.ui.View | None) -> None:
    """Make a text, perhaps with the whole of it as a file, the answer to an interaction, without previews of links.

    discord.py's own method cannot say that links have no previews.
    """
    files = [AttachedFile(io.BytesIO(whole.encode()), "answer.md")] if whole else []
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


def view_of(buttons: Iterable[Button]) -> discord.ui.View | None:
    """View of buttons for discord.py; None without possible buttons.

    The view counts as finished, so that discord.py doesn't keep it: presses are told by their custom id.
    """
    possible = [button for button in buttons if _is_possible(button)][:MOST_BUTTONS]
    if not possible:
        return None
    view = discord.ui.View(timeout=None)
    for button in possible:
        view.add_item(discord.ui.Button(label=button.label[:_LONGEST_LABEL], custom_id=button.custom_id))
    view.stop()
    return view


def _is_possible(button: Button) -> bool:
    """True if Discord accepts the button."""
    return bool(button.label.strip()) and len(button.custom_id) <= _LONGEST_ID


def one_line(text: str, chars: int) -> str:
    """`text` in one line of at most `chars` characters, with its markdown escaped."""
    line = " ".join(text.split())
    line = line if len(line) <= chars else line[: chars - 1].rstrip() + "…"
    return discord.utils.escape_markdown(line)
