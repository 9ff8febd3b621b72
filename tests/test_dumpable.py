"""Dumpable: an agent that ran in the tests' process leaves the next test its own files in /proc."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import pytest

from actors.linux.hardening import make_undumpable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
GET_DUMPABLE = 3


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_begins_with_a_dumpable_process(turn: int) -> None:
    assert ctypes.CDLL(None).prctl(GET_DUMPABLE, 0, 0, 0, 0) == 1
    assert Path("/proc/self/clear_refs").stat().st_uid == os.geteuid()
    assert make_undumpable()
