from __future__ import annotations

import itertools
import random
from typing import Any, cast

import discord
import pytest

from actors.discord.incoming.places.audience import audience_label, readers_of
from domain.policy.audience import Reach, admits
from lab.playground.world import defaults
from tests.actors.discord.incoming.guilds import FakeGuild
from tests.actors.discord.life import Life

VIEW, HISTORY = 1 << 10, 1 << 16


class Server:
    """As much of a server as permissions are told from."""

    def __init__(self, permissions: int) -> None:
        self.id, self.owner_id, self.unavailable = 1, 99, False
        self.default_role = discord.Role(
            guild=cast("discord.Guild", self), state=cast("Any", None), data=cast("Any", self._role(permissions))
        )

    @staticmethod
    def _role(permissions: int) -> dict[str, object]:
        return {
            "id": 1,
            "name": "@everyone",
            "permissions": str(permissions),
            "colors": {"primary_color": 0},
            "flags": 0,
        }

    @property
    def roles(self) -> list[discord.Role]:
        return [self.default_role]

    def get_role(self, role_id: int) -> discord.Role | None:
        return self.default_role if role_id == 1 else None


def channel(permissions: int, *, denied: int = 0) -> discord.TextChannel:
    overwrites = [{"id": 1, "type": 0, "allow": "0", "deny": str(denied)}]
    data = {"id": 5, "type": 0, "name": "c", "position": 0, "permission_overwrites": overwrites}
    guild = cast("discord.Guild", Server(permissions))
    return discord.TextChannel(state=cast("Any", None), guild=guild, data=cast("Any", data))


def test_a_channel_is_for_everyone_only_if_everyone_may_read_what_was_said(subtests: pytest.Subtests) -> None:
    for permissions, denied, reach in [
        (VIEW | HISTORY, 0, Reach.EVERYONE),
        (VIEW, 0, Reach.CHANNEL),
        (0, 0, Reach.CHANNEL),
        (VIEW | HISTORY, VIEW, Reach.CHANNEL),
        (VIEW | HISTORY, HISTORY, Reach.CHANNEL),
    ]:
        with subtests.test(permissions=permissions, denied=denied, reach=reach):
            assert audience_label(channel(permissions, denied=denied)) == f"1:5:{reach.value}"


def law_holds_in(guilds: range) -> None:
    """Words go from one channel to another exactly where no possible reader is new."""
    shown = 0
    for seed in guilds:
        guild = FakeGuild.random(random.Random(seed))
        held = [readers_of(channel) for channel in guild.held()]
        for source, target in itertools.product(range(len(held)), repeat=2):
            is_shown = admits(held[source], held[target])
            shown += is_shown and source != target
            assert is_shown is not guild.has_new_reader(source, target), (seed, source, target)
    assert shown > len(guilds) // 10


def test_in_hundreds_of_servers_words_are_shown_where_they_find_no_new_reader_and_nowhere_else() -> None:
    law_holds_in(range(300))


@pytest.mark.slow
def test_in_ten_thousand_servers_words_are_shown_where_they_find_no_new_reader_and_nowhere_else() -> None:
    law_holds_in(range(10_000))


def test_what_discord_py_does_not_know_has_no_audience() -> None:
    assert audience_label(None) == ""
    assert audience_label(object()) == ""


def test_messages_say_who_reads_them(life: Life) -> None:
    public = life.playground.create_thread(defaults.GENERAL_ID, "public")
    private = life.playground.create_thread(defaults.GENERAL_ID, "private", private=True)
    for place in (defaults.GENERAL_ID, public, private):
        life.say("hello", place)
    told = {message.window.id: message.audience for message in life.messages.wait(3)}
    open_to_all = f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:everyone"
    assert told == {
        str(defaults.GENERAL_ID): open_to_all,
        str(public): open_to_all,
        str(private): f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:private",
    }
