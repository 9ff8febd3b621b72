"""Floor: the bot that anybody would write on discord.py and litellm, by which the agent is measured.

It keeps no log, no memory and no history; it is a program of its own and uses nothing of ours.
Its addresses come by the environment: FLOOR_API_BASE, FLOOR_GATEWAY, FLOOR_MODEL, FLOOR_MODEL_BASE, DISCORD_BOT_TOKEN.
"""

from __future__ import annotations

import os

import discord
import litellm
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL


class Floor(discord.Client):
    """Client that answers every message, each for itself."""

    async def on_message(self, message: discord.Message) -> None:
        """Ask the model and post what it says."""
        if message.author.bot:
            return
        async with message.channel.typing():
            stream = await litellm.acompletion(
                model=os.environ["FLOOR_MODEL"],
                api_base=os.environ["FLOOR_MODEL_BASE"],
                messages=[{"role": "user", "content": message.content}],
                stream=True,
                max_retries=2,
            )
            text = ""
            async for chunk in stream:
                text += chunk.choices[0].delta.content or ""
        await message.channel.send(text)


def main() -> None:
    """Run the floor until killed."""
    Route.BASE = os.environ["FLOOR_API_BASE"]
    DiscordWebSocket.DEFAULT_GATEWAY = URL(os.environ["FLOOR_GATEWAY"])
    intents = discord.Intents.default()
    intents.message_content = True
    Floor(intents=intents).run(os.environ["DISCORD_BOT_TOKEN"])


if __name__ == "__main__":
    main()
