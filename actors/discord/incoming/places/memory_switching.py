"""Switching of memory in a window: permission, the file that outlives the agent, and the line visible to all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.kernel import Bulkhead, Host
from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder
from domain.policy.forgetting.rights import asker_of
from domain.policy.memory_switch import (
    FILE_NAME,
    MOST_BYTES,
    NOW,
    MemorySwitch,
    MemorySwitches,
    read_switches,
    write_switches,
)
from messages.base import RequestId
from messages.discord import MemorySwitched, PostMessage, SwitchMemory
from messages.socket import Refused

IS_OFF = (
    "-# Memory is off here from now on: messages are not kept, and earlier messages and other places are not "
    "remembered. Each message is answered by itself, without commands."
)
IS_ON = "-# Memory is on again here: messages are kept from now on."
MAY_NOT = "only people who may manage messages here can switch memory"
_LANE = "memory-off"
_WRITE_S = 10.0


def load_switches(root: Path) -> MemorySwitches:
    """Load switches of earlier lives; empty without a file."""
    return read_switches(NoteFolder(root, most_bytes=MOST_BYTES).read(FILE_NAME) or b"")


class MemorySwitching:
    """Writer of the file; lives on the loop and leaves waiting for the disk to a thread."""

    def __init__(
        self,
        host: Host,
        policy: ChannelPolicy,
        root: Path | None,
        disk: Disk | None = None,
        *,
        present: Callable[[], int],
        operators: Collection[str] = (),
    ) -> None:
        """Begin without a switch under way.

        Args:
            host: Answers, and has the line shown.
            policy: Knows the switches so far, and is told of each new switch.
            root: The data root; None to keep switches for this life only.
            disk: Disk to write to; None for the real disk.
            present: Gives the snowflake of the present moment, for switches by operators, which have none.
            operators: Accounts that may switch memory everywhere.
        """
        self._host = host
        self._present = present
        self._operators = frozenset(operators)
        self._policy = policy
        self._notes = None if root is None else NoteFolder(root, disk, most_bytes=MOST_BYTES)
        self._threads = Bulkhead("discord-memory", at_once=1)
        self._writing = asyncio.Lock()
        self._stored = policy.switches
        """Switches without the commands that wait to be written."""
        self._tasks = BackgroundTasks()

    def serve(self, request: SwitchMemory) -> None:
        """Switch memory, if the account may; memory switched off is off at once, before any write."""
        asker = asker_of(request.asked_by, self._operators, request.window, manages_messages=request.manages_messages)
        if asker.limit_in(request.window):
            self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=MAY_NOT))
            return
        place = request.window.id
        switch = MemorySwitch(
            place=place, number=self._number_of(request), is_off=request.is_off, by=request.asked_by or "operator"
        )
        if request.is_off:
            self._add(self._policy.switches.command(switch))
        self._tasks.spawn(self._keep(request, switch), "a switch of memory")

    def _add(self, added: tuple[MemorySwitch, ...]) -> None:
        self._policy.switches = self._policy.switches.add(*added)

    def _number_of(self, request: SwitchMemory) -> int:
        """Snowflake of the command."""
        name = request.request_id
        return int(name) if name.isdecimal() else self._present()

    def _is_off(self, place: str) -> bool:
        """True if memory is off in a place by the commands so far."""
        channel = discord.Object(int(place))
        places, by_settings = self._policy.window_map.place_of(channel).ids, self._policy.rule_of(channel).memory_is_off
        return self._stored.is_off(places, NOW, by_settings=by_settings)

    async def _keep(self, request: SwitchMemory, switch: MemorySwitch) -> None:
        async with self._writing:
            is_new = self._is_off(switch.place) != request.is_off
            added = self._stored.command(switch)
            switches = self._stored.add(*added)
            if request.is_off:  # The command before may have ended meanwhile, and bear a later date.
                self._stored = switches
                self._add(added)
            try:
                if self._notes is not None:
                    put, data = self._notes.put, write_switches(switches)
                    await self._threads.run(_LANE, _WRITE_S, lambda: put(FILE_NAME, data, is_durable=True))
            except OSError as error:
                left = "memory is off until the next start only" if request.is_off else "memory stays off"
                reason = f"the switch cannot be stored, so {left}: {error.strerror or error}"
                self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
                return
            self._stored = switches
            self._add(added)
        reply = MemorySwitched(request_id=request.request_id, is_off=request.is_off, is_new=is_new)
        self._host.tell(request.reply_to, reply)
        if is_new:
            self._host.tell(
                self._host.address,
                PostMessage(
                    request_id=RequestId(f"memory-{added[-1].number}"),
                    reply_to=self._host.address,
                    window=request.window,
                    text=IS_OFF if request.is_off else IS_ON,
                    nonce=f"m{added[-1].number % 10**18}",
                ),
            )
