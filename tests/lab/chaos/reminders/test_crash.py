"""Killed at every step of a firing: nothing lost, nothing doubled."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from actors.edited_file.file import EditedFile
from actors.linux.disk import RealDisk
from lab.chaos.reminders.crash import DUE, LINES, SAID, STEPS, crash_everywhere
from lab.chaos.reminders.world import Channel, Process


def test_killed_at_every_step_each_reminder_is_seen_once(tmp_path: Path) -> None:
    report = crash_everywhere(tmp_path)
    assert report.kills == 4 * STEPS
    assert report.is_sound, report


def test_within_those_steps_a_firing_comes_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "reminders.md").write_text(LINES)
    channel = Channel()
    process = Process(tmp_path, channel, DUE - timedelta(seconds=30))
    process.settle()
    process.clock.advance(30 - 0.5)
    process.system.run()
    process.steps(1)
    assert "one-off" in (tmp_path / "reminders.md").read_text()
    process.steps(STEPS - 1)
    assert len(channel.postings) == len(SAID)
    assert "one-off" not in (tmp_path / "reminders.md").read_text()
    process.system.stop()


def test_what_a_killed_edit_had_displaced_is_brought_back(tmp_path: Path) -> None:
    path = tmp_path / "reminders.md"
    path.write_bytes(b"# H\nold\n")
    file = EditedFile(path, tmp_path / "spare")
    seen = b"# H\nold\n"
    path.write_bytes(b"# H\nold\nhuman\n")
    displaced = file.put(b"# H\nold\nagent\n", seen)
    assert displaced is not None
    displaced.close()
    process = Process(tmp_path, Channel(), DUE)
    process.settle()
    assert sorted(path.read_bytes().split()) == sorted(b"# H old agent human".split())
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".agent")] == []
    process.system.stop()


def test_a_version_that_was_never_put_in_place_is_thrown_away(tmp_path: Path) -> None:
    path = tmp_path / "reminders.md"
    path.write_bytes(b"old\n")

    class NoPower(RealDisk):
        def exchange(self, path: Path, other: Path, /) -> bool:
            raise KeyboardInterrupt

    try:
        EditedFile(path, tmp_path / "spare", NoPower()).put(b"new\n", b"old\n")
    except KeyboardInterrupt:
        assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".agent")] != []
    process = Process(tmp_path, Channel(), DUE)
    process.settle()
    assert path.read_bytes() == b"old\n"
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".agent")] == []
    process.system.stop()
