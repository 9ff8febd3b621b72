"""Levels of bounds: which of them the attacks of this folder were tried on."""

from __future__ import annotations

import pytest

from tests.abuse.conftest import GROUPS, LEVELS


def test_attacks_are_tried_within_control_groups_as_well() -> None:
    if GROUPS not in LEVELS:
        pytest.skip("no control group can be made here: each attack was tried within the looks of the watching process")
    assert LEVELS[0] == GROUPS
