"""Heartbeat threads of discord.py: ended before their loop ends."""

from __future__ import annotations

import asyncio
import threading

from discord.gateway import KeepAliveHandler


async def end_keep_alives(timeout_s: float = 2.0) -> None:
    """Return when no heartbeat thread of the running loop is left, or after `timeout_s`.

    discord.py tells a heartbeat thread to stop but doesn't wait for the thread: a thread just about to send would find
    the loop closed and die with a RuntimeError.
    """
    loop = asyncio.get_running_loop()
    threads = [
        thread for thread in threading.enumerate() if isinstance(thread, KeepAliveHandler) and thread.ws.loop is loop
    ]
    for thread in threads:
        thread.stop()
    # The loop runs on meanwhile, since such a thread may be waiting for what it has asked the loop to send.
    if threads:
        await asyncio.gather(*(asyncio.to_thread(thread.join, timeout_s) for thread in threads))
