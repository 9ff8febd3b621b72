"""Harm done to an agent from outside: to network, servers, disk and files."""

from __future__ import annotations

import contextlib
import os
from datetime import datetime, timedelta
from pathlib import Path

from lab.chaos.kills.audit import newest_log
from lab.chaos.kills.settings import DIMENSIONS
from lab.chaos.kills.stage import Stage, embeddings
from lab.loopback_model.answers import Behaviour, CutOff, Raw, Refusal
from lab.playground.server import PlaygroundServer

_TORN = b'## 2026-01-01T00:00:00.000Z user abcdefgh\n<!-- {"author":"nobody"} -->\n```text\nhalf a word'


def harm_embedder(stage: Stage, row: int, variety: int) -> None:
    """Let the next calls of the embedder go wrong."""
    kinds: dict[int, tuple[Behaviour, ...]] = {
        10: (Refusal(429, "slow down", headers=(("Retry-After", "1"),)),),
        11: (Refusal(500), CutOff()),
        12: (
            Raw(b"<html>"),
            embeddings([[float("nan")] * DIMENSIONS]),
            embeddings([[0.0] * DIMENSIONS]),
            embeddings([[1.0]]),
            Raw(b'{"error": {"message": "no"}}', "application/json"),
        ),
    }
    fault = kinds[row][variety % len(kinds[row])]
    stage.embedder_faults.extend([fault] * (1 + variety % 3))


def harm_model(stage: Stage, variety: int) -> None:
    """Make the next call of the model fail in a temporary way."""
    kinds: tuple[Behaviour, ...] = (
        Refusal(429, "slow down", headers=(("Retry-After", "0"),)),
        Refusal(500),
        CutOff(),
        CutOff("a beginning that is cut "),
        Raw(b"<html>bad gateway</html>", status=502),
    )
    stage.model_faults.append(kinds[variety % len(kinds)])


def harm_gateway(server: PlaygroundServer, variety: int) -> None:
    """Disturb the bot's connection."""
    match variety % 6:
        case 0:
            server.drop(4000)
        case 1:
            server.op7()
        case 2:
            server.op9(resumable=True)
        case 3:
            server.op9(resumable=False)
        case 4:
            server.drop(1006)
        case _:
            server.gateway_faults(refuse_resumes=1)
            server.drop(1006)


def harm_events(server: PlaygroundServer, variety: int) -> None:
    """Have Discord drop, delay or double the event of the next messages; or send delayed events now."""
    match variety % 4:
        case 0:
            server.gateway_faults(lose_messages=1 + variety % 3)
        case 1:
            server.gateway_faults(delay_messages=1 + variety % 3)
        case 2:
            server.gateway_faults(double_messages=1)
        case _:
            server.send_delayed()


def calm_events(server: PlaygroundServer) -> None:
    """Have Discord send each event once, including delayed events."""
    server.gateway_faults(lose_messages=0, delay_messages=0, double_messages=0)
    server.send_delayed()


def harm_sending(server: PlaygroundServer, variety: int) -> None:
    """Make the next posting calls fail."""
    kinds = ("429-user", "429-global", "500", "502", "503", "abort-before", "abort-after", "html", "delay")
    kind, match = kinds[variety % len(kinds)], r"^(POST|PATCH) /channels/\d+/messages"
    server.inject(kind, match, 1 + variety % 2, delay_s=0.3, retry_after_s=0.2)


def harm_history(server: PlaygroundServer, channel_id: int, variety: int) -> None:
    """Have the history of everything, or of one channel, out of reach for longer than a call is tried again."""
    which = r"\d+" if variety % 2 else str(channel_id)
    server.inject("503", rf"^GET /channels/{which}/messages$", 7)


def harm_index(data_root: Path, variety: int) -> None:
    """Spoil the index below `data_root` while no agent runs: deleted, emptied, cut, a spoilt head, or a lost WAL."""
    path = data_root / "memory/index.sqlite"
    if not path.exists():
        return
    match variety % 5:
        case 0:
            path.unlink()
        case 1:
            os.truncate(path, 0)
        case 2:
            os.truncate(path, path.stat().st_size // 2)
        case 3:
            with path.open("r+b") as file:
                file.write(bytes(100))
        case _:
            path.with_name(f"{path.name}-wal").unlink(missing_ok=True)


def add_reminder(path: Path, token: str, due: datetime) -> None:
    """Add a line to the reminders' file, due at minute `due` in London's time."""
    line = f'- [ ] date={due:%Y-%m-%d} time={due:%H:%M} recur=none msg="{token}"\n'
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line.encode())
    finally:
        os.close(file)


def due_minute(now: datetime, minutes: int) -> datetime:
    """The minute so far from `now`'s."""
    return now.replace(second=0, microsecond=0) + timedelta(minutes=minutes)


def tear_log(data_root: Path, channel_id: int, variety: int) -> bool:
    """Write the beginning of an event to the end of a window's log; False without a log."""
    path = newest_log(data_root, channel_id)
    if path is None:
        return False
    with path.open("ab") as file:
        file.write(_TORN[: 1 + variety * (len(_TORN) - 1) // 4])
    return True


def fill_disk(ballast: Path) -> None:
    """Fill the file system with a file, if the file's folder is a file system of its own."""
    if not ballast.parent.is_mount():
        return
    file = os.open(ballast, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        with contextlib.suppress(OSError):
            while os.write(file, bytes(2**16)):
                pass
    finally:
        os.close(file)
