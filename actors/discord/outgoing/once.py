"""One text posted by REST, for a command that keeps no connection."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Iterable

import aiohttp
import discord

from actors.discord.calls.addresses import point_at
from actors.discord.calls.fatal import fatal_sentence, token_fault
from actors.discord.calls.text_ids import AttachedFile
from actors.discord.calls.user_agent import name_calls
from actors.discord.outgoing.redaction import Redaction
from actors.part import DiscordConnection
from domain.text.splitting import sendable, split

POSTED_S = 15.0
EXACT_NAME = "exact.txt"


class NotPostedError(Exception):
    """Discord did not take the text, or the result is unknown; the error's text gives the reason."""


def post_once(
    connection: DiscordConnection, channel_id: str, text: str, exact: str = "", secrets: Iterable[str] = ()
) -> None:
    """Show a text in a channel, as `actors.discord.part.say_once` says; in this thread, with a loop of its own.

    Raises:
        NotPostedError: the text is not shown, or only in part.
    """
    if (fault := token_fault(connection.token)) is not None:
        raise NotPostedError(fault)
    logging.getLogger("discord").setLevel(logging.ERROR)
    redaction = Redaction((connection.token, *secrets))
    parts = split(redaction.present(sendable(text)))
    try:
        point_at(connection.api_base, connection.gateway_url, connection.files_base)
        asyncio.run(_post(connection.token, int(channel_id), parts, redaction.scrub(exact)))
    except TimeoutError:
        raise NotPostedError(f"Discord did not take it within {POSTED_S:g} s") from None
    except (discord.DiscordException, aiohttp.ClientError, OSError, ValueError) as error:
        raise NotPostedError(fatal_sentence(error) or str(error) or type(error).__name__) from error


async def _post(token: str, channel_id: int, parts: tuple[str, ...], exact: str) -> None:
    async with asyncio.timeout(POSTED_S), discord.Client(intents=discord.Intents.none()) as client:
        name_calls(client.http)
        await client.login(token)
        channel = client.get_partial_messageable(channel_id)
        for number, part in enumerate(parts, 1):
            with io.BytesIO(exact.encode()) as file:
                files = [AttachedFile(file, EXACT_NAME)] if exact and number == len(parts) else []
                await channel.send(
                    part, files=files, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True
                )
