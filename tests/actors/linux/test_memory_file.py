"""A file in memory has its bytes from the beginning on, and no name on a disk."""

from __future__ import annotations

import os

from actors.linux.descriptors import in_memory


def test_all_bytes_are_read_from_the_beginning() -> None:
    data = os.urandom(3 << 20)
    descriptor = in_memory("test", data)
    with os.fdopen(descriptor, "rb") as file:
        assert file.read() == data
        assert os.fstat(descriptor).st_nlink == 0
