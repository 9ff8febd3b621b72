"""Simulated lives: a schedule is one run, in every process; and what goes wrong in one is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.resume.pieces import Pieces
from lab.simulation.campaign import replay, simulate
from lab.simulation.schedule import Schedule
from lab.simulation.script import Act

SEED = 41


def test_a_schedule_gives_the_same_run_in_every_process_and_another_schedule_another() -> None:
    first, again, other = replay(Schedule(SEED)), replay(Schedule(SEED)), replay(Schedule(SEED, variant=1))
    assert first.lines == again.lines
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert first.steps > 100


def test_a_part_of_a_script_is_played() -> None:
    assert replay(Schedule(SEED, only=(0,))).said == 1


def test_a_resumed_campaign_runs_every_seed_once(tmp_path: Path) -> None:
    pieces, progress = Pieces(tmp_path / "pieces"), list[int]()
    first = simulate(101, 2, workers=1, pieces=pieces, tick=lambda campaign: progress.append(campaign.seeds))
    assert (first.seeds, first.ran, progress) == (2, 2, [1, 2])
    report = simulate(100, 6, workers=1, pieces=pieces)
    assert (report.seeds, report.ran) == (6, 4)
    assert report.lives >= 6
    again = simulate(100, 6, workers=1, pieces=pieces)
    assert (again.seeds, again.ran, again.lives) == (6, 0, report.lives)
    seeds = [seed for piece in pieces.read() for seed in range(piece["first"], piece["first"] + piece["seeds"])]
    assert sorted(seeds) == list(range(100, 106))


def test_pieces_of_another_campaign_are_refused(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path / "pieces")
    pieces.add({"campaign": "chaos"})
    with pytest.raises(ValueError, match="another campaign"):
        simulate(1, 1, workers=1, pieces=pieces)


def test_events_that_were_lost_late_or_doubled_are_counted() -> None:
    report = simulate(25, 6, workers=1)
    assert report.is_sound
    assert {"lost", "late", "doubled"} <= report.counts.keys()


@pytest.mark.req("X-244")
def test_layers_take_part_in_a_run() -> None:
    plain, layered = (replay(Schedule(0, layers=layers)) for layers in ((), ("curated", "facts")))
    assert not {"layered", "chats", "facts"} & plain.counts.keys()
    assert {"layered", "chats", "facts"} <= layered.counts.keys()
    assert (plain.faults, layered.faults) == ((), ())


@pytest.mark.req("X-244")
def test_windows_live_on_hosts_that_are_killed_and_cut_off() -> None:
    schedule = Schedule(3, layers=("hosts",))
    acts = {scene.act for scene in schedule.scenes().values()}
    result = replay(schedule)
    assert {Act.KILL_HOST, Act.CUT_HOST} <= acts
    assert result.counts["lost hosts"] >= 1
    assert result.faults == ()
