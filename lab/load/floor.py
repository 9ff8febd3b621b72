"""Floor: a plain bot on discord.py and litellm, as a reference for measuring the agent.

The floor keeps no log, no memory and no history, and is a separate program without code of this project.
Addresses come from the environment: FLOOR_API_BASE, FLOOR_GATEWAY, FLOOR_MODEL, FLOOR_MODEL_BASE, DISCORD_BOT_TOKEN.
"""

from __future__ import annotations

import os

import discord
import litellm
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL


class Floor(discord.Client):
    """Client that answers every message separately."""

    async def on_message(self, message: discord.Message) -> None:
        """Ask the model and post the answer."""
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
