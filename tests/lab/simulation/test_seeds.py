"""Seeds that found something, each with its cause; and a handful of others, so that every run of the tests lives some."""

from __future__ import annotations

import pytest

from lab.simulation.campaign import simulate

FOUND = {
    0: "any",
}


@pytest.mark.parametrize("seed", FOUND)
def test_a_seed_that_found_something_finds_it_no_more(seed: int) -> None:
    report = simulate(seed, 1)
    assert report.is_sound, [result.faults for result in report.failed]
