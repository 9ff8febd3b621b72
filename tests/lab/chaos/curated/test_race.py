"""Real files, real threads, the real actor; the long version is `agent chaos curated`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.curated.race import race
from lab.chaos.editor import Saver


@pytest.mark.slow
@pytest.mark.parametrize("saver", Saver)
def test_neither_an_editors_lines_nor_the_agents_facts_are_lost(tmp_path: Path, saver: Saver) -> None:
    report = race(tmp_path, saver, edits=20, seed="test")
    assert report.is_sound, report
    assert report.human_edits >= report.agent_edits == 20
