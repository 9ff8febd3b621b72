from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog, check_file
from tests.actors.context.log import log_child

PROJECT = Path(__file__).parents[4]


def child(root: Path, life: int, limit_bytes: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.actors.context.log.log_child", str(root), str(life), str(limit_bytes)]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


def ids(root: Path) -> list[str]:
    found = WindowLog.open_newest(root, log_child.WINDOW)
    assert found is not None
    found[0].close()
    assert found[1].damage == ()
    return [logged.event.id for logged in found[1].events]


@pytest.mark.slow
def test_no_synced_event_is_lost_when_the_process_is_killed_twenty_times(tmp_path: Path) -> None:
    chance, safe = random.Random(7), list[str]()
    for life in range(20):
        with child(tmp_path, life) as process:
            assert process.stdout is not None
            for _ in range(chance.randint(1, 12)):
                safe.append(process.stdout.readline().strip())
            process.kill()
            safe += process.stdout.read().split()

    kept = ids(tmp_path)

    assert [id for id in kept if id in safe] == safe
    assert len(kept) - len(safe) <= 20, "at most the one event of each life that was not confirmed"
    assert len(kept) == len(set(kept))
    path = next(tmp_path.glob("logs/*/*/*.md"))
    assert check_file(path) == ()


def test_a_file_size_limit_loses_no_synced_event(tmp_path: Path) -> None:
    safe = list[str]()
    for life, limit_bytes in enumerate((10_000, 10_100, 100_000)):
        with child(tmp_path, life, limit_bytes) as process:
            assert process.stdout is not None
            *confirmed, refusal = process.stdout.read().splitlines()
            safe += confirmed
            assert refusal.startswith("refused: ")

    assert ids(tmp_path) == safe
