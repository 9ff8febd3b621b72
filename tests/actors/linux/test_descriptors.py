"""Shares of the descriptors that the process may have."""

from __future__ import annotations

import resource
import sys

import pytest

from actors.linux.descriptors import share


@pytest.mark.parametrize(
    ("soft", "most"), [(256, 32), (20, 8), (1_000_000, 125_000), (resource.RLIM_INFINITY, sys.maxsize)]
)
def test_a_share_is_a_part_of_the_limit_but_not_too_few(soft: int, most: int) -> None:
    assert share(8, fewest=8, soft=soft) == most
    assert share(1, fewest=1) == share(1, fewest=1, soft=resource.getrlimit(resource.RLIMIT_NOFILE)[0])
