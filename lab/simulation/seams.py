"""Seams: the places at which a whole process is turned from the machine to the simulation, and back.

All replacements belong to the process (calls of `os`, discord.py's connection, the thread of Discord's loop, threads
for jobs), so one run at a time has them.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import discord
from discord.http import HTTPClient

from actors.cluster import fence, head, host, host_life
from actors.cluster.shared import head_codec
from actors.curated import files as curated_files
from actors.discord import actor as discord_actor
from actors.edited_file import folder_lock
from actors.gateway import actor as gateway_actor
from actors.kernel import Actor, runner, supervisor, thread
from actors.linux import disk as linux_disk
from actors.linux import regular_file
from lab.simulation.disk import SimulatedDisk
from lab.simulation.life import Life
from lab.simulation.loop import SteppedLoopThread
from lab.simulation.network import Network

CurrentLife = Callable[[], Life | None]


class InlineThread:
    """Stand-in for `threading.Thread`: `start` does the job."""

    def __init__(self, *, target: Callable[..., object], args: tuple[Any, ...] = (), **_how: object) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        """Do the job."""
        self._target(*self._args)

    def join(self, _timeout: float | None = None) -> None:
        """Return at once: the job is done."""


class QuickCondition:
    """Stand-in for `threading.Condition` of a single thread: no other thread could fulfil the condition."""

    def __init__(self, _lock: object = None) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def wait_for(self, is_so: Callable[[], bool], _timeout: float | None = None) -> bool:
        """Look once."""
        return is_so()

    def notify(self) -> None:
        """Do nothing: no thread waits."""

    notify_all = notify


@contextlib.contextmanager
def in_place(seed: int, disk: SimulatedDisk, network: Network, current: CurrentLife) -> Iterator[None]:
    """Let all code in this process use the simulation until the block ends."""

    def make_loop(name: str, owner: Actor | None = None) -> SteppedLoopThread:
        life = current()
        assert life is not None
        return life.make_loop(name, owner)

    async def static_login(http: HTTPClient, token: str) -> Any:
        http.token = token
        return await http.request(discord.http.Route("GET", "/users/@me"))

    async def close(_http: HTTPClient) -> None:
        return None

    async def connect(client: discord.Client, *, reconnect: bool = True) -> None:
        await network.connect(client, reconnect=reconnect)

    async def request(http: HTTPClient, route: Any, **how: Any) -> Any:
        return await network.request(http, route, **how)

    async def no_socket(**_how: object) -> None:
        return None

    with contextlib.ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of coroutines of a dead life that nobody awaits any more
        put = stack.enter_context
        put(_disk_in_place(disk))
        put(_hosts_in_place(current))
        put(mock.patch.object(HTTPClient, "static_login", static_login))
        put(mock.patch.object(HTTPClient, "close", close))
        put(mock.patch.object(HTTPClient, "request", request))
        put(mock.patch.object(discord.Client, "connect", connect))
        for owner in (discord_actor, gateway_actor):
            put(mock.patch.object(owner, "LoopThread", side_effect=make_loop))
        put(mock.patch("aiohappyeyeballs.start_connection", no_socket))
        for waiter in (curated_files, folder_lock):
            put(mock.patch.object(waiter, "Event", return_value=types.SimpleNamespace(wait=lambda _seconds: False)))
        put(mock.patch.object(thread, "threading", types.SimpleNamespace(Thread=InlineThread)))
        put(mock.patch.object(supervisor, "random", types.SimpleNamespace(Random=lambda: random.Random(seed))))
        # A batch of the kernel ends after some messages, not after some time.
        put(mock.patch.object(runner, "perf_counter", return_value=0.0))
        put(mock.patch.object(time, "sleep", return_value=None))
        # Coroutines of a life that was killed are thrown away wherever they waited.
        put(mock.patch.object(sys, "unraisablehook", return_value=None))
        yield


@contextlib.contextmanager
def _disk_in_place(disk: SimulatedDisk) -> Iterator[None]:
    """Let every change of a file or name go through the disk."""

    def renameat2(_from: int, one: bytes, _to: int, other: bytes, flags: int) -> int:
        return disk.swap(os.fsdecode(one), os.fsdecode(other), flags)

    calls = {
        "open": disk.open,
        "close": disk.close,
        "write": disk.write,
        "fsync": disk.sync,
        "fdatasync": disk.sync,
        "link": disk.link,
        "rename": disk.rename,
        "replace": disk.rename,
        "unlink": disk.unlink,
        "remove": disk.unlink,
        "mkdir": disk.mkdir,
        "truncate": disk.truncate,
        "ftruncate": disk.truncate,
    }
    with contextlib.ExitStack() as stack:
        for name, call in calls.items():
            stack.enter_context(mock.patch.object(os, name, call))
        opens = {"opens": disk.open}  # bound at the import
        stack.enter_context(mock.patch.dict(regular_file.open_regular.__kwdefaults__, opens))
        libc = types.SimpleNamespace(CDLL=lambda *_name, **_how: types.SimpleNamespace(renameat2=renameat2))
        stack.enter_context(mock.patch.object(linux_disk, "ctypes", libc))
        yield


@contextlib.contextmanager
def _hosts_in_place(current: CurrentLife) -> Iterator[None]:
    """Let hosts be driven without threads."""

    def pump(*, target: Any, args: tuple[Any, ...], **_how: object) -> types.SimpleNamespace:
        life = current()
        assert life is not None
        return types.SimpleNamespace(start=lambda: life.drive(target.__self__, *args))

    tools = {"Lock": threading.RLock, "RLock": threading.RLock, "Condition": QuickCondition}
    event = mock.Mock(return_value=types.SimpleNamespace(wait=lambda _seconds: False))
    with contextlib.ExitStack() as stack:
        for module, thread_of in ((fence, InlineThread), (head, InlineThread), (host, InlineThread), (host_life, pump)):
            stand_in = types.SimpleNamespace(**tools, Thread=thread_of, Event=event)
            stack.enter_context(mock.patch.object(module, "threading", stand_in))
        stack.enter_context(mock.patch.object(head, "head_codec", cached_head_codec))
        yield


cached_head_codec = functools.cache(head_codec)
