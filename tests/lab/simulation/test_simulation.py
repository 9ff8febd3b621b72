"""Simulated lives: a seed is one schedule, whoever runs it; and what goes wrong in one is seen."""

from __future__ import annotations

from lab.simulation.campaign import replay, simulate

SEED = 41


def test_a_seed_gives_the_same_schedule_in_every_process_and_another_seed_another() -> None:
    first, again, other = replay(SEED), replay(SEED), replay(SEED + 1)
    assert first.lines == again.lines
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert first.steps > 100


def test_a_campaign_runs_every_seed_once() -> None:
    told: list[int] = []
    report = simulate(100, 6, workers=1, tick=lambda done, _failed: told.append(done))
    assert told == list(range(1, 7))
    assert (report.first, report.seeds) == (100, 6)
    assert report.lives >= 6


def test_events_that_were_lost_late_or_doubled_are_counted() -> None:
    report = simulate(25, 6, workers=1)
    assert report.is_sound
    assert report.harmed.keys() == {"lost", "late", "doubled"}
    assert all(report.harmed.values())
