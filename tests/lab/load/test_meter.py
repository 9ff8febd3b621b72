from __future__ import annotations

import os

import pytest

from lab.load.meter import Load, Look, Meter, Usage, bounded_by, idle_share, load_of


def load(mean_share: float) -> Load:
    return Load(cpu_s=1.0, mean_share=mean_share, busiest_share=mean_share)


def look(at: float, idle_s: float | None) -> Look:
    return Look(at=at, bot=None, harness={}, idle_s=idle_s)


def test_a_load_is_the_mean_over_all_and_the_busiest_second() -> None:
    times = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    cpu_s = [5.0, 5.0, 5.0, 5.4, 5.9, 6.0, 6.0]

    assert load_of(times, cpu_s) == Load(cpu_s=1.0, mean_share=0.333, busiest_share=0.9)


def test_a_load_of_less_than_a_second_is_its_mean() -> None:
    assert load_of([0.0, 0.5], [1.0, 1.25]) == Load(cpu_s=0.25, mean_share=0.5, busiest_share=0.5)


def test_a_load_that_is_not_known_throughout_is_unknown(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[float], list[float | None]]] = [
        ([], []),
        ([1.0], [1.0]),
        ([1.0, 2.0], [1.0, None]),
        ([1.0, 1.0], [1.0, 1.0]),
    ]
    for times, cpu_s in cases:
        with subtests.test(times=times, cpu_s=cpu_s):
            assert load_of(times, cpu_s) is None


def test_whoever_is_full_bounds_the_rate(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float | None, dict[str, float], float | None, str]] = [
        (0.95, {"discord": 0.5, "model": 0.1}, 0.2, "agent"),
        (0.95, {"discord": 0.5, "model": 0.1}, 0.01, "agent"),
        (0.90, {"discord": 0.96, "model": 0.1}, 0.01, "harness (discord)"),
        (0.30, {"discord": 0.2, "model": 0.9}, 0.3, "harness (model)"),
        (0.60, {"discord": 0.4, "model": 0.1}, 0.05, "machine"),
        (0.60, {"discord": 0.4, "model": 0.1}, 0.5, "traffic"),
        (0.60, {"discord": 0.4, "model": 0.1}, None, "traffic"),
        (None, {"discord": 0.4}, 0.5, "unknown"),
    ]
    for bot, harness, idle, bounded in cases:
        with subtests.test(bot=bot, harness=harness, idle=idle, bounded=bounded):
            loads = {name: load(share) for name, share in harness.items()}

            assert bounded_by("agent", load(bot) if bot is not None else None, loads, idle) == bounded


def test_what_the_machine_had_to_spare_is_a_share_of_all_its_processors() -> None:
    assert idle_share([look(10.0, 100.0), look(12.0, 101.0)], 2) == 0.25
    assert idle_share([look(10.0, None), look(12.0, 101.0)], 2) is None
    assert idle_share([look(10.0, 100.0)], 2) is None


def test_a_meter_looks_twice_a_second_however_often_it_is_asked() -> None:
    now = 100.0
    meter = Meter(lambda: Usage(1.0, 2.0), {"tool": os.getpid(), "gone": None}, lambda: now)

    meter.look_if_due()
    now = 100.4
    meter.look_if_due()
    now = 100.5
    meter.look_if_due()

    assert [each.at for each in meter.looks] == [100.0, 100.5]
    assert meter.looks[0].bot == Usage(1.0, 2.0)
    assert meter.looks[0].harness.keys() <= {"tool"}
