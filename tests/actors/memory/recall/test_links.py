from __future__ import annotations

from pathlib import Path

import pytest

from actors.memory.recall.links import MessageLinks
from domain.policy.known_readers import KnownReaders
from messages.base import Surface, Window
from messages.discord import Grant, Readers, WindowReaders

CHANNEL, DIRECT, UNKNOWN = "130000000000000001", "130000000000000002", "130000000000000003"
LOG = """# heading
## 2026-11-22T14:03:22.481Z user e7f3k2
<!-- {"author":"Alice","message_id":"1300000000000000042"} -->
## 2026-11-22T14:03:25.007Z agent e7f3k3
<!-- {"turn":"e7f3k2"} -->
## 2026-11-22T14:03:25.007Z user e7f3k4
torn
## 2026-11-22T14:03:26.007Z user e7f3k5
<!-- {"author":"Alice","message_id":"../42"} -->
"""


@pytest.mark.req("X-212")
def test_a_message_has_a_link_and_everything_else_none(tmp_path: Path) -> None:
    readers = KnownReaders()
    channel = Window(surface=Surface.DISCORD_CHANNEL, id=CHANNEL)
    own = Readers(guild_id="7", channel_id=CHANNEL, sees=Grant(is_default=True), reads=())
    readers.learn([WindowReaders(window=channel, readers=own)])
    name = "20261122T140320Z_0001.md"
    paths = {id_: f"logs/{kind}/{id_}/{name}" for kind, id_ in (("discord-channel", CHANNEL), ("discord-dm", DIRECT))}
    paths[UNKNOWN] = f"logs/discord-channel/{UNKNOWN}/{name}"
    for path in paths.values():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(LOG)
    links = MessageLinks(tmp_path, readers)
    cases = [
        (paths[CHANNEL], 2, f"https://discord.com/channels/7/{CHANNEL}/1300000000000000042"),
        (paths[DIRECT], 2, f"https://discord.com/channels/@me/{DIRECT}/1300000000000000042"),
        (paths[UNKNOWN], 2, ""),
        (paths[CHANNEL], 4, ""),
        (paths[CHANNEL], 6, ""),
        (paths[CHANNEL], 8, ""),
        (paths[CHANNEL], 99, ""),
        (paths[CHANNEL].replace("T140320", "T140321"), 2, ""),
    ]
    failures = [(case, link) for case in cases if (link := links.find(*case[:2])) != case[2]]
    assert not failures
