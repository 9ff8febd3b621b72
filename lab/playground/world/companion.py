"""Companion of a playground: the bot's process and data, as far as the page may ask for them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.playground.world.local_offer import LocalOffer

_OBSERVER = "observer.json"
_OF_OURS = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}/\?token=[a-z2-7]{16}")
"""The page is led there, and where commands are not kept in they could write that file."""


@dataclass(frozen=True, slots=True)
class Companion:
    """The bot beside the page."""

    data_root: Path
    kill: Callable[[], None]
    """Kills it as `kill -9` does; it is started again."""
    local_offer: LocalOffer | None = None
    """Model on this machine that may answer instead; None where there is none."""

    def observer_address(self) -> str:
        """Address of the observer's page, with its token; empty while there is no page."""
        try:
            address = json.loads((self.data_root / _OBSERVER).read_text("utf-8"))["url"]
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return address if isinstance(address, str) and _OF_OURS.fullmatch(address) else ""
