"""The world everyone starts in: one guild, two channels, two people, one bot; the ids never change."""

from __future__ import annotations

from typing import Final

GUILD_ID: Final = 910000000000000001
GENERAL_ID: Final = 910000000000000011
"""#general, the bot's channel."""
ELSEWHERE_ID: Final = 910000000000000012
"""#elsewhere, where no bot is configured."""
YOU_ID: Final = 910000000000000021
"""The ordinary user of the page."""
GUEST_ID: Final = 910000000000000022
BOT_ID: Final = 910000000000000031
"""The bot's user; its application has the same id, as on Discord."""
APPLICATION_ID: Final = BOT_ID
GUILD_NAME: Final = "Playground"
BOT_NAME: Final = "Remembrancer"
BOT_TOKEN: Final = "playground-token"
API_PATH: Final = "/api/v10"
