"""Shares of the descriptors that the process may have."""

from __future__ import annotations

import os
import resource
import sys

import pytest

from actors.linux.descriptors import in_memory, share


@pytest.mark.parametrize(
    ("soft", "most"), [(256, 32), (20, 8), (1_000_000, 125_000), (resource.RLIM_INFINITY, sys.maxsize)]
)
def test_a_share_is_a_part_of_the_limit_but_not_too_few(soft: int, most: int) -> None:
    assert share(8, fewest=8, soft=soft) == most
    assert share(1, fewest=1) == share(1, fewest=1, soft=resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def test_all_bytes_of_a_file_in_memory_are_read_from_the_beginning() -> None:
    data = os.urandom(3 << 20)
    descriptor = in_memory("test", data)
    with os.fdopen(descriptor, "rb") as file:
        assert file.read() == data
        assert os.fstat(descriptor).st_nlink == 0
