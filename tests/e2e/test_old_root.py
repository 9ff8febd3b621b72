"""Data root that an earlier version wrote: people's words and files are kept as they are, derived files are made anew.

`root_of_0_1` was written by a whole agent on a loopback Discord: six messages, a command, a reminder and a pinned memory.
Its databases and vectors are left out, as an agent that finds them of another version does without them.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from actors.context.log.file import check_file
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage
from tests.patience import eventually

OLD = Path(__file__).parent / "root_of_0_1"
KEPT = ("reminders.md", "workspace/channels/discord-channel/910000000000000011/SESSION.md")


def test_an_old_root_is_taken_over(server: PlaygroundServer, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(OLD, data)
    for path in [data, *data.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    given: dict[str, Any] = {"layers.objects": True, "layers.workspace": True, "workspace.compaction": False}
    stage = Stage(server, data, **given)

    assert "> My gas budget is 400 euros." in stage.ask("What is my gas budget?")
    answer = server.wait_for_answer(server.slash(GENERAL_ID, "reminders").id)
    assert answer is not None
    assert "drink tea" in answer["content"]
    eventually(lambda: is_pinned(stage))
    stage.stop()

    (log,) = (OLD / "logs").rglob("*.md")
    now = data / log.relative_to(OLD)
    assert now.read_bytes().startswith(log.read_bytes())
    assert check_file(now) == ()
    assert [name for name in KEPT if (data / name).read_bytes() != (OLD / name).read_bytes()] == []
    assert (data / "memory" / "index.sqlite").exists()
    assert (data / "objects" / "objects.sqlite").exists()


def is_pinned(stage: Stage) -> bool:
    """True if the memory that was pinned in the old root is given first."""
    stage.ask("Good morning!")
    why = stage.server.wait_for_answer(stage.server.slash(GENERAL_ID, "memory why").id)
    return why is not None and ", pinned: " in why["content"] and "The cellar is damp" in why["content"]
