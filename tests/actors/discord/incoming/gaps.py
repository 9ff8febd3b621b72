"""Lives that know what an earlier one kept, for tests of gaps in what was heard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from domain.log.watermark import FILE_NAME, watermarks_in
from lab.playground.acts.people import place_user
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.records import Draft
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


def open_post(playground: PlaygroundServer, forum: int, text: str) -> int:
    """A person's new post in a forum, whose first message has the id of the post's thread."""
    thread = playground.create_thread(forum, "post")
    channel, author = playground.run(lambda: place_user(playground.hub, thread, defaults.YOU_ID))
    playground.run(lambda: playground.hub.post(channel, Draft(author=author, content=text, message_id=thread)))
    return thread
