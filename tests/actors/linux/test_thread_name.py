"""Names of threads, as the system shows them."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from actors.kernel import LoopThread
from actors.linux.thread_name import name_thread
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def kernel_name() -> str:
    return Path(f"/proc/self/task/{threading.get_native_id()}/comm").read_text().strip()


def test_a_thread_shows_its_name_as_far_as_the_system_keeps_it() -> None:
    names: list[str] = []

    def work() -> None:
        for name in ("embedder-local", "a-name-that-is-longer-than-that"):
            name_thread(name)
            names.append(kernel_name())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert names == ["embedder-local", "a-name-that-is-"]


def test_a_loop_shows_its_name() -> None:
    loop = LoopThread("some-loop")
    loop.start()

    async def name() -> str:
        return kernel_name()

    try:
        assert loop.submit(name()).result(PATIENCE_S) == "some-loop"
    finally:
        loop.stop()
