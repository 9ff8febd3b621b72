"""Simulated lives: a seed is one schedule, whoever runs it; and what goes wrong in one is seen."""

from __future__ import annotations

from lab.simulation.campaign import replay, simulate

SEEDS = range(40, 44)


def test_a_seed_gives_the_same_schedule_in_every_process() -> None:
    for seed in SEEDS:
        first, second = replay(seed), replay(seed)
        assert first.lines == second.lines
        assert first.digest == second.digest
        assert first.steps > 100


def test_two_seeds_are_two_schedules() -> None:
    assert len({replay(seed).digest for seed in SEEDS}) == len(SEEDS)


def test_a_campaign_runs_every_seed_once() -> None:
    told: list[int] = []
    report = simulate(100, 7, workers=2, tick=lambda done, _failed: told.append(done))
    assert told == list(range(1, 8))
    assert (report.first, report.seeds) == (100, 7)
    assert report.lives >= 7
