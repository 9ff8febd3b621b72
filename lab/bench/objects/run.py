"""Measurement of the layer of objects: every workload with it and without, then speed, memory, disk and kills."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import ManualClock
from lab.bench.measure import Figures
from lab.bench.objects import workloads
from lab.bench.objects.kills import killed
from lab.bench.objects.layer import Layer, folder_of, stored_bytes
from lab.bench.objects.play import STARTS_AT, UNBOUNDED, Plain, played
from lab.bench.objects.report import MIB, Results, Row
from lab.bench.objects.request import Sums
from lab.bench.objects.story import Story
from lab.bench.process import measure_objects

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    stories: Callable[[], tuple[Story, ...]]
    flood: int
    """Rounds."""
    edits: int
    speed: dict[str, float]
    idle: int
    """Windows."""
    kills: int


WHOLE = Size(
    stories=workloads.whole,
    flood=50,
    edits=60,
    speed={"windows": 100, "turns": 16, "rate": 60, "rounds": 3},
    idle=1_000,
    kills=200,
)
QUICK = Size(
    stories=workloads.small,
    flood=8,
    edits=6,
    speed={"windows": 4, "turns": 2, "rate": 60, "rounds": 1},
    idle=8,
    kills=4,
)


def measure(say: Say, size: Size = WHOLE) -> Results:
    """All figures.

    Args:
        say: Is told what is being done now.
        size: How much of it.

    Raises:
        MeasurementError: a process that measures did not give its figures.
    """
    rows, disk = [], dict[str, tuple[int, int]]()
    for story in (*size.stories(), workloads.flood(size.flood), workloads.edits(size.edits)):
        say(f"{story.name}: {len(story.exchanges)} turns, {story.calls} calls")
        row, disk[story.name] = compared(story)
        rows.append(row)
    session, edits = disk["repeat_reader"], disk["edits"]
    figures: Figures = {
        "session_mib": sum(session) / MIB,
        "session_wal_mib": session[1] / MIB,
        "edits_mib": sum(edits) / MIB,
        "edits_wal_mib": edits[1] / MIB,
    }
    say("speed: both systems in turn")
    figures |= measure_objects("speed", size.speed)
    say("memory of windows at rest")
    figures |= measure_objects("idle", {"leave": size.idle})
    figures |= measure_objects("idle", {"stay": size.idle})
    figures |= killed(size.kills, "objects", lambda number: say(f"kills: {number} of {size.kills}"))
    by_name = {row.workload: row for row in rows}
    return Results(
        rows=tuple(row for row in rows if row.workload not in ("flood", "edits")),
        flood=by_name["flood"],
        figures=figures,
    )


def compared(story: Story) -> tuple[Row, tuple[int, int]]:
    """What a story's requests come to, and how many bytes the store then has: in its database, and beside it."""
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as whole:
        root = Path(whole)
        plain = _plain(story, root / "plain", Plain())
        unbounded = _plain(story, root / "unbounded", Plain(UNBOUNDED))
        clock = ManualClock(STARTS_AT)
        with Layer(root / "worded", clock) as layer:
            worded = played(story, folder_of(root / "worded"), layer, clock)
            bytes_on_disk = stored_bytes(root / "worded")
    row = Row(
        workload=story.name,
        turns=len(story.exchanges),
        calls=story.calls,
        plain=plain,
        worded=worded,
        unbounded=unbounded if unbounded != plain else None,
    )
    return row, bytes_on_disk


def _plain(story: Story, folder: Path, wording: Plain) -> Sums:
    return played(story, folder, wording, ManualClock(STARTS_AT))
