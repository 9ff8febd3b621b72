"""Checks of workspaces: people's files and the windows', their length, and their unread parts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from actors.part import Finding, Level
from actors.workspace.channel import AGENTS, ARCHIVE, HISTORY, MEMORY, READ_BYTES, READ_LINES, SESSION, SOUL
from actors.workspace.config import CHANNELS, WorkspaceConfig
from actors.workspace.shared_looks import SharedLooks
from domain.workspace.identity import AGENTS_CHARS, SOUL_CHARS

MOST_NAMED = 5


def findings(config: WorkspaceConfig, shared: SharedLooks) -> Iterator[Finding]:
    """Findings on the users' files, and on the files of all windows together."""
    if faults := (*shared.lives.findings(), *(shared.definitions.scan().faults if config.subagents else ())):
        yield Finding("workspace: skills and sub-agents", Level.WARN, _short(faults))
    if not config.root.is_dir():
        yield Finding("workspace", Level.OK, f"{config.root}: comes into being with the first turn")
        return
    problems = [*_shared_problems(config)]
    count = 0
    channels = config.root / CHANNELS
    for folder in sorted(channels.glob("*/*")):
        count += 1
        for name in (SESSION, MEMORY, HISTORY, ARCHIVE):
            path = folder / name
            if not os.path.lexists(path):
                continue
            if path.is_symlink() or not path.is_file():
                problems.append(f"{path}: is a link or not a regular file, so it is not read")
            elif name == ARCHIVE:
                continue  # the agent never reads it; when full, a new one is begun
            elif path.stat().st_size > READ_BYTES:
                problems.append(f"{path}: has more than {READ_BYTES:,} bytes, so it is not read")
            elif path.read_bytes().count(b"\n") > READ_LINES:
                problems.append(f"{path}: has more than {READ_LINES:,} lines, so it is not read")
    if problems:
        yield Finding("workspace", Level.WARN, _short(problems))
    else:
        yield Finding("workspace", Level.OK, f"{config.root}: files of {count:,} conversations")


def _short(problems: Sequence[str]) -> str:
    more = f"; and {len(problems) - MOST_NAMED} more" if len(problems) > MOST_NAMED else ""
    return "; ".join(problems[:MOST_NAMED]) + more


def _shared_problems(config: WorkspaceConfig) -> Iterator[str]:
    for name, most in ((SOUL, SOUL_CHARS), (AGENTS, AGENTS_CHARS), (MEMORY, READ_BYTES)):
        path = config.root / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size > most:
            yield f"{path}: has more than {most:,} bytes, of which the rest is not shown"
        elif os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
            yield f"{path}: is a link or not a regular file, so it is not read"
