"""Lives that know what an earlier one kept, for tests of gaps in what was heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from domain.log.watermark import FILE_NAME, watermarks_in
from lab.playground.world import defaults
from tests.actors.discord.life import timing

OFTEN = timing(look_every_s=0.1, look_pause_s=0.0)
"""History is looked into all the time, so that how far it was read soon follows what is logged."""
QUICK = replace(OFTEN, attempts=1, gap_hold_s=0.2, gap_again_s=0.05, gap_again_limit_s=0.1)
HISTORY = f"GET /channels/{defaults.GENERAL_ID}/messages"


def read_up_to(root: Path) -> dict[int, int]:
    """Channel -> how far it was read, as it is kept."""
    try:
        data = (root / FILE_NAME).read_bytes()
    except FileNotFoundError:
        return {}
    return {channel_id: watermark.upto for channel_id, watermark in watermarks_in(data).items()}


def kept(root: Path, **options: Any) -> dict[str, Any]:
    """Options of a life that knows what the one before kept below `root`."""
    data = (root / FILE_NAME).read_bytes() if (root / FILE_NAME).exists() else b""
    return {"data_root": root, "watermarks": watermarks_in(data)} | options
