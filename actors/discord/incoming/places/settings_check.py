"""Check of the settings against Discord at the start of each session; each fault is logged once."""

from __future__ import annotations

import logging

import discord

from actors.discord.incoming.places.known_world import known_world
from actors.kernel import Host
from domain.policy.settings_faults import DiscordWish, settings_faults

log = logging.getLogger(__name__)


class SettingsCheck:
    """Reporter of settings that can never work; outlives each client."""

    def __init__(self, host: Host, wish: DiscordWish) -> None:
        self._host = host
        self._wish = wish
        self._logged: set[str] = set()

    def look(self, client: discord.Client) -> None:
        """Log the faults that are new since the last look; no call is made."""
        now_ms = int(self._host.now().timestamp() * 1000)
        for fault in settings_faults(self._wish, known_world(client), now_ms):
            if str(fault) not in self._logged:
                self._logged.add(str(fault))
                log.log(logging.INFO if fault.is_note else logging.WARNING, "%s", fault)
