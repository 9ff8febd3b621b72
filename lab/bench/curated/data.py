"""Data of the benchmark: a global and a project's memory as large as they are injected, and windows that see them."""

from __future__ import annotations

import json
from pathlib import Path

from actors.curated.config import MEMORY, CuratedConfig
from actors.curated.folder import INDEX
from messages.base import Surface, Window
from messages.discord import Grant, Readers, WindowReaders

INDEX_BYTES = 8192
TOPICS = 50
TOPIC_BYTES = 2048
CHANNELS = 20
BUDGET = 3000
"""Tokens, fewer than both indexes have: which pages are shown has to be chosen."""
_FIRST_ID = 910_000_000_000_001_000
_SECTIONS = ("Build", "Conventions", "Decisions", "Machines", "People", "Traps")
_GUILD = "910000000000000001"


def make_folders(root: Path) -> CuratedConfig:
    """Both memories below `root`, and a configuration in which every channel has the project.

    Args:
        root: A folder that is empty.
    """
    repository = root / "repository"
    config = CuratedConfig(
        global_folder=root / "global",
        projects={_id(number): repository for number in range(CHANNELS)},
        untrusted=frozenset(),
        own_folder=root / "own",
    )
    for folder in folders(config):
        folder.mkdir(parents=True)
        (folder / INDEX).write_bytes(index("version 0"))
        (folder / "config.json").write_text(json.dumps({"maxMemoryTokens": BUDGET, "maxInjectBytes": INDEX_BYTES}))
        for number in range(TOPICS):
            (folder / f"topic-{number}.md").write_bytes(_page(f"# Topic {number}\n", f"part {number}", TOPIC_BYTES))
    return config


def folders(config: CuratedConfig) -> tuple[Path, Path]:
    """The global memory's and the project's."""
    return config.global_folder, config.projects[_id(0)] / MEMORY


def index(mark: str) -> bytes:
    """An index of exactly 8 KiB, in whose every fact `mark` stands."""
    return _page("# Memory\n", mark, INDEX_BYTES)


def windows(count: int) -> tuple[WindowReaders, ...]:
    """So many windows that everybody reads: the channels, then threads of theirs."""
    return tuple(_window(number) for number in range(count))


def _window(number: int) -> WindowReaders:
    surface = Surface.DISCORD_CHANNEL if number < CHANNELS else Surface.DISCORD_THREAD
    window, grant = Window(surface=surface, id=_id(number)), Grant(is_default=True)
    channel_id = _id(number % CHANNELS)
    readers = Readers(guild_id=_GUILD, channel_id=channel_id, sees=grant, reads=(grant,), is_private=False)
    return WindowReaders(window=window, readers=readers)


def _id(number: int) -> str:
    return str(_FIRST_ID + number)


def _page(head: str, mark: str, size: int) -> bytes:
    """Markdown of that size: sections of facts, every eighth of which points to a topic file."""
    text, number = head, 0
    while len(text) < size:
        if number % 20 == 0:
            text += f"\n## {_SECTIONS[number // 20 % len(_SECTIONS)]}\n\n"
        elif number % 8 == 0:
            text += f"- [Topic {number % TOPICS}](topic-{number % TOPICS}.md) - what {mark} says of it\n"
        else:
            text += f"- `make target-{number}` of {mark} takes {number} s on the small machine, not in CI\n"
        number += 1
    return text[: size - 1].encode() + b"\n"
