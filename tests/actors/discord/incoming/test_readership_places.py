"""Readers of threads by their places: whatever comes in whatever order, each window is told as it is now."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest

from actors.discord.incoming import readership as module
from actors.discord.incoming.places.window_map import WindowMap
from actors.discord.incoming.readership import Readership
from actors.kernel import Host
from messages.base import Address, Message
from messages.discord import Grant, Readers, ReadersChanged, ReadersListed

CHANNELS = (1, 2)
ELSEWHERE = 3
LISTENER = Address("listener")


class Thread(discord.Thread):
    private = False

    def is_private(self) -> bool:
        return self.private


class Server:
    """Channels, threads and who reads them; what discord.py would hold of it."""

    def __init__(self) -> None:
        self.guilds = [self]
        self.id = 7
        self.role: dict[int, str | None] = dict.fromkeys((*CHANNELS, ELSEWHERE), "a")
        self.there: dict[int, Any] = {}

    @property
    def threads(self) -> list[Any]:
        return [*self.there.values()]

    def get_guild(self, _number: int) -> Server:
        return self

    def open(self, number: int, parent: int, *, private: bool) -> Any:
        thread = cast("Any", Thread.__new__(Thread))
        thread.id, thread.parent_id, thread.guild, thread.private = number, parent, self, private
        self.there[number] = thread
        return thread

    def readers(self, channel: int, private: bool = False) -> Readers | None:
        if (role := self.role.get(channel)) is None:
            return None
        grant = Grant(is_default=False, giving_roles=frozenset({role}))
        return Readers(guild_id="7", channel_id=str(channel), sees=grant, reads=(grant,), is_private=private)

    def known(self) -> dict[str, Readers]:
        """Who reads each window."""
        found = {str(channel): self.readers(channel) for channel in CHANNELS}
        for number, thread in self.there.items():
            if thread.parent_id in CHANNELS:
                found[str(number)] = self.readers(thread.parent_id, thread.is_private())
        return {window: readers for window, readers in found.items() if readers is not None}


class Told:
    """A listener, with what it knows."""

    def __init__(self) -> None:
        self.known: dict[str, Readers] = {}
        self.instead: Told | None = None

    def tell(self, to: Address, message: Message) -> None:
        if self.instead is not None:
            self.instead.tell(to, message)
            return
        assert isinstance(message, ReadersListed | ReadersChanged)
        if isinstance(message, ReadersListed):
            self.known = {}
        for each in message.windows:
            if each.readers is None:
                self.known.pop(each.window.id, None)
            else:
                self.known[each.window.id] = each.readers


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(module, "_readers_in", lambda _client, *place: server.readers(*place))
    return server


def begun(server: Server, told: Told) -> Readership:
    watermarks = SimpleNamespace(logged_threads=list)
    readership = Readership(
        host=cast("Host", told),
        window_map=WindowMap(map(str, CHANNELS)),
        watermarks=cast("Any", watermarks),
        rest=cast("Any", None),
        listeners=(LISTENER,),
    )
    readership.begin(cast("discord.Client", server))
    return readership


def happens(chance: random.Random, server: Server, readership: Readership, number: int) -> None:
    match chance.choice(["open", "open", "delete", "readers", "all", "channel", "session", "break"]):
        case "open":
            parent = chance.choice((*CHANNELS, ELSEWHERE))
            if chance.random() < 0.2:  # the change was not told of yet
                server.role[parent] = chance.choice(["a", "b", None])
            readership.meet(server.open(number, parent, private=chance.random() < 0.3))
            readership.meet(server.there[number])
        case "delete" if server.there:
            gone = chance.choice([*server.there])
            del server.there[gone]
            readership.forget_thread(gone)
        case "readers":
            server.role[chance.choice(CHANNELS)] = chance.choice(["a", "b", None])
        case "all":
            server.open(number, chance.choice(CHANNELS), private=False)
            readership.meet_all(cast("discord.Guild", server))
        case "channel":
            gone = chance.choice(CHANNELS)
            server.role[gone] = None
            server.there = {each: thread for each, thread in server.there.items() if thread.parent_id != gone}
            readership.forget_channel(gone)
        case "session":
            readership.begin(cast("discord.Client", server))
        case _:
            readership.suspend()
            readership.meet(server.open(number, CHANNELS[0], private=True))
            readership.resume()
    readership.compare()


def test_a_listener_knows_of_each_window_who_reads_it_now(server: Server) -> None:
    chance = random.Random(20261126)
    for _ in range(40):
        server.role, server.there, told = dict.fromkeys((*CHANNELS, ELSEWHERE), "a"), {}, Told()
        readership = begun(server, told)
        for step in range(60):
            happens(chance, server, readership, 100 + step)
            assert told.known == server.known()
            later = told.instead = Told()
            readership.tell(LISTENER)
            told.instead = None
            assert later.known == told.known


def test_news_that_a_new_thread_brings_of_its_channel_is_told_of_its_other_threads(server: Server) -> None:
    told = Told()
    readership = begun(server, told)
    readership.meet(server.open(100, 1, private=False))
    server.role[1] = "b"
    readership.meet(server.open(101, 1, private=False))
    assert told.known == server.known()


def test_threads_share_what_their_channel_says_and_of_those_elsewhere_nothing_is_told(server: Server) -> None:
    for number in range(100, 140):
        server.open(number, 1 if number % 2 else ELSEWHERE, private=False)
    told = Told()
    begun(server, told)
    assert len({id(told.known[str(window)]) for window in (1, *range(101, 140, 2))}) == 1
    assert len(told.known) == len(CHANNELS) + 20
