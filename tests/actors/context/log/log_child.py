"""A process for tests to kill or to starve of disk: appends and syncs for ever, naming each event that is safe."""

from __future__ import annotations

import random
import resource
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from actors.context.log.file import LogUnwritable, WindowLog
from domain.log.event import event
from messages.base import Surface, Window

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="123456789012345678")
START = datetime(2026, 11, 22, tzinfo=UTC)


def main(root: Path, life: int, limit_bytes: int) -> None:
    """Append to the newest log until killed, or until a file may not grow beyond `limit_bytes` (0: no limit)."""
    if limit_bytes:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    chance = random.Random(life)
    try:
        found = WindowLog.open_newest(root, WINDOW)
        log = found[0] if found else WindowLog.create(root, WINDOW, START, "test")
        for number in range(1_000_000):
            made = event(f"{life}-{number}", START, "user", "x\n" * chance.choice((10, 150, 2_000, 30_000)))
            log.append(made)
            log.sync()
            sys.stdout.write(f"{made.id}\n")
            sys.stdout.flush()
    except LogUnwritable as error:
        sys.stdout.write(f"refused: {error.reason}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
