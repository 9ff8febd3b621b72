from __future__ import annotations

import pytest

from lab.chaos.forget.run import FORGET


@pytest.mark.slow
@pytest.mark.req("X-245", "X-246")
def test_every_planted_string_is_gone_after_kills_and_another_persons_strings_stay() -> None:
    rows = FORGET.measure(lambda _step: None, strings=10, kills=1, seed=0)

    figures = rows["forgetting"]
    assert FORGET.is_sound(rows, quick=True), figures
    assert (figures["planted"], figures["on_disk_before"], figures["kills"]) == (18, 18, 1)
    assert figures["others"] == 12
