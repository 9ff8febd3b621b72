from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from lab.load.comparison import Comparison
from lab.load.plot import Curve, draw, panels_of_memory, panels_of_sizes, refusal
from tests.lab.load.test_comparison import FLOORS
from tests.lab.load.test_report import GOOD

SIZES = [
    Comparison(runs=tuple(dataclasses.replace(each, threads=threads) for each in (GOOD, FLOORS)))
    for threads in (10, 100)
]


def test_over_the_sizes_each_figure_has_a_curve_of_each_subject() -> None:
    cpu, rate, late, memory = panels_of_sizes(SIZES)

    assert cpu.curves == (Curve("agent", ((10, 14.0), (100, 14.0))), Curve("floor", ((10, 7.0), (100, 7.0))))
    assert [panel.curves[0].points[0][1] for panel in (rate, late, memory)] == [2.5, 2.0, 200.0]
    assert cpu.across == "threads"


def test_a_figure_that_is_not_known_has_no_curve() -> None:
    unknown = dataclasses.replace(GOOD, cpu_ms_per_turn=None)

    assert panels_of_sizes([Comparison(runs=(unknown,))])[0].curves == ()


def test_memory_is_drawn_over_time_and_over_known_windows() -> None:
    few = dataclasses.replace(GOOD, profile="known", rss_over_time=((0.0, 100.0), (9.0, 110.0)))
    many = dataclasses.replace(
        few, known=1000, rss_over_time=((0.0, 150.0), (9.0, 160.0)), anon_over_time=((0.0, 90.0), (9.0, 95.0))
    )

    over_time, over_windows = panels_of_memory([few, many])

    names = ["agent", "agent, 1000 known", "agent, 1000 known, without pages of files"]
    assert [curve.name for curve in over_time.curves] == names
    assert over_time.curves[2].points == ((0.0, 90.0), (9.0, 95.0))
    assert over_time.curves[0].points == ((0.0, 100.0), (9.0, 110.0))
    assert over_windows.curves == (Curve("agent", ((0.0, 110.0), (1000.0, 160.0))),)
    assert len(panels_of_memory([few])) == 1


def test_without_matplotlib_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    assert "pip install 'matplotlib" in refusal()


@pytest.mark.skipif(bool(refusal()), reason="matplotlib is not installed (extra `plots`)")
def test_what_is_drawn_is_a_png(tmp_path: Path) -> None:
    draw(panels_of_sizes(SIZES), tmp_path / "sizes.png")

    assert (tmp_path / "sizes.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "sizes.png").stat().st_size > 5_000
