from __future__ import annotations

from pathlib import Path

import pytest

from domain.workspace.files.memory_file import MEMORY_TEMPLATE
from lab.chaos.lives.campaign import run
from lab.chaos.lives.workspace import WORKSPACE, judge_kept


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_lives_are_killed_and_their_files_are_whole() -> None:
    report = run(WORKSPACE, 2, "test")

    assert report.is_sound, report
    assert sum(count for name, count in report.counts.items() if name.startswith("in ")) == 2


def test_what_is_wrong_with_files_is_counted(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(
        MEMORY_TEMPLATE.replace(b"## Decisions", b"## Decision") + b"- Item L1-1 is kept.\n- Item L1-1 is kept.\n"
    )
    (tmp_path / "HISTORY.md").write_text("# History\n- Report L1\n")
    (tmp_path / "HISTORY.archive.md").write_text("- Report L1\ntorn")
    (tmp_path / ".SESSION.md.0.agent").touch()

    assert judge_kept(tmp_path, ["L1-1", "L1-2"]) == {
        "items": 2,
        "lost": 1,
        "doubled": 1,
        "history_doubled": 1,
        "broken": 3,  # no SESSION, a heading that is gone, a last line without its end
        "left": 1,
    }
