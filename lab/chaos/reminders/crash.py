"""Crash test: the agent is killed at every step of saying a reminder; people must see each exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from domain.reminder.document import scan
from lab.chaos.reminders.world import Channel, Process, ProcessConfig

DUE = datetime(2026, 3, 28, 12, 2, tzinfo=UTC)
DOWN = (timedelta(seconds=5), timedelta(hours=1))
SETTINGS = ProcessConfig(catchup_hours=2)
STEPS = 26
"""Milliseconds after the minute until a firing is completely done."""
LINES = """# Reminders
- [ ] date=2026-03-28 time=12:02 recur=none msg="one-off" id=rid_AAAAAAAAAAAA
- [ ] date=2026-03-01 time=12:02 recur=daily msg="daily" id=rid_BBBBBBBBBBBB
- [ ] date=2026-03-28 time=12:02 recur=none msg="no id yet"
- [ ] date=2026-03-28 time=12:02 recur=none msg="elsewhere" id=rid_CCCCCCCCCCCC in=discord-thread/910000000000000099
end
"""
SAID = ("one-off", "daily", "no id yet", "elsewhere")


@dataclass(frozen=True, slots=True)
class CrashReport:
    """Sightings of people over all kills."""

    kills: int
    firings: int
    lost: int
    doubled: int
    lines_left: int
    """One-offs with lines still in the file in the end."""

    @property
    def is_sound(self) -> bool:
        """True if each reminder was seen once, and its line was removed."""
        return not (self.lost or self.doubled or self.lines_left)


def crash_everywhere(root: Path, tick: Callable[[int], object] = lambda _kill: None) -> CrashReport:
    """Kill the agent after every millisecond of a firing, for each time down, with and without a stale editor."""
    kills = lost = doubled = lines_left = 0
    for step, down, stale in _cases():
        channel, folder = Channel(), root / str(kills)
        folder.mkdir()
        messages = _one_case(folder, channel, step, down, stale=stale)
        kills += 1
        for words in SAID:
            lost += messages.count(words) == 0
            doubled += max(0, messages.count(words) - 1)
        entries = scan((folder / "reminders.md").read_bytes()).entries
        lines_left += sum(entry.reminder.message != "daily" for entry in entries)
        tick(kills)
    return CrashReport(kills=kills, firings=kills * len(SAID), lost=lost, doubled=doubled, lines_left=lines_left)


def _cases() -> Iterator[tuple[int, timedelta, bool]]:
    """Milliseconds after the minute, time down, and True if an editor saves text read before the minute."""
    for down in DOWN:
        for stale in (False, True):
            for step in range(STEPS):
                yield step, down, stale


def _one_case(folder: Path, channel: Channel, step: int, down: timedelta, *, stale: bool) -> list[str]:
    """Messages seen by people: the words of each."""
    path = folder / "reminders.md"
    path.write_text(LINES)
    first = Process(folder, channel, DUE - timedelta(seconds=30), SETTINGS)
    first.settle()
    before = path.read_bytes()
    first.clock.advance((DUE - first.clock.now()).total_seconds())
    first.system.run()
    first.steps(step)
    first.kill()
    if stale:
        path.write_bytes(before)
    second = Process(folder, channel, first.clock.now() + down, SETTINGS)
    second.settle()
    second.pass_minutes(3)
    second.kill()
    return [text.removeprefix("⏰ ").rpartition("> ")[2].split("\n")[0] for text in channel.texts()]
