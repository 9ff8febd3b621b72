from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.pace import USUAL_S, paced_s


def nothing() -> None:
    """Work that takes what the clock of the test says."""


def cpu(*pieces_s: float) -> Callable[[], float]:
    """Clock on which each piece of work takes so long, one after the other, the known one among them."""
    return iter([moment for piece_s in pieces_s for moment in (0.0, piece_s)]).__next__


@pytest.mark.parametrize(("before", "after"), [(2, 2), (1, 3), (3, 1)])
def test_a_machine_that_is_half_as_fast_around_the_work_halves_what_it_took(before: float, after: float) -> None:
    clock = cpu(before * USUAL_S, 1.0, after * USUAL_S)
    assert paced_s(nothing, clock=clock) == pytest.approx(0.5)


def test_a_faster_machine_makes_no_limit_stricter() -> None:
    clock = cpu(USUAL_S / 4, 1.0, USUAL_S / 4)
    assert paced_s(nothing, clock=clock) == 1.0


def test_of_several_tries_the_least_counts() -> None:
    clock = cpu(USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 4.0, USUAL_S)
    assert paced_s(nothing, tries=3, clock=clock) == pytest.approx(1.0)


def test_the_first_try_below_what_is_enough_is_the_last() -> None:
    clock = cpu(3.0, USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 0.5, USUAL_S)
    assert paced_s(nothing, tries=3, enough_s=1.5, clock=clock) == pytest.approx(1.0)


def test_a_first_run_below_what_is_enough_needs_no_look_at_the_machine() -> None:
    clock = cpu(0.5)
    assert paced_s(nothing, enough_s=1.0, clock=clock) == 0.5


def test_without_one_below_what_is_enough_every_try_is_made() -> None:
    clock = cpu(3.0, USUAL_S, 3.0, USUAL_S, 2 * USUAL_S, 2.0, 2 * USUAL_S, USUAL_S, 4.0, USUAL_S)
    assert paced_s(nothing, tries=3, enough_s=1.0, clock=clock) == pytest.approx(1.0)
