"""Websockets opened by discord.py, kept until they are closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from actors.discord.timing import Timing
from actors.linux.descriptors import share

_SHARE, _FEWEST = 16, 8
"""Divisor of the process's descriptors that gives the connections to Discord, and the least number, besides a
connection a shard."""


def most_connections(shards: int | None, descriptors: int | None = None) -> int:
    """Most connections to Discord at a time: a share of the descriptors, and one a shard.

    Args:
        shards: Number of shards; None stands for 1.
        descriptors: Descriptors allowed for the process; by default its own limit.
    """
    return share(_SHARE, _FEWEST, descriptors) + (shards or 1)


def guild_wait_s(timing: Timing, guilds: Iterable[Any]) -> float:
    """Seconds to wait for more servers; short once all servers named by Discord are described."""
    is_waiting = any(guild.unavailable for guild in guilds)
    wait_s = timing.guild_ready_timeout_s if is_waiting else timing.guilds_known_s
    return min(wait_s, timing.guild_ready_timeout_s)


class Sockets:
    """Registry of every socket, since discord.py forgets a socket cut off while opening, before the first frame."""

    def __init__(self, http: Any, on_open: Callable[[], None]) -> None:
        """Remember from now on.

        Args:
            http: discord.py's HTTP client, which opens the sockets.
            on_open: Called for each opened socket.
        """
        self._on_open = on_open
        self._open: list[Any] = []
        self._connect = http.ws_connect
        http.ws_connect = self._ws_connect

    async def close(self, timeout_s: float) -> None:
        """Close all open sockets; leave a server without an answer after `timeout_s`."""
        left, self._open = [socket for socket in self._open if not socket.closed], []
        for socket in left:
            try:
                async with asyncio.timeout(timeout_s):
                    await socket.close(code=1000)
            except TimeoutError:
                continue  # cut off by now

    async def _ws_connect(self, *args: Any, **how: Any) -> Any:
        socket = await self._connect(*args, **how)
        self._on_open()
        self._open = [*(known for known in self._open if not known.closed), socket]
        return socket
