from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests import pace
from tests.pace import USUAL_S, paced_s


def nothing() -> None:
    """Work that takes what the clock of the test says."""


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the CPU time that each piece of work takes, one after the other, the known one among them."""

    def takes(*pieces_s: float) -> None:
        times = iter([moment for piece_s in pieces_s for moment in (0.0, piece_s)])
        monkeypatch.setattr(pace, "time", SimpleNamespace(process_time=lambda: next(times)))

    return takes


@pytest.mark.parametrize(("before", "after"), [(2, 2), (1, 3), (3, 1)])
def test_a_machine_that_is_half_as_fast_around_the_work_halves_what_it_took(
    cpu: Callable[..., None], before: float, after: float
) -> None:
    cpu(before * USUAL_S, 1.0, after * USUAL_S)
    assert paced_s(nothing) == pytest.approx(0.5)


def test_a_faster_machine_makes_no_limit_stricter(cpu: Callable[..., None]) -> None:
    cpu(USUAL_S / 4, 1.0, USUAL_S / 4)
    assert paced_s(nothing) == 1.0


def test_of_several_tries_the_least_counts(cpu: Callable[..., None]) -> None:
    cpu(USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 4.0, USUAL_S)
    assert paced_s(nothing, tries=3) == pytest.approx(1.0)


def test_the_first_try_below_what_is_enough_is_the_last(cpu: Callable[..., None]) -> None:
    cpu(3.0, USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 0.5, USUAL_S)
    assert paced_s(nothing, tries=3, enough_s=1.5) == pytest.approx(1.0)


def test_a_first_run_below_what_is_enough_needs_no_look_at_the_machine(cpu: Callable[..., None]) -> None:
    cpu(0.5)
    assert paced_s(nothing, enough_s=1.0) == 0.5


def test_without_one_below_what_is_enough_every_try_is_made(cpu: Callable[..., None]) -> None:
    cpu(3.0, USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 4.0, USUAL_S)
    assert paced_s(nothing, tries=3, enough_s=1.0) == pytest.approx(1.0)
