"""Doors by themselves, which share what all of them together may have."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from actors.socket.door import Door, Tally
from actors.socket.wire import Request
from tests.patience import PATIENCE_S

SHORT_S = 0.1


async def carried_out(_request: Request) -> object:
    return {}


class Client:
    """A connection to one door."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def ask(self, patience_s: float = PATIENCE_S) -> bytes:
        """The answer to a request."""
        if not hasattr(self, "_reader"):
            self._reader, self._writer = await asyncio.open_unix_connection(self._path)
            self._writer.write(b'{"id": 1, "verb": "look"}\n')
        return await asyncio.wait_for(self._reader.readline(), patience_s)

    def leave(self) -> None:
        self._writer.close()


def opened(path: Path, tally: Tally) -> Door:
    door, listener = Door(carried_out, frozenset({os.geteuid()}), tally), socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.setblocking(False)
    door.listen(listener)
    return door


def test_who_waits_at_one_door_is_let_in_when_somebody_leaves_another(tmp_path: Path) -> None:
    async def run() -> None:
        doors = {name: opened(tmp_path / name, tally) for name in ("a", "b")}
        stays, leaves, waits = (Client(tmp_path / name) for name in ("a", "b", "a"))
        await stays.ask()
        await leaves.ask()
        with pytest.raises(TimeoutError):
            await waits.ask(SHORT_S)
        leaves.leave()
        assert b"true" in await waits.ask()
        for client in (stays, waits):
            client.leave()
        for door in doors.values():
            door.close()

    tally = Tally(most_connections=2)
    asyncio.run(run())
    assert tally.full == set()
