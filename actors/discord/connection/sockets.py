"""Websockets that discord.py opened, kept until they are closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Sockets:
    """Remembers every socket, since discord.py forgets the one whose opening is cut off before its first frame."""

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
        """Close what is still open; a server that does not answer is left after `timeout_s`."""
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
