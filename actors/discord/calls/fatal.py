"""Fatal errors of Discord that no restart can mend, in words with the remedy."""

from __future__ import annotations

import discord

NO_TOKEN = (
    "There is no Discord bot token: set DISCORD_BOT_TOKEN to the token on the Bot page of your application "
    "in the Discord developer portal."
)
BROKEN_TOKEN = (
    "DISCORD_BOT_TOKEN is not a bot token: it holds blanks or characters that no token has. "
    "Copy it anew from the Bot page of the Discord developer portal."
)
WRONG_TOKEN = (
    "Discord does not accept the bot token: copy it anew from the Bot page of the Discord developer portal "
    "into DISCORD_BOT_TOKEN."
)
REVOKED_TOKEN = (
    "Discord no longer accepts the bot token: it was reset or revoked. Copy the new one from the Bot page of the "
    "Discord developer portal into DISCORD_BOT_TOKEN."
)
NO_INTENT = (
    "Discord does not let the bot read messages: switch on MESSAGE CONTENT INTENT under Bot, Privileged Gateway "
    "Intents, in the Discord developer portal."
)

_CLOSE_CODES = {
    4004: REVOKED_TOKEN,
    4010: "Discord refuses the bot's shard number (close code 4010); set discord.shards to 0.",
    4011: "The bot is in too many servers for one connection (close code 4011): set discord.shards to 0.",
    4012: "Discord no longer speaks the gateway version of this discord.py (close code 4012): update the bot.",
    4013: "Discord does not know the intents that the bot asks for (close code 4013): update the bot.",
    4014: NO_INTENT,
}


def token_fault(token: str) -> str | None:
    """Visible fault of a token; None if the token may be valid."""
    token = token.strip()
    if not token:
        return NO_TOKEN
    return None if token.isascii() and token.isprintable() and " " not in token else BROKEN_TOKEN


def fatal_sentence(error: BaseException) -> str | None:
    """Sentence for a person about an error that every restart would meet again; None for other errors."""
    match error:
        case discord.LoginFailure():
            return WRONG_TOKEN
        case discord.PrivilegedIntentsRequired():
            return NO_INTENT
        case discord.ConnectionClosed(code=code):
            return _CLOSE_CODES.get(code)
        case discord.HTTPException(status=401):
            return REVOKED_TOKEN
        case _:
            return None
