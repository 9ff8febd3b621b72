"""Real files, real threads, real races; the long version is `agent chaos reminders`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.editor import Saver
from lab.chaos.reminders.race import race


@pytest.mark.slow
@pytest.mark.parametrize("saver", Saver)
def test_neither_an_editors_lines_nor_the_agents_are_lost(tmp_path: Path, saver: Saver) -> None:
    report = race(tmp_path, saver, rounds=40, seed="test")
    assert report.human_lost == 0, report
    assert report.is_sound, report
    assert report.human_edits >= 20
    assert report.refused <= 20, "half of them: on a busy machine the file rests less often"
    leftovers = [path.name for path in tmp_path.iterdir() if path.name.endswith(".agent")]
    assert leftovers == []
