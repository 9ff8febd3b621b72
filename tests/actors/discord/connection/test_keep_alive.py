from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

from discord.gateway import KeepAliveHandler

from actors.discord.connection.keep_alive import end_keep_alives


class Socket(SimpleNamespace):
    """As much of discord.py's web socket as a heartbeat thread looks at."""

    async def send_heartbeat(self, payload: dict[str, Any]) -> None:
        self.beating.set()
        await asyncio.sleep(0.2)  # a send that takes its time, so that the thread is waiting for the loop


def test_a_thread_in_the_middle_of_a_heartbeat_has_ended_before_its_loop_may_close() -> None:
    async def run() -> threading.Thread:
        loop = asyncio.get_running_loop()
        beating = asyncio.Event()
        socket: Any = Socket(
            loop=loop,
            thread_id=threading.get_ident(),
            _max_heartbeat_timeout=60.0,
            HEARTBEAT=1,
            sequence=None,
            beating=beating,
        )
        thread = KeepAliveHandler(ws=socket, interval=0.01)
        thread.start()
        await beating.wait()
        await end_keep_alives()
        return thread

    assert not asyncio.run(run()).is_alive()


def test_the_threads_of_other_loops_are_left_alone() -> None:
    async def run() -> bool:
        other = asyncio.new_event_loop()
        socket: Any = Socket(loop=other, thread_id=0, _max_heartbeat_timeout=60.0)
        thread = KeepAliveHandler(ws=socket, interval=60.0)
        thread.start()
        await end_keep_alives()
        still_there = thread.is_alive()
        thread.stop()
        await asyncio.to_thread(thread.join, 5)
        other.close()
        return still_there

    assert asyncio.run(run())
