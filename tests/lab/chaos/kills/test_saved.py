"""File of finished batches: read whole, added to behind a torn line, and added up over files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.kills.campaign import KillPlan
from lab.chaos.kills.ledger import Tally
from lab.chaos.kills.report import BatchReport, Kill, KillReport
from lab.chaos.kills.saved import append_batch, read_batches
from lab.resume.pieces import program_name


def batch(name: str, message_count: int = 3) -> BatchReport:
    tally = Tally(said=message_count, answered=message_count)
    tally.note("faults", "a fault")
    return BatchReport(
        name=name,
        tally=tally,
        kills=(Kill(life=1, trap="log", at_s=0.5),),
        rows=(1, 3),
        starts_s=(1.0,),
        program=program_name(),
    )


def test_a_batch_is_read_as_it_was_added(tmp_path: Path) -> None:
    file = tmp_path / "batches"
    assert read_batches([file]) == []
    append_batch(file, batch("s/1"))
    append_batch(file, batch("s/2"))
    assert read_batches([file]) == [batch("s/1"), batch("s/2")]


def test_a_line_that_a_kill_has_torn_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "batches"
    append_batch(file, batch("s/1"))
    with file.open("ab") as torn:
        torn.write(b'{"name": "s/2", "tal')
    append_batch(file, batch("s/3"))
    append_batch(file, batch("s/4"))
    assert [each.name for each in read_batches([file])] == ["s/1", "s/3", "s/4"]


def test_a_line_that_is_no_batch_is_named(tmp_path: Path) -> None:
    file = tmp_path / "batches"
    append_batch(file, batch("s/1"))
    with file.open("ab") as other:
        other.write(b'{"name": 7}\n')
    with pytest.raises(ValueError, match=rf"{file}, line 2: Expected"):
        read_batches([file])


def test_files_are_added_up_and_a_batch_of_two_files_counts_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    append_batch(one, batch("s/1"))
    append_batch(two, batch("s/1", message_count=9))
    append_batch(two, batch("t/1"))
    report = KillReport(batches=tuple(read_batches([one, two])))
    assert (report.seed, report.total.said, len(report.kills), report.is_sound) == ("s, t", 6, 2, False)


def test_a_plan_goes_on_behind_its_own_finished_batches(tmp_path: Path) -> None:
    file = tmp_path / "batches"
    for name in ("s/1", "s/3", "other/2"):
        append_batch(file, batch(name))
    plan = KillPlan(kills=40, seed="s", rows=frozenset({1, 3}), resume=file)
    assert [each.name for each in plan.read_finished()] == ["s/1"]
    assert KillPlan(kills=60, seed="s", rows=frozenset({1}), resume=file).read_finished() == []
