"""Companion of a playground: the page's access to the bot's process and data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.playground.world.local_offer import LocalOffer

_OBSERVER = "observer.json"
_OF_OURS = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}/\?token=[a-z2-7]{16}")
"""Pattern of permitted addresses: the page is led there, and unsandboxed commands could write the address file."""


@dataclass(frozen=True, slots=True)
class Companion:
    """The bot beside the page."""

    data_root: Path
    kill: Callable[[], None]
    """Kills the bot as `kill -9` does; the bot is started again."""
    local_offer: LocalOffer | None = None
    """Alternative model on this machine; None without a model."""

    def observer_address(self) -> str:
        """Address of the observer's page, with the page's token; empty while there is no page."""
        try:
            address = json.loads((self.data_root / _OBSERVER).read_text("utf-8"))["url"]
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return address if isinstance(address, str) and _OF_OURS.fullmatch(address) else ""
