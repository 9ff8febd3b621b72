"""Initial world: one guild, two channels, two people, one bot; the ids never change."""

from __future__ import annotations

GUILD_ID = 910000000000000001
GENERAL_ID = 910000000000000011
"""#general, the bot's channel."""
ELSEWHERE_ID = 910000000000000012
"""#elsewhere, where no bot is configured."""
YOU_ID = 910000000000000021
"""The ordinary user of the page."""
GUEST_ID = 910000000000000022
BOT_ID = 910000000000000031
"""User of the bot; the bot's application has the same id, as on Discord."""
APPLICATION_ID = BOT_ID
GUILD_NAME = "Playground"
BOT_NAME = "Remembrancer"
API_PATH = "/api/v10"
