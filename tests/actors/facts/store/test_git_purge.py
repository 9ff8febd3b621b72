from __future__ import annotations

from pathlib import Path

from actors.facts.config import FactsConfig
from actors.facts.store.git_purge import note_purge
from tests.recording_disk import RecordingDisk


def test_the_note_of_a_purge_survives_a_power_loss(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    disk = RecordingDisk()
    config = FactsConfig(root=tmp_path, api_base="", enable_git_versioning=True)
    assert note_purge(config, ["entries/a.md"], disk)
    assert disk.at_risk(tmp_path) == set()
